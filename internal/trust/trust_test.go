package trust_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/trust"
)

func TestTrust(t *testing.T) {
	t.Parallel()
	store, root := filepath.Join(t.TempDir(), "trust.json"), filepath.Join(t.TempDir(), "odd [name]*", ".overseer")
	put := func(file, content string) {
		t.Helper()
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	states := func() []trust.State {
		t.Helper()
		s, err := trust.Open(store)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.States(root)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	put("config.toml", "a")
	put("constitution/project.md", "b")
	put("constitution/notes.txt", "no rules")
	want := []trust.State{{File: "config.toml", State: "untrusted"}, {File: "constitution/project.md", State: "untrusted"}}
	if diff := cmp.Diff(want, states()); diff != "" {
		t.Errorf("at first (-want +got)\n%s", diff)
	}

	s, err := trust.Open(store)
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.Pin(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"config.toml", "constitution/project.md"}, files); diff != "" {
		t.Errorf("pinned (-want +got)\n%s", diff)
	}
	if st, err := os.Stat(store); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the store: %v, %v", st, err)
	}
	put("constitution/project.md", "changed")
	put("constitution/new.md", "new")
	want = []trust.State{{File: "config.toml", State: "trusted"}, {File: "constitution/new.md", State: "untrusted"}, {File: "constitution/project.md", State: "changed"}}
	if diff := cmp.Diff(want, states()); diff != "" {
		t.Errorf("after changes (-want +got)\n%s", diff)
	}
	if !s.Trusted(root, "config.toml", []byte("a")) || s.Trusted(root, "config.toml", []byte("b")) || s.Trusted(root+"x", "config.toml", []byte("a")) {
		t.Error("trust does not hang on folder, file and content")
	}

	if had, err := s.Forget(root); err != nil || !had {
		t.Errorf("forget: %v, %v", had, err)
	}
	if had, err := s.Forget(root); err != nil || had {
		t.Errorf("forget twice: %v, %v", had, err)
	}
	if states()[0].State != "untrusted" {
		t.Error("still trusted")
	}

	if err := os.WriteFile(store, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := trust.Open(store); err == nil || s.Trusted(root, "config.toml", []byte("a")) {
		t.Errorf("a broken store: %v", err)
	}
}
