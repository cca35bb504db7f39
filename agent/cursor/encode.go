package cursor

import (
	"bytes"
	"encoding/json"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// output is Cursor's answer. It has only the members that overseer uses.
type output struct {
	// Permission is "allow", "deny" or "ask".
	Permission string `json:"permission,omitempty"`
	// Continue is false where a prompt is not to be sent.
	Continue *bool `json:"continue,omitempty"`
	// UserMessage is for the person, AgentMessage for the model; the executor that
	// was read shows the model the former.
	UserMessage  string `json:"user_message,omitempty"`
	AgentMessage string `json:"agent_message,omitempty"`
	// Followup makes the agent go on as if the person had typed it.
	Followup string `json:"followup_message,omitempty"`
	// Context is text for the model.
	Context string `json:"additional_context,omitempty"`
}

// bytes is the output as one line of JSON, "{}" if there is nothing to say: to
// say nothing at all counts as a failed hook where failClosed is set (quirk 17).
func (o output) bytes() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		return nil // strings always encode
	}
	return b.Bytes()
}

// Encode answers an event. A verdict is JSON and exit 0: at exit 2 Cursor shows
// the JSON as it stands for the reason (quirk 17).
func (p provider) Encode(e *event.Event, v *event.Verdict) agent.Answer {
	plan := agent.Fit(p, e, v).Folded()
	name := agent.CapabilityOf(p, e.NativeName()).Event
	a := agent.Answer{Decision: plan.Decision, Degraded: plan.Lost}
	var o output
	switch plan.Decision {
	case event.Deny:
		switch form := denial(name, plan.Reason); {
		case form == nil, plan.Plain && decides(name):
			return plan.Answer()
		case (name == stop || name == subagentStop) && ended(e):
			return agent.Answer{Decision: event.Allow, Stdout: o.bytes(), Degraded: "deny: the agent did not stop by itself"}
		default:
			o = *form
		}
	case event.Ask:
		o = output{Permission: "ask", UserMessage: plan.Reason}
	case event.Allow:
		// A fault is no approval, and a silent allow leaves it to Cursor.
		if decides(name) && !v.Silent && v.Basis != event.ByFault {
			o.Permission = "allow"
		}
		o.Context = plan.Context
	}
	a.Stdout = o.bytes()
	return a
}

// decides reports whether Cursor waits at the event for a permission.
func decides(name string) bool {
	switch name {
	case preToolUse, beforeShellExecution, beforeMCPExecution, beforeReadFile, beforeTabFileRead, subagentStart:
		return true
	}
	return false
}

// denial is a deny in the event's own form, nil if it has none.
func denial(name, reason string) *output {
	o := output{Permission: "deny", UserMessage: reason, AgentMessage: reason}
	switch {
	case decides(name):
	case name == postToolUse, name == postToolUseFailure:
		o.Context = reason // what the model is shown there
	case name == beforeSubmitPrompt:
		o = output{Continue: new(bool), UserMessage: reason}
	case name == stop, name == subagentStop:
		o = output{Followup: reason}
	default:
		return nil
	}
	return &o
}

// ended reports whether the agent stopped because the person stopped it or
// because it failed: that is nothing to go on from.
func ended(e *event.Event) bool {
	f, err := agent.ParsePayload(e.Raw)
	if err != nil {
		return false
	}
	status := f.String("status")
	return status != "" && status != "completed"
}
