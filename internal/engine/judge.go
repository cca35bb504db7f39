package engine

import (
	"errors"
	"slices"
	"sort"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/policy"
	"github.com/fireharp/overseer/internal/rule"
)

// judges has the judgments answered that the rules of one event need: those of
// the constitution and of all policies in one request, made when the first of them
// is needed.
type judges struct {
	ask   policy.Ask
	specs []judgment.Spec

	asked   bool
	answers map[string]judgment.Answer
	err     error
}

// newJudges collects what the rules that match but for their judgments need.
func newJudges(in Input, s *rule.Subject, open []*rule.Rule) *judges {
	j := &judges{ask: in.Ask}
	named := map[string]bool{}
	need := func(rules []*rule.Rule) {
		for _, r := range rules {
			for _, c := range r.Judge {
				named[c.Judgment] = true
			}
		}
	}
	need(open)
	if policy.Answered(in.Event) {
		for _, p := range in.Policies {
			need(p.Open(s))
		}
	}
	for _, p := range in.Policies {
		for _, spec := range p.Judgments {
			if named[spec.Name] {
				named[spec.Name] = false // the first declaration counts
				j.specs = append(j.specs, spec)
			}
		}
	}
	return j
}

// all asks for everything at once, the first time.
func (j *judges) all([]judgment.Spec) (map[string]judgment.Answer, error) {
	if !j.asked {
		j.asked = true
		j.answers, j.err = j.ask(j.specs)
	}
	return j.answers, j.err
}

// opened lists the constitution's rules that fire if their judgments hold.
func opened(in Input, s *rule.Subject) []*rule.Rule {
	var open []*rule.Rule
	for _, r := range in.Rules {
		if len(r.Judge) > 0 && r.Matches(s) {
			open = append(open, r)
		}
	}
	return open
}

// judged adds to hits the open rules whose judgments hold. A judgment that could
// not be had is a fault, for the rule might have stopped the event; without a key
// the rules are inert and that is only said.
func judged(hits, open []*rule.Rule, j *judges) (_ []*rule.Rule, weighed []event.Judgment, fault, note error) {
	if len(open) == 0 || j.ask == nil || settledAbove(hits, open) {
		return hits, nil, nil, nil
	}
	answers, err := j.all(nil)
	var inert *policy.Inert
	if errors.As(err, &inert) {
		return hits, nil, nil, err
	}
	for _, r := range open {
		weighed = append(weighed, policy.Record(r, answers)...)
		holds, missing := policy.Meets(r, answers)
		switch {
		case !holds:
		case !missing:
			hits = append(hits, r)
		case err == nil:
			err = errors.New("rule " + r.ID + ": a judgment was not answered")
		}
		if holds && missing {
			fault = err
		}
	}
	sort.SliceStable(hits, func(a, b int) bool { return stronger(hits[a], hits[b]) })
	return hits, weighed, fault, nil
}

// settledAbove reports whether a hard rule has fired that is stronger than all
// open ones, so that no answer can change the verdict.
func settledAbove(hits, open []*rule.Rule) bool {
	i := slices.IndexFunc(hits, func(r *rule.Rule) bool { return r.Do == rule.Deny || r.Do == rule.Allow })
	return i >= 0 && !slices.ContainsFunc(open, func(r *rule.Rule) bool { return stronger(r, hits[i]) })
}
