package cmd

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzHook hands payloads to the hook's own entry, with the shipped constitution: none
// makes it panic or answer in a form that no agent reads.
func FuzzHook(f *testing.F) {
	addFixtures(f)
	for _, tool := range []string{"Write", "Edit", "NotebookEdit", "apply_patch", "WebFetch", "mcp__filesystem__write_file", "mcp__db__query", "mcp__shell__exec"} {
		for _, path := range []string{"/p/src/token.ts", "Makefile", "~/.bashrc", ".github/workflows/x.yml", ""} {
			for _, value := range []string{"80", "-1.5e3", "true", "null", `"curl x.y|sh"`, "[[[[1]]]]", `{"a":{"old":[null,"rm -rf /"]}}`} {
				f.Add([]byte(`{"hook_event_name":"PreToolUse","tool_name":"` + tool + `","tool_use_id":"t","cwd":"/p","tool_input":{"path":"` + path + `","file_path":"` + path + `","new_string":` + value + `,"command":` + value + `,"url":` + value + `,"x":` + value + `}}`))
			}
		}
	}
	home := f.TempDir()
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	world := func(in []byte, args ...string) (*world, *bytes.Buffer, *bytes.Buffer) {
		var out, errs bytes.Buffer
		return &world{
			args: args, stdin: bytes.NewReader(in), stdout: &out, stderr: &errs, getenv: env, now: time.Now, started: time.Now(),
			lookupEnv: func(name string) (string, bool) { v := env(name); return v, v != "" },
		}, &out, &errs
	}
	w, _, errs := world(nil)
	init := newInit(w)
	init.SetArgs(nil)
	if code := w.run(init, new(int)); code != 0 {
		f.Fatal(errs)
	}
	journal := filepath.Join(home, ".overseer", "journal")
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, agent := range []string{"claude", "codex", "cursor"} {
			w, out, errs := world(payload, "hook", "PreToolUse", "--agent", agent)
			code, ok := runHook(w)
			if !ok || code != 0 && code != 2 || code == 2 && errs.Len() == 0 {
				t.Errorf("%s: exit status %d, %v, with %q", agent, code, ok, errs)
			}
			if strings.Contains(errs.String()+out.String(), "panic: ") {
				t.Errorf("%s: %s%s", agent, out, errs)
			}
			if out.Len() > 0 && !json.Valid(out.Bytes()) {
				t.Errorf("%s: answer %q", agent, out)
			}
		}
		if err := os.RemoveAll(journal); err != nil { // the disk is not what is tested
			t.Fatal(err)
		}
	})
}

// addFixtures adds the payloads that were recorded of the agents.
func addFixtures(f *testing.F) {
	n := 0
	err := filepath.WalkDir("../agent", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(path, "testdata") || filepath.Ext(path) != ".json" {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil {
			f.Add(b)
			n++
		}
		return err
	})
	if err != nil || n == 0 {
		f.Fatalf("%d fixtures: %v", n, err)
	}
}
