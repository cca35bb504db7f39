package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/hint"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		got, want Target
	}{
		{"user", UserTarget(fake{}, "/home/u", ""), Target{fake{}, filepath.FromSlash("/home/u/.fake/settings.json"), "user"}},
		{"user, folder moved", UserTarget(fake{}, "/home/u", "/etc/f"), Target{fake{}, filepath.FromSlash("/etc/f/settings.json"), "user"}},
		{"project", ProjectTarget(fake{}, "/p"), Target{fake{}, filepath.FromSlash("/p/.fake/settings.json"), "project"}},
	}
	for _, tc := range tests {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestNewFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		scope        string
		file, folder os.FileMode
	}{{UserScope, 0o600, 0o700}, {ProjectScope, 0o644, 0o755}} {
		t.Run(tc.scope, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.Target = Target{fake{}, filepath.Join(s.home(), "deep", "er", "settings.json"), tc.scope}
			p := s.install()
			if p.Exists || !p.Changed() || !strings.HasPrefix(p.Diff(), "diff "+os.DevNull) {
				t.Errorf("plan: exists %v, diff %s", p.Exists, p.Diff())
			}
			if posix && (s.mode(s.Path) != tc.file || s.mode(filepath.Dir(s.Path)) != tc.folder || s.mode(s.State) != 0o600 || s.mode(filepath.Dir(s.State)) != 0o700) {
				t.Errorf("modes: file %o, folder %o, state %o in %o", s.mode(s.Path), s.mode(filepath.Dir(s.Path)), s.mode(s.State), s.mode(filepath.Dir(s.State)))
			}
			if exists(s.backup()) {
				t.Error("a backup of nothing")
			}
			if p := s.remove(); !p.Delete || !strings.Contains(p.Diff(), "+++ "+os.DevNull) {
				t.Errorf("delete %v, diff %s", p.Delete, p.Diff())
			}
			if got := s.files(); len(got) > 0 {
				t.Errorf("left behind: %v", got)
			}
			if p := s.remove(); p.Changed() || len(p.Changes)+len(p.Warnings) > 0 {
				t.Errorf("a second uninstall: %+v", p.Changes)
			}
		})
	}
}

func TestRemoveFromNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.remove()
	if _, err := os.Stat(filepath.Dir(s.State)); err == nil {
		t.Error("uninstall made overseer's folder")
	}
}

func TestNewFileThatSomeoneUsed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		meanwhile func(s *scene)
		want      []string
	}{
		{"reformatted only", func(s *scene) { s.write(s.Path, tight(s.read(s.Path))) }, nil},
		{"another file in the folder", func(s *scene) { s.write(filepath.Join(filepath.Dir(s.Path), "x"), "") }, []string{".fake", ".fake/x"}},
		{"another key", func(s *scene) { s.write(s.Path, `{"a":1,`+strings.TrimPrefix(s.read(s.Path), "{")) }, []string{".fake", ".fake/settings.json"}},
		{"removed by hand", func(s *scene) { os.Remove(s.Path) }, nil},
		{"folder removed by hand", func(s *scene) { os.RemoveAll(filepath.Dir(s.Path)) }, nil},
		{"emptied by hand", func(s *scene) { s.write(s.Path, "{}") }, []string{".fake", ".fake/settings.json"}},
		{"state lost", func(s *scene) { os.Remove(s.State) }, []string{".fake", ".fake/settings.json"}},
		{"moved to another binary", func(s *scene) { s.Binary = "/new/overseer"; s.install() }, nil},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.install()
			tc.meanwhile(s)
			s.remove()
			if diff := cmp.Diff(tc.want, s.files()); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBackup(t *testing.T) {
	t.Parallel()
	const original = "{\"a\" :1}"
	tests := []struct {
		name      string
		meanwhile func(s *scene) // after the first install
		file      string         // after uninstall
		backup    string         // "" if none is left
	}{
		{"plain", func(*scene) {}, original, ""},
		{"installed again", func(s *scene) { s.Binary = "/n/overseer"; s.install() }, original, ""},
		{"state lost", func(s *scene) { os.Remove(s.State) }, original, ""},
		{"state lost, installed again", func(s *scene) { os.Remove(s.State); s.Binary = "/n/overseer"; s.install() }, original, ""},
		{"state damaged", func(s *scene) { s.write(s.State, "{") }, original, ""},
		{"state of another form", func(s *scene) { s.write(s.State, `{"files":[1]}`) }, original, ""},
		{"backup removed", func(s *scene) { os.Remove(s.backup()) }, original, ""},
		{"backup changed", func(s *scene) { s.write(s.backup(), `{"evil":1}`) }, original, `{"evil":1}`},
		{"backup broken and state lost", func(s *scene) { s.write(s.backup(), `{`); os.Remove(s.State) }, original, `{`},
		{"backup and state lost, installed again", func(s *scene) {
			os.Remove(s.State)
			os.Remove(s.backup())
			s.Binary = "/n/overseer"
			s.install()
		}, original, ""},
		{"file put back by hand", func(s *scene) { s.write(s.Path, original) }, original, ""},
		{"file replaced by hand", func(s *scene) { s.write(s.Path, `{"b":2}`) }, `{"b":2}`, original},
		{"file replaced, installed again", func(s *scene) { s.write(s.Path, `{"b":2}`); s.install() }, `{"b":2}`, ""},
		{"key added, installed again", func(s *scene) {
			s.write(s.Path, strings.Replace(s.read(s.Path), "{", `{"b":2,`, 1))
			s.Binary = "/n/overseer"
			s.install()
		}, `{"b":2,"a" :1}`, original},
		{"key added and taken out, installed again", func(s *scene) {
			text := s.read(s.Path)
			s.write(s.Path, strings.Replace(text, "{", `{"b":2,`, 1))
			s.Binary = "/n/overseer"
			s.install()
			s.write(s.Path, strings.Replace(s.read(s.Path), `"b":2,`, "", 1))
		}, original, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.write(s.Path, original)
			s.install()
			tc.meanwhile(s)
			p := s.remove()
			if got := s.read(s.Path); got != tc.file {
				t.Errorf("file = %q, want %q", got, tc.file)
			}
			backup := ""
			if exists(s.backup()) {
				backup = s.read(s.backup())
			}
			if backup != tc.backup {
				t.Errorf("backup = %q, want %q", backup, tc.backup)
			}
			if backup == original && !strings.Contains(strings.Join(p.Warnings, "\n"), s.backup()) {
				t.Errorf("no word of the backup: %q", p.Warnings)
			}
			if exists(s.State) {
				t.Errorf("state is left: %s", s.read(s.State))
			}
		})
	}
}

func TestModeAndOwnerStay(t *testing.T) {
	t.Parallel()
	if !posix {
		return // nothing of this exists there
	}
	s := newScene(t)
	s.write(s.Path, "{}")
	if err := os.Chmod(s.Path, 0o640); err != nil {
		t.Fatal(err)
	}
	_ = os.Chown(s.Path, 12345, 12345) // takes effect where the tests run as root
	before := owner(t, s.Path)
	s.install()
	if got := s.mode(s.Path); got != 0o640 {
		t.Errorf("mode %o", got)
	}
	if got := owner(t, s.Path); got != before {
		t.Errorf("owner %s, was %s", got, before)
	}
	if got := owner(t, s.backup()); got != before || s.mode(s.backup()) != 0o640 {
		t.Errorf("backup: owner %s, mode %o", got, s.mode(s.backup()))
	}
	s.remove()
	if s.mode(s.Path) != 0o640 || owner(t, s.Path) != before {
		t.Errorf("after uninstall: owner %s, mode %o", owner(t, s.Path), s.mode(s.Path))
	}
}

func TestSymlinks(t *testing.T) {
	t.Parallel()
	if !posix {
		return // links need a privilege there
	}
	tests := []struct {
		name string
		make func(s *scene) (real string) // "" if it cannot work
		err  string
	}{
		{"absolute", func(s *scene) string {
			real := filepath.Join(s.home(), "dot", "s.json")
			s.write(real, "{}")
			s.link(real, s.Path)
			return real
		}, ""},
		{"relative, two steps", func(s *scene) string {
			real := filepath.Join(s.home(), "dot", "s.json")
			s.write(real, "{}")
			s.link("s.json", filepath.Join(s.home(), "dot", "t.json"))
			s.link("../dot/t.json", s.Path)
			return real
		}, ""},
		{"relative, in a folder that is a link", func(s *scene) string {
			real := filepath.Join(s.home(), "a", "s.json")
			s.write(real, "{}")
			s.link("../s.json", filepath.Join(s.home(), "a", "b", "settings.json"))
			s.link("a/b", filepath.Dir(s.Path))
			return real
		}, ""},
		{"dangling", func(s *scene) string {
			s.link("../dot.json", s.Path)
			return filepath.Join(s.home(), "dot.json")
		}, ""},
		{"dangling, no folder", func(s *scene) string {
			s.link("../none/dot.json", s.Path)
			return ""
		}, "whose folder does not exist"},
		{"circle", func(s *scene) string {
			s.link("settings.json", s.Path)
			return ""
		}, "leads in a circle"},
		{"to a folder", func(s *scene) string {
			s.link("..", s.Path)
			return ""
		}, "is a folder, not a file"},
		{"folder is a dangling link", func(s *scene) string {
			s.link("none", filepath.Dir(s.Path))
			return ""
		}, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			real := tc.make(s)
			before := s.files()
			if real == "" {
				p, err := PlanInstall(s.Target, s.Options)
				if err == nil {
					err = p.Apply()
				}
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error = %v, want %q in it", err, tc.err)
				}
				if diff := cmp.Diff(before, s.files()); diff != "" {
					t.Errorf("files (-before +after):\n%s", diff)
				}
				return
			}
			existed := exists(real)
			s.install()
			if info, err := os.Lstat(s.Path); err != nil || filepath.Dir(real) != filepath.Join(s.home(), "a") && info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link was replaced: %v, %v", info, err)
			}
			if !strings.Contains(s.read(real), "overseer hook PreToolUse") {
				t.Errorf("not written behind the link: %s", s.read(real))
			}
			if existed && !exists(s.backup()) {
				t.Error("no backup beside the link")
			}
			s.remove()
			if diff := cmp.Diff(before, s.files()); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
		})
	}
}

// A repo can ship symlinks.
func TestProjectFileStaysInProject(t *testing.T) {
	t.Parallel()
	if !posix {
		return // links need a privilege there
	}
	tests := []struct {
		name, to, at string // a link in the project
		refused      bool
	}{
		{"file leads out", "../../secret.json", ".fake/settings.json", true},
		{"file leads out to nothing", "../../none.json", ".fake/settings.json", true},
		{"folder leads out", "..", ".fake", true},
		{"file leads elsewhere in the project", "../x.json", ".fake/settings.json", false},
		{"folder leads elsewhere in the project", "conf", ".fake", false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			project := filepath.Join(s.home(), "project")
			s.Target = ProjectTarget(fake{}, project)
			s.write(filepath.Join(s.home(), "secret.json"), `{"token":1}`)
			s.write(filepath.Join(s.home(), "settings.json"), `{"token":1}`)
			s.write(filepath.Join(project, "conf", "settings.json"), `{}`)
			s.link(tc.to, filepath.Join(project, filepath.FromSlash(tc.at)))
			before := s.files()
			p, err := PlanInstall(s.Target, s.Options)
			if err == nil {
				err = p.Apply()
			}
			if !tc.refused {
				if err != nil {
					t.Fatal(err)
				}
				s.remove()
			} else if err == nil || !strings.Contains(err.Error(), "leads out of the project") {
				t.Errorf("error = %v", err)
			}
			if diff := cmp.Diff(before, s.files()); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
		})
	}
}

func (s *scene) link(to, at string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		s.t.Fatal(err)
	}
}

// A change that cannot be made must leave everything as it was.
func TestApplyFailsWhole(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		obstacle func(s *scene)
		err      string
		hint     string
	}{
		{"read-only file", func(s *scene) { os.Chmod(s.Path, 0o444) }, "is read-only (mode 0444)", "make it writable"},
		{"read-only folder", func(s *scene) { os.Chmod(filepath.Dir(s.Path), 0o555) }, "is read-only (mode 0555)", "make it writable"},
		{"backup is a folder", func(s *scene) { os.MkdirAll(filepath.Join(s.backup(), "x"), 0o755) }, "back up the settings", ""},
		{"overseer's folder is a file", func(s *scene) { s.write(filepath.Dir(s.State), "") }, "make overseer's folder", ""},
		{"the file changed", func(s *scene) { s.write(s.Path, `{"b":1}`) }, "changed while", "again"},
		{"the file went", func(s *scene) { os.Remove(s.Path) }, "changed while", "again"},
		{"the file is a link now", func(s *scene) {
			os.Rename(s.Path, s.Path+"2")
			s.link("settings.json2", s.Path)
		}, "changed while", "again"},
		{"the file is a folder now", func(s *scene) { os.Remove(s.Path); os.Mkdir(s.Path, 0o755) }, "is a folder", ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if !posix && (strings.HasPrefix(tc.name, "read-only") || strings.HasSuffix(tc.name, "link now")) {
				return // no such modes and links there
			}
			s := newScene(t)
			s.write(s.Path, `{"a":1}`)
			p, err := PlanInstall(s.Target, s.Options)
			if err != nil {
				t.Fatal(err)
			}
			tc.obstacle(s)
			t.Cleanup(func() { os.Chmod(filepath.Dir(s.Path), 0o755) })
			before := s.files()
			err = p.Apply()
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("error = %v, want %q in it", err, tc.err)
			}
			if got := strings.Join(hint.Of(err), "\n"); !strings.Contains(got, tc.hint) {
				t.Errorf("hint = %q", got)
			}
			if diff := cmp.Diff(before, s.files()); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
			if b, err := os.ReadFile(s.Path); err == nil && strings.Contains(string(b), "overseer") {
				t.Errorf("the file became %s", b)
			}
		})
	}
}

func TestPathsMustBeAbsolute(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, plan := range []func(Target, Options) (Plan, error){PlanInstall, PlanRemove} {
		if _, err := plan(Target{fake{}, "settings.json", UserScope}, s.Options); err == nil {
			t.Error("a relative settings file was taken")
		}
		if _, err := plan(s.Target, Options{Binary: s.Binary, State: "install.json"}); err == nil {
			t.Error("a relative state file was taken")
		}
	}
	if _, err := Inspect(Target{fake{}, "settings.json", UserScope}, s.Options); err == nil {
		t.Error("a relative settings file was inspected")
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.write(s.Path, "{\n  \"a\": 1\n}\n")
	p, err := PlanInstall(s.Target, s.Options)
	if err != nil {
		t.Fatal(err)
	}
	got := p.Diff()
	for _, want := range []string{"--- " + s.Path + "\n", "+++ " + s.Path + "\n", "\n-  \"a\": 1\n+  \"a\": 1,\n+  \"hooks\": {\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if s.read(s.Path) != "{\n  \"a\": 1\n}\n" || len(s.files()) != 2 {
		t.Error("planning wrote something")
	}
	if diff := cmp.Diff([]string{"PreToolUse: added", "SessionEnd: added"}, p.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// Many overseers at once, for two agents: each either makes its change or is
// told that the file changed; nothing is torn and all can be undone.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	other := s.Target
	other.Path = filepath.Join(s.home(), ".other", "settings.json")
	const before = "{\n\t\"a\": 1\n}\n"
	s.write(s.Path, before)
	var wg sync.WaitGroup
	for i := range 8 {
		for _, target := range []Target{s.Target, other} {
			wg.Go(func() {
				o := s.Options
				o.Binary = fmt.Sprintf("/bin%d/overseer", i%2)
				for range 4 {
					p, err := PlanInstall(target, o)
					if err != nil {
						t.Errorf("plan: %v", err) // would mean that a torn file was read
						continue
					}
					if err := p.Apply(); err != nil && !strings.Contains(err.Error(), "changed while") {
						t.Errorf("apply: %v", err)
					}
				}
			})
		}
	}
	wg.Wait()
	for _, target := range []Target{s.Target, other} {
		st, err := Inspect(target, Options{})
		if err != nil || len(st.Entries) != 2 || len(st.Missing) > 0 {
			t.Errorf("%s: %v, %d entries", target.Path, err, len(st.Entries))
		}
		p, err := PlanRemove(target, s.Options)
		if err == nil {
			err = p.Apply()
		}
		if err != nil {
			t.Error(err)
		}
	}
	if got := s.read(s.Path); got != before {
		t.Errorf("after uninstall: %q", got)
	}
	if diff := cmp.Diff([]string{".fake", ".fake/settings.json"}, s.files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
