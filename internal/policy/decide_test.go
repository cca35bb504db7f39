package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/policy"
	"github.com/fireharp/overseer/internal/rule"
)

func bash(command string) *rule.Subject {
	return &rule.Subject{Home: "/home/dev", Event: &event.Event{
		Agent: "claude", Name: "PreToolUse", CWD: "/repo",
		Tool: event.Tool{Name: "Bash", Command: command},
	}}
}

func file(tool string, paths ...string) *rule.Subject {
	return &rule.Subject{Home: "/home/dev", Event: &event.Event{
		Agent: "claude", Name: "PreToolUse", CWD: "/repo",
		Tool: event.Tool{Name: tool, Paths: paths},
	}}
}

func with(s *rule.Subject, change func(*event.Event)) *rule.Subject {
	change(s.Event)
	return s
}

func TestDecide(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, policy string
		subject      *rule.Subject
		want         string // decision rule
	}{
		{"no rule", "rules: []", bash("ls"), "allow "},
		{"default-action", "default-action: deny", bash("ls"), "deny default"},
		{"a rule that matches lifts the default", "rules: [{event: PreToolUse, action: allow}]\ndefault-action: deny", bash("ls"), "allow policy.1"},

		{"the event", "rules: [{event: PreToolUse, action: deny}]", bash("ls"), "deny policy.1"},
		{"in other case it is another", "rules: [{event: preToolUse, action: deny}]", bash("ls"), "allow "},
		{"of the agent's own spelling", "rules: [{event: preToolUse, action: deny}]", with(bash("ls"), func(e *event.Event) { e.Agent, e.Native = "cursor", "preToolUse" }), "deny policy.1"},
		{"not by its common name", "rules: [{event: PreToolUse, action: deny}]", with(bash("ls"), func(e *event.Event) { e.Agent, e.Native = "cursor", "beforeShellExecution" }), "allow "},
		{"which counts where Cursor runs another's hooks", "rules: [{event: PreToolUse, agent: claudecode, tools: [Bash], action: deny}]", with(bash("ls"), func(e *event.Event) {
			e.Caller, e.Native, e.Tool.Name, e.Tool.Aliases = "cursor", "preToolUse", "Shell", []string{"Bash"}
		}), "deny policy.1"},
		{"an alias does not count else", "rules: [{event: PreToolUse, tools: [Bash], action: deny}]", with(bash("ls"), func(e *event.Event) { e.Tool.Name, e.Tool.Aliases = "Shell", []string{"Bash"} }), "allow "},
		{"Cursor's bare name of an MCP tool", "rules: [{event: beforeMCPExecution, tools: [query], action: deny}]", with(bash("ls"), func(e *event.Event) { e.Agent, e.Native, e.Tool.Name = "cursor", "beforeMCPExecution", "MCP:query" }), "deny policy.1"},
		{"any event", "rules: [{tools: [Bash], action: deny}]", bash("ls"), "deny policy.1"},

		{"the agent", "rules: [{event: PreToolUse, agent: claudecode, action: deny}]", bash("ls"), "deny policy.1"},
		{"by its other name", "rules: [{event: PreToolUse, agent: claude, action: deny}]", bash("ls"), "deny policy.1"},
		{"another agent", "rules: [{event: PreToolUse, agent: codex, action: deny}]", bash("ls"), "allow "},

		{"the tool", "rules: [{event: PreToolUse, tools: [Read, Bash], action: deny}]", bash("ls"), "deny policy.1"},
		{"tools are exact", "rules: [{event: PreToolUse, tools: [bash, Bas, \"Bash*\", \"*\"], action: deny}]", bash("ls"), "allow "},
		{"no tool", "rules: [{event: PreToolUse, tools: [Bash], action: deny}]", with(bash("ls"), func(e *event.Event) { e.Tool.Name = "" }), "allow "},

		{"a path", "rules: [{event: PreToolUse, paths: [.env], action: deny}]", file("Read", "/repo/a/.env"), "deny policy.1"},
		{"one of several", "rules: [{event: PreToolUse, paths: [\"*.pem\", .env], action: deny}]", file("apply_patch", "/repo/x", "/repo/.env"), "deny policy.1"},
		{"never a part of a name", "rules: [{event: PreToolUse, paths: [.env], action: deny}]", file("Write", "/repo/foo.envelope.txt"), "allow "},
		{"below a folder", "rules: [{event: PreToolUse, paths: [.git/], action: deny}]", file("Write", "/repo/.git/config"), "deny policy.1"},
		{"a relative path", "rules: [{event: PreToolUse, paths: [config/*.yml], action: deny}]", file("Write", "config/a.yml"), "deny policy.1"},
		{"a call without a path", "rules: [{event: PreToolUse, paths: [.env], action: deny}]", bash("cat .env"), "allow "},

		{"a command", "rules: [{event: PreToolUse, commands: [git push], action: deny}]", bash("cd x && git push --force"), "deny policy.1"},
		{"one of several texts", "rules: [{event: PreToolUse, commands: [sudo, git push], action: deny}]", bash("git push origin main"), "deny policy.1"},
		{"plain text and no pattern", "rules: [{event: PreToolUse, commands: [\"git.push\", \"git*\"], action: deny}]", bash("git push"), "allow "},
		{"blunt", "rules: [{event: PreToolUse, commands: [\"rm -rf\"], action: deny}]", bash("echo 'rm -rf' >> notes"), "deny policy.1"},
		{"a call without a command", "rules: [{event: PreToolUse, commands: [git], action: deny}]", file("Read", "/repo/git"), "allow "},

		{"all filters must match", "rules: [{event: PreToolUse, tools: [Read], paths: [.env], action: deny}]", file("Write", "/repo/.env"), "allow "},
		{"and do", "rules: [{event: PreToolUse, tools: [Read, Write], paths: [.env], action: deny}]", file("Write", "/repo/.env"), "deny policy.1"},
		{"commands and paths", "rules: [{event: PreToolUse, commands: [x], paths: [.env], action: deny}]", file("Write", "/repo/.env"), "allow "},

		{"the strictest wins", "rules: [{event: PreToolUse, action: ask}, {event: PreToolUse, action: allow}, {event: PreToolUse, tools: [Bash], action: deny}, {tools: [Bash], action: ask}]", bash("ls"), "deny policy.3"},
		{"whatever the order", "rules: [{event: PreToolUse, action: deny}, {event: PreToolUse, action: allow}]", bash("ls"), "deny policy.1"},
		{"ask before allow", "rules: [{event: PreToolUse, action: allow}, {event: PreToolUse, action: ask}]", bash("ls"), "ask policy.2"},
		{"the first of equals", "rules: [{event: PreToolUse, action: ask}, {tools: [Bash], action: ask}]", bash("ls"), "ask policy.1"},
		{"the default is no rule among others", "rules: [{event: PreToolUse, action: allow}]\ndefault-action: ask", bash("ls"), "allow policy.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := parse(t, tt.policy).Decide(tt.subject, func([]judgment.Spec) (map[string]judgment.Answer, error) {
				t.Error("judgments are asked for")
				return nil, nil
			})
			if got := told(o); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if o.Decision != event.Allow && o.Reason() == "" {
				t.Error("no reason")
			}
		})
	}
}

func told(o policy.Outcome) string {
	by := ""
	switch {
	case o.Rule != nil:
		by = o.Rule.ID
	case o.Decision != event.Allow:
		by = "default"
	}
	return string(o.Decision) + " " + by
}

const judged = `
judgments:
  d: {type: noul, instructions: q}
  unused: {type: noul, instructions: q}
  c: {type: choice, instructions: q, criteria: {shared: x, local: y}}
  s: {type: score, instructions: q, criteria: [x, y, z]}
rules:
`

func noul(v float64) judgment.Answer { return judgment.Answer{Type: judgment.Noul, Noul: v} }

func TestDecideJudged(t *testing.T) {
	t.Parallel()
	choice := func(v string, c float64) judgment.Answer {
		return judgment.Answer{Type: judgment.Choice, Choice: v, Confidence: c}
	}
	down := errors.New("d: the network is down")
	type answers = map[string]judgment.Answer
	for _, tt := range []struct {
		name, rules string
		answers     answers
		err         error
		asked       string // judgments in the one request
		want        string
		warning     string
	}{
		{name: "it fires", rules: `- {event: PreToolUse, when: {d: ">= 0.85"}, action: deny}`, answers: answers{"d": noul(0.85)}, asked: "d", want: "deny policy.1"},
		{name: "it does not", rules: `- {event: PreToolUse, when: {d: 0.85}, on-error: deny, action: deny}`, answers: answers{"d": noul(0.84)}, asked: "d", want: "allow "},
		{name: "all thresholds must hold", rules: `- {event: PreToolUse, when: {d: 0.5, c: shared, c.confidence: ">= 0.6"}, action: deny}`,
			answers: answers{"d": noul(0.9), "c": choice("shared", 0.5)}, asked: "d c", want: "allow "},
		{name: "and do", rules: `- {event: PreToolUse, when: {d: 0.5, c: shared, c.confidence: ">= 0.6"}, action: deny}`,
			answers: answers{"d": noul(0.9), "c": choice("shared", 0.6)}, asked: "d c", want: "deny policy.1"},
		{name: "a bare rule beside it", rules: "- {event: PreToolUse, action: ask}\n- {event: PreToolUse, when: {d: 0.5}, action: deny}",
			answers: answers{"d": noul(0.9)}, asked: "d", want: "deny policy.2"},
		{name: "and it stays", rules: "- {event: PreToolUse, action: ask}\n- {event: PreToolUse, when: {d: 0.5}, action: deny}",
			answers: answers{"d": noul(0.1)}, asked: "d", want: "ask policy.1"},
		{name: "one request for all rules", rules: "- {event: PreToolUse, when: {s: 1}, action: ask}\n- {event: PreToolUse, when: {d: 0.5}, action: deny}\n- {tools: [Bash], when: {d: 0.1}, action: ask}",
			answers: answers{"d": noul(0.2), "s": {Type: judgment.Score, Score: 0.5}}, asked: "d s", want: "ask policy.3"},
		{name: "none where no rule matches", rules: `- {event: PreToolUse, tools: [Read], when: {d: 0.5}, action: deny}`, want: "allow "},
		{name: "only those of rules that match", rules: "- {event: PreToolUse, tools: [Read], when: {s: 1}, action: deny}\n- {event: PreToolUse, when: {d: 0.5}, action: deny}",
			answers: answers{"d": noul(1)}, asked: "d", want: "deny policy.2"},
		{name: "none where nothing can change", rules: "- {event: PreToolUse, action: deny}\n- {event: PreToolUse, when: {d: 0.5}, action: deny}", want: "deny policy.1"},
		{name: "an on-error can change it", rules: "- {event: PreToolUse, action: ask}\n- {event: PreToolUse, when: {d: 0.5}, on-error: deny, action: ask}",
			err: down, asked: "d", want: "deny policy.2 failed", warning: down.Error()},
		{name: "an allow can be judged", rules: "- {event: PreToolUse, when: {d: \"< 0.1\"}, action: allow}\ndefault-action: deny",
			answers: answers{"d": noul(0)}, asked: "d", want: "allow policy.1"},

		{name: "no one to ask", rules: `- {event: PreToolUse, when: {d: 0.5}, on-error: deny, action: deny}`, err: &policy.Inert{Why: "no key"},
			asked: "d", want: "allow ", warning: "judgments skipped: d: no key"},
		{name: "no one to ask, and other rules stay", rules: "- {event: PreToolUse, when: {d: 0.5, s: 1}, action: deny}\n- {event: PreToolUse, action: ask}", err: hint.Wrap(&policy.Inert{Why: "no key"}, "set it"),
			asked: "d s", want: "ask policy.2", warning: "judgments skipped: d, s: no key"},
		{name: "no one to ask, and the default", rules: "- {event: PreToolUse, when: {d: 0.5}, action: allow}\ndefault-action: deny", err: &policy.Inert{Why: "no key"},
			asked: "d", want: "deny default", warning: "judgments skipped: d: no key"},

		{name: "it fails", rules: `- {event: PreToolUse, when: {d: 0.5}, action: deny}`, err: down, asked: "d", want: "allow ", warning: down.Error()},
		{name: "on-error allow", rules: `- {event: PreToolUse, when: {d: 0.5}, on-error: allow, action: deny}`, err: down, asked: "d", want: "allow ", warning: down.Error()},
		{name: "on-error allow leaves the default", rules: "- {event: PreToolUse, when: {d: 0.5}, on-error: allow, action: deny}\ndefault-action: ask", err: down, asked: "d", want: "ask default", warning: down.Error()},
		{name: "on-error ask", rules: `- {event: PreToolUse, when: {d: 0.5}, on-error: ask, action: deny}`, err: down, asked: "d", want: "ask policy.1 failed", warning: down.Error()},
		{name: "on-error deny", rules: `- {event: PreToolUse, when: {d: 0.5}, on-error: deny, action: ask}`, err: down, asked: "d", want: "deny policy.1 failed", warning: down.Error()},
		{name: "an answer is missing", rules: `- {event: PreToolUse, when: {d: 0.5, s: 1}, on-error: ask, action: deny}`, answers: answers{"d": noul(0.9)},
			asked: "d s", want: "ask policy.1 failed", warning: "judgments not answered: s"},
		{name: "and the one that came settles it", rules: `- {event: PreToolUse, when: {s: 1, d: 0.5}, on-error: ask, action: deny}`, answers: answers{"d": noul(0.1)},
			asked: "d s", want: "allow ", warning: "judgments not answered: s"},
		{name: "another rule has all it needs", rules: "- {event: PreToolUse, when: {s: 1}, on-error: ask, action: ask}\n- {event: PreToolUse, when: {d: 0.5}, action: deny}", answers: answers{"d": noul(0.9)}, err: errors.New("s is missing"),
			asked: "d s", want: "deny policy.2", warning: "s is missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			calls, asked := 0, ""
			o := parse(t, judged+indent(tt.rules)).Decide(bash("ls"), func(specs []judgment.Spec) (map[string]judgment.Answer, error) {
				calls++
				var names []string
				for _, s := range specs {
					names = append(names, s.Name)
				}
				asked = strings.Join(names, " ")
				return tt.answers, tt.err
			})
			got := told(o)
			if o.Failed {
				got += " failed"
			}
			if got != tt.want || asked != tt.asked || calls > 1 {
				t.Errorf("got %q, asked %q in %d calls; want %q, %q", got, asked, calls, tt.want, tt.asked)
			}
			var warnings []string
			for _, err := range o.Warnings {
				warnings = append(warnings, err.Error())
			}
			if got := strings.Join(warnings, "\n"); got != tt.warning {
				t.Errorf("warning %q, want %q", got, tt.warning)
			}
			if byJudgment := o.Rule != nil && len(o.Rule.Judge) > 0 && !o.Failed; byJudgment != (len(o.Judged) > 0) {
				t.Errorf("judged: %v", o.Judged)
			}
		})
	}
}

// indent sets the rules where judged ends; default-action stays at the margin.
func indent(rules string) string { return strings.ReplaceAll("  "+rules, "\n-", "\n  -") + "\n" }

func TestDecideNobodyAsked(t *testing.T) {
	t.Parallel()
	o := parse(t, judged+"  - {event: PreToolUse, when: {d: 0.5}, on-error: deny, action: deny}\n").Decide(bash("ls"), nil)
	if o.Decision != event.Allow || len(o.Warnings) > 0 {
		t.Errorf("got %+v", o)
	}
}

// A judgment that is added to a rule only ever makes it fire less often.
func TestJudgmentsOnlyNarrow(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"ask", "deny"} {
		plain := parse(t, fmt.Sprintf("rules: [{event: PreToolUse, commands: [rm], action: %s}]", action))
		narrow := parse(t, judged+fmt.Sprintf("  - {event: PreToolUse, commands: [rm], when: {d: 0.5}, action: %s}\n", action))
		for _, command := range []string{"rm x", "ls"} {
			for _, p := range []float64{0, 0.5, 1} {
				was := plain.Decide(bash(command), nil)
				is := narrow.Decide(bash(command), func([]judgment.Spec) (map[string]judgment.Answer, error) {
					return map[string]judgment.Answer{"d": noul(p)}, nil
				})
				if is.Decision.Strictness() > was.Decision.Strictness() {
					t.Errorf("%s at %v: %s became %s", command, p, was.Decision, is.Decision)
				}
			}
		}
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	failed := func([]judgment.Spec) (map[string]judgment.Answer, error) { return nil, errors.New("down") }
	for src, want := range map[string]string{
		"rules: [{event: PreToolUse, action: deny, reason: \" No. \"}]": "No.",
		"rules: [{event: PreToolUse, action: deny}]":                    "The hookmon policy says deny (/repo/.hookmon-policy.yaml:1).",
		"default-action: ask": "No rule of the hookmon policy allows this (default-action: ask).",
		judged + "  - {event: PreToolUse, when: {d: 0.5}, on-error: deny, action: deny, reason: No.}": "No. (Not judged, so the rule's on-error says deny.)",
	} {
		o := parse(t, src).Decide(bash("ls"), failed)
		if diff := cmp.Diff(want, o.Reason()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", src, diff)
		}
	}
}

func TestOutcomePath(t *testing.T) {
	t.Parallel()
	p := parse(t, "rules: [{event: PreToolUse, paths: [.env], action: deny}, {commands: [x], action: deny}]")
	s := file("apply_patch", "/repo/a", "/repo/.env")
	if o := p.Decide(s, nil); o.Path(s) != "/repo/.env" {
		t.Errorf("got %q", o.Path(s))
	}
	s = with(file("Odd", "/repo/a"), func(e *event.Event) { e.Tool.Command = "x" })
	if o := p.Decide(s, nil); o.Decision != event.Deny || o.Path(s) != "/repo/a" {
		t.Errorf("got %q", o.Path(s))
	}
	s = bash("x")
	if o := p.Decide(s, nil); o.Path(s) != "" {
		t.Errorf("got %q", o.Path(s))
	}
}

func TestAnswered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		e    event.Event
		want bool
	}{
		{event.Event{Agent: "claude", Name: "PreToolUse"}, true},
		{event.Event{Agent: "claude", Name: "PermissionRequest"}, false},
		{event.Event{Agent: "claude", Name: "Stop"}, false},
		{event.Event{Agent: "claude", Name: ""}, false},
		{event.Event{Agent: "cursor", Name: "PreToolUse", Native: "beforeShellExecution"}, true},
		{event.Event{Agent: "cursor", Name: "PostToolUse", Native: "postToolUse"}, true},
		{event.Event{Agent: "cursor", Name: "PostToolUse", Native: "afterFileEdit"}, false},
		{event.Event{Agent: "cursor", Name: "Stop", Native: "stop"}, false},
		{event.Event{Agent: "codex", Name: "PermissionRequest"}, true},
		{event.Event{Agent: "codex", Name: "UserPromptSubmit"}, false},
		{event.Event{Agent: "claude", Caller: "cursor", Name: "PreToolUse", Native: "preToolUse"}, true},
		{event.Event{Agent: "claude", Caller: "copilot", Name: "PreToolUse"}, true},
		{event.Event{Agent: "another", Name: "PreToolUse"}, true},
		{event.Event{Agent: "another", Name: "Stop"}, false},
		{event.Event{Agent: "another", Name: "PreToolUse", Native: "before_tool"}, true},
		{event.Event{Agent: "another", Name: "PostToolUse", Native: "after_tool"}, false},
	} {
		if got := policy.Answered(&tt.e); got != tt.want {
			t.Errorf("%+v: %v", tt.e, got)
		}
	}
}
