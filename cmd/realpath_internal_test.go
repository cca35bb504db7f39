package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRealPath(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	if err := os.MkdirAll(at("a/b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "a", "a/b/up": "..", "dangling": "nowhere", "self": "self"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	long := at("link/" + strings.Repeat("x/", 3000) + "y")
	for p, want := range map[string]string{
		at("a/b"):                at("a/b"),
		at("link"):               at("a"),
		at("link/b"):             at("a/b"),
		at("link/new"):           at("a/new"),
		at("link/new/er/file"):   at("a/new/er/file"),
		at("link/b/up/b/up/n/m"): at("a/n/m"),
		at("dangling"):           at("dangling"),
		at("dangling/x/y"):       at("dangling/x/y"),
		at("self/x/y"):           at("self/x/y"),
		at("none/x/y/z"):         at("none/x/y/z"),
		"/":                      "/",
		"/no-such/x/y":           "/no-such/x/y",
		long:                     long, // no system takes it
		"a/b":                    "a/b",
		"no-such":                "no-such",
	} {
		if got := realPath(p); got != want {
			t.Errorf("realPath(%.80s) = %.80s, want %.80s", p, got, want)
		}
	}
}
