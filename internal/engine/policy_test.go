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
)

// policies makes one policy of each source.
func policies(t *testing.T, sources ...string) []*policy.Policy {
	t.Helper()
	known := policy.Agents{
		Lookup: func(s string) (string, bool) { return s, true },
		Events: func(string) []string { return nil },
	}
	var out []*policy.Policy
	for i, src := range sources {
		p, faults := policy.Parse(fmt.Sprintf("/p%d.yaml", i+1), []byte(src), known)
		if p == nil {
			t.Fatal(faults)
		}
		out = append(out, p)
	}
	return out
}

const (
	denies = "rules: [{event: PreToolUse, action: deny, reason: No.}]"
	asks   = "rules: [{event: PreToolUse, action: ask, reason: Sure?}]"
	allows = "rules: [{event: PreToolUse, action: allow}]"
	other  = "rules: [{event: PreToolUse, tools: [Other], action: deny}]"
	judges = "judgments: {d: {type: noul, instructions: q}}\nrules: [{event: PreToolUse, when: {d: 0.5}, on-error: ask, action: deny}]"
)

func TestPolicyOnlyTightens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		policies []string
		rules    []string
		event    string
		answer   float64 // to the judgment; less than 0 for none
		approved string
		faults   []string
		want     string // decision basis rule
		asked    bool
	}{
		{name: "it denies what nothing speaks against", policies: []string{denies}, want: "deny policy policy.1"},
		{name: "it asks", policies: []string{asks}, want: "ask policy policy.1"},
		{name: "its allow is no approval", policies: []string{allows}, want: "allow default "},
		{name: "it does not match", policies: []string{other}, want: "allow default "},
		{name: "it denies what a rule allows", policies: []string{denies}, rules: []string{"allow"}, want: "deny policy policy.1"},
		{name: "it asks where a rule allows", policies: []string{asks}, rules: []string{"allow"}, want: "ask policy policy.1"},
		{name: "it denies where a rule asks", policies: []string{denies}, rules: []string{"ask"}, want: "deny policy policy.1"},
		{name: "it does not loosen a deny to an ask", policies: []string{asks}, rules: []string{"deny"}, want: "deny rule deny"},
		{name: "nor to an allow", policies: []string{allows}, rules: []string{"deny"}, want: "deny rule deny"},
		{name: "nor an ask", policies: []string{allows}, rules: []string{"ask"}, want: "ask rule ask"},
		{name: "a rule that asks as well stays the one", policies: []string{asks}, rules: []string{"ask"}, want: "ask rule ask"},
		{name: "the default of a policy", policies: []string{"default-action: ask"}, rules: []string{"allow"}, want: "ask policy policy.default"},
		{name: "the strictest of several files", policies: []string{asks, denies, allows}, want: "deny policy policy.1"},
		{name: "an empty file nearby loosens nothing", policies: []string{"", denies}, want: "deny policy policy.1"},
		{name: "events that cannot be prevented", policies: []string{"rules: [{event: Stop, action: deny}]\ndefault-action: deny"}, event: event.Stop, want: "allow default "},

		{name: "a judgment", policies: []string{judges}, answer: 0.9, want: "deny policy policy.1", asked: true},
		{name: "below its threshold", policies: []string{judges}, answer: 0.4, want: "allow default ", asked: true},
		{name: "that fails", policies: []string{judges}, answer: -1, want: "ask policy policy.1", asked: true},
		{name: "a rule denies already", policies: []string{judges}, rules: []string{"deny"}, want: "deny rule deny"},
		{name: "a policy denies already", policies: []string{denies, judges}, want: "deny policy policy.1"},

		{name: "a fault does not loosen its deny", policies: []string{denies}, faults: []string{"x"}, want: "deny policy policy.1"},
		{name: "an approval lifts its ask", policies: []string{asks}, approved: "ev_1", want: "allow approval "},
		{name: "and not its deny", policies: []string{denies}, approved: "ev_1", want: "deny policy policy.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := event.Event{Agent: "claude", Name: event.PreToolUse, Tool: event.Tool{Name: "Bash"}}
			if tt.event != "" {
				e.Name = tt.event
			}
			asked := false
			v := engine.Decide(engine.Input{
				Event: &e, Rules: rules(tt.rules...), Policies: policies(t, tt.policies...), OnFault: event.Ask, Faults: tt.faults,
				Approved: func(string) (string, bool, error) { return tt.approved, tt.approved != "", nil },
				Ask: func([]judgment.Spec) (map[string]judgment.Answer, error) {
					asked = true
					if tt.answer < 0 {
						return nil, errors.New("d: the network is down")
					}
					return map[string]judgment.Answer{"d": {Type: judgment.Noul, Noul: tt.answer}}, nil
				},
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
			if asked != tt.asked {
				t.Errorf("asked: %v", asked)
			}
			if v.Decision != event.Allow && v.Reason == "" {
				t.Error("an objection without a reason")
			}
		})
	}
}

func TestPolicyReasons(t *testing.T) {
	t.Parallel()
	e := event.Event{Agent: "claude", Name: event.PreToolUse, Tool: event.Tool{Name: "Bash"}}
	down := func([]judgment.Spec) (map[string]judgment.Answer, error) { return nil, errors.New("d: down") }
	v := engine.Decide(engine.Input{Event: &e, Rules: rules("guidance"), Policies: policies(t, allows, denies), OnFault: event.Ask})
	if v.Reason != "rule policy.1: No." {
		t.Errorf("reason %q", v.Reason)
	}
	var got []string
	for _, h := range v.Reasons {
		got = append(got, h.Rule+" "+h.At)
	}
	if s := strings.Join(got, ", "); s != "guidance f.md:1, policy.1 /p1.yaml:1, policy.1 /p2.yaml:1" {
		t.Errorf("reasons %s", s)
	}
	// A judgment that failed has had its on-error; it is recorded and is no fault
	// that asks once more.
	open := "judgments: {d: {type: noul, instructions: q}}\nrules: [{event: PreToolUse, when: {d: 0.5}, action: deny}]"
	v = engine.Decide(engine.Input{Event: &e, Policies: policies(t, open), OnFault: event.Deny, Ask: down})
	if v.Decision != event.Allow || len(v.Faults) != 1 || !strings.Contains(v.Faults[0], "d: down") {
		t.Errorf("got %+v", v)
	}
}
