package codex

import (
	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// capabilities lists all events of Codex 0.171.0, which are all of use.
var capabilities = []agent.Capability{
	{Event: event.PreToolUse, Deny: true, Context: true},
	{Event: event.PermissionRequest, Deny: true, Ask: true, Grant: true},
	{Event: event.PostToolUse, Deny: true, Context: true, After: true},
	{Event: event.UserPromptSubmit, Deny: true, Context: true},
	{Event: event.SessionStart, Context: true},
	{Event: event.SessionEnd, After: true},
	{Event: event.SubagentStart, Context: true},
	{Event: event.SubagentStop, Deny: true, After: true},
	{Event: event.Stop, Deny: true, After: true},
	{Event: event.PreCompact},
	{Event: event.PostCompact, After: true},
	{Event: event.Interrupt, After: true},
}
