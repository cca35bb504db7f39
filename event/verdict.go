package event

import "time"

// Decision is what overseer says of an event.
type Decision string

// The three decisions, from the mildest to the strictest.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// Strictness orders decisions: allow < ask < deny. An unknown word is the
// strictest, so that a value nobody foresaw never loosens anything.
func (d Decision) Strictness() int {
	switch d {
	case Allow:
		return 0
	case Ask:
		return 1
	case Deny:
		return 2
	}
	return 3
}

// Basis says what a decision rests on.
type Basis string

// The bases of a verdict.
const (
	ByRule      Basis = "rule"      // a rule of the constitution
	ByPolicy    Basis = "policy"    // a rule of the policy file
	ByPrecedent Basis = "precedent" // what a human ruled on a like action
	ByJudgment  Basis = "judgment"  // a typed answer of the judgment model
	ByApproval  Basis = "approval"  // a human approved this very action
	BySafeMode  Basis = "safe-mode" // safe_mode is on and nothing else decided
	ByDefault   Basis = "default"   // nothing spoke against it
	ByFault     Basis = "fault"     // overseer itself failed; on_fault decided
)

// Reason is one rule that fired on an event. All of them are kept, also those
// that did not settle the verdict, so that `why` has nothing to compute.
type Reason struct {
	// Rule is the rule's id.
	Rule string `json:"rule"`
	// Do is what the rule asks for: "deny", "ask", "allow" or "guidance".
	Do string `json:"do"`
	// Text is the rule's own reason, or its guidance.
	Text string `json:"text,omitempty"`
	// At is the place of the rule: file:line, or "built-in".
	At string `json:"at,omitempty"`
	// Settled is true for the rule that the verdict rests on.
	Settled bool `json:"settled,omitempty"`
}

// Judgment is one threshold of a rule and what the judgment model answered.
type Judgment struct {
	// Name is the judgment's name, Rule the rule that asked.
	Name string `json:"name"`
	Rule string `json:"rule"`
	// Condition is the threshold as it is written, e.g. ">= 0.85".
	Condition string `json:"condition"`
	// Value is what was compared: a probability or level (float64), an option
	// (string), nil where no answer came.
	Value any `json:"value"`
	// Model is the version that answered.
	Model string `json:"model,omitempty"`
	// Held is true if the answer met the threshold.
	Held bool `json:"held"`
}

// Precedent is a human ruling on another action that a verdict rests on.
type Precedent struct {
	// Event is the id of the event that was ruled on.
	Event string `json:"event"`
	// Decision is what was ruled: allow or deny.
	Decision Decision `json:"decision"`
	// By is the person, if known, Source how they said it, Time when.
	By     string    `json:"by,omitempty"`
	Source string    `json:"source"`
	Time   time.Time `json:"time"`
	// Score is how like the two actions are, from 0 to 1.
	Score float64 `json:"score"`
}

// Verdict is the answer to one event, with all that led to it.
type Verdict struct {
	Decision Decision `json:"decision"`
	Basis    Basis    `json:"basis"`
	// Silent leaves an allow to the agent's own permission flow: the codec says
	// nothing where it would otherwise approve. It comes from the setting
	// [answer] default_allow = "silent" and changes no other decision.
	Silent bool `json:"silent,omitempty"`
	// Reason is the sentence for the agent and its human.
	Reason string `json:"reason,omitempty"`
	// Reasons are all rules that fired, the strongest first.
	Reasons []Reason `json:"reasons,omitempty"`
	// Judgments are the thresholds that were weighed, whether they held or not.
	Judgments []Judgment `json:"judgments,omitempty"`
	// Precedents are the human rulings that a verdict by precedent rests on, the
	// likest first.
	Precedents []Precedent `json:"precedents,omitempty"`
	// Guidance is text for the model that changes no decision.
	Guidance []string `json:"guidance,omitempty"`
	// Faults are the failures met on the way: broken rule files, a project file
	// that is not trusted, a record that could not be written.
	Faults []string `json:"faults,omitempty"`
	// ApprovedBy is the id of the event whose approval this verdict rests on.
	ApprovedBy string `json:"approved_by,omitempty"`
	// ApproveBy is the command with which the person lets an asked action
	// through where the agent itself cannot ask them.
	ApproveBy string `json:"-"`
	// Signature describes the action for the record, see precedent.Signature.
	Signature string `json:"-"`
}
