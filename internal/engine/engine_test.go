package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/policy"
	"github.com/fireharp/overseer/internal/rule"
)

// r makes a rule that fires on every tool call: "<do> <priority> <scope>".
func r(spec string) *rule.Rule {
	out := &rule.Rule{Priority: rule.DefaultPriority, When: []rule.Condition{rule.Tools{"*"}}, File: "f.md", Line: 1}
	var do, scope string
	if n, _ := fmt.Sscanf(spec, "%s %d %s", &do, &out.Priority, &scope); n < 1 {
		panic(spec)
	}
	out.ID, out.Do = strings.ReplaceAll(spec, " ", "-"), rule.Do(do)
	if s, ok := rule.ParseScope(scope); ok {
		out.Scope = s
	}
	if out.Do == rule.Guidance {
		out.Text = "take care"
	}
	return out
}

func rules(specs ...string) []*rule.Rule {
	var out []*rule.Rule
	for _, s := range specs {
		out = append(out, r(s))
	}
	return out
}

func TestDecide(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		rules    []string
		safe     bool
		onFault  event.Decision
		faults   []string
		approved string
		event    string // PreToolUse if empty
		want     string // decision basis rule
	}{
		{name: "nothing speaks against it", want: "allow default "},
		{name: "a deny rule", rules: []string{"deny"}, want: "deny rule deny"},
		{name: "an ask rule", rules: []string{"ask"}, want: "ask rule ask"},
		{name: "an allow rule", rules: []string{"allow"}, want: "allow rule allow"},
		{name: "guidance decides nothing", rules: []string{"guidance"}, want: "allow default "},

		{name: "the highest priority wins", rules: []string{"deny 5", "allow 6"}, want: "allow rule allow-6"},
		{name: "whatever the order", rules: []string{"allow 6", "deny 5"}, want: "allow rule allow-6"},
		{name: "then the narrower scope", rules: []string{"deny 5 shared", "allow 5 project", "deny 5 shared"}, want: "allow rule allow-5-project"},
		{name: "agent before project", rules: []string{"allow 5 project", "deny 5 agent"}, want: "deny rule deny-5-agent"},
		{name: "at a full tie deny", rules: []string{"allow 5 project", "deny 5 project"}, want: "deny rule deny-5-project"},
		{name: "a hard rule before an ask of any priority", rules: []string{"ask 900", "allow 1"}, want: "allow rule allow-1"},
		{name: "the strongest ask is cited", rules: []string{"ask 1", "ask 2"}, want: "ask rule ask-2"},

		{name: "safe mode asks", safe: true, want: "ask safe-mode "},
		{name: "safe mode and an allow rule", safe: true, rules: []string{"allow"}, want: "allow rule allow"},
		{name: "safe mode and an ask rule", safe: true, rules: []string{"ask"}, want: "ask rule ask"},
		{name: "safe mode is for tools about to run", safe: true, event: event.PostToolUse, want: "allow default "},

		{name: "a fault asks", faults: []string{"x"}, want: "ask fault "},
		{name: "a fault that allows", faults: []string{"x"}, onFault: event.Allow, want: "allow default "},
		{name: "a fault that denies", faults: []string{"x"}, onFault: event.Deny, want: "deny fault "},
		{name: "a fault is stricter than an allow rule", faults: []string{"x"}, rules: []string{"allow"}, want: "ask fault "},
		{name: "a fault does not loosen a deny", faults: []string{"x"}, rules: []string{"deny"}, want: "deny rule deny"},
		{name: "a fault does not hide the ask rule", faults: []string{"x"}, rules: []string{"ask"}, want: "ask rule ask"},
		{name: "a fault after the fact allows", faults: []string{"x"}, onFault: event.Deny, event: event.PostToolUse, want: "allow default "},

		{name: "an approval lifts an ask", approved: "ev_1", rules: []string{"ask"}, want: "allow approval "},
		{name: "an approval lifts safe mode", approved: "ev_1", safe: true, want: "allow approval "},
		{name: "an approval lifts a fault's ask", approved: "ev_1", faults: []string{"x"}, want: "allow approval "},
		{name: "an approval lifts no deny", approved: "ev_1", rules: []string{"deny", "ask"}, want: "deny rule deny"},
		{name: "an approval lifts no fault's deny", approved: "ev_1", faults: []string{"x"}, onFault: event.Deny, want: "deny fault "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := event.Event{Name: event.PreToolUse, Tool: event.Tool{Name: "Bash"}}
			if tt.event != "" {
				e.Name = tt.event
			}
			if tt.onFault == "" {
				tt.onFault = event.Ask
			}
			asked := false
			v := engine.Decide(engine.Input{
				Event: &e, Rules: rules(tt.rules...), SafeMode: tt.safe, OnFault: tt.onFault, Faults: tt.faults,
				Approved: func(string) (string, bool, error) { asked = true; return tt.approved, tt.approved != "", nil },
			})
			settled := ""
			for _, h := range v.Reasons {
				if h.Settled {
					settled += h.Rule
				}
			}
			if got := fmt.Sprintf("%s %s %s", v.Decision, v.Basis, settled); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if len(v.Reasons) != len(tt.rules) {
				t.Errorf("%d of %d rules that fired are kept", len(v.Reasons), len(tt.rules))
			}
			if (v.Decision == event.Ask || v.Basis == event.ByApproval) != asked {
				t.Errorf("approvals were looked up: %v, verdict %s", asked, v.Decision)
			}
			if v.Decision != event.Allow && v.Reason == "" {
				t.Error("an objection without a reason")
			}
		})
	}
}

func TestVerdictKeepsWhatItRestsOn(t *testing.T) {
	t.Parallel()
	e := event.Event{Name: event.PreToolUse, Tool: event.Tool{Name: "Bash"}}
	v := engine.Decide(engine.Input{Event: &e, Rules: rules("guidance", "ask"), OnFault: event.Ask,
		Approved: func(string) (string, bool, error) { return "", false, errors.New("unreadable") }})
	if v.Decision != event.Ask || len(v.Guidance) != 1 || len(v.Faults) != 1 {
		t.Errorf("got %+v", v)
	}
	for mode, want := range map[string]bool{"silent": true, "approve": false} {
		if v := engine.Decide(engine.Input{Event: &e, DefaultAllow: mode}); v.Silent != want {
			t.Errorf("default_allow %s: silent is %v", mode, v.Silent)
		}
		if v := engine.Decide(engine.Input{Event: &e, Rules: rules("allow"), DefaultAllow: mode}); v.Silent {
			t.Errorf("default_allow %s: an allow by rule is silent", mode)
		}
	}
}

func TestFault(t *testing.T) {
	t.Parallel()
	pre := event.Event{Name: event.PreToolUse}
	if v := engine.Fault(&pre, event.Deny, "x"); v.Decision != event.Deny || v.Basis != event.ByFault || !strings.Contains(v.Reason, "x") {
		t.Errorf("got %+v", v)
	}
	post := event.Event{Name: event.Stop}
	if v := engine.Fault(&post, event.Deny, "x"); v.Decision != event.Allow {
		t.Errorf("got %+v", v)
	}
	v := engine.Unrecorded(&pre, event.Verdict{Decision: event.Allow, Basis: event.ByDefault}, event.Ask, "full")
	if v.Decision != event.Ask || v.Basis != event.ByFault || len(v.Faults) != 1 {
		t.Errorf("got %+v", v)
	}
}

// TestJudged: a rule with judge= fires if the answer meets its threshold; the
// constitution and the policies ask once.
func TestJudged(t *testing.T) {
	t.Parallel()
	spec := judgment.Spec{Name: "harm", Type: judgment.Noul, Instructions: "?"}
	for _, tt := range []struct {
		name   string
		rules  []string // "judged <do> <priority>" or as in r
		value  float64
		err    error
		want   string
		asked  int
		faults int
	}{
		{name: "it holds", rules: []string{"judged deny 5"}, value: 0.9, want: "deny rule", asked: 1},
		{name: "it does not", rules: []string{"judged deny 5"}, value: 0.5, want: "allow default", asked: 1},
		{name: "ask", rules: []string{"judged ask 5"}, value: 0.9, want: "ask rule", asked: 1},
		{name: "a stronger deny needs no answer", rules: []string{"deny 9", "judged deny 5"}, value: 0.9, want: "deny rule", asked: 0},
		{name: "a weaker deny does", rules: []string{"deny 1", "judged allow 5"}, value: 0.9, want: "allow rule", asked: 1},
		{name: "no key", rules: []string{"judged deny 5"}, err: &policy.Inert{Why: "no key"}, want: "allow default", asked: 1, faults: 1},
		{name: "no answer", rules: []string{"judged deny 5"}, err: errors.New("timed out"), want: "ask fault", asked: 1, faults: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var rules []*rule.Rule
			for _, s := range tt.rules {
				plain, judged := strings.CutPrefix(s, "judged ")
				one := r(plain)
				if judged {
					one.Judge = []judgment.Condition{{Judgment: "harm", Op: ">=", Value: "0.85"}}
				}
				rules = append(rules, one)
			}
			asked := 0
			e := event.Event{Agent: "claude", Name: event.PreToolUse, Tool: event.Tool{Name: "Bash"}}
			v := engine.Decide(engine.Input{
				Event: &e, Rules: rules, OnFault: event.Ask,
				Policies: []*policy.Policy{{Default: event.Allow, Judgments: []judgment.Spec{spec}}},
				Ask: func(specs []judgment.Spec) (map[string]judgment.Answer, error) {
					if asked++; len(specs) != 1 || specs[0].Name != "harm" {
						t.Errorf("asked for %v", specs)
					}
					if tt.err != nil {
						return nil, tt.err
					}
					return map[string]judgment.Answer{"harm": {Type: judgment.Noul, Noul: tt.value, Model: "m1"}}, nil
				},
			})
			if got := fmt.Sprintf("%s %s", v.Decision, v.Basis); got != tt.want || asked != tt.asked || len(v.Faults) != tt.faults {
				t.Errorf("got %s, asked %d times, faults %q; want %s, %d, %d", got, asked, v.Faults, tt.want, tt.asked, tt.faults)
			}
			if asked > 0 && tt.err == nil && (len(v.Judgments) != 1 || v.Judgments[0].Value != tt.value || v.Judgments[0].Held != (tt.value >= 0.85)) {
				t.Errorf("recorded %+v", v.Judgments)
			}
		})
	}
}
