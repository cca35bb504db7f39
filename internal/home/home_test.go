package home_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/trust"
)

// lay makes files below root, "name=content".
func lay(t *testing.T, root string, files ...string) {
	t.Helper()
	for _, f := range files {
		name, content, _ := strings.Cut(f, "=")
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProjects(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	at := func(p string) string { return filepath.Join(root, p) }
	lay(t, root, "home/.overseer/config.toml=", "home/a/.overseer/x=", "home/a/b/c/.overseer/x=", "other/.overseer/x=", "home/a/b/file/.overseer=no folder")
	if err := os.Symlink(at("other"), at("home/link")); err != nil {
		t.Fatal(err)
	}
	h, err := home.New(at("home"), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		dirs []string
		want []string
	}{
		{"the person's own folder is no project's", []string{at("home")}, nil},
		{"upward", []string{at("home/a/b")}, []string{at("home/a/.overseer")}},
		{"all of them, the nearest first", []string{at("home/a/b/c")}, []string{at("home/a/b/c/.overseer"), at("home/a/.overseer")}},
		{"of every folder, each once", []string{at("home/a/b/c"), at("home/a"), at("other")}, []string{at("home/a/b/c/.overseer"), at("home/a/.overseer"), at("other/.overseer")}},
		{"behind a link", []string{at("home/link")}, []string{at("home/link/.overseer"), at("other/.overseer")}},
		{"a file of that name is none", []string{at("home/a/b/file")}, []string{at("home/a/.overseer")}},
		{"a relative folder is nowhere", []string{"a"}, nil},
		{"a folder that is gone", []string{at("home/a/gone/x")}, []string{at("home/a/.overseer")}},
	} {
		if diff := cmp.Diff(tt.want, h.Projects(tt.dirs...)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	block := func(id, do string) string { return "Rule: " + id + "\nWhen: tool=A\nDo: " + do + "\nReason: said so\n" }
	lay(t, root, "h/.overseer/constitution/shared.md="+block("own", "deny"), "h/.overseer/config.toml=on_fault = \"deny\"\n",
		"p/.overseer/constitution/project.md="+block("tight", "ask")+block("loose", "allow"),
		"p/.overseer/config.toml=safe_mode = true\non_fault = \"allow\"\n",
		"p/sub/.overseer/constitution/project.md="+block("nested", "deny"))
	h, err := home.New(filepath.Join(root, "h"), "")
	if err != nil {
		t.Fatal(err)
	}
	describe := func() string {
		l := h.Load([]string{filepath.Join(root, "p/sub")}, []string{"claude"}, "claude")
		out := fmt.Sprintf("safe=%v fault=%s skipped=%d faults=%d", l.Config.SafeMode, l.Config.OnFault, len(l.Skipped), len(l.Problems))
		for _, r := range l.Rules {
			out += fmt.Sprintf("\n%s %s <%s>", r.ID, r.Do, r.Reason)
		}
		return out
	}
	want := "safe=true fault=deny skipped=2 faults=0\nown deny <said so>\nnested deny <a rule of this project>\ntight ask <a rule of this project>"
	if diff := cmp.Diff(want, describe()); diff != "" {
		t.Errorf("untrusted (-want +got)\n%s", diff)
	}
	pins, err := trust.Open(h.Trust())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pins.Pin(filepath.Join(root, "p/.overseer")); err != nil {
		t.Fatal(err)
	}
	want = "safe=true fault=allow skipped=0 faults=0\nown deny <said so>\nnested deny <a rule of this project>\ntight ask <said so>\nloose allow <said so>"
	if diff := cmp.Diff(want, describe()); diff != "" {
		t.Errorf("trusted (-want +got)\n%s", diff)
	}
	lay(t, root, "p/.overseer/config.toml=safe_mode = maybe\n", "h/.overseer/trust.json={")
	if got := describe(); !strings.HasPrefix(got, "safe=false fault=deny skipped=1 faults=2") {
		t.Errorf("broken files: %s", got)
	}
}
