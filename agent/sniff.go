package agent

import (
	"strings"

	"github.com/fireharp/overseer/event"
)

// A Recognizer is a [Provider] that knows its own payloads by their marks.
type Recognizer interface {
	// Marks counts the members of the payload that only this agent sends so.
	Marks(*Payload) int
}

// Sniff names the agent that a payload comes from, for a hook that was not told
// with --agent: the registered agent with the most marks of its own in it.
//
// Where nothing tells, as with a payload typed by hand, the documented rule
// holds: hook_event_name is Codex, hookEventName is Claude Code. (In truth both
// send hook_event_name, quirk 1.) The guess is on the safe side: Claude Code obeys
// what is written for Codex, whereas Codex takes an ask in Claude Code's form for
// a go. A payload without an event's name, or none at all, is Claude Code's,
// whose deny both obey.
func Sniff(payload []byte) string {
	f, err := ParsePayload(payload)
	if err != nil {
		return "claude"
	}
	best, name := 0, ""
	for _, agent := range Names() {
		if n := marks(agent, f); n > best {
			best, name = n, agent
		}
	}
	switch {
	case best > 0:
		return name
	case f.Has("hook_event_name"):
		return "codex"
	}
	return "claude"
}

// Foreign names the agent that really sent a payload to a hook written into
// Claude Code's settings, by what only that agent sends: "cursor", "copilot", or
// "" for Claude Code itself and for what cannot be told (quirk 14).
func Foreign(f *Payload) string {
	switch {
	case f.Has("cursor_version"), f.Has("conversation_id") && f.Has("generation_id"):
		return "cursor"
	case f.Has("timestamp") && (f.Has("session_id") || f.Has("sessionId")) && marks("claude", f) == 0 &&
		(!f.Has("transcript_path") || strings.Contains(f.String("transcript_path"), "/.copilot/")):
		return "copilot"
	}
	return ""
}

// CallerOf is e.Caller, and where that is empty because the payload does not
// tell, what the environment says. Environments are inherited (Claude Code
// started in Cursor's terminal sees Cursor's variables), so they count only for a
// payload without a mark of e.Agent's. getenv reads one variable.
func CallerOf(e *event.Event, getenv func(string) string) string {
	if e.Caller != "" {
		return e.Caller
	}
	caller := ""
	switch {
	case getenv("CURSOR_VERSION") != "":
		caller = "cursor"
	case getenv("COPILOT_CLI") == "1":
		caller = "copilot"
	default:
		return ""
	}
	if caller == e.Agent {
		return ""
	}
	if f, err := ParsePayload(e.Raw); err == nil && marks(e.Agent, f) > 0 {
		return ""
	}
	return caller
}

// marks counts the marks of the named agent, if that is registered.
func marks(name string, f *Payload) int {
	if r, ok := providers[name].(Recognizer); ok {
		return r.Marks(f)
	}
	return 0
}
