//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fireharp/overseer/e2e/model"
)

// The rules that init scaffolds stop the worst command of all. Should overseer
// fail, a stand-in for rm, first on the PATH, takes the blow; the command is not
// tried at all unless the agent's shell finds that stand-in.
func TestClaudeBlocksRmRfRoot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, claude)
	called := filepath.Join(filepath.Dir(w.bin), "rm-was-called")
	standIn := filepath.Join(w.bin, "rm")
	w.write(standIn, "#!/bin/sh\necho \"rm $*\" >> '"+called+"'\n")
	if err := os.Chmod(standIn, 0o755); err != nil {
		t.Fatal(err)
	}
	onlyIfHarmless := func(command string) model.Step {
		return model.Later(func(m *model.Server) model.Step {
			if told, _ := m.Told(0); strings.TrimSpace(told.Text) != standIn {
				t.Errorf("the agent's shell takes rm from %q, want %q", told.Text, standIn)
				return model.Text("not safe to try")
			}
			return model.Shell(command)
		})
	}
	m := w.run(options{prompt: "clean up"},
		model.Shell("command -v rm"),
		onlyIfHarmless("rm -rf /"),
		onlyIfHarmless("cd "+w.home+" && rm -r -f -- /"),
		onlyIfHarmless(`bash -c "rm -fr /"`),
	)
	if len(m.Calls()) < 4 {
		t.Fatal("the agent stopped before its worst command")
	}
	for step := 1; step <= 3; step++ {
		w.told(m, step, "rm")
		w.recorded(m, step, "PreToolUse", "deny", "rule")
	}
	if b, err := os.ReadFile(called); err == nil {
		t.Errorf("rm was run:\n%s", b)
	}
}

// With a person at its side Claude Code shows them the question, with the rule's
// reason, and the record of the finished call is their yes.
func TestClaudePersonAnswersAsk(t *testing.T) {
	for name, yes := range map[string]bool{"yes": true, "no": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, claude)
			w.rules(askRule)
			p := &person{yes: yes}
			m := w.runWith(p, options{careful: true}, model.Shell("touch delicate"))
			if len(p.asked) != 1 || p.asked[0].tool != "Bash" {
				t.Fatalf("the person was asked %+v, want one question about Bash", p.asked)
			}
			if !strings.Contains(p.asked[0].reason, askReason) {
				t.Errorf("the question does not give the reason: %q", p.asked[0].reason)
			}
			e := w.recorded(m, 0, "PreToolUse", "ask", "rule")
			if yes {
				w.exists("delicate")
				if len(e.Outcomes) != 1 || e.Outcomes[0].Decision != "allow" || e.Outcomes[0].Source != "completion" {
					t.Errorf("the person's yes is recorded as %+v, want allow by completion", e.Outcomes)
				}
				if why := w.overseer("why", e.ID); !strings.Contains(why, "completion") {
					t.Errorf("why does not tell of the person's yes:\n%s", why)
				}
			} else {
				w.missing("delicate")
				if len(e.Outcomes) != 0 {
					t.Errorf("the person said no, and the record is %+v", e.Outcomes)
				}
			}
		})
	}
}

// What doctor says of an installation is what the agent then does.
func TestClaudeDoctor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, claude)
	w.rules(denyRule)
	if _, err := w.tryOverseer("doctor"); err != nil {
		t.Errorf("doctor is not content: %v", err)
	}
	w.run(options{}, model.Shell("touch forbidden-1"))
	w.missing("forbidden-1")

	settings := filepath.Join(w.home, filepath.FromSlash(claude.settings))
	b, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	w.write(settings, strings.ReplaceAll(string(b), "/overseer", "/overseer-that-is-gone"))
	if out, err := w.tryOverseer("doctor"); err == nil {
		t.Errorf("doctor is content with a hook that cannot be started:\n%s", out)
	}
	w.anyHook = true
	w.run(options{}, model.Shell("touch forbidden-2"))
	w.exists("forbidden-2")
}

// With default_allow = "silent" overseer has no opinion of what nothing speaks
// against, and Claude Code asks its person as it would without overseer.
func TestClaudeSilentAllow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, claude)
	w.write(filepath.Join(w.home, ".overseer", "config.toml"), "[answer]\ndefault_allow = \"silent\"\n")
	m := w.run(options{careful: true}, model.Shell("touch unattended"))
	w.missing("unattended")
	w.recorded(m, 0, "PreToolUse", "allow", "default")
	p := &person{yes: true}
	w.runWith(p, options{careful: true}, model.Shell("touch attended"))
	w.exists("attended")
	if len(p.asked) != 1 {
		t.Errorf("the person was asked %+v, want one question", p.asked)
	}
}

// Installed for one project, the hooks hold in that project.
func TestClaudeProjectScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, claude)
	w.overseer("uninstall")
	w.overseer("install", "--claude", "--scope", "project")
	w.rules(denyRule)
	m := w.run(options{}, model.Shell("touch forbidden"), model.Shell("touch harmless"))
	w.missing("forbidden")
	w.exists("harmless")
	w.told(m, 0, denyReason)
}

// Newer Claude Code runs the commands within a skill without a tool call, and
// has an event of its own for them; install registers it by the version that it
// finds.
func TestClaudeSkillShellCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, claude)
	w.rules(strings.ReplaceAll(denyRule, "event=PreToolUse", "event=PreToolUse,PreSkillShellCommand"))
	skill := func(name, command string) {
		w.write(w.file(".claude/commands/"+name+".md"), "---\ndescription: "+name+"\nallowed-tools: Bash(touch:*)\n---\nNow: !`"+command+"`\n")
	}
	skill("good", "touch harmless")
	skill("bad", "touch forbidden")
	w.run(options{prompt: "/good"}, model.Text("done"))
	w.exists("harmless")
	w.run(options{prompt: "/bad"}, model.Text("done"))
	w.missing("forbidden")
	w.recordedOnce("deny", "rule", func(e entry) bool { return e.Event == "PreSkillShellCommand" && e.Decision == "deny" })
}
