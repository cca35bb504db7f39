//go:build unix

package doctor_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipesAndDevices: files that never end keep doctor waiting nowhere.
func TestPipesAndDevices(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(string) error{
		"pipes": func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"zeros": func(p string) error { return os.Symlink("/dev/zero", p) },
	}
	// The agents' own settings apart: where they cannot be read, nothing is tried.
	groups := map[string][]string{
		"settings": {".claude/settings.json", ".codex/hooks.json"},
		"the rest": {
			".overseer/config.toml", ".overseer/approvals.json", ".overseer/trust.json", ".overseer/install.json",
			".overseer/constitution/mine.md", ".overseer/journal/00000001.jsonl", ".claude.json", ".codex/config.toml",
			"{project}/.overseer/config.toml", "{project}/.overseer/constitution/project.md",
			"{project}/.claude/settings.json", "{project}/.claude/settings.local.json",
		},
	}
	for kind, put := range kinds {
		for group, paths := range groups {
			t.Run(kind+" for "+group, func(t *testing.T) {
				t.Parallel()
				m := newMachine(t)
				m.install("claude", false)
				m.install("codex", false)
				for _, path := range paths {
					m.write(path, "") // makes its folder
					if path = m.fill(path); !filepath.IsAbs(path) {
						path = filepath.Join(m.user, path)
					}
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
					if err := put(path); err != nil {
						t.Fatal(err)
					}
				}
				if got := m.examine(); len(got) < 10 {
					t.Errorf("the examination ended early: %v", got)
				}
			})
		}
	}
}
