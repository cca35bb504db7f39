package judgment_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/judgment"
)

func call(tool, input string) *event.Event {
	return &event.Event{
		Agent: "claude", Name: event.PreToolUse, CWD: "/repo", Session: "s", Turn: "t", PermissionMode: "default", Prompt: "a prompt",
		Tool: event.Tool{Name: tool, UseID: "toolu_1", Input: json.RawMessage(input), Command: "not this one", Paths: []string{"/nor/this"}},
		Raw:  json.RawMessage(`{"transcript_path":"/home/x"}`),
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	token := "gh" + "p_" + strings.Repeat("a1", 20)
	for _, tt := range []struct {
		name  string
		event *event.Event
		opts  judgment.Options
		want  string
	}{
		{"command", call("Bash", `{"description":"clean up","command":"rm -rf ./src && echo <done>"}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"Bash","cwd":"/repo","tool_input":{"command":"rm -rf ./src && echo <done>","description":"clean up"}}`},
		{"write", call("Write", `{"file_path":"/repo/.env","content":"S3CRET"}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"Write","cwd":"/repo","tool_input":{"file_path":"/repo/.env"}}`},
		{"edit", call("Edit", `{"file_path":"a","old_string":"S3CRET","new_string":"S3CRET","replace_all":false}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"Edit","cwd":"/repo","tool_input":{"file_path":"a","replace_all":false}}`},
		{"edits and plan", call("MultiEdit", `{"file_path":"a","edits":[{"x":"S3CRET"}],"plan":{"y":"S3CRET"}}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"MultiEdit","cwd":"/repo","tool_input":{"file_path":"a"}}`},
		{"at every depth", call("mcp__x__y", `{"a":[{"b":{"content":"S3CRET","c":1}}],"d":null}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"mcp__x__y","cwd":"/repo","tool_input":{"a":[{"b":{"c":1}}],"d":null}}`},
		{"other agents' spellings", call("create", `{"path":"a","file_text":"S3CRET","old_str":"S3CRET","newString":"S3CRET","new_source":"S3CRET","Content":"S3CRET","diff":"S3CRET","con\u0074ents":"S3CRET"}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"create","cwd":"/repo","tool_input":{"path":"a"}}`},
		{"input as a string of JSON", call("MCP:x", `"{\"path\":\"a\",\"content\":\"S3CRET\"}"`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"MCP:x","cwd":"/repo","tool_input":{"path":"a"}}`},
		{"JSON within a string within", call("mcp__x__y", `{"arguments":"[{\"content\":\"S3CRET\"}]"}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"mcp__x__y","cwd":"/repo","tool_input":{"arguments":[{}]}}`},
		{"patch", call("apply_patch", `{"command":"*** Begin Patch\n*** Add File: .env\n+S3CRET\n*** Update File: a\n*** Move to: b\n@@\n-S3CRET\n*** Delete File: c\n*** End Patch"}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"apply_patch","cwd":"/repo","tool_input":{"command":"*** Add File: .env\n*** Update File: a\n*** Move to: b\n*** Delete File: c\n"}}`},
		{"patch as a string", call("ApplyPatch", `"*** Begin Patch\n*** Add File: .env\n+S3CRET\n*** End Patch"`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"ApplyPatch","cwd":"/repo","tool_input":"*** Add File: .env\n"}`},
		{"patch as a list", call("apply_patch", `{"input":["*** Add File: .env","+S3CRET"]}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"apply_patch","cwd":"/repo","tool_input":{"input":["*** Add File: .env\n",""]}}`},

		{"content, if it is wanted", call("Write", `{"file_path":".env","content":"hello\nTOKEN=S3CRET"}`), judgment.Options{Content: true},
			`{"agent":"claudecode","event":"PreToolUse","tool":"Write","cwd":"/repo","tool_input":{"file_path":".env","content":"hello\nTOKEN=[redacted]"}}`},
		{"patch, if content is wanted", call("apply_patch", `{"command":"*** Add File: a\n+hello"}`), judgment.Options{Content: true},
			`{"agent":"claudecode","event":"PreToolUse","tool":"apply_patch","cwd":"/repo","tool_input":{"command":"*** Add File: a\n+hello"}}`},

		{"secret in the command", call("Bash", `{"command":"export NPM_TOKEN=S3CRET; curl -u bob:S3CRET https://bob:S3CRET@x; rm -rf src"}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"Bash","cwd":"/repo","tool_input":{"command":"export NPM_TOKEN=[redacted]; curl -u bob:[redacted] https://bob:[redacted]@x; rm -rf src"}}`},
		{"secret by the member's name", call("mcp__x__y", `{"password":"S3CRET","headers":{"Authorization":"Basic S3CRET"},"api_key":123456,"secrets":["S3CRET"],"max_tokens":5,"token":null}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"mcp__x__y","cwd":"/repo","tool_input":{"api_key":"[redacted]","headers":{"Authorization":"[redacted]"},"max_tokens":5,"password":"[redacted]","secrets":"[redacted]","token":null}}`},
		{"secret by the word before it", call("shell", `{"command":["deploy","--token","S3CRET x","-u","bob:S3CRET","--host","h"]}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"shell","cwd":"/repo","tool_input":{"command":["deploy","--token","[redacted]","-u","[redacted]","--host","h"]}}`},
		{"secret as a member's name", call("mcp__x__y", `{"`+token+`":1}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"mcp__x__y","cwd":"/repo","tool_input":{"[redacted]":1}}`},
		{"secret in the folder's name", &event.Event{Agent: "codex", Name: "Stop", CWD: "/x/" + token}, judgment.Options{},
			`{"agent":"codex","event":"Stop","cwd":"/x/[redacted]"}`},
		{"redaction of one's own", call("Bash", `{"command":"ls secret"}`), judgment.Options{Redact: func(s string) string { return strings.ReplaceAll(s, "secret", "***") }},
			`{"agent":"claudecode","event":"PreToolUse","tool":"Bash","cwd":"/repo","tool_input":{"command":"ls ***"}}`},

		{"prompts are not sent", &event.Event{Agent: "cursor", Name: "beforeSubmitPrompt", Prompt: "S3CRET"}, judgment.Options{},
			`{"agent":"cursor","event":"beforeSubmitPrompt"}`},
		{"nothing", &event.Event{}, judgment.Options{}, `{"agent":"","event":""}`},
		{"no input", call("TaskList", ""), judgment.Options{}, `{"agent":"claudecode","event":"PreToolUse","tool":"TaskList","cwd":"/repo"}`},
		{"broken input", call("Bash", `{"command":`), judgment.Options{}, `{"agent":"claudecode","event":"PreToolUse","tool":"Bash","cwd":"/repo","tool_input":"{\"command\":"}`},
		{"a member twice", call("Bash", `{"command":"ls","command":"rm"}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"Bash","cwd":"/repo","tool_input":{"command":"rm"}}`},
		{"a number without end", call("x", `{"n":`+strings.Repeat("1", 5000)+`}`), judgment.Options{},
			`{"agent":"claudecode","event":"PreToolUse","tool":"x","cwd":"/repo","tool_input":{"n":"…"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := string(judgment.State(tt.event, tt.opts))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if strings.Contains(got, "S3CRET") {
				t.Error("the secret gets out")
			}
		})
	}
}

// The agents' arguments come in any order; the question, and so the cached answer,
// is the same.
func TestStateHasOneForm(t *testing.T) {
	t.Parallel()
	a := judgment.State(call("Bash", `{"command":"ls","timeout":5,"description":"d"}`), judgment.Options{})
	b := judgment.State(call("Bash", ` { "description" : "\u0064", "timeout":5,"command":"ls" } `), judgment.Options{})
	if string(a) != string(b) {
		t.Errorf("%s\n%s", a, b)
	}
}

// What is dangerous may stand behind a lot of harmless words.
func TestStateCutsLongStrings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		command string
		most    int
	}{
		{"long", "begin " + strings.Repeat("x ", 3_000) + "; rm -rf src", 2_100},
		{"in another script", "begin " + strings.Repeat("ä ", 3_000) + "; rm -rf src", 3_200},
		{"very long", "begin " + strings.Repeat("x ", 300_000) + "; rm -rf src", 2_100},
		{"very long, no spaces", "begin " + strings.Repeat("x", 300_000) + "; rm -rf src", 2_100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			input, _ := json.Marshal(map[string]string{"command": tt.command})
			var got struct {
				Input struct{ Command string } `json:"tool_input"`
			}
			if err := json.Unmarshal(judgment.State(call("Bash", string(input)), judgment.Options{}), &got); err != nil {
				t.Fatal(err)
			}
			c := got.Input.Command
			if !strings.HasPrefix(c, "begin ") || !strings.HasSuffix(c, "; rm -rf src") || !strings.Contains(c, "characters left out") {
				t.Errorf("%.40s … %s", c, c[max(0, len(c)-40):])
			}
			if len(c) > tt.most {
				t.Errorf("%d bytes", len(c))
			}
		})
	}
}

// A secret that lies across a cut is not shown by half.
func TestStateCutsNoSecretInTwo(t *testing.T) {
	t.Parallel()
	for n := 1_400; n < 1_600; n += 23 {
		input, _ := json.Marshal(map[string]string{"command": strings.Repeat("a ", n/2) + "TOKEN=" + strings.Repeat("S3CRET", 20) + strings.Repeat(" b", 2_000)})
		if got := judgment.State(call("Bash", string(input)), judgment.Options{}); strings.Contains(string(got), "S3CRET") {
			t.Fatalf("at %d: %s", n, got)
		}
	}
}

// However much a call has, what says what it does is shown, and the rest bounded.
func TestStateIsBounded(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 5_000 {
		many = append(many, fmt.Sprintf(`"a%d":%q`, i, strings.Repeat("x", 500)))
	}
	wide := "[" + strings.Repeat("[],", 50_000) + "[]]"
	for _, tt := range []struct{ name, input string }{
		{"many members", `{` + strings.Join(many, ",") + `,"command":"rm -rf src"}`},
		{"deep", strings.Repeat(`{"a":`, 5_000) + `1` + strings.Repeat("}", 5_000)},
		{"wide", `{"a":` + wide + `,"command":"rm -rf src"}`},
		{"wide and deep", `{"a":` + strings.Repeat("["+strings.Repeat("{},", 100), 8) + "1" + strings.Repeat("]", 8) + `,"command":"rm -rf src"}`},
		{"long names", `{"` + strings.Repeat("n", 100_000) + `":1,"command":"rm -rf src"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, content := range []bool{false, true} {
				got := judgment.State(call("Bash", tt.input), judgment.Options{Content: content})
				if !json.Valid(got) {
					t.Errorf("no JSON: %.200s", got)
				}
				if most := 40_000; len(got) > most {
					t.Errorf("content %v: %d bytes", content, len(got))
				}
				if strings.Contains(tt.input, "rm -rf") && !strings.Contains(string(got), "rm -rf src") {
					t.Errorf("the command is not there: %.200s", got)
				}
			}
		})
	}
}

func FuzzState(f *testing.F) {
	f.Add("Bash", `{"command":"ls"}`, "/repo")
	f.Add("apply_patch", `"*** Add File: a\n+b"`, "")
	f.Add("x", `{"a":"{\"content\":1}","b":[1,null,true,{"plan":2}]}`, "\xff")
	f.Add("x", `{"":{"":""},"a":1e5,"b":"\ud800"}`, "\x00")
	f.Fuzz(func(t *testing.T, tool, input, cwd string) {
		for _, o := range []judgment.Options{{}, {Content: true}} {
			e := call(tool, input)
			e.CWD = cwd
			got := judgment.State(e, o)
			if !json.Valid(got) {
				t.Errorf("no JSON: %q", got)
			}
			if again := judgment.State(e, o); string(again) != string(got) {
				t.Errorf("not the same twice:\n%s\n%s", got, again)
			}
		}
	})
}

func BenchmarkState(b *testing.B) {
	e := call("Bash", `{"command":"go test ./internal/judgment -run Cache -count 1","description":"run the tests"}`)
	for b.Loop() {
		judgment.State(e, judgment.Options{})
	}
}
