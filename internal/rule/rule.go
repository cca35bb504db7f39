// Package rule holds the one rule type of overseer and decides whether a rule
// fires on an event. Every source of rules (the markdown constitution, the
// built-in guard) compiles to it. It is pure: no files, no network, no clock.
package rule

import (
	"fmt"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/judgment"
)

// Scope says how far a rule reaches. At the same priority the narrower scope
// wins: agent > project > shared.
type Scope int

// The scopes, from the widest to the narrowest. Policy is that of the rules of a
// policy file, which stand beside the others and only tighten.
const (
	Shared Scope = iota
	Project
	Agent
	Policy
)

var scopeNames = []string{"shared", "project", "agent", "policy"}

func (s Scope) String() string { return scopeNames[s] }

// Scopes lists the names that [ParseScope] knows.
func Scopes() []string { return scopeNames[:Policy] }

// ParseScope reads a scope's name, as a rule of the constitution may give it.
func ParseScope(s string) (Scope, bool) {
	for i, n := range Scopes() {
		if n == s {
			return Scope(i), true
		}
	}
	return Shared, false
}

// Do is what a rule asks for when it fires.
type Do string

// The effects of a rule on the verdict. Guidance has none.
const (
	Deny     Do = "deny"
	Ask      Do = "ask"
	Allow    Do = "allow"
	Guidance Do = "guidance"
)

// DefaultPriority is the priority of a rule that names none. The seed document
// leaves it open; 100 leaves room on both sides of it.
const DefaultPriority = 100

// Rule is one rule. A rule fires on an event when all its conditions hold.
type Rule struct {
	ID       string
	Priority int
	Scope    Scope
	// Agent restricts the rule to one agent, "" for all.
	Agent string
	// When are the conditions, all of which must hold. A rule without any never
	// fires.
	When []Condition
	// Judge are conditions on answers of the judgment model, all of which must
	// hold as well. They are asked for only once all of When hold.
	Judge []judgment.Condition
	// OnError is what the rule does when an answer could not be had; "" is Allow,
	// which is not to fire.
	OnError Do
	Do      Do
	// Text is the guidance of a rule that only guides.
	Text   string
	Reason string
	// Examples are acts on which the rule must fire, Counterexamples such on which it
	// must not.
	Examples, Counterexamples []string
	// File and Line are where the rule stands; File is "built-in" for a rule that
	// comes with the program.
	File string
	Line int
	// FromProject is true for a rule that a project brought along, Trusted if the
	// person has vouched for its file, as for all files of their own.
	FromProject, Trusted bool
}

// At is the place of the rule as file:line.
func (r *Rule) At() string {
	if r.Line == 0 {
		return r.File
	}
	return fmt.Sprintf("%s:%d", r.File, r.Line)
}

// Fires reports whether the rule applies to the subject and all its conditions
// hold. A rule that also needs a judgment never fires by itself; whoever can have
// it judged asks [Rule.Matches].
func (r *Rule) Fires(s *Subject) bool { return len(r.Judge) == 0 && r.Matches(s) }

// Matches reports whether the rule applies to the subject and all of When holds.
// A rule of one agent applies to what that agent does through another's settings
// too.
func (r *Rule) Matches(s *Subject) bool {
	if r.Agent != "" && r.Agent != s.Event.Agent && r.Agent != s.Event.Caller {
		return false
	}
	for _, c := range r.When {
		if !c.Holds(s) {
			return false
		}
	}
	return len(r.When) > 0
}

// Hit is the record of the rule having fired.
func (r *Rule) Hit() event.Reason {
	text := r.Reason
	if r.Do == Guidance {
		text = r.Text
	}
	return event.Reason{Rule: r.ID, Do: string(r.Do), Text: text, At: r.At()}
}
