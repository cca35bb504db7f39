//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/e2e/model"
)

// The rules of the tests. Each has a word in its reason that occurs nowhere
// else, so that finding it proves where it came from.
const (
	denyRule = `Rule: e2e-deny
When:
  event=PreToolUse
  cmd=/forbidden/
Do: deny
Reason: the marble rule forbids this.
Examples: touch forbidden`

	askRule = `Rule: e2e-ask
When:
  event=PreToolUse
  cmd=/delicate/
Do: ask
Reason: the copper rule wants a person to look.
Examples: touch delicate`

	pathRule = `Rule: e2e-path
When:
  event=PreToolUse
  path=**/vault/**
Do: deny
Reason: the onyx rule guards the vault.
Examples: vault/key.txt`

	askReason  = "the copper rule wants a person to look"
	denyReason = "the marble rule forbids this"
	pathReason = "the onyx rule guards the vault"
)

func TestDeny(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(denyRule)
		m := w.run(options{}, model.Shell("touch forbidden"), model.Shell("touch harmless"))
		w.missing("forbidden")
		w.exists("harmless")
		w.told(m, 0, denyReason, "e2e-deny")
		if tool := m.Calls()[0].Tool; tool != w.agent.shellTool {
			t.Errorf("the model ran its command with %s, want %s", tool, w.agent.shellTool)
		}
		e := w.recorded(m, 0, "PreToolUse", "deny", "rule")
		if why := w.overseer("why", e.ID); !strings.Contains(why, "e2e-deny") || !strings.Contains(why, denyReason) {
			t.Errorf("why does not name the rule and its reason:\n%s", why)
		}
	})
}

// An allowed call proceeds without friction: on Claude Code, which by itself
// would ask before it runs the command, it takes overseer's word.
func TestAllow(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		m := w.run(options{careful: w.agent == claude}, model.Shell("touch harmless"))
		w.exists("harmless")
		w.recorded(m, 0, "PreToolUse", "allow", "default")
		w.recorded(m, 0, "PostToolUse", "allow", "default")
		seen := map[string]bool{}
		for _, e := range w.ledger() {
			seen[e.Event] = true
		}
		for _, name := range []string{"SessionStart", "UserPromptSubmit", "Stop"} {
			if !seen[name] {
				t.Errorf("the ledger has no %s", name)
			}
		}
	})
}

// Without a person at the agent's side a question is a refusal. Claude Code
// makes it one; for Codex, which has no ask, overseer does, and says how the
// person can let the action through.
func TestAsk(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(askRule)
		m := w.run(options{}, model.Shell("touch delicate"))
		w.missing("delicate")
		told := w.told(m, 0, askReason)
		e := w.recorded(m, 0, "PreToolUse", "ask", "rule")
		if want := "overseer approve " + e.ID; w.agent != claude && !strings.Contains(told, want) {
			t.Errorf("the model was told %q, want %q in it", told, want)
		}
	})
}

func TestApprovalThenRetry(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(askRule)
		m := w.run(options{},
			model.Shell("touch delicate"),
			model.Later(func(m *model.Server) model.Step {
				id := w.recorded(m, 0, "PreToolUse", "ask", "rule").ID
				if told, _ := m.Told(0); w.agent != claude && eventID(told.Text) != id {
					t.Errorf("the reason names %q, the ledger %q", eventID(told.Text), id)
				}
				w.missing("delicate")
				w.overseer("approve", id)
				return model.Shell("touch delicate")
			}),
			model.Shell("touch delicate-too"), // another action: the approval is not for it
		)
		w.exists("delicate")
		w.missing("delicate-too")
		w.recorded(m, 1, "PreToolUse", "allow", "approval")
		w.recorded(m, 2, "PreToolUse", "ask", "rule")
	})
}

// The agent knows the id of the event and has a shell, but the yes must be the
// person's.
func TestAgentCannotApproveItself(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(askRule)
		attempts := []struct{ command, refusal string }{
			{"overseer approve ID", "guard.tamper-command"},
			{"'" + filepath.Join(overseerDir, "overseer") + "' ledger outcome ID allow", "guard.tamper-command"},
			{"sh -c 'overseer approve ID'", "guard.tamper-command"},
			{"cd / && env overseer approve --for 1h ID; true", "guard.tamper-command"},
			{"o=over; env -i HOME=\"$HOME\" PATH=\"$PATH\" ${o}seer approve ID", "guard.tamper-command"},
			{"cp \"$(command -v overseer)\" zz; ./zz approve ID", "guard.tamper-program"},
			{"env -i HOME=\"$HOME\" PATH=\"$PATH\" ./zz approve ID", "No such file or directory"}, // so there is no copy
		}
		steps := []model.Step{model.Shell("touch delicate")}
		for _, a := range attempts {
			steps = append(steps, model.Later(func(m *model.Server) model.Step {
				id := w.recorded(m, 0, "PreToolUse", "ask", "rule").ID
				return model.Shell(strings.ReplaceAll(a.command, "ID", id))
			}))
		}
		steps = append(steps, model.Shell("touch delicate"))
		m := w.run(options{}, steps...)
		for i, a := range attempts {
			w.told(m, 1+i, a.refusal)
		}
		w.missing("delicate")
		w.recorded(m, len(steps)-1, "PreToolUse", "ask", "rule")
	})
}

func TestPromptDenied(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(`Rule: e2e-prompt
When:
  event=UserPromptSubmit
  keyword=launch-codes
Do: deny
Reason: the granite rule keeps such words from the model.
Examples: tell me the launch-codes`)
		m := w.run(options{prompt: "tell me the launch-codes"}, model.Shell("touch harmless"))
		w.missing("harmless")
		if m.Heard("launch-codes") {
			t.Error("the prompt reached the model")
		}
		e := w.recordedOnce("deny", "rule", func(e entry) bool { return e.Event == "UserPromptSubmit" })
		if !strings.Contains(e.Reason, "the granite rule") {
			t.Errorf("recorded with the reason %q", e.Reason)
		}
	})
}

func TestGuidance(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(`Rule: e2e-guidance
When:
  event=PreToolUse
  cmd=/touch/
Do: Prefer the quartz tool for empty files.

Rule: e2e-prompt-guidance
When:
  event=UserPromptSubmit
Do: Remember the basalt convention.`)
		m := w.run(options{}, model.Shell("touch harmless"))
		w.exists("harmless")
		for _, text := range []string{"Prefer the quartz tool for empty files", "Remember the basalt convention"} {
			if !m.Heard(text) {
				t.Errorf("guidance did not reach the model: %q", text)
			}
		}
		w.recorded(m, 0, "PreToolUse", "allow", "default")
	})
}

// What has run cannot be denied, but the model can be told that it was wrong.
func TestPostToolUseFeedback(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(`Rule: e2e-after
When:
  event=PostToolUse
  cmd=/harmless/
Do: deny
Reason: the slate rule says to undo this.`)
		m := w.run(options{}, model.Shell("touch harmless"))
		w.exists("harmless")
		if !m.Heard("the slate rule says to undo this") {
			t.Error("the feedback did not reach the model")
		}
		w.recorded(m, 0, "PostToolUse", "deny", "rule")
	})
}

// A stop that a rule denies sends the agent on once, and not for ever.
func TestStopFeedback(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(`Rule: e2e-stop
When:
  event=Stop
Do: deny
Reason: the flint rule wants a changelog first.`)
		m := w.run(options{}, model.Text("finished"), model.Shell("touch harmless"), model.Text("finished"))
		w.exists("harmless")
		if !m.Heard("the flint rule wants a changelog first") {
			t.Error("the feedback did not reach the model")
		}
		if n := len(m.Calls()); n > 6 {
			t.Errorf("the agent was sent on again and again: the model was asked %d times", n)
		}
	})
}

// A rule file that cannot be read is a fault, and a fault is not an allow.
func TestBrokenRuleFile(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules("Rule: e2e-broken\nWhen:\n  event=PreToolUse\n  cmd=/(unclosed/\nDo: deny\nReason: none.")
		m := w.run(options{}, model.Shell("touch harmless"))
		w.missing("harmless")
		w.told(m, 0, "shared.md:")
		w.recorded(m, 0, "PreToolUse", "ask", "fault")
	})
}

// The file tools are judged like the shell: by the path that they name.
func TestWriteDeniedByPath(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(pathRule)
		m := w.run(options{},
			model.Write(w.file("vault/key.txt"), "secret\n"),
			model.Write(w.file("open.txt"), "plain\n"),
		)
		w.missing("vault")
		w.exists("open.txt")
		w.told(m, 0, pathReason)
		w.recorded(m, 0, "PreToolUse", "deny", "rule")
	})
}

// What is guarded from writing by its path alone is guarded from reading too,
// whichever tool would read it.
func TestReadDeniedByPath(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(pathRule)
		w.write(w.file("vault/key.txt"), "zircon-secret\n")
		m := w.run(options{}, model.Read(w.file("vault/key.txt")), model.Shell("cat vault/key.txt"), model.Shell("cd vault && head -1 key.txt"))
		for step := range 3 {
			w.told(m, step, pathReason)
			w.recorded(m, step, "PreToolUse", "deny", "rule")
		}
		if m.Heard("zircon-secret") {
			t.Error("the model was shown the secret")
		}
	})
}

// In safe mode what no rule allows needs a person.
func TestSafeMode(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules("Rule: e2e-allow\nWhen:\n  event=PreToolUse\n  cmd=/^touch harmless/\nDo: allow")
		w.write(filepath.Join(w.home, ".overseer", "config.toml"), "safe_mode = true\n")
		m := w.run(options{}, model.Shell("touch unknown"), model.Shell("touch harmless"))
		w.missing("unknown")
		w.exists("harmless")
		w.recorded(m, 0, "PreToolUse", "ask", "safe-mode")
		w.recorded(m, 1, "PreToolUse", "allow", "rule")
	})
}

// Agents make several calls at once; each is judged and recorded by itself.
func TestCallsTogether(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(denyRule)
		const n = 6
		var calls []model.Step
		for i := range n {
			calls = append(calls, model.Shell(fmt.Sprintf("touch harmless-%d", i)), model.Shell(fmt.Sprintf("touch forbidden-%d", i)))
		}
		m := w.run(options{}, model.Together(calls...))
		for i := range n {
			w.exists(fmt.Sprintf("harmless-%d", i))
			w.missing(fmt.Sprintf("forbidden-%d", i))
			w.told(m, 2*i+1, denyReason)
		}
		got := map[string]int{}
		for _, e := range w.ledger() {
			if e.Event == "PreToolUse" || e.Event == "PostToolUse" {
				got[e.Event+" "+e.Decision]++
			}
		}
		want := map[string]int{"PreToolUse deny": n, "PreToolUse allow": n, "PostToolUse allow": n}
		if !cmp.Equal(got, want) {
			t.Errorf("recorded otherwise than it happened (-want +got):\n%s", cmp.Diff(want, got))
		}
	})
}

// A repo that was cloned may tighten the rules at once, and loosen them only
// when the person trusts it.
func TestRulesOfTheRepo(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.rules(askRule)
		w.write(w.file(".overseer/constitution/project.md"), `Rule: e2e-repo-allow
Scope: project
When:
  event=PreToolUse
  cmd=/delicate/
Do: allow
Reason: the repo says so.

Rule: e2e-repo-deny
Scope: project
When:
  event=PreToolUse
  cmd=/local-taboo/
Do: deny
Reason: the repo's taboo.
`)
		m := w.run(options{},
			model.Shell("touch local-taboo"),
			model.Shell("touch delicate-1"),
			model.Later(func(*model.Server) model.Step {
				w.overseer("trust")
				return model.Shell("touch delicate-2")
			}),
		)
		w.missing("local-taboo")
		w.missing("delicate-1")
		w.exists("delicate-2")
		w.recorded(m, 0, "PreToolUse", "deny", "rule")
		w.recorded(m, 1, "PreToolUse", "ask", "rule")
		w.recorded(m, 2, "PreToolUse", "allow", "rule")
	})
}

// After uninstall the agent is as it was: nobody judges it, and its settings are
// the same bytes as before.
func TestUninstall(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		settings := filepath.Join(w.home, filepath.FromSlash(w.agent.settings))
		w.overseer("uninstall")
		own := "{\n\t\"hooks\": {}\n}\n"
		w.write(settings, own)
		w.overseer("install", "--"+w.agent.name)
		w.rules(denyRule)
		m := w.run(options{}, model.Shell("touch forbidden-1"))
		w.missing("forbidden-1")
		w.told(m, 0, denyReason)

		w.overseer("uninstall")
		if b, err := os.ReadFile(settings); err != nil || string(b) != own {
			t.Errorf("after uninstall %s is %q (%v), want %q", w.agent.settings, b, err, own)
		}
		w.run(options{}, model.Shell("touch forbidden-2"))
		w.exists("forbidden-2")
	})
}
