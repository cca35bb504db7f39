package agent_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/agent/agenttest"
	_ "github.com/fireharp/overseer/agent/claudecode"
	_ "github.com/fireharp/overseer/agent/codex"
	_ "github.com/fireharp/overseer/agent/cursor"
	"github.com/fireharp/overseer/event"
)

func provider(t testing.TB, name string) agent.Provider {
	t.Helper()
	p, err := agent.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParsePayload(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	tests := []struct {
		name, in, raw, err string
	}{
		{"object", `{"a":1}`, `{"a":1}`, ""},
		{"white space around", "\r\n\t {\"a\":1}\n\n", `{"a":1}`, ""},
		{"byte order mark", "\ufeff{}", `{}`, ""},
		{"byte order mark and white space", " \ufeff\n{}\n", `{}`, ""},
		{"not UTF-8", "{\"a\":\"x\xff\xc3y\"}", "{\"a\":\"x\uFFFDy\"}", ""},
		{"a cut character before the quote", "{\"a\":\"\xe2\x82\"}", "{\"a\":\"\uFFFD\"}", ""},
		{"empty", "", "", "payload is empty"},
		{"blank", " \n", "", "payload is empty"},
		{"mark alone", "\ufeff", "", "payload is empty"},
		{"array", `[{}]`, "", "payload is a JSON array, want an object"},
		{"string", `"x"`, "", "payload is a JSON string, want an object"},
		{"null", `null`, "", "payload is a JSON null, want an object"},
		{"true", `true`, "", "payload is a JSON boolean, want an object"},
		{"number", `-1`, "", "payload is a JSON number, want an object"},
		{"two documents", `{} {}`, "", "payload is not JSON: invalid character '{' after top-level value (at byte 4)"},
		{"garbage behind", `{}x`, "", "payload is not JSON: invalid character 'x' after top-level value (at byte 3)"},
		{"cut off", `{"a":`, "", "payload is not JSON: unexpected end of JSON input (at byte 5)"},
		{"comma too many", `{"a":1,}`, "", "payload is not JSON: invalid character '}' looking for beginning of object key string (at byte 8)"},
		{"line break in a string", "{\"a\":\"\n\"}", "", "payload is not JSON: invalid character '\\n' in string literal (at byte 7)"},
		{"too deep", deep, "", "payload is not JSON: invalid character '{' exceeded max depth (at byte 50001)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := agent.ParsePayload([]byte(tt.in))
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(p.Raw()) != tt.raw {
				t.Errorf("raw %q, want %q", p.Raw(), tt.raw)
			}
		})
	}
}

func TestParsePayloadLimit(t *testing.T) {
	t.Parallel()
	head, tail := `{"tool_name":"Bash","tool_input":{"command":"`, `"}}`
	fill := func(n int) []byte {
		return []byte(head + strings.Repeat("x", n-len(head)-len(tail)) + tail)
	}
	e, err := provider(t, "claude").Decode("PreToolUse", fill(agent.MaxPayload))
	if err != nil {
		t.Fatal(err)
	}
	if want := agent.MaxPayload - len(head) - len(tail); len(e.Tool.Command) != want {
		t.Errorf("command of %d bytes, want %d", len(e.Tool.Command), want)
	}
	_, err = agent.ParsePayload(fill(agent.MaxPayload + 1))
	if err == nil || !strings.Contains(err.Error(), "over the limit") {
		t.Errorf("error %v, want one about the limit", err)
	}
}

func TestDecodeFields(t *testing.T) {
	t.Parallel()
	type fields struct {
		Name, Session, Turn, CWD, Mode, Prompt, Tool, UseID, Command string
		StopActive                                                   bool
	}
	tests := []struct {
		name, in string
		want     fields
	}{
		{"as documented, snake case",
			`{"hook_event_name":"PreToolUse","session_id":"abc123","cwd":"/repo","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}`,
			fields{Name: "PreToolUse", Session: "abc123", CWD: "/repo", Tool: "Bash", Command: "rm -rf /"}},
		{"as documented, camel case",
			`{"hookEventName":"PreToolUse","sessionId":"abc123","cwd":"/repo","toolName":"Bash","toolInput":{"command":"rm -rf /"},"permissionMode":"plan","stopHookActive":true,"toolUseId":"u"}`,
			fields{Name: "PreToolUse", Session: "abc123", CWD: "/repo", Tool: "Bash", Command: "rm -rf /", Mode: "plan", StopActive: true, UseID: "u"}},
		{"snake case wins over camel case",
			`{"toolName":"Read","tool_name":"Bash","toolInput":{"command":"ls"},"tool_input":{"command":"rm x"},"hookEventName":"Stop","hook_event_name":"PreToolUse"}`,
			fields{Name: "PreToolUse", Tool: "Bash", Command: "rm x"}},
		{"other spellings count for nothing",
			`{"tool_name":"Bash","Tool_Name":"Read","TOOL_NAME":"Read","tool_input":{"command":"rm x","Command":"ls","COMMAND":"ls"},"Tool_Input":{"command":"ls"}}`,
			fields{Name: "FromArgv", Tool: "Bash", Command: "rm x"}},
		{"other spellings alone count for nothing", `{"Tool_Name":"Bash","Tool_Input":{"command":"ls"},"Hook_Event_Name":"Stop"}`,
			fields{Name: "FromArgv"}},
		{"the last of two wins", `{"tool_name":"Read","tool_name":"Bash","tool_input":{"command":"ls","command":"rm x"}}`,
			fields{Name: "FromArgv", Tool: "Bash", Command: "rm x"}},
		{"an escaped name is the same name", `{"tool\u005fname":"Bash","tool_input":{"comm\u0061nd":"rm x"}}`,
			fields{Name: "FromArgv", Tool: "Bash", Command: "rm x"}},
		{"other types are empty",
			`{"hook_event_name":1,"session_id":[],"cwd":{},"tool_name":true,"tool_input":"x","tool_use_id":null,"prompt":{"a":1},"stop_hook_active":"true","permission_mode":2}`,
			fields{Name: "FromArgv"}},
		{"a null input", `{"tool_name":"Bash","tool_input":null}`, fields{Name: "FromArgv", Tool: "Bash"}},
		{"unknown words pass", `{"hook_event_name":"BrandNew","permission_mode":"yolo"}`, fields{Name: "BrandNew", Mode: "yolo"}},
		{"another agent's case of an event", `{"hook_event_name":"preToolUse"}`, fields{Name: "PreToolUse"}},
		{"Copilot's permission request", `{"hookName":"permissionRequest","sessionId":"s","toolName":"bash","toolInput":{"command":"ls"}}`,
			fields{Name: "PermissionRequest", Session: "s", Tool: "bash", Command: "ls"}},
		{"lone surrogate", `{"tool_name":"Bash","tool_input":{"command":"a\ud800b"}}`, fields{Name: "FromArgv", Tool: "Bash", Command: "a\uFFFDb"}},
		{"escapes", `{"tool_name":"Bash","tool_input":{"command":"a\u0000\n\"\\\/\ud83e\udd80"}}`,
			fields{Name: "FromArgv", Tool: "Bash", Command: "a\x00\n\"\\/🦀"}},
		{"nothing", `{}`, fields{Name: "FromArgv"}},
	}
	for _, tt := range tests {
		for _, name := range []string{"claude", "codex"} { // Cursor's form is another
			p := provider(t, name)
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				e, err := p.Decode("FromArgv", []byte(tt.in))
				if err != nil {
					t.Fatal(err)
				}
				got := fields{e.Name, e.Session, e.Turn, e.CWD, e.PermissionMode, e.Prompt, e.Tool.Name, e.Tool.UseID, e.Tool.Command, e.StopActive}
				if got != tt.want {
					t.Errorf("got  %+v\nwant %+v", got, tt.want)
				}
				if string(e.Raw) != tt.in {
					t.Errorf("raw %s", e.Raw)
				}
			})
		}
	}
}

// TestDecodeError shows that what cannot be read still can be answered.
func TestDecodeError(t *testing.T) {
	t.Parallel()
	for _, p := range agent.All() {
		e, err := p.Decode("pretooluse", []byte(`{"tool_name":`))
		if err == nil || e.Agent != p.Name() || e.Name != event.PreToolUse {
			t.Errorf("%s: event %+v, error %v", p.Name(), e, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"},"cwd":"/p"}`,
		`{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: ../a\n*** Move to: C:\\x"},"cwd":"C:\\p"}`,
		`{"tool_name":"mcp__x__y","tool_input":"{\"path\":\"file:///etc/%70asswd\",\"a\":[[[{\"files\":[\"~/../x\"]}]]]}"}`,
		"\ufeff{\"tool_input\":[\"bash\",\"-lc\",\"it's\"],\"tool_name\":\"shell\"}\n", "{\"a\":\"\xff\"}", `[`, `{} {}`,
		`{"tool_input":{"command":"a","cmd":"b","args":["c",1],"commands":["d",["e f"]]}}`,
		`{"hook_event_name":"beforeMCPExecution","tool_name":"q","tool_input":"{\"path\":\"/x\"}","mcp_server_name":"a*b"}`,
		`{"hook_event_name":"beforeShellExecution","command":"ls","cwd":"sub","sandbox":true,"workspace_roots":["/p",1]}`,
		`{"hook_event_name":"stop","loop_count":1e9,"status":"aborted"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, p := range agent.All() {
			e, err := p.Decode(event.PreToolUse, payload)
			if e.Agent != p.Name() || e.Name == "" {
				t.Fatalf("event without agent or name: %+v", e)
			}
			if err != nil {
				continue
			}
			var members map[string]json.RawMessage
			if err := json.Unmarshal(e.Raw, &members); err != nil || !utf8.Valid(e.Raw) {
				t.Fatalf("raw is not a JSON object in UTF-8: %v", err)
			}
			if len(e.Tool.Input) > 0 && !json.Valid(e.Tool.Input) {
				t.Fatalf("input is not JSON: %q", e.Tool.Input)
			}
			// The strings must be those that the standard library reads.
			var name string
			own := e.Native == "" || e.Native == "preToolUse" // Cursor's other events are tool calls by themselves
			if json.Unmarshal(members["tool_name"], &name); name != "" && name != e.Tool.Name && own {
				t.Fatalf("tool %q, want %q", e.Tool.Name, name)
			}
			for _, s := range append(e.Tool.Paths, e.Tool.Command, e.Tool.URL, e.Prompt, e.CWD) {
				if !utf8.ValidString(s) {
					t.Fatalf("not UTF-8: %q", s)
				}
			}
			for _, path := range e.Tool.Paths {
				if path == "" {
					t.Fatal("an empty path")
				}
			}
			v := event.Verdict{Decision: event.Deny, Basis: event.ByRule, Reason: string(payload), Guidance: []string{string(payload)}}
			for _, d := range []event.Decision{event.Allow, event.Ask, event.Deny} {
				v.Decision = d
				c := agenttest.Case{Event: e, Verdict: v}
				if err := agenttest.Invariant(c, p.Encode(&e, &v)); err != nil {
					t.Fatalf("%s %s: %v", p.Name(), d, err)
				}
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	small := []byte(`{"session_id":"bbc78ef5-b95d-4044-bf8e-0d83639e2e2a","transcript_path":"/home/dev/.claude/projects/-home-dev-proj/bbc78ef5-b95d-4044-bf8e-0d83639e2e2a.jsonl","cwd":"/home/dev/proj","prompt_id":"c1e79c91-adf2-4cc4-89f1-52101736723e","permission_mode":"bypassPermissions","effort":{"level":"medium"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo hi","description":"say hi"},"tool_use_id":"toolu_1"}`)
	large := bytes.Replace(small, []byte("echo hi"), bytes.Repeat([]byte(`echo \"hi\"\n`), 2<<20), 1)
	for _, bb := range []struct {
		name string
		in   []byte
	}{{"small", small}, {"24MiB", large}} {
		b.Run(bb.name, func(b *testing.B) {
			p := provider(b, "claude")
			b.SetBytes(int64(len(bb.in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Decode("PreToolUse", bb.in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
