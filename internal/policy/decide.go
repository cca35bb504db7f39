package policy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/rule"
)

// Outcome is what a policy says of an event.
type Outcome struct {
	Decision event.Decision
	// Rule decided; nil where default-action did.
	Rule *rule.Rule
	// Judged are the thresholds of Rule with the answers that met them.
	Judged []Judged
	// Failed is true where Rule could not be judged and its on-error decided.
	Failed bool
	// Hits are all rules that match.
	Hits []*rule.Rule
	// Weighed are all thresholds that were weighed, for the record.
	Weighed []event.Judgment
	// Warnings tell which judgments were skipped, and why.
	Warnings []error
}

// Judged is one threshold and the answer to it.
type Judged struct {
	judgment.Condition
	Answer judgment.Answer
}

// Decide finds the strictest action of all rules that match the event (deny > ask
// > allow), at a tie the first one's. Where no rule matches, default-action
// decides.
//
// Rules are first matched without their "when:". ask is then called at most once,
// with the judgments of all that match, and not at all if none of them has any or
// none could make the outcome stricter. A nil ask passes over the rules that need
// it. Where an answer is missing the rule does what on-error says.
func (p *Policy) Decide(s *rule.Subject, ask Ask) Outcome {
	var o Outcome
	var open []*rule.Rule
	for _, r := range p.Rules {
		switch {
		case !r.Matches(s):
		case len(r.Judge) > 0:
			open = append(open, r)
		default:
			o.take(r, event.Decision(r.Do))
		}
	}
	if ask != nil && o.mayChange(open) {
		p.judge(&o, open, ask)
	}
	if o.Rule == nil {
		o.Decision = p.Default
	}
	return o
}

// take lets a rule that matches have its say, and reports whether it now decides.
func (o *Outcome) take(r *rule.Rule, d event.Decision) bool {
	o.Hits = append(o.Hits, r)
	if o.Rule != nil && d.Strictness() <= o.Decision.Strictness() {
		return false
	}
	o.Rule, o.Decision, o.Judged, o.Failed = r, d, nil, false
	return true
}

// mayChange reports whether one of the rules could still make a difference.
func (o *Outcome) mayChange(open []*rule.Rule) bool {
	for _, r := range open {
		if o.Rule == nil || max(event.Decision(r.Do).Strictness(), onError(r).Strictness()) > o.Decision.Strictness() {
			return true
		}
	}
	return false
}

func onError(r *rule.Rule) event.Decision {
	if r.OnError == "" {
		return event.Allow
	}
	return event.Decision(r.OnError)
}

// judge asks for what the open rules need and lets them have their say.
func (p *Policy) judge(o *Outcome, open []*rule.Rule, ask Ask) {
	specs := p.needed(open)
	answers, err := ask(specs)
	if err == nil {
		err = unanswered(specs, answers)
	}
	var inert *Inert
	if errors.As(err, &inert) {
		o.Warnings = append(o.Warnings, fmt.Errorf("judgments skipped: %s: %w", names(specs), err))
		return
	}
	if err != nil {
		o.Warnings = append(o.Warnings, err)
	}
	for _, r := range open {
		o.Weighed = append(o.Weighed, Record(r, answers)...)
		judged, missing, holds := weigh(r, answers)
		switch {
		case !holds:
		case !missing:
			if o.take(r, event.Decision(r.Do)) {
				o.Judged = judged
			}
		case onError(r) != event.Allow: // else it is as if the rule were not there
			if o.take(r, onError(r)) {
				o.Failed = true
			}
		}
	}
}

// needed lists the judgments of the rules in the policy's order.
func (p *Policy) needed(rules []*rule.Rule) []judgment.Spec {
	named := map[string]bool{}
	for _, r := range rules {
		for _, c := range r.Judge {
			named[c.Judgment] = true
		}
	}
	var out []judgment.Spec
	for _, s := range p.Judgments {
		if named[s.Name] {
			out = append(out, s)
		}
	}
	return out
}

// weigh holds the answers against a rule's thresholds. An answer that misses its
// threshold settles the rule, whatever else is missing.
func weigh(r *rule.Rule, answers map[string]judgment.Answer) (judged []Judged, missing, holds bool) {
	for _, c := range r.Judge {
		a, ok := answers[c.Judgment]
		switch {
		case !ok || c.Of(a) == nil:
			missing = true
		case !c.Holds(a):
			return nil, false, false
		default:
			judged = append(judged, Judged{c, a})
		}
	}
	return judged, missing, true
}

// Meets holds the answers against a rule's thresholds: whether all that came are
// met, and whether one did not come.
func Meets(r *rule.Rule, answers map[string]judgment.Answer) (holds, missing bool) {
	_, missing, holds = weigh(r, answers)
	return holds, missing
}

// Record lists a rule's thresholds with what was answered.
func Record(r *rule.Rule, answers map[string]judgment.Answer) []event.Judgment {
	var out []event.Judgment
	for _, c := range r.Judge {
		name := c.Judgment
		if c.Field != "" {
			name += "." + c.Field
		}
		j := event.Judgment{Name: name, Rule: r.ID, Condition: c.Test()}
		if a, ok := answers[c.Judgment]; ok {
			j.Value, j.Model, j.Held = c.Of(a), a.Model, c.Holds(a)
		}
		out = append(out, j)
	}
	return out
}

// Open lists the rules that match the event but for their judgments.
func (p *Policy) Open(s *rule.Subject) []*rule.Rule {
	var open []*rule.Rule
	for _, r := range p.Rules {
		if len(r.Judge) > 0 && r.Matches(s) {
			open = append(open, r)
		}
	}
	return open
}

// unanswered names the judgments that an answer without an error left out.
func unanswered(specs []judgment.Spec, answers map[string]judgment.Answer) error {
	var left []judgment.Spec
	for _, s := range specs {
		if _, ok := answers[s.Name]; !ok {
			left = append(left, s)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("judgments not answered: %s", names(left))
}

func names(specs []judgment.Spec) string {
	var out []string
	for _, s := range specs {
		out = append(out, s.Name)
	}
	return strings.Join(out, ", ")
}

// Reason is the sentence for the agent and its human.
func (o *Outcome) Reason() string {
	switch {
	case o.Rule == nil:
		return fmt.Sprintf("No rule of the hookmon policy allows this (default-action: %s).", o.Decision)
	case o.Failed:
		return strings.TrimSpace(o.Rule.Reason + fmt.Sprintf(" (Not judged, so the rule's on-error says %s.)", o.Decision))
	case o.Rule.Reason == "":
		return fmt.Sprintf("The hookmon policy says %s (%s).", o.Decision, o.Rule.At())
	}
	return o.Rule.Reason
}

// Path is the file that the outcome is about: the one that the deciding rule
// selects, else the first that the event names, "" if it names none.
func (o *Outcome) Path(s *rule.Subject) string {
	if o.Rule != nil {
		for _, c := range o.Rule.When {
			if c, ok := c.(*paths); ok {
				if p, ok := c.first(s); ok {
					return p
				}
			}
		}
	}
	if len(s.Event.Tool.Paths) > 0 {
		return s.Event.Tool.Paths[0]
	}
	return ""
}
