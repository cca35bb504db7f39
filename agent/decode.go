package agent

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/event"
)

// Decode reads the payload form that Claude Code defined and that Codex and
// others follow, for a [Provider.Decode] that has nothing to add. On error the
// event still has its agent and name, so that the fault can be answered.
func Decode(p Provider, name string, payload []byte) (event.Event, error) {
	f, err := ParsePayload(payload)
	if err != nil {
		return Named(p, name), err
	}
	return EventOf(p, name, f), nil
}

// EventOf makes an event of a payload in that form. Each member is taken in
// snake case, as the agents send it, and failing that in the camel case of older
// documents (quirk 1). name is the event named on the command line; it counts
// where the payload names none.
func EventOf(p Provider, name string, f *Payload) event.Event {
	if n := f.String("hook_event_name", "hookEventName", "hookName"); n != "" {
		name = n
	}
	e := Named(p, name)
	e.Session = f.String("session_id", "sessionId")
	e.Turn = f.String("turn_id", "prompt_id")
	e.CWD = f.String("cwd")
	if roots := f.Strings("workspace_roots"); e.CWD == "" && len(roots) > 0 {
		e.CWD = roots[0] // Cursor names the folder only where it is another
	}
	e.PermissionMode = f.String("permission_mode", "permissionMode")
	e.Prompt = f.String("prompt")
	e.StopActive = f.Bool("stop_hook_active", "stopHookActive")
	e.Raw = f.Raw()
	e.Tool = toolOf(f, e.CWD)
	return e
}

// Named is an event of p of which only the name is known, for what could not be
// read and must be answered all the same. The name may be the agent's own or that
// of rules, in any case: Copilot names Claude Code's events "preToolUse". An
// unknown name stays.
func Named(p Provider, name string) event.Event {
	e := event.Event{Agent: p.Name(), Name: name}
	all := p.Capabilities()
	i := slices.IndexFunc(all, func(c Capability) bool { return strings.EqualFold(c.Event, name) })
	if i < 0 {
		i = slices.IndexFunc(all, func(c Capability) bool { return c.As != "" && strings.EqualFold(c.As, name) })
	}
	switch {
	case i < 0:
	case all[i].As == "":
		e.Name = all[i].Event
	default:
		e.Name, e.Native = all[i].As, all[i].Event
	}
	return e
}
