package agent

import (
	"strings"

	"github.com/fireharp/overseer/event"
)

// Decode reads the payload form that Claude Code defined and that Codex and
// others follow, for a [Provider.Decode] that has nothing to add. On error the
// event still has its agent and name, so that the fault can be answered.
func Decode(p Provider, name string, payload []byte) (event.Event, error) {
	f, err := ParsePayload(payload)
	if err != nil {
		return event.Event{Agent: p.Name(), Name: canonical(p, name)}, err
	}
	return EventOf(p, name, f), nil
}

// EventOf makes an event of a payload in that form. Each member is taken in
// snake case, as the agents send it, and failing that in the camel case of older
// documents (quirk 1). name is the event named on the command line; it counts
// where the payload names none.
func EventOf(p Provider, name string, f *Payload) event.Event {
	e := event.Event{
		Agent:          p.Name(),
		Name:           canonical(p, name),
		Session:        f.String("session_id", "sessionId"),
		Turn:           f.String("turn_id", "prompt_id"),
		CWD:            f.String("cwd"),
		PermissionMode: f.String("permission_mode", "permissionMode"),
		Prompt:         f.String("prompt"),
		StopActive:     f.Bool("stop_hook_active", "stopHookActive"),
		Raw:            f.Raw(),
	}
	if n := f.String("hook_event_name", "hookEventName", "hookName"); n != "" {
		e.Name = canonical(p, n)
	}
	e.Tool = toolOf(f, e.CWD)
	return e
}

// canonical spells an event's name as the agent's capabilities do: Copilot and
// Cursor name Claude Code's events "preToolUse". An unknown name stays.
func canonical(p Provider, name string) string {
	for _, c := range p.Capabilities() {
		if strings.EqualFold(c.Event, name) {
			return c.Event
		}
	}
	return name
}
