package hookmon_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/fireharp/overseer/internal/hookmon"
)

// TestMain lets the test binary play an agent's hooks in a process of their own.
func TestMain(m *testing.M) {
	if spec := os.Getenv("HOOKMON_TEST_WRITER"); spec != "" {
		os.Exit(writer(spec))
	}
	os.Exit(m.Run())
}

// writer appends lines as "path first agents events size max" says: those of
// several agents, each with its own number.
func writer(spec string) int {
	f := strings.Split(spec, "\n")
	n := func(i int) int { v, _ := strconv.Atoi(f[i]); return v }
	for event := range n(3) {
		for a := range n(2) {
			line := fmt.Sprintf(`{"agent":"codex","payload":{"agent":%d,"event":%d,"pad":"%s"}}`, n(1)+a, event, strings.Repeat("x", n(4)))
			if err := hookmon.Append(f[0], []byte(line), int64(n(5))); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	return 0
}

func spawn(path string, first, agents, events, size int, max int64) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), fmt.Sprintf("HOOKMON_TEST_WRITER=%s\n%d\n%d\n%d\n%d\n%d", path, first, agents, events, size, max))
	c.Stderr = os.Stderr
	return c
}

// TestAppendParallel: 64 agents with 1,000 events each leave 64,000 whole lines,
// whatever their size. Eight processes stand for eight agents each; a process for
// every event is in TestHookmonParallel of the root.
func TestAppendParallel(t *testing.T) {
	t.Parallel()
	const processes, agents, events = 8, 8, eventsPerAgent
	path := filepath.Join(t.TempDir(), "hooks.log")
	var running []*exec.Cmd
	for i := range processes {
		size := []int{0, 200, 0, 200, 0, 200, 0, 9_000}[i] // beyond the size of a page too
		c := spawn(path, i*agents, agents, events, size, 0)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, c)
	}
	for _, c := range running {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	wholeLines(t, path, processes*agents, events)
}

// wholeLines checks that each event of each agent has its line, and that the lines
// of one agent are in order.
func wholeLines(t *testing.T, path string, agents, events int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	next := make([]int, agents)
	lines := 0
	for line := range bytes.Lines(content) {
		lines++
		var agent, event int
		var rest string
		if n, _ := fmt.Sscanf(string(line), `{"agent":"codex","payload":{"agent":%d,"event":%d,%s`, &agent, &event, &rest); n != 3 || !strings.HasSuffix(string(line), "\"}}\n") {
			t.Fatalf("line %d is not whole: %.200q", lines, line)
		}
		if strings.ReplaceAll(rest, "x", "") != `"pad":""}}` {
			t.Fatalf("line %d is mixed: %.200q", lines, line)
		}
		if event != next[agent] {
			t.Fatalf("agent %d: event %d follows %d", agent, event, next[agent]-1)
		}
		next[agent]++
	}
	if lines != agents*events {
		t.Errorf("%d lines, want %d", lines, agents*events)
	}
}

// Writers that rotate at the same time lose nothing but what the one older file
// cannot hold, and every line stays whole.
func TestAppendRotates(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hooks.log")
	const max = 20_000
	var running []*exec.Cmd
	for i := range 4 {
		c := spawn(path, i, 1, 500, 50, max)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, c)
	}
	for _, c := range running {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	for _, p := range []string{path, path + ".1"} {
		content, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if len(content) > max || len(content) == 0 {
			t.Errorf("%s has %d bytes, the most is %d", p, len(content), max)
		}
		for line := range bytes.Lines(content) {
			if !bytes.HasPrefix(line, []byte(`{"agent":"codex"`)) || !bytes.HasSuffix(line, []byte("\"}}\n")) {
				t.Fatalf("not whole: %q", line)
			}
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 2 {
		t.Errorf("%d files", len(entries))
	}
	// A line larger than the limit is written all the same.
	big := filepath.Join(t.TempDir(), "big.log")
	for range 2 {
		if err := hookmon.Append(big, bytes.Repeat([]byte("y"), 100), 10); err != nil {
			t.Fatal(err)
		}
	}
	if st, err := os.Stat(big + ".1"); err != nil || st.Size() != 101 {
		t.Errorf("%v, %v", st, err)
	}
}

func TestAppendThroughLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.log"), filepath.Join(dir, "link.log")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := hookmon.Append(link, []byte("0123456789"), 25); err != nil {
			t.Fatal(err)
		}
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was renamed and not the log")
	}
	if st, err := os.Stat(real + ".1"); err != nil || st.Size() != 22 {
		t.Errorf("%v, %v", st, err)
	}
}

func TestAppendMendsATornLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hooks.log")
	if err := os.WriteFile(path, []byte("one\nhalf"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := hookmon.Append(path, []byte("two"), 0); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "one\nhalf\ntwo\n" {
		t.Errorf("got %q", got)
	}
}

func TestAppendFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := hookmon.Append(filepath.Join(dir, "no", "such", "folder"), []byte("x"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if err := hookmon.Append(dir, []byte("x"), 0); err == nil {
		t.Error("a folder takes lines")
	}
	if runtime.GOOS == "linux" {
		if err := hookmon.Append("/dev/full", []byte("x"), 0); err == nil {
			t.Error("a full disk takes lines")
		}
		if err := hookmon.Append(os.DevNull, []byte("x"), 5); err != nil {
			t.Errorf("a device: %v", err)
		}
	}
}

// A writer that holds the lock and does not go on costs time, not the line.
func TestAppendPastAStuckWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hooks.log")
	f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600) // the same lock
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var done sync.WaitGroup
	for i := range 3 {
		done.Go(func() {
			if err := hookmon.Append(path, fmt.Appendf(nil, "%d", i), 0); err != nil {
				t.Error(err)
			}
		})
	}
	finished := make(chan struct{})
	go func() { done.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-time.After(time.Minute):
		t.Fatal("the writers hang")
	}
	content, err := os.ReadFile(path)
	if err != nil || bytes.Count(content, []byte("\n")) != 3 {
		t.Errorf("got %q, %v", content, err)
	}
}
