//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fireharp/overseer/e2e/model"
)

// failedCodexHook matches what "codex exec" and what app-server print.
var failedCodexHook = regexp.MustCompile(`hook: \w+ Failed|"method":"hook/completed".*"status":"failed".*`)

// Codex has two ways to call tools, and the model decides which: plain calls,
// or, with the newer models of which one is its default, JavaScript that makes
// the calls. Hooks then see other ids and tell the model through exceptions.
var (
	codex = &agent{
		label: "codex", name: "codex", pkg: "@openai/codex", settings: ".codex/hooks.json",
		model: "gpt-5.5", shellTool: "exec_command", run: runCodex, talk: talkToCodex,
		failedHook: failedCodexHook,
	}
	codexInCodeMode = &agent{
		label: "codex-in-code-mode", name: "codex", pkg: "@openai/codex", settings: ".codex/hooks.json",
		shellTool: "exec", run: runCodex, talk: talkToCodex,
		failedHook: failedCodexHook,
	}
)

// codexCommand is a subcommand of Codex, set up for the scripted model in
// Codex's own config.toml.
func codexCommand(w *world, m *model.Server, o options, args ...string) *exec.Cmd {
	w.Helper()
	settings := ""
	if w.agent.model != "" {
		settings = fmt.Sprintf("model = %q\n", w.agent.model)
	}
	w.configureCodex(settings + fmt.Sprintf(`model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
`, m.URL))
	cmd := w.command("codex", args...)
	cmd.Env = append(cmd.Env, "SCRIPTED_KEY=not-a-key")
	return cmd
}

// configureCodex writes Codex's config.toml: these settings, and the hooks that
// the person trusts.
func (w *world) configureCodex(settings string) {
	w.Helper()
	for key, hash := range w.trustedHooks {
		settings += fmt.Sprintf("\n[hooks.state.%q]\ntrusted_hash = %q\n", key, hash)
	}
	w.write(filepath.Join(w.home, ".codex", "config.toml"), settings)
}

func runCodex(w *world, m *model.Server, o options) transcript {
	args := []string{"exec", "--skip-git-repo-check"}
	if !o.trusted {
		args = append(args, "--dangerously-bypass-hook-trust")
	}
	if o.careful {
		args = append(args, "--sandbox", "workspace-write")
	} else {
		args = append(args, "--dangerously-bypass-approvals-and-sandbox")
	}
	return w.finish(codexCommand(w, m, o, append(args, o.prompt)...))
}

// appServer is one message of the JSON-RPC protocol that Codex's app-server
// speaks with its editors.
type appServer struct {
	ID     any    `json:"id,omitempty"`
	Method string `json:"method,omitempty"`
	Params any    `json:"params,omitempty"`
	Result any    `json:"result,omitempty"`
}

// hello begins a conversation with app-server.
func hello(say func(any)) {
	say(appServer{ID: 1, Method: "initialize", Params: map[string]any{"clientInfo": map[string]any{"name": "overseer-e2e", "version": "0"}}})
	say(appServer{Method: "initialized"})
}

// talkToCodex runs one turn over app-server, in which Codex asks its client for
// approvals. The hooks must be trusted: app-server has no flag against that.
func talkToCodex(w *world, m *model.Server, o options, p *person) transcript {
	type in map[string]any
	const startThread, startTurn = 2, 3
	approvals := "untrusted" // ask for each command that is not known to be harmless
	if !o.careful {
		approvals = "never"
	}
	decision := "decline"
	if p.yes {
		decision = "accept"
	}
	return w.converse(codexCommand(w, m, o, "app-server"), func(say func(any)) {
		hello(say)
		say(appServer{ID: startThread, Method: "thread/start", Params: in{"cwd": w.repo, "approvalPolicy": approvals, "sandbox": "danger-full-access"}})
	}, func(line []byte, say func(any)) bool {
		var msg struct {
			ID     json.RawMessage
			Method string
			Error  json.RawMessage
			Params struct{ Command, Reason string }
			Result struct{ Thread struct{ ID string } }
		}
		if json.Unmarshal(line, &msg) != nil {
			return false
		}
		switch {
		case msg.Error != nil:
			w.Errorf("app-server: %s", line)
			return true
		case msg.Method != "" && msg.ID != nil:
			p.asked = append(p.asked, question{msg.Method, msg.Params.Command + msg.Params.Reason})
			say(appServer{ID: msg.ID, Result: in{"decision": decision}})
		case string(msg.ID) == fmt.Sprint(startThread):
			say(appServer{ID: startTurn, Method: "turn/start", Params: in{
				"threadId": msg.Result.Thread.ID,
				"input":    []in{{"type": "text", "text": o.prompt}},
			}})
		}
		return msg.Method == "turn/completed"
	})
}

// codexHook is what Codex itself says of one registered hook.
type codexHook struct {
	Key         string
	CurrentHash string
	TrustStatus string
	Command     string
}

// codexHooks asks Codex which hooks it sees in this world.
func (w *world) codexHooks() []codexHook {
	w.Helper()
	const list = 2
	var hooks []codexHook
	w.converse(w.command("codex", "app-server"), func(say func(any)) {
		hello(say)
		say(appServer{ID: list, Method: "hooks/list", Params: map[string]any{"cwds": []string{w.repo}}})
	}, func(line []byte, say func(any)) bool {
		var msg struct {
			ID     json.RawMessage
			Result struct {
				Data []struct{ Hooks []codexHook }
			}
		}
		if json.Unmarshal(line, &msg) != nil || string(msg.ID) != fmt.Sprint(list) {
			return false
		}
		for _, d := range msg.Result.Data {
			hooks = append(hooks, d.Hooks...)
		}
		return true
	})
	return hooks
}

// trustHooks records in Codex's config.toml that the person trusts all hooks as
// they now are, as Codex's own review does.
func (w *world) trustHooks() {
	w.Helper()
	w.trustedHooks = map[string]string{}
	for _, h := range w.codexHooks() {
		if strings.Contains(h.Command, "overseer") {
			w.trustedHooks[h.Key] = h.CurrentHash
		}
	}
	if len(w.trustedHooks) == 0 {
		w.Fatal("codex sees no hook of overseer's")
	}
	w.configureCodex("")
}
