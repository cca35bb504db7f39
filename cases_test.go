package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// caseRow is one line of testdata/cases/*.jsonl: an act, and whether it must be
// denied ("deny"), denied or asked ("stop") or let through ("run").
type caseRow struct {
	ID, Family, Expect, Tool string
	Input                    map[string]any
}

// TestCases has the hook judge every act in testdata/cases under the rules that
// init makes, in both agents' dialects. The agent works in a repository of its own.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/cases/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	run, repo := hookOfANewPerson(t)
	type job struct {
		row   caseRow
		agent string
	}
	jobs := make(chan job)
	var workers sync.WaitGroup
	for range 2 * runtime.NumCPU() {
		workers.Go(func() {
			for j := range jobs {
				if got := judged(t, run, repo, j.row, j.agent); !asExpected(j.row.Expect, got) {
					t.Errorf("%s (%s): %s, want %s: %s %v", j.row.ID, j.agent, got, j.row.Expect, j.row.Tool, j.row.Input)
				}
			}
		})
	}
	for _, file := range files {
		for i, row := range caseRows(t, file) {
			// The agents' dialects differ in the answer, not in the judgment: the long
			// tables take turns.
			both := filepath.Base(file) == "commands.jsonl"
			if !both && !allCases {
				break
			}
			if both || i%2 == 0 {
				jobs <- job{row, "claude"}
			}
			if both || i%2 == 1 {
				jobs <- job{row, "codex"}
			}
		}
	}
	close(jobs)
	workers.Wait()
}

func caseRows(t *testing.T, file string) []caseRow {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []caseRow
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r caseRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		t.Fatalf("%s: no cases", file)
	}
	return rows
}

// judged gives the hook's answer as "deny", "ask" or "run".
func judged(t *testing.T, run func([]byte, ...string) ([]byte, int), repo string, row caseRow, agent string) string {
	t.Helper()
	event, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": repo, "hook_event_name": "PreToolUse", "permission_mode": "default",
		"tool_name": row.Tool, "tool_input": row.Input, "tool_use_id": "t",
	})
	if err != nil {
		t.Error(err)
		return ""
	}
	stdout, code := run(event, "hook", "PreToolUse", "--agent", agent)
	var answer struct {
		HookSpecificOutput struct {
			PermissionDecision       string
			PermissionDecisionReason string
		}
	}
	if len(stdout) > 0 {
		if err := json.Unmarshal(stdout, &answer); err != nil {
			t.Errorf("%s: answer %q: %v", row.ID, stdout, err)
		}
	}
	switch said := answer.HookSpecificOutput; {
	case code == 2 && strings.Contains(said.PermissionDecisionReason, "overseer approve"):
		return "ask" // what Codex is told in place of an ask
	case code == 2:
		return "deny"
	case said.PermissionDecision == "ask":
		return "ask"
	case code != 0:
		t.Errorf("%s: exit status %d", row.ID, code)
	}
	return "run"
}

// asExpected compares an answer with what a case asks for.
func asExpected(want, got string) bool {
	switch want {
	case "deny":
		return got == "deny"
	case "stop":
		return got == "deny" || got == "ask"
	}
	return got == "run"
}

// TestLimits has the hook judge the examples of docs/limits.md: what is said to pass
// through passes through, and what is said to be asked about needlessly is.
func TestLimits(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	run, repo := hookOfANewPerson(t)
	for _, row := range caseRows(t, "testdata/limits.jsonl") {
		if !strings.Contains(string(doc), "| "+row.ID+" |") {
			t.Errorf("%s does not stand in docs/limits.md", row.ID)
		}
		if got := judged(t, run, repo, row, "claude"); asExpected(row.Expect, got) {
			t.Errorf("%s is no limit any more (%s): move it to testdata/cases and take it out of docs/limits.md", row.ID, got)
		}
	}
}

// hookOfANewPerson gives a way to run overseer as somebody who has just run init, and
// the repository that their agent works in.
func hookOfANewPerson(t *testing.T) (run func(stdin []byte, args ...string) ([]byte, int), repo string) {
	t.Helper()
	// Few folders deep, so that ../../.. of a case reaches the root.
	root, err := os.MkdirTemp("", "cases")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	home := filepath.Join(root, "home")
	repo = filepath.Join(root, "repo")
	for _, dir := range []string{home, filepath.Join(repo, ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run = func(stdin []byte, args ...string) ([]byte, int) {
		var stdout bytes.Buffer
		c := exec.Command("overseer", args...)
		c.Dir = repo
		c.Env = []string{"HOME=" + home, "USER=dev", "PATH=" + os.Getenv("PATH")}
		c.Stdin, c.Stdout = bytes.NewReader(stdin), &stdout
		if err := c.Run(); c.ProcessState == nil {
			t.Errorf("run overseer: %v", err)
			return nil, -1
		}
		return stdout.Bytes(), c.ProcessState.ExitCode()
	}
	if _, code := run(nil, "init"); code != 0 {
		t.Fatalf("init: exit status %d", code)
	}
	return run, repo
}
