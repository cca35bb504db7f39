package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/agent/agenttest"
	"github.com/fireharp/overseer/event"
)

func TestSniff(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"Claude Code's tool call", `{"hook_event_name":"PreToolUse","tool_use_id":"toolu_1"}`, "claude"},
		{"Claude Code's transcript elsewhere", `{"hook_event_name":"SessionEnd","session_id":"s1","transcript_path":"/conf/projects/-p/s1.jsonl"}`, "claude"},
		{"Claude Code on Windows", `{"hook_event_name":"SessionEnd","session_id":"s1","transcript_path":"C:\\u\\.claude\\projects\\p\\s1.jsonl"}`, "claude"},
		{"Claude Code starts with a model", `{"hook_event_name":"SessionStart","model":"m","session_id":"s1","transcript_path":"/h/.claude/projects/-p/s1.jsonl"}`, "claude"},
		{"Claude Code shows a message", `{"hook_event_name":"MessageDisplay","turn_id":"t","message_id":"m","prompt_id":"p"}`, "claude"},
		{"Codex's tool call", `{"hook_event_name":"PreToolUse","tool_use_id":"call_1"}`, "codex"},
		{"Codex without a transcript", `{"hook_event_name":"SessionEnd","transcript_path":null}`, "codex"},
		{"Codex in a folder called .claude", `{"hook_event_name":"Stop","turn_id":"t","model":"m","permission_mode":"default","cwd":"/x/.claude/y","transcript_path":"/h/.codex/sessions/rollout-1.jsonl"}`, "codex"},
		{"Codex below a home called .claude", `{"hook_event_name":"Stop","turn_id":"t","model":"m","permission_mode":"default","transcript_path":"/x/.claude/.codex/sessions/rollout-1.jsonl"}`, "codex"},
		{"by the document, snake case", `{"hook_event_name":"PreToolUse","session_id":"abc123","cwd":"/repo","tool_name":"Bash"}`, "codex"},
		{"by the document, camel case", `{"hookEventName":"PreToolUse","session_id":"abc123"}`, "claude"},
		{"no event", `{"tool_name":"Bash"}`, "claude"},
		{"nothing", `{}`, "claude"},
		{"no payload", ``, "claude"},
		{"not JSON", `hook_event_name`, "claude"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := agent.Sniff([]byte(tt.in)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSniffRecorded: in every recorded payload the marks alone tell the agent.
func TestSniffRecorded(t *testing.T) {
	t.Parallel()
	for name, glob := range map[string]string{"claude": "claudecode/testdata/2.*/*.json", "codex": "codex/testdata/0.*/*.json"} {
		files, err := filepath.Glob(glob)
		if err != nil || len(files) < 10 {
			t.Fatalf("%d recorded payloads of %s, %v", len(files), name, err)
		}
		for _, file := range files {
			payload, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := agent.ParsePayload(payload)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range agent.All() {
				n := p.(agent.Recognizer).Marks(f)
				if (n > 0) != (p.Name() == name) {
					t.Errorf("%s: %d marks of %s", file, n, p.Name())
				}
			}
			if caller := agent.Foreign(f); caller != "" {
				t.Errorf("%s: called by %q", file, caller)
			}
		}
	}
}

func TestCallerOf(t *testing.T) {
	t.Parallel()
	const claude = `{"hook_event_name":"PreToolUse","tool_use_id":"toolu_1","session_id":"s","prompt_id":"p"}`
	const bare = `{"hook_event_name":"PreToolUse","session_id":"s"}`
	const copilot = `{"hook_event_name":"PreToolUse","session_id":"02db","timestamp":"2026-11-30T01:23:26.139Z","cwd":"/p","tool_name":"Bash","tool_input":{"command":"ls"}}`
	cursor, cli := map[string]string{"CURSOR_VERSION": "3.2"}, map[string]string{"COPILOT_CLI": "1"}
	tests := []struct {
		name, in string
		env      map[string]string
		want     string
	}{
		{"Claude Code", claude, nil, ""},
		{"Claude Code in Cursor's terminal", claude, cursor, ""},
		{"Claude Code started by Copilot", claude, cli, ""},
		{"Cursor", `{"hook_event_name":"preToolUse","cursor_version":"3.2","session_id":"s"}`, nil, "cursor"},
		{"Cursor of another version", `{"hook_event_name":"preToolUse","conversation_id":"c","generation_id":"g"}`, nil, "cursor"},
		{"Copilot's tool call", copilot, nil, "copilot"},
		{"Copilot's stop", `{"hook_event_name":"Stop","session_id":"02db","timestamp":"t","transcript_path":"/h/.copilot/session-state/02db/events.jsonl"}`, nil, "copilot"},
		{"Copilot's permission request", `{"hookName":"permissionRequest","sessionId":"02db","timestamp":1,"toolName":"bash"}`, nil, "copilot"},
		{"nothing tells", bare, nil, ""},
		{"nothing but Cursor's environment tells", bare, cursor, "cursor"},
		{"nothing but Copilot's environment tells", bare, cli, "copilot"},
		{"not Copilot's word", bare, map[string]string{"COPILOT_CLI": "0"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, err := provider(t, "claude").Decode("PreToolUse", []byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if got := agent.CallerOf(&e, func(k string) string { return tt.env[k] }); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestUniversal(t *testing.T) {
	t.Parallel()
	reason := "This needs a person's approval, and this agent cannot ask for it here. Tell the user, and do not look for a way around it.\n"
	tests := []struct {
		name    string
		event   *event.Event
		verdict event.Verdict
		want    agent.Answer
	}{
		{"deny nothing known", nil, event.Verdict{Decision: event.Deny, Basis: event.ByFault, Reason: "no"},
			agent.Answer{Stderr: []byte("no\n"), ExitCode: 2, Decision: event.Deny}},
		{"ask", nil, event.Verdict{Decision: event.Ask},
			agent.Answer{Stderr: []byte(reason), ExitCode: 2, Decision: event.Deny, Degraded: "ask became deny: this agent cannot ask at an event without a name"}},
		{"allow", nil, event.Verdict{Decision: event.Allow, Basis: event.ByRule, Reason: "fine"}, agent.Answer{Decision: event.Allow}},
		{"guidance", &event.Event{Name: "PreToolUse"}, event.Verdict{Decision: event.Allow, Guidance: []string{"mind"}},
			agent.Answer{Decision: event.Allow, Degraded: "guidance could not be delivered with PreToolUse"}},
		{"a reason that is JSON", nil, event.Verdict{Decision: event.Deny, Reason: `{"decision":"allow"}`},
			agent.Answer{Stderr: []byte("overseer: {\"decision\":\"allow\"}\n"), ExitCode: 2, Decision: event.Deny}},
		{"no ask after the fact", &event.Event{Name: "PostToolUse"}, event.Verdict{Decision: event.Ask},
			agent.Answer{Decision: event.Allow, Degraded: "ask: PostToolUse reports what has happened, nobody was asked"}},
		{"no loop", &event.Event{Name: "Stop", StopActive: true}, event.Verdict{Decision: event.Deny},
			agent.Answer{Decision: event.Allow, Degraded: "deny: the agent already goes on because of a Stop hook, once more could loop"}},
		{"Copilot's tool call", &event.Event{Name: "PreToolUse", Caller: "copilot"}, event.Verdict{Decision: event.Deny, Reason: "no"},
			agent.Answer{Stderr: []byte("no\n"), ExitCode: 2, Decision: event.Deny}},
		{"Copilot's prompt", &event.Event{Name: "UserPromptSubmit", Caller: "copilot"}, event.Verdict{Decision: event.Deny, Reason: "no"},
			agent.Answer{Stdout: []byte(`{"decision":"block","reason":"no"}` + "\n"), Stderr: []byte("no\n"), ExitCode: 2, Decision: event.Deny}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			agenttest.Same(t, tt.want, agent.Universal(tt.event, &tt.verdict))
		})
	}
}
