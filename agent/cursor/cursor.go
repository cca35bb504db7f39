// Package cursor speaks the dialect of Cursor's hooks, as its documents and the
// hook executor of @cursor/sdk 1.0.18 describe it: unlike the other agents it was
// read, not run. docs/agents.md tells it and numbers the quirks that this code
// cites.
//
// An event's Name is what rules know it by (PreToolUse for preToolUse and for
// beforeShellExecution), its Native is Cursor's own name.
package cursor

import (
	"slices"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

func init() { agent.Register(provider{}) }

type provider struct{}

func (provider) Name() string                     { return "cursor" }
func (provider) Aliases() []string                { return []string{"cursor-agent"} }
func (provider) Title() string                    { return "Cursor" }
func (provider) Capabilities() []agent.Capability { return capabilities }

// Settings: see quirk 16.
func (provider) Settings() agent.Settings {
	return agent.Settings{
		User:           ".cursor/hooks.json",
		Project:        ".cursor/hooks.json",
		TimeoutSeconds: 30,
		Program:        "cursor",
		Flat:           true,
		Version:        1,
		CutsComments:   true,
		FixedEvents:    true,
	}
}

// Decode also brings the events that have fields of their own into the form of
// the others: beforeShellExecution becomes a call of the tool Shell.
func (p provider) Decode(name string, payload []byte) (event.Event, error) {
	f, err := agent.ParsePayload(payload)
	if err != nil {
		return agent.Named(p, name), err
	}
	e := agent.EventOf(p, name, f)
	if e.Session == "" {
		e.Session = f.String("conversation_id")
	}
	e.Turn = f.String("generation_id")
	e.StopActive = f.Number("loop_count") > 0
	call(&e, f)
	return e, nil
}

// Marks implements [agent.Recognizer].
func (provider) Marks(f *agent.Payload) int {
	n := 0
	for _, m := range []string{"cursor_version", "workspace_roots", "user_email"} {
		if f.Has(m) {
			n++
		}
	}
	if f.Has("conversation_id") && f.Has("generation_id") {
		n++
	}
	// No other agent spells the events so where it names them in the payload. It
	// outweighs that Codex, too, sends a transcript_path of null.
	name := f.String("hook_event_name")
	if slices.ContainsFunc(capabilities, func(c agent.Capability) bool { return c.Event == name }) {
		n += 2
	}
	return n
}
