package sqlite_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/sqlite"
)

// killAfter starts a process, kills it a delay after it has said n lines, and
// returns all that it said.
func killAfter(t *testing.T, n int, delay time.Duration, c *exec.Cmd) []string {
	pipe, err := c.StdoutPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	if err := c.Start(); err != nil {
		t.Error(err)
		return nil
	}
	var lines []string
	for in := bufio.NewReader(pipe); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		if lines = append(lines, strings.TrimSpace(line)); len(lines) == n {
			time.Sleep(delay)
			if err := c.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := c.Wait(); err == nil || len(lines) < n {
		t.Errorf("the process ended before it was killed: %v: %v", err, lines)
	}
	return lines
}

// TestKilledProcesses kills writers and readers while they work. In the end every
// line that a writer acknowledged is in the ledger once.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var acknowledged []string
	for round := range 8 {
		var writers, readers sync.WaitGroup
		var outs [3][]string
		for i := range outs {
			writers.Go(func() {
				c := command(dir, "write", fmt.Sprintf("%d-%d", round, i), "1000000")
				outs[i] = killAfter(t, 100+(round*31+i*17)%100, 0, c)
			})
		}
		done := make(chan struct{})
		for i := range 2 {
			readers.Go(func() {
				for n := i; ; n++ {
					lines := killAfter(t, 1+n%3, time.Duration(n*7%20)*time.Millisecond/4, command(dir, "read"))
					if strings.Contains(strings.Join(lines, ","), "error") {
						t.Error(lines)
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		writers.Wait()
		close(done)
		readers.Wait()
		for _, out := range outs {
			acknowledged = append(acknowledged, out...)
		}
	}
	if err := journal.Append(t.Context(), journalDir(dir), record("ev_last"), journal.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), ledgerPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if in, err := s.TakeIn(t.Context(), journalDir(dir), nil); err != nil || in.Duplicates > 0 || in.Replaced {
		t.Errorf("%+v %v", in, err)
	}
	faults, err := s.Faults(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if f.Kind != journal.Torn {
			t.Error(f)
		}
	}
	all, err := s.Tail(t.Context(), ledger.Query{N: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, e := range all {
		if count[e.ID]++; count[e.ID] > 1 {
			t.Errorf("%s is there twice", e.ID)
		}
	}
	for i, id := range append(acknowledged, "ev_last") {
		if count[id] != 1 {
			t.Errorf("%s was acknowledged and is there %d times", id, count[id])
		}
		if i%97 != 0 {
			continue
		}
		found, err := s.Search(t.Context(), strings.TrimPrefix(id, "ev_"), 10000)
		if err != nil || !has(found, id) {
			t.Fatalf("%s is not found by its words: %v", id, err)
		}
	}
	t.Logf("%d lines acknowledged, %d in the ledger, %d torn", len(acknowledged), len(all), len(faults))
}

func has(entries []ledger.Entry, id string) bool {
	for _, e := range entries {
		if e.ID == id {
			return true
		}
	}
	return false
}

// TestManyProcessesOpen has a dozen processes create the same ledger at once.
func TestManyProcessesOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 50 {
		if err := journal.Append(t.Context(), journalDir(dir), record(fmt.Sprintf("ev_%d", i)), journal.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			if out, err := command(dir, "once").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	s, err := sqlite.Open(t.Context(), ledgerPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if all, err := s.Tail(t.Context(), ledger.Query{N: 1000}); err != nil || len(all) != 50 {
		t.Errorf("%d entries, %v", len(all), err)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const n = 400
	for i := range n {
		if err := journal.Append(t.Context(), journalDir(dir), record(fmt.Sprintf("ev_%d", i)), journal.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	out, err := command(dir, "once", "limit").Output()
	if err == nil || !strings.HasPrefix(string(out), "error ") {
		t.Errorf("%v: %s", err, out)
	}
	s, err := sqlite.Open(t.Context(), ledgerPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.TakeIn(t.Context(), journalDir(dir), nil); err != nil {
		t.Error(err)
	}
	if all, err := s.Tail(t.Context(), ledger.Query{N: 1000}); err != nil || len(all) != n {
		t.Errorf("%d entries, %v", len(all), err)
	}
}

// TestReadOnlyFolder has another user read a ledger that is not theirs.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	add := func(id string) {
		if err := journal.Append(t.Context(), journalDir(dir), record(id), journal.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	add("ev_1")
	if err := takeIn(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	add("ev_2")
	for path, mode := range map[string]os.FileMode{
		dir: 0o755, journalDir(dir): 0o755, filepath.Join(journalDir(dir), "00000001.jsonl"): 0o644, filepath.Dir(ledgerPath(dir)): 0o555, ledgerPath(dir): 0o444,
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	c := command(dir, "tail", "nobody")
	c.Stdout = &out
	if err := c.Run(); err != nil || out.String() != "true read-only\nev_1\n" {
		t.Errorf("%v: %s", err, out.String())
	}
}
