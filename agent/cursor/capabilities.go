package cursor

import (
	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// The events that are answered in a form of their own.
const (
	preToolUse           = "preToolUse"
	beforeShellExecution = "beforeShellExecution"
	beforeMCPExecution   = "beforeMCPExecution"
	beforeReadFile       = "beforeReadFile"
	beforeTabFileRead    = "beforeTabFileRead"
	subagentStart        = "subagentStart"
	postToolUse          = "postToolUse"
	postToolUseFailure   = "postToolUseFailure"
	beforeSubmitPrompt   = "beforeSubmitPrompt"
	stop                 = "stop"
	subagentStop         = "subagentStop"
)

// repeats is why some events are not registered.
const repeats = "repeats what postToolUse has reported"

// capabilities lists all documented events of Cursor. Those that come before a
// tool are a PreToolUse to rules, also those that only some tools have: a shell
// call fires preToolUse, then beforeShellExecution, and both are judged.
var capabilities = []agent.Capability{
	{Event: preToolUse, As: event.PreToolUse, Deny: true, Context: true, FailClosed: true},
	{Event: beforeShellExecution, As: event.PreToolUse, Deny: true, Ask: true, Grant: true, FailClosed: true},
	{Event: beforeMCPExecution, As: event.PreToolUse, Deny: true, FailClosed: true},
	{Event: beforeReadFile, As: event.PreToolUse, Deny: true, FailClosed: true},
	{Event: beforeTabFileRead, As: event.PreToolUse, Deny: true, FailClosed: true},
	// Unlike Claude Code's event of that name it can be stopped: it is Claude
	// Code's PreToolUse of the tool Task.
	{Event: subagentStart, As: event.PreToolUse, Deny: true, FailClosed: true},

	{Event: postToolUse, As: event.PostToolUse, Deny: true, Context: true, After: true},
	{Event: postToolUseFailure, As: event.PostToolUseFailure, Deny: true, Context: true, After: true},
	{Event: "afterShellExecution", As: event.PostToolUse, After: true, Skip: repeats},
	{Event: "afterMCPExecution", As: event.PostToolUse, After: true, Skip: repeats},
	{Event: "afterFileEdit", As: event.PostToolUse, After: true, Skip: repeats},
	{Event: "afterTabFileEdit", As: event.PostToolUse, After: true},

	{Event: beforeSubmitPrompt, As: event.UserPromptSubmit, Deny: true, Context: true},
	{Event: "sessionStart", As: event.SessionStart, Context: true},
	{Event: "sessionEnd", As: event.SessionEnd, After: true},
	{Event: stop, As: event.Stop, Deny: true, After: true},
	{Event: subagentStop, As: event.SubagentStop, Deny: true, After: true},
	{Event: "preCompact", As: event.PreCompact},
	{Event: "afterAgentResponse", After: true},
	{Event: "afterAgentThought", After: true, Skip: "fires for every thought, and nothing can be prevented"},
	{Event: "workspaceOpen", Skip: "tells nothing of what the agent does, and a Cursor that does not know the event rejects the whole file"},
}
