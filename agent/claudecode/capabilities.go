package claudecode

import (
	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// since332 is the first version known to have the events that 2.1.197 lacks;
// which version between brought them was not measured. An older one warns about
// an event that it does not know each time it starts.
const since332 = "2.1.332"

// capabilities lists all events of Claude Code 2.1.332.
var capabilities = []agent.Capability{
	{Event: event.PreToolUse, Deny: true, Ask: true, Grant: true, Context: true},
	// Claude Code's own question stays unless it is answered; an allow would
	// also answer overseer's own ask (quirk 11), so none is ever given.
	{Event: event.PermissionRequest, Deny: true, Ask: true},
	{Event: event.PermissionDenied, After: true},
	{Event: event.PostToolUse, Deny: true, Context: true, After: true},
	{Event: event.PostToolUseFailure, Context: true, After: true},
	{Event: "PostToolBatch", Context: true, After: true, Skip: "repeats the calls of a step that PostToolUse has reported one by one"},

	{Event: event.UserPromptSubmit, Deny: true, Context: true},
	{Event: event.UserPromptExpansion, Deny: true, Context: true},
	{Event: event.PreSkillShellCommand, Deny: true, Since: since332},

	{Event: event.SessionStart, Context: true},
	{Event: event.SessionEnd, After: true},
	{Event: "Setup"}, // takes context and shows it to no one (quirk 13)
	{Event: event.Stop, Deny: true, Context: true, After: true},
	{Event: "StopFailure", After: true},
	{Event: event.SubagentStart, Context: true},
	{Event: event.SubagentStop, Deny: true, Context: true, After: true},
	{Event: event.PreCompact, Deny: true},
	{Event: event.PostCompact, After: true},
	{Event: event.Notification},

	{Event: "TaskCreated", Deny: true},
	{Event: "TaskCompleted", Deny: true, After: true},
	{Event: "TeammateIdle", Deny: true, After: true},

	// An elicitation is a question to the person by itself.
	{Event: "Elicitation", Deny: true, Ask: true},
	{Event: "ElicitationResult", Deny: true},

	{Event: "ConfigChange", Deny: true},
	{Event: "PreModelSwitch", Deny: true, Since: since332},
	{Event: "PostModelSwitch", After: true, Since: since332},
	{Event: "DirectoryAdded", After: true, Since: since332},
	{Event: "InstructionsLoaded", After: true},
	{Event: "CwdChanged", After: true, Skip: "every later event carries the new folder"},
	{Event: "FileChanged", After: true, Skip: "fires only for files that a hook asked to watch, and overseer asks for none"},
	{Event: "WorktreeCreate", Skip: "a hook there replaces the agent's own making of the worktree"},
	{Event: "WorktreeRemove", After: true, Skip: "belongs to WorktreeCreate hooks, and it was not measured whether the agent still cleans up itself"},
	{Event: "MessageDisplay", After: true, Skip: "fires for every piece of a message as it is written, and nothing can be prevented"},
}
