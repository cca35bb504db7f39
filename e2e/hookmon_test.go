//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/e2e/model"
	"github.com/fireharp/overseer/internal/judgment/judgmenttest"
)

// The hookmon face, registered by its own examples instead of by install: the log
// is complete, a deny and an ask of the policy stop the call, and a rule with
// when: fires where the model says so, and else does not.
func TestHookmon(t *testing.T) {
	for _, a := range agents {
		t.Run(a.label, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			log := filepath.Join(w.home, "hooks.log")
			name := w.hookmon(log)
			judge := judgmenttest.New(t).Answer("bad", 0.9)
			secret := filepath.Join(w.home, ".hookmon.yaml")
			w.write(secret, "typesafe-endpoint: "+judge.Endpoint+"\ntypesafe-api-key: "+judgmenttest.Key+"\ntypesafe-cache-ttl: 0s\n")
			if err := os.Chmod(secret, 0o600); err != nil {
				t.Fatal(err)
			}
			w.write(w.file(".hookmon-policy.yaml"), `
rules:
  - {event: PreToolUse, tools: [Bash], commands: ["denied"], action: deny, reason: "The policy denies."}
  - {event: PreToolUse, tools: [Bash], commands: ["asked"], action: ask, reason: "The policy asks."}
  - {event: PreToolUse, tools: [Bash], commands: ["judged"], when: {bad: ">= 0.85"}, on-error: ask, action: deny, reason: "The model objects."}
judgments:
  bad: {type: noul, instructions: "Is it bad?"}
`)
			harmless := model.Later(func(*model.Server) model.Step {
				judge.Answer("bad", 0.1)
				return model.Shell("touch judged-harmless")
			})
			m := w.run(options{},
				model.Shell("touch denied"), model.Shell("touch asked"), model.Shell("touch judged-bad"), harmless, model.Shell("touch fine"))
			w.told(m, 0, "The policy denies.")
			w.told(m, 1, "The policy asks.")
			w.told(m, 2, "The model objects.")
			for _, f := range []string{"denied", "asked", "judged-bad"} {
				w.missing(f)
			}
			w.exists("judged-harmless")
			w.exists("fine")
			if judge.Count() != 2 {
				t.Errorf("%d requests to the judge, want 2", judge.Count())
			}
			want := map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 5, "PostToolUse": 2, "Stop": 1, "SessionEnd": 1}
			got := logged(t, log, name)
			for event := range got {
				if want[event] == 0 {
					delete(got, event) // Claude Code has more
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("events in the log (-want +got)\n%s", diff)
			}
			denies, err := os.ReadFile(w.file(".hookmon-policy.log"))
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(denies, []byte("\n")); n != 2 || !bytes.Contains(denies, []byte(`"judgment":"bad","judgment_value":0.9,"judgment_condition":">= 0.85"`)) {
				t.Errorf("the policy log:\n%s", denies)
			}
		})
	}
}

// hookmon puts the agent's example in the place of what install wrote, and gives
// back the name that the log has for the agent.
func (w *world) hookmon(log string) string {
	w.Helper()
	name, example, folder := "codex", "../examples/codex/hooks.json", "/absolute/path/to"
	if w.agent == claude {
		name, example, folder = "claudecode", "../examples/claudecode/settings.json", "${CLAUDE_PROJECT_DIR}"
	}
	src, err := os.ReadFile(example)
	if err != nil {
		w.Fatal(err)
	}
	text := strings.NewReplacer(
		`\"`+folder+`/hookmon\"`, "'"+filepath.Join(overseerDir, "overseer")+"' hookmon",
		folder+"/hookmon", "'"+filepath.Join(overseerDir, "overseer")+"' hookmon",
		folder+"/hooks.log", log,
	).Replace(string(src))
	w.write(filepath.Join(w.home, w.agent.settings), text)
	return name
}

// logged counts the events in a log, all of which must be the agent's.
func logged(t *testing.T, file, agent string) map[string]int {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for line := range bytes.Lines(content) {
		var l struct {
			Agent   string
			Payload struct {
				Event string `json:"hook_event_name"`
			}
		}
		if err := json.Unmarshal(line, &l); err != nil || l.Agent != agent {
			t.Fatalf("%v: %s", err, line)
		}
		out[l.Payload.Event]++
	}
	return out
}
