package doctor

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/install"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/usr/bin/x": "/usr/bin/x", "": "''", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "~/x": "'~/x'", "/ä": "'/ä'", "/a;b": "'/a;b'",
	} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestKeySuffix(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{"PreToolUse": ":pre_tool_use:1:2", "Stop": ":stop:1:2", "UserPromptSubmit": ":user_prompt_submit:1:2"} {
		if got := keySuffix(install.Entry{Event: event, Group: 1, Handler: 2}); got != want {
			t.Errorf("%s: got %s, want %s", event, got, want)
		}
	}
}

func TestSeveral(t *testing.T) {
	t.Parallel()
	if got := several([]string{"a", "b", "c"}); got != "a, b, c" {
		t.Error(got)
	}
	if got := several([]string{"a", "b", "c", "d", "e"}); got != "a, b, c and 2 more" {
		t.Error(got)
	}
}

func TestFirstLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "\n\n x \ny": "x", "bad \xff": "bad \ufffd", strings.Repeat("é", 300): strings.Repeat("é", 200) + "…",
	} {
		if got := firstLine([]byte(in)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestBadHandler has the forms of an entry for which Claude Code 2.1.197 was
// seen to run no hook of the whole file, and forms that it takes.
func TestBadHandler(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, hooks, want string }{
		{"sound", `{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"x","timeout":0.5,"async":true,"more":1}]}]}`, ""},
		{"another sound type", `{"PreToolUse":[{"hooks":[{"type":"prompt","prompt":"x"}]}]}`, ""},
		{"no entry", `{"PreToolUse":[]}`, ""},
		{"event of another type", `{"PreToolUse":{}}`, ""},
		{"no hooks", ``, ""},
		{"unknown type", `{"PreToolUse":[{"hooks":[{"type":"zzz"}]}]}`, `hooks.PreToolUse[0].hooks[0] has the type "zzz"`},
		{"no type", `{"PreToolUse":[{"hooks":[{"command":"x"}]}]}`, "has the type missing"},
		{"no command", `{"PreToolUse":[{"hooks":[{"type":"command"}]}]}`, "has the command missing"},
		{"command of another type", `{"PreToolUse":[{"hooks":[{"type":"command","command":5}]}]}`, "has the command 5"},
		{"timeout as a text", `{"Stop":[],"PreToolUse":[{"hooks":[]},{"hooks":[{"type":"command","command":"x","timeout":"3"}]}]}`, `hooks.PreToolUse[1].hooks[0] has the timeout "3"`},
		{"no time", `{"PreToolUse":[{"hooks":[{"type":"command","command":"x","timeout":0}]}]}`, "has the timeout 0"},
		{"async of another type", `{"PreToolUse":[{"hooks":[{"type":"command","command":"x","async":"yes"}]}]}`, `has "async": "yes"`},
		{"no list", `{"PreToolUse":[{"matcher":"x"}]}`, `hooks.PreToolUse[0] has no array "hooks"`},
		{"matcher of another type", `{"PreToolUse":[{"matcher":5,"hooks":[]}]}`, "matcher is 5"},
		{"null entry", `{"PreToolUse":[{"hooks":[null]}]}`, "hooks[0] is no object"},
		{"null group", `{"PreToolUse":[null]}`, "hooks.PreToolUse[0] is no object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := badHandler([]byte(tt.hooks))
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{
		`{}`: 0, `{"disableAllHooks":false}`: 0, `{"disableAllHooks":true}`: 1, `{"disableAllHooks":null}`: 1,
		`{"allowManagedHooksOnly":true}`: 1, `{"allowManagedHooksOnly":false}`: 0,
		`{"allowManagedHooksOnly":true,"disableAllHooks":"false"}`: 2,
	} {
		var top object
		if err := json.Unmarshal([]byte(in), &top); err != nil {
			t.Fatal(err)
		}
		if got := switches(top); len(got) != want {
			t.Errorf("%s: got %q, want %d", in, got, want)
		}
	}
}

func TestConclude(t *testing.T) {
	t.Parallel()
	proof := Result{State: OK, proof: true}
	tests := []struct {
		name string
		in   []Result
		want string
		well bool
	}{
		{"nothing", nil, `nothing is installed, so nothing is enforced: run "overseer install"`, true},
		{"proof", []Result{proof, {State: Warning}, {State: Absent}}, "everything that is installed enforces", true},
		{"one fault", []Result{proof, {State: Failed}}, "1 check failed", false},
		{"two faults", []Result{{State: Failed}, {State: Failed}}, "2 checks failed", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if text, well := Conclude(tt.in); text != tt.want || well != tt.well {
				t.Errorf("got %q, %v", text, well)
			}
		})
	}
}

// TestBounded: a program that prints without end does not fill the memory.
func TestBounded(t *testing.T) {
	t.Parallel()
	var b bounded
	const size = 3*maxOutput + 5
	n, err := io.Copy(&b, io.LimitReader(endless{}, size))
	if n != size || err != nil {
		t.Errorf("took %d bytes, %v", n, err)
	}
	if b.kept.Len() != maxOutput {
		t.Errorf("kept %d bytes", b.kept.Len())
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestBadEntry has the forms of an entry for which Cursor rejects the whole file,
// and forms that it takes.
func TestBadEntry(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, hooks, want string }{
		{"sound", `{"stop":[{"type":"command","command":"x","matcher":"a|(?=b)","timeout":0.5,"failClosed":true,"loop_limit":null,"more":1}]}`, ""},
		{"bare", `{"stop":[{"command":""}]}`, ""},
		{"a matcher for all", `{"preToolUse":[{"command":"x","matcher":"*"},{"command":"x","matcher":""}]}`, ""},
		{"a prompt", `{"stop":[{"type":"prompt","prompt":"x","loop_limit":3}]}`, ""},
		{"no entry", `{"stop":[]}`, ""},
		{"event that is null", `{"stop":null}`, "hooks.stop is no array"},
		{"event that is an object", `{"a":[],"stop":{}}`, "hooks.stop is no array"},
		{"entry that is a text", `{"stop":["x"]}`, "hooks.stop[0] is no object"},
		{"entry that is null", `{"stop":[{"command":"x"},null]}`, "hooks.stop[1] is no object"},
		{"no command", `{"stop":[{}]}`, "hooks.stop[0] has the command missing"},
		{"a command of another type", `{"stop":[{"command":["x"]}]}`, `has the command ["x"]`},
		{"a group, as Claude Code has them", `{"stop":[{"hooks":[{"command":"x"}]}]}`, "has the command missing"},
		{"unknown type", `{"stop":[{"type":"http","command":"x"}]}`, `has the type "http"`},
		{"null type", `{"stop":[{"type":null,"command":"x"}]}`, "has the type null"},
		{"empty prompt", `{"stop":[{"type":"prompt","prompt":"","command":"x"}]}`, `has the prompt ""`},
		{"no regular expression", `{"stop":[{"command":"x","matcher":"**"}]}`, `has the matcher "**"`},
		{"an open class, which JavaScript may take", `{"stop":[{"command":"x","matcher":"[]"}]}`, ""},
		{"a matcher of another type", `{"stop":[{"command":"x","matcher":null}]}`, "has the matcher null"},
		{"no time", `{"stop":[{"command":"x","timeout":0}]}`, "has the timeout 0"},
		{"time as a text", `{"stop":[{"command":"x","timeout":"5"}]}`, `has the timeout "5"`},
		{"failClosed as a text", `{"stop":[{"command":"x","failClosed":"yes"}]}`, `has the failClosed "yes"`},
		{"half a loop", `{"stop":[{"command":"x","loop_limit":0.5}]}`, "has the loop_limit 0.5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var hooks object
			if err := json.Unmarshal([]byte(tt.hooks), &hooks); err != nil {
				t.Fatal(err)
			}
			got := badEntry(hooks)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// mute is an agent of which it is not known how it runs hooks.
type mute struct{ agent.Provider }

func TestNoProber(t *testing.T) {
	t.Parallel()
	p, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	var got []Result
	a := &patient{p: mute{p}, yield: func(r Result) bool { got = append(got, r); return true }}
	pl := &place{name: "mute-user"}
	pl.status.Entries = []install.Entry{{Event: "PreToolUse"}}
	if !a.proof(t.Context(), pl) || len(got) != 1 || got[0].State != Warning || !strings.Contains(got[0].Text, "not tried") {
		t.Errorf("%+v", got)
	}
}
