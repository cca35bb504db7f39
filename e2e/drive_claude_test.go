//go:build unix

package e2e

import (
	"encoding/json"
	"os/exec"
	"regexp"

	"github.com/fireharp/overseer/e2e/model"
)

var claude = &agent{
	label: "claude", name: "claude", pkg: "@anthropic-ai/claude-code", settings: ".claude/settings.json",
	shellTool: "Bash", run: runClaude, talk: talkToClaude,
	failedHook: regexp.MustCompile(`"subtype":"hook_response".*"exit_code":(1|[3-9]|\d\d+|null)\b.*`),
}

// claudeCommand is Claude Code without a terminal, on the scripted model.
func claudeCommand(w *world, m *model.Server, o options, args ...string) *exec.Cmd {
	args = append(args, "--output-format", "stream-json", "--verbose", "--include-hook-events")
	if !o.careful {
		args = append(args, "--dangerously-skip-permissions")
	}
	cmd := w.command("claude", args...)
	cmd.Env = append(cmd.Env,
		"ANTHROPIC_BASE_URL="+m.URL, "ANTHROPIC_API_KEY=sk-not-a-key",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"IS_SANDBOX=1", // lets root skip the permissions
	)
	return cmd
}

func runClaude(w *world, m *model.Server, o options) transcript {
	return w.finish(claudeCommand(w, m, o, "-p", o.prompt))
}

// talkToClaude speaks the protocol of Claude Code's SDK, in which the agent's
// permission prompt is a request to the client.
func talkToClaude(w *world, m *model.Server, o options, p *person) transcript {
	type in map[string]any
	cmd := claudeCommand(w, m, o, "-p", "--input-format", "stream-json", "--permission-prompt-tool", "stdio")
	return w.converse(cmd, func(say func(any)) {
		say(in{"type": "control_request", "request_id": "hello", "request": in{"subtype": "initialize"}})
		say(in{"type": "user", "session_id": "", "parent_tool_use_id": nil, "message": in{"role": "user", "content": o.prompt}})
	}, func(line []byte, say func(any)) bool {
		var msg struct {
			Type      string
			RequestID string `json:"request_id"`
			Request   struct {
				Subtype        string
				ToolName       string `json:"tool_name"`
				Input          json.RawMessage
				DecisionReason string `json:"decision_reason"`
				Description    string
			}
		}
		if json.Unmarshal(line, &msg) != nil {
			return false
		}
		if msg.Type == "control_request" {
			answer := in{}
			if msg.Request.Subtype == "can_use_tool" {
				p.asked = append(p.asked, question{msg.Request.ToolName, msg.Request.DecisionReason + msg.Request.Description})
				answer = in{"behavior": "deny", "message": "the person says no"}
				if p.yes {
					answer = in{"behavior": "allow", "updatedInput": msg.Request.Input}
				}
			}
			say(in{"type": "control_response", "response": in{"subtype": "success", "request_id": msg.RequestID, "response": answer}})
		}
		return msg.Type == "result"
	})
}
