package install

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// fake is an agent with one event of each kind.
type fake struct{ agent.Provider }

func (fake) Name() string  { return "fake" }
func (fake) Title() string { return "Fake Agent" }
func (fake) Capabilities() []agent.Capability {
	return []agent.Capability{
		{Event: "PreToolUse"},
		{Event: "SessionEnd"},
		{Event: "Noise", Skip: "fires for every token"},
		{Event: "Late", Since: "2.1.300"},
	}
}
func (fake) Decode(string, []byte) (event.Event, error)           { panic("install decodes nothing") }
func (fake) Encode(*event.Event, *event.Verdict) (a agent.Answer) { panic("install encodes nothing") }
func (fake) Settings() agent.Settings {
	return agent.Settings{
		User: ".fake/settings.json", Project: ".fake/settings.json", HomeEnv: "FAKE_HOME",
		TimeoutSeconds: 30, Timeouts: map[string]int{"SessionEnd": 3},
		OffSwitch: "disableAllHooks",
	}
}

// strict is an agent like Codex.
type strict struct{ fake }

func (strict) Name() string { return "strict" }
func (strict) Settings() agent.Settings {
	s := fake{}.Settings()
	s.StatusMessage, s.TopKeys, s.TrustByPosition = "overseer", []string{"description", "hooks"}, true
	return s
}

// scene is a home folder with one settings file.
type scene struct {
	t *testing.T
	Target
	Options
}

func newScene(t *testing.T) *scene {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &scene{t, UserTarget(fake{}, home, ""), Options{
		Binary: "/opt/bin/overseer", State: filepath.Join(home, ".overseer", "install.json"),
	}}
}

func (s *scene) home() string { return filepath.Dir(filepath.Dir(s.State)) }

func (s *scene) write(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) read(path string) string {
	s.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *scene) apply(plan func(Target, Options) (Plan, error)) Plan {
	s.t.Helper()
	p, err := plan(s.Target, s.Options)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := p.Apply(); err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *scene) install() Plan { s.t.Helper(); return s.apply(PlanInstall) }
func (s *scene) remove() Plan  { s.t.Helper(); return s.apply(PlanRemove) }

func (s *scene) backup() string { return s.Path + ".overseer-backup" }

// files lists what is below the home folder, except the lock.
func (s *scene) files() []string {
	s.t.Helper()
	var out []string
	err := filepath.WalkDir(s.home(), func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(s.home(), path)
		if rel != "." && filepath.Base(rel) != "install.json.lock" && rel != ".overseer" {
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *scene) mode(path string) os.FileMode {
	s.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return info.Mode().Perm()
}

// posix tells whether modes mean anything here.
const posix = runtime.GOOS != "windows"
