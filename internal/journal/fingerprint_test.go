package journal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
)

func TestFingerprint(t *testing.T) {
	t.Parallel()
	bash := func(command, input string) event.Event {
		return event.Event{Agent: "claude", CWD: "/repo", Tool: event.Tool{Name: "Bash", Command: command, Input: json.RawMessage(input)}}
	}
	tool := func(agent, cwd, name, input string) event.Event {
		return event.Event{Agent: agent, CWD: cwd, Tool: event.Tool{Name: name, Input: json.RawMessage(input)}}
	}
	base := bash("make x", `{"command":"make x","description":"build"}`)
	write := tool("claude", "/repo", "Write", `{"file_path":"/a","content":"b","n":1.0}`)
	long := strings.Repeat("x", 100_000)
	large := bash("make "+long, `{"command":"make `+long+`","description":"build"}`)
	prompt := event.Event{Agent: "claude", CWD: "/repo", Prompt: "hello"}
	tests := []struct {
		name string
		a, b event.Event
		same bool
	}{
		{"reworded", base, bash("make x", `{"timeout": 5, "description":"compile", "command":"make x"}`), true},
		{"later event of the call", base, func() event.Event { e := base; e.Name, e.Tool.UseID = "PermissionRequest", "2"; return e }(), true},
		{"another command", base, bash("make y", `{"command":"make y"}`), false},
		{"sandbox off", base, bash("make x", `{"command":"make x","dangerouslyDisableSandbox":true}`), false},
		{"another folder", base, func() event.Event { e := base; e.CWD = "/"; return e }(), false},
		{"another agent", base, func() event.Event { e := base; e.Agent = "codex"; return e }(), false},
		{"another tool", base, func() event.Event { e := base; e.Tool.Name = "PowerShell"; return e }(), false},
		{"key order and space", write, tool("claude", "/repo", "Write", "{ \"n\": 1.0,\n \"content\":\"b\",\"file_path\":\"/a\" }"), true},
		{"escapes", write, tool("claude", "/repo", "Write", `{"file_path":"\u002fa","content":"b","n":1.0}`), true},
		{"another number", write, tool("claude", "/repo", "Write", `{"file_path":"/a","content":"b","n":1}`), false},
		{"a description counts where it is content", tool("a", "", "Task", `{"description":"x"}`), tool("a", "", "Task", `{"description":"y"}`), false},
		{"large numbers", tool("a", "", "T", `[12345678901234567890]`), tool("a", "", "T", `[12345678901234567891]`), false},
		{"fields do not run together", tool("ab", "c", "T", `1`), tool("a", "bc", "T", `1`), false},
		{"garbage", tool("a", "", "T", `{"a":1} x`), tool("a", "", "T", `{"a":1} y`), false},
		{"large and reworded", large, bash("make "+long, `{"timeout": 5, "description":"compile", "command":"make `+long+`"}`), true},
		{"large, sandbox off", large, bash("make "+long, `{"command":"make `+long+`","dangerouslyDisableSandbox":true}`), false},
		{"large, another value", tool("a", "", "T", `{"a":"`+long+`","b":1}`), tool("a", "", "T", `{"a":"`+long+`","b":2}`), false},
		{"prompt", prompt, func() event.Event { e := prompt; e.Session = "other"; return e }(), true},
		{"another prompt", prompt, event.Event{Agent: "claude", CWD: "/repo", Prompt: "hello "}, false},
		{"prompt and tool", prompt, tool("claude", "/repo", "hello", ""), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := journal.Fingerprint(&tt.a, nil), journal.Fingerprint(&tt.b, nil)
			if len(a) != 64 || len(b) != 64 || (a == b) != tt.same {
				t.Errorf("%s and %s, want same: %v", a, b, tt.same)
			}
		})
	}
	if got := journal.Fingerprint(&event.Event{Agent: "claude", Name: event.SessionStart}, nil); got != "" {
		t.Errorf("SessionStart has the fingerprint %s", got)
	}
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	if a, b := tool("a", "", "T", deep), tool("a", "", "T", deep+" "); journal.Fingerprint(&a, nil) == journal.Fingerprint(&b, nil) {
		t.Error("JSON that is too deep to decode must stand for itself")
	}
}

// A fingerprint with a key says nothing to who has not got the key, and still
// tells actions apart.
func TestFingerprintWithKey(t *testing.T) {
	t.Parallel()
	a := event.Event{Agent: "claude", Tool: event.Tool{Name: "Bash", Command: "TOKEN=1"}}
	b := event.Event{Agent: "claude", Tool: event.Tool{Name: "Bash", Command: "TOKEN=2"}}
	k1, k2 := []byte("one"), []byte("two")
	if again := a; journal.Fingerprint(&a, k1) != journal.Fingerprint(&again, k1) {
		t.Error("one action has two fingerprints")
	}
	seen := map[string]bool{}
	for _, f := range []string{
		journal.Fingerprint(&a, nil), journal.Fingerprint(&a, k1), journal.Fingerprint(&a, k2),
		journal.Fingerprint(&b, nil), journal.Fingerprint(&b, k1), journal.Fingerprint(&b, k2),
	} {
		if seen[f] {
			t.Errorf("%s twice", f)
		}
		seen[f] = true
	}
}
