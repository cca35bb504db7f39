package claudecode

import (
	"path/filepath"
	"strings"

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
			"hook_event_name": event.PreToolUse, "session_id": t.Session, "prompt_id": t.Turn, "cwd": t.CWD,
			"transcript_path": filepath.Join(t.Home, ".claude", "projects", strings.ReplaceAll(t.CWD, "/", "-"), t.Session+".jsonl"),
			"permission_mode": "default", "effort": map[string]string{"level": "medium"},
			"tool_name": "Bash", "tool_input": map[string]string{"command": t.Command, "description": "Run the command"},
			"tool_use_id": "toolu_01" + t.ID,
		}),
	}
}

// Denied implements [agent.Prober].
func (provider) Denied(a agent.Answer) error { return agent.DeniedByExit(a, event.PreToolUse) }
