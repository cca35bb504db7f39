package codex_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/agent/agenttest"
	_ "github.com/fireharp/overseer/agent/claudecode" // so that sniffing has a choice
	_ "github.com/fireharp/overseer/agent/codex"
	"github.com/fireharp/overseer/event"
)

func codex(t testing.TB) agent.Provider {
	t.Helper()
	p, err := agent.Lookup("codex")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDecodeRecorded(t *testing.T) {
	t.Parallel()
	agenttest.Decode(t, codex(t), "testdata/0.171.0", "testdata/golden/0.171.0")
}

// schema compiles one of the schemas that Codex carries; direction is "input" or
// "output".
func schema(t *testing.T, name, direction string) *jsonschema.Schema {
	t.Helper()
	file := filepath.Join("testdata", "schemas", kebab(name)+".command."+direction+".json")
	if _, err := os.Stat(file); err != nil {
		return nil
	}
	s, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kebab turns PreToolUse into pre-tool-use.
func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// TestRecordedFitTheSchemas shows that the schemas speak of the recorded agent.
func TestRecordedFitTheSchemas(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/0.171.0/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded payloads", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(file)
		if err := schema(t, base[:strings.IndexAny(base, "-.")], "input").Validate(v); err != nil {
			t.Errorf("%s: %v", base, err)
		}
	}
}

// TestAnswersFitTheSchemas checks every answer against Codex's own schema of the
// event, in which no member may be unknown, and for what the schema allows and
// the program rejects (quirk 4).
func TestAnswersFitTheSchemas(t *testing.T) {
	t.Parallel()
	p := codex(t)
	schemas := map[string]*jsonschema.Schema{}
	for _, c := range p.Capabilities() {
		s := schema(t, c.Event, "output")
		if s == nil && c.Event != event.SessionEnd {
			t.Fatalf("no schema for answers to %s", c.Event)
		}
		schemas[c.Event] = s
	}
	said := map[string]bool{}
	agenttest.Answers(t, p, func(t *testing.T, c agenttest.Case, a agent.Answer) {
		if a.Decision == event.Deny && (a.ExitCode != 2 || len(a.Stderr) == 0) {
			t.Fatalf("a deny of %s with exit %d and %d bytes on stderr", c.Event.Name, a.ExitCode, len(a.Stderr))
		}
		if len(a.Stdout) == 0 {
			return
		}
		said[c.Event.Name] = true
		if schemas[c.Event.Name] == nil {
			t.Fatalf("an answer to %s: %s", c.Event.Name, a.Stdout)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Stdout))
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas[c.Event.Name].Validate(v); err != nil {
			t.Fatalf("%s: %s\n%v", c.Event.Name, a.Stdout, err)
		}
		for _, rejected := range []string{
			`"permissionDecision":"allow"`, `"permissionDecision":"ask"`, `"decision":"approve"`,
			`"continue"`, `"stopReason"`, `"suppressOutput"`, `"interrupt"`, `"updated`,
		} {
			if bytes.Contains(a.Stdout, []byte(rejected)) {
				t.Fatalf("%s in an answer to %s: %s", rejected, c.Event.Name, a.Stdout)
			}
		}
	})
	for _, name := range []string{"PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit", "SessionStart", "SubagentStart", "Stop", "SubagentStop"} {
		if !said[name] {
			t.Errorf("no answer to %s was seen", name)
		}
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	deny := event.Verdict{Decision: event.Deny, Basis: event.ByRule, Reason: "no"}
	ask := event.Verdict{Decision: event.Ask, Basis: event.ByRule, Reason: "sure?", ApproveBy: "overseer approve ev_01"}
	allow := func(b event.Basis, guidance ...string) event.Verdict {
		return event.Verdict{Decision: event.Allow, Basis: b, Reason: "fine", Guidance: guidance}
	}
	denyWith := deny
	denyWith.Guidance = []string{"use trash"}
	fault := event.Verdict{Decision: event.Deny, Basis: event.ByFault, Reason: "rules are broken"}
	const approve = "sure?\nThis needs a person's approval, and Codex CLI cannot ask for it here. Tell the user: to let it through, run `overseer approve ev_01` in a terminal of your own, then have it retried unchanged. Do not run that command yourself and do not look for a way around it."

	tests := []struct {
		name     string
		event    event.Event
		verdict  event.Verdict
		stdout   string
		stderr   string
		exit     int
		decision event.Decision
		degraded string
	}{
		{"deny a tool", event.Event{Name: "PreToolUse"}, deny,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`, "no", 2, event.Deny, ""},
		{"guidance joins the reason of a deny", event.Event{Name: "PreToolUse"}, denyWith,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no\nuse trash"}}`, "no\nuse trash", 2, event.Deny, ""},
		{"ask is a deny", event.Event{Name: "PreToolUse"}, ask,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"` + strings.ReplaceAll(approve, "\n", `\n`) + `"}}`,
			approve, 2, event.Deny, "ask became deny: Codex CLI cannot ask at PreToolUse"},
		{"allow is silence", event.Event{Name: "PreToolUse"}, allow(event.ByRule), "", "", 0, event.Allow, ""},
		{"allow with guidance", event.Event{Name: "PreToolUse"}, allow(event.ByDefault, "mind"),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"mind"}}`, "", 0, event.Allow, ""},
		{"a fault denies plainly", event.Event{Name: "PreToolUse"}, fault, "", "rules are broken", 2, event.Deny, ""},

		{"deny a permission", event.Event{Name: "PermissionRequest"}, deny,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}`, "no", 2, event.Deny, ""},
		{"grant by rule", event.Event{Name: "PermissionRequest"}, allow(event.ByRule),
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, "", 0, event.Allow, ""},
		{"grant by approval", event.Event{Name: "PermissionRequest"}, allow(event.ByApproval),
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, "", 0, event.Allow, ""},
		{"no grant by default", event.Event{Name: "PermissionRequest"}, allow(event.ByDefault), "", "", 0, event.Allow, ""},
		{"no grant by judgment", event.Event{Name: "PermissionRequest"}, allow(event.ByJudgment), "", "", 0, event.Allow, ""},
		{"no grant by fault", event.Event{Name: "PermissionRequest"}, allow(event.ByFault), "", "", 0, event.Allow, ""},
		{"leave a permission to the prompt", event.Event{Name: "PermissionRequest"}, ask, "", "", 0, event.Ask, ""},
		{"guidance has no way there", event.Event{Name: "PermissionRequest"}, allow(event.ByDefault, "mind"), "", "", 0,
			event.Allow, "guidance could not be delivered with PermissionRequest"},

		{"deny a prompt", event.Event{Name: "UserPromptSubmit"}, deny, `{"decision":"block","reason":"no"}`, "no", 2, event.Deny, ""},
		{"feedback", event.Event{Name: "PostToolUse"}, denyWith, `{"decision":"block","reason":"no\nuse trash"}`, "no\nuse trash", 2, event.Deny, ""},
		{"go on", event.Event{Name: "Stop"}, deny, `{"decision":"block","reason":"no"}`, "no", 2, event.Deny, ""},
		{"do not loop", event.Event{Name: "Stop", StopActive: true}, deny, "", "", 0,
			event.Allow, "deny: the agent already goes on because of a Stop hook, once more could loop"},
		{"deny a start", event.Event{Name: "SessionStart"}, deny,
			`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"overseer objects: no"}}`, "", 0,
			event.Allow, "deny became context: Codex CLI cannot block SessionStart"},
		{"deny an end", event.Event{Name: "SessionEnd"}, deny, "", "", 0, event.Allow, "deny: Codex CLI takes no answer to SessionEnd"},
		{"ask at an end", event.Event{Name: "SessionEnd"}, ask, "", "", 0, event.Allow, "ask: SessionEnd reports what has happened, nobody was asked"},
		{"deny a compaction", event.Event{Name: "PreCompact"}, deny, "", "", 0, event.Allow, "deny: Codex CLI takes no answer to PreCompact"},
		{"deny what is unknown", event.Event{Name: "StopFailure"}, deny, "", "no", 2, event.Deny, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := codex(t).Encode(&tt.event, &tt.verdict)
			want := agent.Answer{ExitCode: tt.exit, Decision: tt.decision, Degraded: tt.degraded}
			if tt.stdout != "" {
				want.Stdout = []byte(tt.stdout + "\n")
			}
			if tt.stderr != "" {
				want.Stderr = []byte(tt.stderr + "\n")
			}
			agenttest.Same(t, want, a)
		})
	}
}
