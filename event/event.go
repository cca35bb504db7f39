// Package event is overseer's vocabulary: the event that an agent's hook
// delivers and the verdict that answers it. It holds plain data and no I/O, so
// that every other package can speak of the same things without importing one
// another.
package event

import (
	"encoding/json"
	"time"
)

// The hook events that some part of overseer treats by name. Agents have more;
// an event that is not listed here is decoded, judged and recorded all the same.
const (
	PreToolUse           = "PreToolUse"
	PostToolUse          = "PostToolUse"
	PostToolUseFailure   = "PostToolUseFailure"
	PermissionRequest    = "PermissionRequest"
	PermissionDenied     = "PermissionDenied"
	UserPromptSubmit     = "UserPromptSubmit"
	UserPromptExpansion  = "UserPromptExpansion"
	PreSkillShellCommand = "PreSkillShellCommand"
	SessionStart         = "SessionStart"
	SessionEnd           = "SessionEnd"
	Stop                 = "Stop"
	SubagentStart        = "SubagentStart"
	SubagentStop         = "SubagentStop"
	PreCompact           = "PreCompact"
	PostCompact          = "PostCompact"
	Notification         = "Notification"
	Interrupt            = "Interrupt"
)

// Event is one hook event, in one shape for all agents.
type Event struct {
	// ID is "ev_" and a ULID, so that ids sort by time.
	ID string
	// Time is when the hook process received the event.
	Time time.Time
	// Agent is the name of the provider that decoded the event, e.g. "claude".
	Agent string
	// Caller names the agent that really ran the hook where that is not Agent:
	// Cursor and Copilot also run the hooks in Claude Code's settings.
	Caller string
	// Name is the hook event's name, e.g. [PreToolUse]. Empty if unknown. Where an
	// agent has another name for one of the events above, it is the one above: a
	// rule speaks of all agents at once.
	Name string
	// Native is the agent's own name of the event, as its settings and payloads
	// spell it, where that is not Name: Cursor's "beforeShellExecution" is a
	// [PreToolUse]. See [Event.NativeName].
	Native string
	// Session and Turn are the agent's own ids.
	Session string
	Turn    string
	// CWD is the folder the agent works in, as the agent gave it.
	CWD string
	// PermissionMode is the agent's word for how much it asks, e.g. "default".
	PermissionMode string
	// Tool is set for the events that are about a tool call. Of events that name a
	// file and no tool, such as ConfigChange, it has the Paths alone.
	Tool Tool
	// Prompt is what the person typed, for the prompt events.
	Prompt string
	// StopActive is true when the agent is already going on because a Stop hook
	// told it to; blocking again risks a loop.
	StopActive bool
	// Raw is the whole payload with invalid UTF-8 repaired. Fields that overseer
	// does not know are kept here.
	Raw json.RawMessage
}

// Tool is the tool call that an event is about.
type Tool struct {
	// Name is the agent's name of the tool, e.g. "Bash", "mcp__db__query".
	Name string
	// Aliases are what Claude Code calls the tools that do the same, so that a rule
	// written for "Bash" also holds for Cursor's "Shell". An alias may be a glob:
	// "mcp__*__query" where the agent does not tell the MCP server.
	Aliases []string
	// UseID is the agent's id of this call; it ties a PostToolUse to its
	// PreToolUse.
	UseID string
	// Input holds the call's arguments as the agent gave them.
	Input json.RawMessage
	// Command is the command line that the call would run in a shell, if any.
	Command string
	// Paths are the files that the call names, absolute where CWD is known.
	Paths []string
	// URL is the address that the call would fetch, if any.
	URL string
}

// NativeName is the agent's own name of the event: Native, or Name where the
// agent has no other.
func (e *Event) NativeName() string {
	if e.Native != "" {
		return e.Native
	}
	return e.Name
}

// AboutToRun reports whether the event comes before something runs, so that an
// answer can still prevent it. A fault on such an event asks by default.
func (e *Event) AboutToRun() bool {
	switch e.Name {
	case PreToolUse, PermissionRequest, PreSkillShellCommand:
		return true
	}
	return false
}
