package cursor

import (
	"path/filepath"

	"github.com/fireharp/overseer/agent"
)

// Probe implements [agent.Prober]: a hook is started by a login shell, with the
// payload in a here document after the command line and nothing on standard input
// (quirk 21). One of the person's own starts in the folder of the settings.
func (provider) Probe(t agent.Trial) agent.Process {
	version := t.Version
	if version == "" {
		version = "1.0.0" // what the executor says where nobody told it
	}
	payload := agent.Line(map[string]any{
		"hook_event_name": preToolUse, "conversation_id": t.Session, "generation_id": t.Turn, "session_id": t.Session,
		"model": "gpt-5.5", "cursor_version": version, "workspace_roots": []string{t.CWD}, "user_email": nil, "transcript_path": nil,
		"tool_name": "Shell", "tool_input": map[string]string{"command": t.Command, "cwd": t.CWD},
		"tool_use_id": "tool_" + t.ID, "cwd": t.CWD,
	})
	dir := t.CWD
	if !t.Project {
		dir = filepath.Dir(t.Settings)
	}
	return agent.Process{
		Argv: t.LoginShell(t.Line + " <<'CURSOR_HOOK_EOF'\n" + string(payload) + "CURSOR_HOOK_EOF"),
		Dir:  dir,
		Env:  []string{"CURSOR_PROJECT_DIR=" + t.CWD, "CURSOR_VERSION=" + version, "CLAUDE_PROJECT_DIR=" + t.CWD},
	}
}

// Denied implements [agent.Prober].
func (provider) Denied(a agent.Answer) error { return agent.DeniedByJSON(a) }
