// Package engine decides: the rules that fire on an event, what a person has
// approved and what failed on the way become one verdict. It is pure; what it
// needs from files is handed in.
package engine

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/policy"
	"github.com/fireharp/overseer/internal/rule"
)

// Input is all that a decision rests on.
type Input struct {
	Event *event.Event
	// Home is the person's home folder, for ~ in paths, Repo the root of the project
	// that the agent works in.
	Home, Repo string
	// Real follows symbolic links and Read gives the beginning of a file, see
	// [rule.Subject].
	Real  func(string) string
	Read  func(string) ([]byte, bool)
	Rules []*rule.Rule
	// Policies only tighten what the rules say.
	Policies []*policy.Policy
	// Ask has a policy's judgments answered; nil passes over the rules that need
	// them. It is not called where the verdict is deny already.
	Ask policy.Ask
	// SafeMode, OnFault and DefaultAllow are the settings of the same names.
	SafeMode     bool
	OnFault      event.Decision
	DefaultAllow string
	// Faults are the failures before the decision: broken rules, unreadable files.
	Faults []string
	// There, if set, reports whether there is a file that could not be read by Read:
	// it is too large, or no regular file.
	There func(path string) bool
	// List, if set, gives the names in a folder, none for one that is not there. ok is
	// false where they cannot be told. What it does not name is not looked for one by
	// one: most words of a build file are no files.
	List func(dir string) (names []string, ok bool)
	// Approved finds a person's live approval of this very action and returns the
	// id of the event that they approved. form is that of the action's signature,
	// which tells what the scripts contain that it runs. It is called only where an
	// ask is at stake.
	Approved func(form string) (id string, ok bool, err error)
	// Precedents are what humans ruled on other actions.
	Precedents Precedents
}

// Subject is the event as the rules see it.
func (in Input) Subject() *rule.Subject {
	return &rule.Subject{Event: in.Event, Home: in.Home, Repo: in.Repo, Real: in.Real, Read: in.Read}
}

// Decide judges one event:
//
//  1. Hard rules (deny, allow): the highest priority wins, then the narrower
//     scope, at a full tie deny.
//  2. Else precedent, see [precedent.Weigh]. It allows only what else would be
//     asked, and nothing that a built-in rule asks about.
//  3. Else an ask rule that fired asks.
//  4. Else safe mode asks, for a tool about to run.
//  5. Else the default allows.
//  6. A policy's strictest matching action, where it is stricter than that.
//
// A fault then turns the verdict to on_fault where that is stricter, and a
// person's approval of this very action turns an ask to allow.
func Decide(in Input) event.Verdict {
	s := in.Subject()
	open := opened(in, s)
	j := newJudges(in, s, open)
	hits, weighed, fault, note := judged(fired(in, s), open, j)
	if fault != nil {
		in.Faults = append(in.Faults[:len(in.Faults):len(in.Faults)], fault.Error())
	}
	v, act, unseen := in.precedents(s, decide(in, hits), hits)
	v, more, skipped := tightened(in, s, v, j)
	hits = append(hits, more...)
	v.Judgments = append(weighed, v.Judgments...)
	for _, n := range []error{note, unseen} {
		if n != nil {
			skipped = append([]error{n}, skipped...)
		}
	}
	if s.Unread() && in.Event.AboutToRun() {
		in.Faults = append(in.Faults[:len(in.Faults):len(in.Faults)], unread)
	}
	v.Faults = in.Faults
	v = faulted(in, v)
	// What was not judged has had its on-error and is no fault beyond that.
	for _, err := range skipped {
		if !slices.Contains(v.Faults, err.Error()) {
			v.Faults = append(v.Faults, err.Error())
		}
	}
	v = approved(in, v, act.Form)
	for _, r := range hits {
		h := r.Hit()
		h.Settled = (v.Basis == event.ByRule || v.Basis == event.ByPolicy) && h.Rule == v.settler && h.At == v.settledAt
		v.Reasons = append(v.Reasons, h)
		if r.Do == rule.Guidance {
			v.Guidance = append(v.Guidance, r.Text)
		}
	}
	if act.Tool != "" {
		v.Signature = act.String()
	}
	if v.Basis != event.ByPrecedent {
		v.Precedents = nil
	}
	v.Silent = v.Decision == event.Allow && v.Basis == event.ByDefault && in.DefaultAllow == "silent"
	return v.Verdict
}

// settled is a verdict with the rule that it rests on.
type settled struct {
	event.Verdict
	settler, settledAt string
}

// fired lists the rules that fire, the strongest first.
func fired(in Input, s *rule.Subject) []*rule.Rule {
	var hits []*rule.Rule
	for _, r := range in.Rules {
		if r.Fires(s) {
			hits = append(hits, r)
		}
	}
	sort.SliceStable(hits, func(i, j int) bool { return stronger(hits[i], hits[j]) })
	return hits
}

// stronger orders rules: priority, then the narrower scope, then the stricter
// effect.
func stronger(a, b *rule.Rule) bool {
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	if a.Scope != b.Scope {
		return a.Scope > b.Scope
	}
	return strictness(a.Do) > strictness(b.Do)
}

func strictness(do rule.Do) int {
	switch do {
	case rule.Deny:
		return 3
	case rule.Ask:
		return 2
	case rule.Allow:
		return 1
	case rule.Guidance:
		return 0
	}
	return 0
}

func decide(in Input, hits []*rule.Rule) settled {
	for _, r := range hits {
		if r.Do == rule.Deny || r.Do == rule.Allow {
			return byRule(r)
		}
	}
	for _, r := range hits {
		if r.Do == rule.Ask {
			return byRule(r)
		}
	}
	if in.SafeMode && in.Event.Name == event.PreToolUse {
		return settled{Verdict: event.Verdict{Decision: event.Ask, Basis: event.BySafeMode, Reason: "safe mode: no rule allows this"}}
	}
	return settled{Verdict: event.Verdict{Decision: event.Allow, Basis: event.ByDefault}}
}

// tightened lets the policies have their say, on the events that can still be
// prevented. more are their rules that match, skipped
// tells what was not judged.
func tightened(in Input, s *rule.Subject, v settled, j *judges) (_ settled, more []*rule.Rule, skipped []error) {
	if !policy.Answered(in.Event) {
		return v, nil, nil
	}
	var weighed []event.Judgment
	for _, p := range in.Policies {
		var ask policy.Ask
		if in.Ask != nil && v.Decision != event.Deny {
			ask = j.all
		}
		o := p.Decide(s, ask)
		weighed = append(weighed, o.Weighed...)
		more, skipped = append(more, o.Hits...), append(skipped, o.Warnings...)
		if o.Decision.Strictness() <= v.Decision.Strictness() {
			continue
		}
		r := o.Rule
		if r == nil {
			r = p.DefaultRule()
			more = append(more, r)
		}
		v = byRule(r)
		v.Decision, v.Basis = o.Decision, event.ByPolicy
		v.Reason = "rule " + r.ID + ": " + o.Reason()
	}
	v.Judgments = weighed
	return v, more, skipped
}

func byRule(r *rule.Rule) settled {
	reason := "rule " + r.ID
	if r.Reason != "" {
		reason += ": " + r.Reason
	}
	return settled{
		Verdict:   event.Verdict{Decision: event.Decision(r.Do), Basis: event.ByRule, Reason: reason},
		settler:   r.ID,
		settledAt: r.At(),
	}
}

// faulted applies on_fault: overseer's own failure must not let a tool run that
// a rule might have stopped.
func faulted(in Input, v settled) settled {
	if len(in.Faults) == 0 || !in.Event.AboutToRun() || in.OnFault.Strictness() <= v.Decision.Strictness() {
		return v
	}
	v.Decision, v.Basis = in.OnFault, event.ByFault
	v.Reason = FaultReason(in.Faults)
	return v
}

// unread is the fault of a command line that rules looked into and could not read
// to its end: what was not read might have been stopped.
const unread = "the command line could not be read whole"

// FaultReason is the sentence of a verdict that rests on failures.
func FaultReason(faults []string) string {
	reason := "overseer could not judge this fully: " + faults[0]
	if n := len(faults) - 1; n > 0 {
		reason += fmt.Sprintf(" (and %d more)", n)
	}
	if faults[0] == unread {
		return reason
	}
	return strings.TrimSuffix(reason, ".") + "; \"overseer doctor\" shows how to mend it"
}

func approved(in Input, v settled, form string) settled {
	if v.Decision != event.Ask || in.Approved == nil {
		return v
	}
	id, ok, err := in.Approved(form)
	if err != nil {
		v.Faults = append(v.Faults, err.Error())
	}
	if ok {
		v.Decision, v.Basis, v.ApprovedBy = event.Allow, event.ByApproval, id
		v.Reason = "approved by a person (" + id + ")"
	}
	return v
}

// Fault is the verdict when an event could not be judged at all.
func Fault(e *event.Event, onFault event.Decision, faults ...string) event.Verdict {
	v := event.Verdict{Decision: event.Allow, Basis: event.ByFault, Reason: FaultReason(faults), Faults: faults}
	if e.AboutToRun() {
		v.Decision = onFault
	}
	return v
}

// Unrecorded is the verdict v after it turned out that it cannot be recorded.
func Unrecorded(e *event.Event, v event.Verdict, onFault event.Decision, fault string) event.Verdict {
	v.Faults = append(v.Faults, fault)
	in := Input{Event: e, OnFault: onFault, Faults: []string{fault}}
	return faulted(in, settled{Verdict: v}).Verdict
}
