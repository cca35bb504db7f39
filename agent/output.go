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
//
// It is put together by hand: working out how to encode these types takes a fresh
// process 0.1 ms, a thirtieth of a hook.
func (o Output) Bytes() []byte {
	if o == (Output{}) {
		return nil
	}
	w := answer{}
	w.text("decision", o.Decision)
	w.text("reason", o.Reason)
	if s := o.Specific; s != nil {
		in := answer{}
		in.member("hookEventName", quoteJSON(s.Event))
		in.text("permissionDecision", s.Permission)
		in.text("permissionDecisionReason", s.PermissionReason)
		if s.Decision != nil {
			b := answer{}
			b.member("behavior", quoteJSON(s.Decision.Behavior))
			b.text("message", s.Decision.Message)
			in.member("decision", b.close())
		}
		in.text("action", s.Action)
		in.text("additionalContext", s.Context)
		w.member("hookSpecificOutput", in.close())
	}
	return append(w.close(), '\n')
}

// answer is a JSON object in the making.
type answer []byte

func (o *answer) member(name string, value []byte) {
	sep := byte(',')
	if len(*o) == 0 {
		sep = '{'
	}
	*o = append(append(append(*o, sep, '"'), name...), '"', ':')
	*o = append(*o, value...)
}

// text adds a member that is left out when it is empty.
func (o *answer) text(name, value string) {
	if value != "" {
		o.member(name, quoteJSON(value))
	}
}

func (o answer) close() []byte {
	if len(o) == 0 {
		return []byte("{}")
	}
	return append(o, '}')
}

// quoteJSON is a text as a JSON string.
func quoteJSON(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return []byte(`""`) // a string always encodes
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}
