package agent

import (
	"bytes"
	"encoding/json"
)

// Output is the JSON answer that Claude Code defined and that Codex and others
// took over. It has only the members that overseer uses: Codex runs the tool if
// it finds one that it does not know (quirk 4).
type Output struct {
	// Decision is "block" where the event is answered at the top level.
	Decision string `json:"decision,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Specific is the answer of the events that have a form of their own.
	Specific *Specific `json:"hookSpecificOutput,omitempty"`
}

// Specific is the part of an [Output] that belongs to one event.
type Specific struct {
	// Event must be the name of the event that is answered (quirk 5).
	Event string `json:"hookEventName"`
	// Permission is "allow", "deny" or "ask".
	Permission       string `json:"permissionDecision,omitempty"`
	PermissionReason string `json:"permissionDecisionReason,omitempty"`
	// Decision answers a PermissionRequest.
	Decision *Behavior `json:"decision,omitempty"`
	// Action answers an Elicitation: "decline".
	Action string `json:"action,omitempty"`
	// Context is text for the model.
	Context string `json:"additionalContext,omitempty"`
}

// Behavior is the answer to a PermissionRequest.
type Behavior struct {
	// Behavior is "allow" or "deny".
	Behavior string `json:"behavior"`
	// Message is the reason of a deny.
	Message string `json:"message,omitempty"`
}

// Bytes is the output as one line of JSON, or nothing if there is nothing to
// say. Text stays readable: "&&" is not written as \u0026.
func (o Output) Bytes() []byte {
	if o == (Output{}) {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		return nil // strings always encode
	}
	return b.Bytes()
}
