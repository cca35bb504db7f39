// Package claudecode speaks the dialect of Claude Code's hooks. What the agent
// obeys was measured on versions 2.1.197 and 2.1.332; docs/agents.md tells it and
// numbers the quirks that this code cites.
package claudecode

import (
	"path"
	"strings"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

func init() { agent.Register(provider{}) }

type provider struct{}

func (provider) Name() string                     { return "claude" }
func (provider) Aliases() []string                { return []string{"claudecode", "claude-code"} }
func (provider) Title() string                    { return "Claude Code" }
func (provider) Capabilities() []agent.Capability { return capabilities }

// Settings: a SessionEnd hook has about 1.5 s unless its entry asks for more.
func (provider) Settings() agent.Settings {
	return agent.Settings{
		User:           ".claude/settings.json",
		Project:        ".claude/settings.json",
		HomeEnv:        "CLAUDE_CONFIG_DIR",
		TimeoutSeconds: 30,
		Timeouts:       map[string]int{event.SessionEnd: 5},
		Program:        "claude",
		Measured:       "2.1.197",
		Always:         true,
		OffSwitch:      "disableAllHooks",
	}
}

// Decode also finds out whether another agent runs the hook (quirk 14). That
// agent's own provider reads the payload then, if it is linked.
func (p provider) Decode(name string, payload []byte) (event.Event, error) {
	f, err := agent.ParsePayload(payload)
	if err != nil {
		return agent.Decode(p, name, payload)
	}
	caller := agent.Foreign(f)
	e := agent.EventOf(p, name, f)
	if e.Tool.Name == "Monitor" { // it runs its command in the same shell
		e.Tool.Aliases = []string{"Bash"}
	}
	if q, err := agent.Lookup(caller); err == nil {
		if e, err = q.Decode(name, payload); err != nil {
			return e, err
		}
		e.Agent = p.Name()
	}
	e.Caller = caller
	return e, nil
}

// Marks implements [agent.Recognizer].
func (provider) Marks(f *agent.Payload) int {
	n := 0
	for _, m := range []string{"prompt_id", "effort", "scratchpad_dir", "permission_suggestions", "background_tasks", "mcp_server"} {
		if f.Has(m) {
			n++
		}
	}
	if strings.HasPrefix(f.String("tool_use_id"), "toolu_") {
		n++
	}
	transcript := strings.ReplaceAll(f.String("transcript_path"), `\`, "/")
	if strings.Contains(transcript, "/.claude/") {
		n++
	}
	if s := f.String("session_id"); s != "" && path.Base(transcript) == s+".jsonl" {
		n++
	}
	return n
}
