package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// scratch makes a home folder with overseer set up and returns its path and a
// function that runs the program there.
func scratch(t *testing.T) (home string, run func(stdin io.Reader, args ...string) (stdout, stderr string, code int)) {
	t.Helper()
	home = t.TempDir()
	run = func(stdin io.Reader, args ...string) (string, string, int) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		c := exec.Command("overseer", args...)
		c.Dir = home
		c.Env = []string{"HOME=" + home, "USER=dev", "PATH=" + os.Getenv("PATH")}
		c.Stdin, c.Stdout, c.Stderr = stdin, &stdout, &stderr
		if err := c.Run(); c.ProcessState == nil {
			t.Fatal(err)
		}
		return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
	}
	if _, stderr, code := run(nil, "init"); code != 0 {
		t.Fatalf("init: %s", stderr)
	}
	return home, run
}

func bashEvent(command string) string {
	b, err := json.Marshal(command)
	if err != nil {
		panic(err)
	}
	return `{"session_id":"s","cwd":"/repo","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":` + string(b) + `},"tool_use_id":"t"}`
}

// TestDeadline holds standard input open: the agent must still get its answer,
// well before its own timeout would let the tool run.
func TestDeadline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		event, agent string
		within       time.Duration
		code         int
		out          string
	}{
		{"PreToolUse", "claude", 20 * time.Second, 0, `"permissionDecision":"ask"`},
		{"PreToolUse", "codex", 20 * time.Second, 2, `no verdict within`},
		{"SessionEnd", "codex", 3 * time.Second, 0, ""},
		{"preToolUse", "cursor", 20 * time.Second, 2, `no verdict within`},
		{"postToolUse", "cursor", 20 * time.Second, 0, "{}\n"}, // not silence, which can mean deny
	} {
		t.Run(tt.agent+" "+tt.event, func(t *testing.T) {
			t.Parallel()
			_, run := scratch(t)
			begun := time.Now()
			stdin, open, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			defer open.Close()
			stdout, stderr, code := run(stdin, "hook", tt.event, "--agent", tt.agent)
			if took := time.Since(begun); took > tt.within {
				t.Errorf("answered after %v", took)
			}
			if code != tt.code || !strings.Contains(stdout+stderr, tt.out) {
				t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			stdout, _, _ = run(nil, "ledger", "tail", "--json")
			if !strings.Contains(stdout, "no verdict within") {
				t.Errorf("it is not recorded: %s", stdout)
			}
		})
	}
}

// TestLockedJournal holds the journal's lock: the verdict still comes in time.
func TestLockedJournal(t *testing.T) {
	t.Parallel()
	home, run := scratch(t)
	lock := flock.New(filepath.Join(home, ".overseer", "journal", "lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	stdout, stderr, code := run(strings.NewReader(bashEvent("rm -rf /")), "hook", "PreToolUse", "--agent", "codex")
	if code != 2 || !strings.Contains(stderr, "block-rm-rf-root") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// TestLargeInput judges 64 MiB and refuses to read more. Nothing runs beside it: the
// hook's time is bounded.
func TestLargeInput(t *testing.T) {
	_, run := scratch(t)
	event := bashEvent("rm -rf /")
	pad := func(size int) io.Reader {
		head := event[:len(event)-1] + `,"padding":"`
		return io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, int64(size-len(head)-2)), strings.NewReader(`"}`))
	}
	if stdout, stderr, code := run(pad(largeEvent), "hook", "PreToolUse", "--agent", "claude"); code != 2 || !strings.Contains(stderr, "block-rm-rf-root") {
		t.Errorf("%d bytes: exit %d, stdout %q, stderr %q", largeEvent, code, stdout, stderr)
	}
	// Under the race detector a busy machine may not have read it all when the hook's
	// time is up, which is a fault as well.
	tooMuch := func(s string) bool {
		return strings.Contains(s, "larger than 64 MiB") || !allCases && strings.Contains(s, "no verdict within")
	}
	if stdout, _, code := run(pad(64<<20+1), "hook", "PreToolUse", "--agent", "claude"); code != 0 || !strings.Contains(stdout, `"ask"`) || !tooMuch(stdout) {
		t.Errorf("more: exit %d, stdout %q", code, stdout)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// TestInvalidUTF8 repairs the text and judges what is left.
func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	_, run := scratch(t)
	event := strings.Replace(bashEvent("rm -rf / # X"), "X", "\xff\xfe", 1)
	if stdout, stderr, code := run(strings.NewReader(event), "hook", "--agent", "claude"); code != 2 {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	stdout, _, _ := run(nil, "ledger", "tail", "--json")
	if !json.Valid([]byte(stdout)) || !strings.Contains(stdout, "rm -rf / # \ufffd") {
		t.Errorf("recorded as %s", stdout)
	}
}

// TestParallelHooks runs many hooks at once: all are answered, none is lost.
func TestParallelHooks(t *testing.T) {
	t.Parallel()
	_, run := scratch(t)
	const agents, each = 16, 8
	var wg sync.WaitGroup
	for a := range agents {
		wg.Go(func() {
			for i := range each {
				_, stderr, code := run(strings.NewReader(bashEvent(fmt.Sprintf("echo %d %d", a, i))), "hook", "PreToolUse", "--agent", "claude")
				if code != 0 {
					t.Errorf("exit %d: %s", code, stderr)
				}
			}
		})
	}
	wg.Wait()
	stdout, stderr, _ := run(nil, "ledger", "tail", "-n", "1000", "--json")
	seen := map[string]bool{}
	for line := range strings.Lines(stdout) {
		var e struct{ Subject string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if seen[e.Subject] {
			t.Errorf("%s is there twice", e.Subject)
		}
		seen[e.Subject] = true
	}
	if len(seen) != agents*each || stderr != "" {
		t.Errorf("%d of %d events are in the ledger; %s", len(seen), agents*each, stderr)
	}
}
