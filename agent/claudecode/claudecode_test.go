package claudecode_test

import (
	"encoding/json"
	"testing"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/agent/agenttest"
	_ "github.com/fireharp/overseer/agent/claudecode"
	_ "github.com/fireharp/overseer/agent/codex" // so that sniffing has a choice
	"github.com/fireharp/overseer/event"
)

func claude(t testing.TB) agent.Provider {
	t.Helper()
	p, err := agent.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDecodeRecorded(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2.1.197", "2.1.332"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			agenttest.Decode(t, claude(t), "testdata/"+version, "testdata/golden/"+version)
		})
	}
}

// output has the members of Claude Code's answers, of whatever type they may be.
type output struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Specific *struct {
		Event      string `json:"hookEventName"`
		Permission string `json:"permissionDecision"`
		Reason     string `json:"permissionDecisionReason"`
		Context    string `json:"additionalContext"`
		Action     string `json:"action"`
		Decision   *struct{ Behavior, Message string }
	} `json:"hookSpecificOutput"`
}

func TestAnswersKeepTheInvariants(t *testing.T) {
	t.Parallel()
	agenttest.Answers(t, claude(t), func(t *testing.T, c agenttest.Case, a agent.Answer) {
		if len(a.Stdout) == 0 {
			return
		}
		var o output
		if err := json.Unmarshal(a.Stdout, &o); err != nil {
			t.Fatal(err)
		}
		s := o.Specific
		switch {
		// A wrong hookEventName makes 2.1.197 run the tool even at exit 2.
		case s != nil && s.Event != c.Event.Name:
			t.Fatalf("hookEventName %q on %s", s.Event, c.Event.Name)
		case s != nil && s.Permission == "ask" && (a.ExitCode != 0 || c.Event.Name != event.PreToolUse):
			t.Fatalf("ask with exit %d on %s", a.ExitCode, c.Event.Name)
		case s != nil && s.Permission == "allow" && c.Event.Name != event.PreToolUse:
			t.Fatalf("approval on %s", c.Event.Name)
		// An allow would answer overseer's own ask.
		case s != nil && s.Decision != nil && s.Decision.Behavior != "deny":
			t.Fatalf("%s on %s", s.Decision.Behavior, c.Event.Name)
		case o.Decision != "" && o.Decision != "block":
			t.Fatalf("decision %q", o.Decision)
		}
	})
}

func TestEncode(t *testing.T) {
	t.Parallel()
	deny := event.Verdict{Decision: event.Deny, Basis: event.ByRule, Reason: "no"}
	ask := event.Verdict{Decision: event.Ask, Basis: event.ByRule, Reason: "sure?", ApproveBy: "overseer approve ev_01"}
	allow := func(b event.Basis) event.Verdict {
		return event.Verdict{Decision: event.Allow, Basis: b, Reason: "fine"}
	}
	with := func(v event.Verdict, guidance string) event.Verdict {
		v.Guidance = []string{guidance}
		return v
	}
	silent := allow(event.ByDefault)
	silent.Silent = true
	fault := event.Verdict{Decision: event.Deny, Basis: event.ByFault, Reason: "rules are broken"}
	const approve = "sure?\\nThis needs a person's approval, and Claude Code cannot ask for it here. Tell the user: to let it through, run `overseer approve ev_01` in a terminal of your own, then have it retried unchanged. Do not run that command yourself and do not look for a way around it."
	approveText := func() string {
		var s string
		if err := json.Unmarshal([]byte(`"`+approve+`"`), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}()

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
		{"deny a tool with guidance", event.Event{Name: "PreToolUse"}, with(deny, "use trash"),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"use trash"}}`, "no", 2, event.Deny, ""},
		{"ask for a tool", event.Event{Name: "PreToolUse"}, ask,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}`, "", 0, event.Ask, ""},
		{"approve by rule", event.Event{Name: "PreToolUse"}, allow(event.ByRule),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"fine"}}`, "", 0, event.Allow, ""},
		{"approve by default", event.Event{Name: "PreToolUse"}, allow(event.ByDefault),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"fine"}}`, "", 0, event.Allow, ""},
		{"silent", event.Event{Name: "PreToolUse"}, silent, "", "", 0, event.Allow, ""},
		{"silent with guidance", event.Event{Name: "PreToolUse"}, with(silent, "mind"),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"mind"}}`, "", 0, event.Allow, ""},
		{"no default approval in plan mode", event.Event{Name: "PreToolUse", PermissionMode: "plan"}, allow(event.ByDefault), "", "", 0, event.Allow, ""},
		{"no default approval in dontAsk mode", event.Event{Name: "PreToolUse", PermissionMode: "dontAsk"}, allow(event.ByDefault), "", "", 0, event.Allow, ""},
		{"a rule approves in plan mode", event.Event{Name: "PreToolUse", PermissionMode: "plan"}, allow(event.ByRule),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"fine"}}`, "", 0, event.Allow, ""},
		{"a fault never approves", event.Event{Name: "PreToolUse"}, allow(event.ByFault), "", "", 0, event.Allow, ""},
		{"a fault denies plainly", event.Event{Name: "PreToolUse"}, fault, "", "rules are broken", 2, event.Deny, ""},

		{"deny a permission", event.Event{Name: "PermissionRequest"}, deny,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}`, "", 0, event.Deny, ""},
		{"a fault denies a permission in words", event.Event{Name: "PermissionRequest"}, fault,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"rules are broken"}}}`, "", 0, event.Deny, ""},
		{"leave a permission to the prompt", event.Event{Name: "PermissionRequest"}, ask, "", "", 0, event.Ask, ""},
		{"never grant a permission", event.Event{Name: "PermissionRequest"}, allow(event.ByRule), "", "", 0, event.Allow, ""},

		{"deny a skill's command", event.Event{Name: "PreSkillShellCommand"}, deny,
			`{"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"deny","permissionDecisionReason":"no"}}`, "no", 2, event.Deny, ""},
		{"ask for a skill's command", event.Event{Name: "PreSkillShellCommand"}, ask,
			`{"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"deny","permissionDecisionReason":"` + approve + `"}}`, approveText, 2,
			event.Deny, "ask became deny: Claude Code cannot ask at PreSkillShellCommand"},

		{"deny a prompt", event.Event{Name: "UserPromptSubmit"}, deny, `{"decision":"block","reason":"no"}`, "no", 2, event.Deny, ""},
		{"deny an expansion", event.Event{Name: "UserPromptExpansion"}, deny, `{"decision":"block","reason":"no"}`, "no", 2, event.Deny, ""},
		{"ask for a prompt", event.Event{Name: "UserPromptSubmit"}, ask,
			"{\"decision\":\"block\",\"reason\":\"sure?\\nThis needs a person's approval, and Claude Code cannot ask for it here. To let it through, run `overseer approve ev_01` in a terminal, then send it again unchanged.\"}",
			"sure?\nThis needs a person's approval, and Claude Code cannot ask for it here. To let it through, run `overseer approve ev_01` in a terminal, then send it again unchanged.", 2,
			event.Deny, "ask became deny: Claude Code cannot ask at UserPromptSubmit"},
		{"context for a prompt", event.Event{Name: "UserPromptSubmit"}, with(allow(event.ByDefault), "mind"),
			`{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"mind"}}`, "", 0, event.Allow, ""},

		{"feedback", event.Event{Name: "PostToolUse"}, with(deny, "use trash"), `{"decision":"block","reason":"no\nuse trash"}`, "no\nuse trash", 2, event.Deny, ""},
		{"nothing left to ask", event.Event{Name: "PostToolUse"}, ask, "", "", 0, event.Allow, "ask: PostToolUse reports what has happened, nobody was asked"},
		{"feedback on a failure", event.Event{Name: "PostToolUseFailure"}, deny,
			`{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"overseer objects: no"}}`, "", 0,
			event.Allow, "deny became context: Claude Code cannot block PostToolUseFailure"},

		{"go on", event.Event{Name: "Stop"}, deny, `{"decision":"block","reason":"no"}`, "no", 2, event.Deny, ""},
		{"do not loop", event.Event{Name: "Stop", StopActive: true}, deny, "", "", 0,
			event.Allow, "deny: the agent already goes on because of a Stop hook, once more could loop"},
		{"context keeps it going", event.Event{Name: "Stop"}, with(allow(event.ByDefault), "mind"),
			`{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"mind"}}`, "", 0, event.Allow, ""},
		{"context does not loop", event.Event{Name: "Stop", StopActive: true}, with(allow(event.ByDefault), "mind"), "", "", 0,
			event.Allow, "guidance could not be delivered with Stop"},
		{"StopActive disarms nothing else", event.Event{Name: "PreToolUse", StopActive: true}, fault, "", "rules are broken", 2, event.Deny, ""},

		{"deny a start", event.Event{Name: "SessionStart"}, deny,
			`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"overseer objects: no"}}`, "", 0,
			event.Allow, "deny became context: Claude Code cannot block SessionStart"},
		{"deny an end", event.Event{Name: "SessionEnd"}, deny, "", "", 0, event.Allow, "deny: Claude Code takes no answer to SessionEnd"},
		{"deny a change of settings", event.Event{Name: "ConfigChange"}, deny, "", "no", 2, event.Deny, ""},
		{"decline an elicitation", event.Event{Name: "Elicitation"}, deny,
			`{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}`, "no", 2, event.Deny, ""},
		{"an elicitation asks by itself", event.Event{Name: "Elicitation"}, ask, "", "", 0, event.Ask, ""},
		{"deny what is unknown", event.Event{Name: "PreEverything"}, deny, "", "no", 2, event.Deny, ""},
		{"an unknown verdict denies", event.Event{Name: "PreToolUse"}, event.Verdict{Decision: "defer"},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"overseer gave no reason"}}`, "overseer gave no reason", 2,
			event.Deny, `decision "defer" is none that overseer knows, so it denied`},

		{"Cursor runs it: deny", event.Event{Name: "PreToolUse", Caller: "cursor"}, deny, "", "no", 2, event.Deny, ""},
		{"Cursor runs it: allow", event.Event{Name: "PreToolUse", Caller: "cursor"}, allow(event.ByRule), "", "", 0, event.Allow, ""},
		{"Copilot runs it: prompt", event.Event{Name: "UserPromptSubmit", Caller: "copilot"}, deny, `{"decision":"block","reason":"no"}`, "no", 2, event.Deny, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := claude(t).Encode(&tt.event, &tt.verdict)
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
