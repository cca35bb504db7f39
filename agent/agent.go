// Package agent is the seam between overseer and the coding agents. A
// [Provider] turns one agent's hook payload into an [event.Event] and a verdict
// into the bytes and the exit code that this agent obeys. Each agent has a
// package of its own below this one; a program links those that it blank-imports.
package agent

import (
	"fmt"
	"sort"
	"strings"

	"github.com/fireharp/overseer/event"
)

// Provider is one coding agent. Implementations hold no state and do no I/O.
type Provider interface {
	// Name is the agent's name in flags, records and rules, e.g. "claude".
	Name() string
	// Aliases are other names that --agent accepts.
	Aliases() []string
	// Title is the agent's name for people, e.g. "Claude Code".
	Title() string
	// Capabilities lists the events that the agent has and what an answer to
	// each can express.
	Capabilities() []Capability
	// Decode reads one payload. name is the event named on the command line and
	// wins only where the payload names none. A field that is missing or of
	// another type is left empty; an error means that the payload is not one
	// JSON object.
	Decode(name string, payload []byte) (event.Event, error)
	// Encode renders a verdict for the event that it answers. It always yields an
	// answer that the agent obeys; what the agent cannot express is degraded
	// and named in the answer.
	Encode(e *event.Event, v *event.Verdict) Answer
	// Settings says where and how the agent registers hooks.
	Settings() Settings
}

// Answer is what the hook process leaves behind.
type Answer struct {
	// Stdout is empty or exactly one JSON document.
	Stdout []byte
	// Stderr is empty or the reason as plain text.
	Stderr []byte
	// ExitCode is 0, or 2 where that means deny.
	ExitCode int
	// Decision is what the agent was told; it differs from the verdict's where
	// the agent cannot express that.
	Decision event.Decision
	// Degraded says in words what was lost, "" when nothing was.
	Degraded string
}

// Capability is what an answer to one event can express on one agent. Sources:
// the agents' own schemas and recorded runs, see docs/agents.md.
type Capability struct {
	// Event is the event's name as the agent spells it.
	Event string
	// As is the name by which rules know the event, where the agent has another
	// for it: one of package event's. Several events may be the same to rules; the
	// first of them also answers for an event of which only that name is known.
	As string
	// Deny is true where an answer can prevent what the event announces, or,
	// after the fact, tell the model that it was wrong.
	Deny bool
	// Ask is true where the agent shows a person the question.
	Ask bool
	// Grant is true where an explicit allow is understood.
	Grant bool
	// Context is true where text can be handed to the model.
	Context bool
	// After is true where the event reports what has happened already: a deny is
	// feedback there, and there is nothing left to ask.
	After bool
	// FailClosed is true where the agent can be told, in its settings, to block
	// when the hook itself fails: it cannot be started, crashes or is too slow.
	FailClosed bool
	// Skip, if set, says why install does not register the event.
	Skip string
	// Since is the first version of the agent that knows the event, "" if all
	// supported ones do. It is registered only for an agent known to be as new.
	Since string
}

// Settings says where an agent keeps its hooks and how one entry is written.
type Settings struct {
	// User and Project are the files' paths, slash-separated, below the home
	// folder and below the project folder.
	User, Project string
	// HomeEnv is the environment variable that moves the folder of User, "" if none.
	HomeEnv string
	// TimeoutSeconds is written into each entry.
	TimeoutSeconds int
	// Timeouts are the exceptions by event.
	Timeouts map[string]int
	// StatusMessage is shown by the agent while the hook runs, where it can.
	StatusMessage string
	// Program is the agent's own command, for finding its version.
	Program string
	// Measured is the oldest version on which it was measured what the agent obeys,
	// "" where that was only read.
	Measured string
	// Always is true where an install that names no agent registers this one, too,
	// if there is no sign of it yet. Others are registered where the settings' folder
	// exists.
	Always bool
	// TopKeys, if set, are the only keys that the file may have at the top: the
	// agent reads it into fixed types, and rejects it whole for another key, a
	// key that stands twice, a null, a byte order mark or invalid UTF-8.
	TopKeys []string
	// OffSwitch is the key at the top of the file that turns all hooks off when
	// it is true, "" if there is none.
	OffSwitch string
	// Flat is true where an event's array holds the entries themselves, each with
	// a matcher of its own, and no groups of them. Such an entry has no type and
	// not overseer's mark either.
	Flat bool
	// Version is the number that the file must have as "version" at the top, or
	// the agent ignores it; 0 if there is no such key.
	Version int
	// CutsComments is true where the agent drops everything from "//" to the end
	// of the line before it parses the file, within strings too.
	CutsComments bool
	// FixedEvents is true where the agent rejects the whole file for an event that
	// it does not know.
	FixedEvents bool
	// TrustByPosition is true where the agent ties the person's consent to an
	// entry's place in the file, so that what moves up must be reviewed again.
	TrustByPosition bool
}

var providers = map[string]Provider{}

// Register makes an agent known. It is meant to be called from an init function
// of the agent's package and panics on a name that is taken.
func Register(p Provider) {
	for _, n := range append([]string{p.Name()}, p.Aliases()...) {
		if _, taken := providers[n]; taken {
			panic("agent: " + n + " is registered twice")
		}
		providers[n] = p
	}
}

// Lookup finds an agent by its name or an alias.
func Lookup(name string) (Provider, error) {
	if p, ok := providers[strings.ToLower(name)]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("unknown agent %q (known: %s)", name, strings.Join(Names(), ", "))
}

// All lists the registered agents by name.
func All() []Provider {
	var out []Provider
	for n, p := range providers {
		if n == p.Name() {
			out = append(out, p)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name() < out[j].Name() })
	return out
}

// Names lists the names of the registered agents, without aliases.
func Names() []string {
	var out []string
	for _, p := range All() {
		out = append(out, p.Name())
	}
	return out
}

// CapabilityOf finds what p can express for the named event, which may be named
// as the agent does or as rules do; an unknown event can express nothing.
func CapabilityOf(p Provider, name string) Capability {
	c, _ := find(p, name)
	return c
}

// find also tells whether p has the event at all.
func find(p Provider, name string) (c Capability, known bool) {
	all := p.Capabilities()
	for _, c := range all {
		if c.Event == name {
			return c, true
		}
	}
	for _, c := range all {
		if c.As == name && name != "" {
			return c, true
		}
	}
	return Capability{Event: name}, false
}
