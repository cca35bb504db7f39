package claudecode

import (
	"path/filepath"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// Probe implements [agent.Prober]: a hook is started by sh, or without a shell
// where its arguments stand apart.
func (provider) Probe(t agent.Trial) agent.Process {
	argv := []string{"/bin/sh", "-c", t.Line}
	if len(t.Args) > 0 {
		argv = append([]string{t.Line}, t.Args...)
	}
	return agent.Process{
		Argv: argv, Dir: t.CWD,
		Env: []string{"CLAUDECODE=1", "CLAUDE_PROJECT_DIR=" + t.CWD},
		Stdin: agent.Line(map[string]any{
			"hook_event_name": event.PreToolUse, "session_id": t.Session, "prompt_id": t.Session, "cwd": t.CWD,
			"transcript_path": filepath.Join(t.Home, ".claude", "projects", t.Session, t.Session+".jsonl"),
			"permission_mode": "default",
			"tool_name":       "Bash", "tool_input": map[string]string{"command": t.Command}, "tool_use_id": "toolu_" + t.ID,
		}),
	}
}

// Denied implements [agent.Prober].
func (provider) Denied(a agent.Answer) error { return agent.DeniedByExit(a, event.PreToolUse) }
