package codex

import (
	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// Probe implements [agent.Prober]: a hook is started by a login shell.
func (provider) Probe(t agent.Trial) agent.Process {
	argv := t.LoginShell(t.Line)
	if len(t.Args) > 0 {
		argv = append([]string{t.Line}, t.Args...)
	}
	return agent.Process{
		Argv: argv, Dir: t.CWD,
		Stdin: agent.Line(map[string]any{
			"hook_event_name": event.PreToolUse, "session_id": t.Session, "turn_id": t.Turn, "cwd": t.CWD,
			"transcript_path": nil, "model": "gpt-5.5", "permission_mode": "default",
			"tool_name": "Bash", "tool_input": map[string]string{"command": t.Command}, "tool_use_id": "call_" + t.ID,
		}),
	}
}

// Denied implements [agent.Prober].
func (provider) Denied(a agent.Answer) error { return agent.DeniedByExit(a, event.PreToolUse) }
