package doctor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/doctor"
	"github.com/fireharp/overseer/internal/install"
)

// codexKeys are the keys under which Codex stores trust in a file's entries.
func codexKeys(t *testing.T, target install.Target) []string {
	t.Helper()
	s, err := install.Inspect(target, install.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, e := range s.Entries {
		var snake strings.Builder
		for i, r := range e.Event {
			if i > 0 && unicode.IsUpper(r) {
				snake.WriteByte('_')
			}
			snake.WriteRune(unicode.ToLower(r))
		}
		keys = append(keys, fmt.Sprintf("%s:%s:%d:%d", target.Path, snake.String(), e.Group, e.Handler))
	}
	return keys
}

// trustCodex stores in config.toml what Codex does when a person trusts the
// entries.
func (m *machine) trustCodex(target install.Target, more ...string) {
	m.t.Helper()
	var b strings.Builder
	for _, l := range more {
		b.WriteString(l + "\n")
	}
	for _, k := range codexKeys(m.t, target) {
		fmt.Fprintf(&b, "[hooks.state.%q]\ntrusted_hash = \"sha256:00\"\n", k)
	}
	m.write(".codex/config.toml", b.String())
}

// answerCodex puts a codex on the PATH that lists the entries in a state, as
// codex app-server 0.171 does.
func (m *machine) answerCodex(target install.Target, enabled bool, status string, only func(key string) bool, warnings ...string) {
	m.t.Helper()
	type hook struct {
		Key         string `json:"key"`
		EventName   string `json:"eventName"`
		SourcePath  string `json:"sourcePath"`
		Enabled     bool   `json:"enabled"`
		TrustStatus string `json:"trustStatus"`
	}
	hooks := []hook{}
	for _, k := range codexKeys(m.t, target) {
		if only == nil || only(k) {
			hooks = append(hooks, hook{Key: k, SourcePath: target.Path, Enabled: enabled, TrustStatus: status})
		}
	}
	data := map[string]any{"cwd": m.CWD, "hooks": hooks, "warnings": append([]string{}, warnings...), "errors": []any{}}
	answer, err := json.Marshal(map[string]any{"id": 2, "result": map[string]any{"data": []any{data}}})
	if err != nil {
		m.t.Fatal(err)
	}
	m.write("codex-answer.json", string(answer)+"\n")
	m.versions["codex"] = "0.171.0"
	m.write("bin/codex", `#!/bin/sh
[ "$1" = app-server ] || exit 3
echo starting
read -r line; case $line in *'"method":"initialize"'*) ;; *) exit 4;; esac
echo '{"id":1,"result":{}}'
echo '{"method":"configWarning","params":{"summary":"x"}}'
read -r line; read -r line
case $line in *'"hooks/list"'*'"{project}"'*) ;; *) exit 5;; esac
cat {home}/codex-answer.json
sleep 600
`)
}

// muteCodex puts a codex on the PATH that lists nothing.
func (m *machine) muteCodex() {
	m.t.Helper()
	m.write("bin/codex", "#!/bin/sh\nexit 1\n")
}

func (m *machine) read(path string) string {
	m.t.Helper()
	b, err := os.ReadFile(filepath.Join(m.user, path))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b)
}

func TestCodexTrust(t *testing.T) {
	t.Parallel()
	notPre := func(k string) bool { return !strings.Contains(k, ":pre_tool_use:") }
	notInterrupt := func(k string) bool { return !strings.Contains(k, ":interrupt:") }
	tests := []struct {
		name  string
		setup func(*machine, install.Target)
		state doctor.State
		words []string
	}{
		{"listed as trusted", func(m *machine, f install.Target) { m.answerCodex(f, true, "trusted", nil) }, doctor.OK, []string{"trusts all"}},
		{"listed as managed", func(m *machine, f install.Target) { m.answerCodex(f, true, "managed", nil) }, doctor.OK, nil},
		{"listed as untrusted", func(m *machine, f install.Target) { m.answerCodex(f, true, "untrusted", nil) }, doctor.Failed, []string{"what nobody has trusted: PreToolUse", "/hooks"}},
		{"listed as modified", func(m *machine, f install.Target) { m.answerCodex(f, true, "modified", nil) }, doctor.Failed, []string{"changed since it was trusted: PreToolUse", "/hooks"}},
		{"listed in a state nobody foresaw", func(m *machine, f install.Target) { m.answerCodex(f, true, "revoked", nil) }, doctor.Failed, []string{"/hooks"}},
		{"listed as trusted, and switched off", func(m *machine, f install.Target) { m.answerCodex(f, false, "trusted", nil) }, doctor.Failed, []string{"switched off in Codex", "/hooks"}},
		{"listed from another file", func(m *machine, f install.Target) {
			m.answerCodex(f, true, "trusted", nil)
			m.write("codex-answer.json", strings.ReplaceAll(m.read("codex-answer.json"), f.Path, filepath.Join(m.user, "elsewhere.json")))
		}, doctor.Failed, []string{"does not load: PreToolUse"}},
		{"the entry that denies is not loaded", func(m *machine, f install.Target) { m.answerCodex(f, true, "trusted", notPre) }, doctor.Failed, []string{"does not load: PreToolUse"}},
		{"the file is rejected", func(m *machine, f install.Target) {
			m.answerCodex(f, true, "trusted", func(string) bool { return false }, "failed to parse hooks config: unknown field `x`\nmore")
		}, doctor.Failed, []string{"Codex says: failed to parse hooks config: unknown field `x`"}},
		{"an older Codex lacks an event", func(m *machine, f install.Target) { m.answerCodex(f, true, "trusted", notInterrupt) }, doctor.Warning, []string{"does not load: Interrupt"}},
		{"stored", func(m *machine, f install.Target) { m.trustCodex(f) }, doctor.OK, []string{"hash not checked: codex is not on the PATH"}},
		{"not stored, and no codex", func(*machine, install.Target) {}, doctor.Warning, []string{"nobody has trusted", "nothing runs them", "/hooks"}},
		{"not stored", func(m *machine, f install.Target) { m.muteCodex() }, doctor.Failed, []string{"nobody has trusted", "/hooks"}},
		{"stored for another file", func(m *machine, f install.Target) {
			f.Path = filepath.Join(m.user, "elsewhere", "hooks.json")
			m.write(f.Path, "{}")
			m.muteCodex()
			m.write(".codex/config.toml", "[hooks.state.\""+f.Path+":pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:00\"\n")
		}, doctor.Failed, []string{"nobody has trusted: PreToolUse"}},
		{"stored, and switched off", func(m *machine, f install.Target) {
			m.muteCodex()
			m.write(".codex/config.toml", "[hooks.state.\""+f.Path+":pre_tool_use:0:0\"]\nenabled = false\ntrusted_hash = \"sha256:00\"\n")
		}, doctor.Failed, []string{"switched off in Codex: PreToolUse"}},
		{"an older Codex that cannot list hooks", func(m *machine, f install.Target) {
			m.trustCodex(f)
			m.write("bin/codex", "#!/bin/sh\nread -r x\necho '{\"id\":1,\"result\":{}}'\necho '{\"id\":2,\"error\":{\"message\":\"unknown method\"}}'\ncat >/dev/null\n")
		}, doctor.OK, []string{"hash not checked: codex app-server: unknown method"}},
		{"a Codex that fails", func(m *machine, f install.Target) {
			m.write("bin/codex", "#!/bin/sh\necho broken >&2\nexit 1\n")
		}, doctor.Failed, []string{"nobody has trusted"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			f := m.install("codex", false)
			tt.setup(m, f)
			got := m.examine()
			m.expect(got, "codex-user-trust", tt.state, tt.words...)
			m.expect(got, "codex-user", doctor.OK, "enforces")
		})
	}
}

func TestCodexSwitches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, user, project string
		state               doctor.State
		word                string
	}{
		{"feature off", "[features]\nhooks = false\n", "", doctor.Failed, "hooks = false"},
		{"feature off by its old name", "[features]\ncodex_hooks = false\n", "", doctor.Failed, "codex_hooks = false"},
		{"feature on", "[features]\nhooks = true\nother = 5\n", "", doctor.OK, ""},
		{"feature off in a trusted project", "[projects.\"{project}\"]\ntrust_level = \"trusted\"\n", "[features]\nhooks = false\n", doctor.Failed, "{project}/.codex/config.toml"},
		{"feature off in another project", "", "[features]\nhooks = false\n", doctor.OK, ""},
		{"broken", "a = 1\n[[x", "", doctor.Failed, "{home}/.codex/config.toml:2:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.install("codex", false)
			m.write(".codex/config.toml", tt.user)
			if tt.project != "" {
				m.write("{project}/.codex/config.toml", tt.project)
			}
			m.expect(m.examine(), "codex-hooks-on", tt.state, tt.word)
		})
	}
}

// TestCodexProject: Codex reads hooks of every folder up to the repository's
// root, and only of a project that the person trusts.
func TestCodexProject(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{false, true} {
		t.Run(fmt.Sprint("trusted ", trusted), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.write("{project}/.git/HEAD", "")
			f := m.install("codex", true)
			state, project := doctor.Failed, m.CWD
			if trusted {
				m.trustCodex(f, "[projects."+fmt.Sprintf("%q", project)+"]", `trust_level = "trusted"`)
				state = doctor.OK
			} else {
				m.trustCodex(f)
				m.muteCodex()
			}
			m.write("{project}/sub/file", "")
			m.CWD = filepath.Join(m.CWD, "sub")
			got := m.examine()
			m.expect(got, "codex-project", doctor.OK, "enforces", f.Path)
			m.expect(got, "codex-project-trust", state)
			m.refute(got, "codex-project", doctor.Absent)
		})
	}
}

func TestCodexLoginShell(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.trustCodex(m.install("codex", false))
	m.write(".profile", "echo welcome\n")
	got := m.examine()
	m.expect(got, "codex-user", doctor.Failed, "not JSON: welcome", "profile")
	if p, _ := agent.Lookup("codex"); p == nil {
		t.Error("codex is not registered")
	}
}
