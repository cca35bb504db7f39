package agent

import "github.com/fireharp/overseer/event"

// AnswerCaller answers an agent that ran another's entry: in its own dialect
// where its own provider read the payload, which shows in the event's native name,
// else by [Universal].
func AnswerCaller(e *event.Event, v *event.Verdict) Answer {
	if p, err := Lookup(e.Caller); err == nil && e.Native != "" {
		return p.Encode(e, v)
	}
	return Universal(e, v)
}

// Universal answers in the one form that every agent obeys: an objection is an
// empty stdout, the reason on stderr and exit 2, and anything else is silence
// (quirk 3). It is for callers that are not the agent whose entry they run, and
// for events that could not be read; e may then be nil or have no name.
//
// An ask becomes a deny, since no form of asking is understood by all. Guidance
// has no common form either. After the fact, when a Stop hook already made the
// agent go on, nothing is said.
//
// Copilot only warns about exit 2 where a prompt or a tool's result is
// concerned, so an event of its own also gets the JSON it does obey (quirk 14).
func Universal(e *event.Event, v *event.Verdict) Answer {
	if e == nil {
		e = new(event.Event)
	}
	plan := Fit(anyone{}, e, v)
	a := plan.Answer()
	if plan.Decision == event.Deny && e.Caller == "copilot" && blocksByJSON(e.Name) {
		a.Stdout = Output{Decision: "block", Reason: plan.Reason}.Bytes()
	}
	return a
}

func blocksByJSON(name string) bool {
	switch name {
	case event.UserPromptSubmit, event.PostToolUse, event.Stop, event.SubagentStop:
		return true
	}
	return false
}

// anyone is the agent that nobody knows more of than what all have in common.
type anyone struct{ Provider }

func (anyone) Name() string  { return "" }
func (anyone) Title() string { return "this agent" }

func (anyone) Capabilities() []Capability {
	return []Capability{
		{Event: event.PostToolUse, Deny: true, After: true},
		{Event: event.PostToolUseFailure, After: true},
		{Event: event.Stop, Deny: true, After: true},
		{Event: event.SubagentStop, Deny: true, After: true},
		{Event: event.SessionStart}, {Event: event.SessionEnd}, {Event: event.Notification},
	}
}
