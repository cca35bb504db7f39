// Package codex speaks the dialect of Codex CLI's hooks. What the agent obeys was
// measured on version 0.171.0, whose output schemas lie in testdata/schemas;
// docs/agents.md tells it and numbers the quirks that this code cites.
package codex

import (
	"path"
	"strings"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

func init() { agent.Register(provider{}) }

type provider struct{}

func (provider) Name() string                     { return "codex" }
func (provider) Aliases() []string                { return []string{"codex-cli"} }
func (provider) Title() string                    { return "Codex CLI" }
func (provider) Capabilities() []agent.Capability { return capabilities }

// Settings: Codex cuts the time of its last two events to 3 s.
func (provider) Settings() agent.Settings {
	return agent.Settings{
		User:           ".codex/hooks.json",
		Project:        ".codex/hooks.json",
		HomeEnv:        "CODEX_HOME",
		TimeoutSeconds: 30,
		Timeouts:       map[string]int{event.SessionEnd: 3, event.Interrupt: 3},
		StatusMessage:  "overseer",
		Program:        "codex",
		Measured:       "0.171.0",
		Always:         true,
		// Quirk: a key that Codex does not know at the top makes it reject the file,
		// and its trust hangs on an entry's place in it.
		TopKeys:         []string{"description", "hooks"},
		TrustByPosition: true,
	}
}

// Decode gives apply_patch the names under which Codex's own matchers know it, so
// that a rule for Write or Edit holds for it.
func (p provider) Decode(name string, payload []byte) (event.Event, error) {
	e, err := agent.Decode(p, name, payload)
	if e.Tool.Name == "apply_patch" {
		e.Tool.Aliases = []string{"Write", "Edit"}
	}
	return e, err
}

// Marks implements [agent.Recognizer].
func (provider) Marks(f *agent.Payload) int {
	n := 0
	if f.Has("turn_id") && !f.Has("message_id") { // Claude Code's MessageDisplay has both
		n++
	}
	if f.Has("model") && f.Has("permission_mode") {
		n++
	}
	if id := f.String("tool_use_id"); strings.HasPrefix(id, "call_") || strings.HasPrefix(id, "exec-") {
		n++
	}
	transcript := strings.ReplaceAll(f.String("transcript_path"), `\`, "/")
	if strings.Contains(transcript, "/.codex/") {
		n++
	}
	if strings.HasPrefix(path.Base(transcript), "rollout-") || f.Has("transcript_path") && transcript == "" {
		n++
	}
	return n
}
