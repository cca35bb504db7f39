package journal_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/journal"
)

// ids reads the whole journal and fails on any fault that is not expected.
func ids(t *testing.T, dir string, expect ...journal.FaultKind) []string {
	t.Helper()
	var out []string
	var faults []journal.FaultKind
	r := journal.NewReader(dir, journal.Position{})
	defer r.Close()
	for {
		line, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if line.Fault != nil {
			faults = append(faults, line.Fault.Kind)
		}
		if line.Record != nil {
			out = append(out, line.Record.ID)
		}
	}
	if diff := cmp.Diff(expect, faults); diff != "" {
		t.Errorf("faults (-want +got)\n%s", diff)
	}
	return out
}

func appendIDs(t *testing.T, dir string, size int64, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := journal.Append(t.Context(), dir, record(id), journal.Options{SegmentSize: size}); err != nil {
			t.Fatal(err)
		}
	}
}

func segmentFiles(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAppendAndRead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "journal")
	appendIDs(t, dir, 0, "ev_1")
	if err := journal.Append(t.Context(), dir, record("ev_2"), journal.Options{Sync: true}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ev_1", "ev_2"}, ids(t, dir)); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "00000001.jsonl"): 0o600, filepath.Join(dir, "lock"): 0o600} {
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", path, fi.Mode(), err, want)
		}
	}
	line, err := journal.NewReader(dir, journal.Position{}).Next()
	if err != nil {
		t.Fatal(err)
	}
	want := record("ev_1")
	want.V, want.Time = 1, want.Time.Truncate(time.Microsecond)
	want.Hash = line.Link
	if diff := cmp.Diff(want, *line.Record); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if string(want.Payload) != `{"tool_name":"Bash","unknown":[1,2]}` || want.Subject != "ls && echo <x>" {
		t.Errorf("payload %s, subject %s", want.Payload, want.Subject)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendIDs(t, dir, 1500, "1", "2", "3", "4", "5")
	if n := len(segmentFiles(t, dir)); n < 2 {
		t.Errorf("%d segments", n)
	}
	if diff := cmp.Diff([]string{"1", "2", "3", "4", "5"}, ids(t, dir)); diff != "" {
		t.Error(diff)
	}
	// A line larger than a segment has one of its own, and no segment is empty.
	appendIDs(t, dir, 10, "6", "7")
	ids(t, dir)
	for _, f := range segmentFiles(t, dir) {
		if fi, err := os.Stat(f); err != nil || fi.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
	// A writer that was killed after it began a segment.
	all := segmentFiles(t, dir)
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%08d.jsonl", len(all)+1)), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	appendIDs(t, dir, 0, "8")
	if got := ids(t, dir); len(got) != 8 {
		t.Errorf("%v", got)
	}
	// What is pruned leaves a chain that starts later.
	if err := os.Remove(all[0]); err != nil {
		t.Fatal(err)
	}
	appendIDs(t, dir, 0, "9")
	if got := ids(t, dir); len(got) >= 9 || got[len(got)-1] != "9" {
		t.Errorf("%v", got)
	}
}

func TestTornLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		left func(line []byte) []byte // what the killed writer left of line
		want []string
		kind []journal.FaultKind
	}{
		{"half", func(b []byte) []byte { return b[:len(b)/2] }, []string{"1", "3"}, []journal.FaultKind{journal.Torn}},
		{"one byte", func(b []byte) []byte { return b[:1] }, []string{"1", "3"}, []journal.FaultKind{journal.Torn}},
		{"all but a byte", func(b []byte) []byte { return b[:len(b)-2] }, []string{"1", "3"}, []journal.FaultKind{journal.Torn}},
		{"all but the newline", func(b []byte) []byte { return b[:len(b)-1] }, []string{"1", "2", "3"}, nil},
	} {
		for _, size := range []int64{0, 100} { // the next line in the same segment, and in a new one
			t.Run(fmt.Sprint(tt.name, size), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				appendIDs(t, dir, 0, "1", "2")
				file := segmentFiles(t, dir)[0]
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				second := bytes.IndexByte(b, '\n') + 1
				if err := os.WriteFile(file, append(b[:second:second], tt.left(b[second:])...), 0o600); err != nil {
					t.Fatal(err)
				}
				// Nothing is said of the line while it may still be written.
				if diff := cmp.Diff([]string{"1"}, ids(t, dir)); diff != "" {
					t.Error(diff)
				}
				if end, err := journal.End(dir); err != nil || end != (journal.Position{Segment: 1, Offset: int64(second)}) {
					t.Errorf("end %v, %v", end, err)
				}
				appendIDs(t, dir, size, "3")
				if diff := cmp.Diff(tt.want, ids(t, dir, tt.kind...)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestManyProcesses has 32 processes write at once through many rotations.
func TestManyProcesses(t *testing.T) {
	t.Parallel()
	const processes, lines = 32, 200
	dir := t.TempDir()
	acknowledged := runAll(t, dir, processes, fmt.Sprint(lines), "50000")
	got := ids(t, dir)
	if len(got) != processes*lines {
		t.Errorf("%d lines, want %d", len(got), processes*lines)
	}
	once(t, got, acknowledged)
	if n := len(segmentFiles(t, dir)); n < 20 {
		t.Errorf("only %d segments", n)
	}
}

// runAll starts the processes and returns the ids that they acknowledged.
func runAll(t *testing.T, dir string, processes int, args ...string) []string {
	t.Helper()
	var wg sync.WaitGroup
	outs := make([]bytes.Buffer, processes)
	for i := range processes {
		c := command(dir, append([]string{fmt.Sprintf("p%d", i)}, args...)...)
		c.Stdout = &outs[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := c.Wait(); err != nil {
				t.Errorf("%v: %s", err, outs[i].String())
			}
		})
	}
	wg.Wait()
	var all []string
	for i := range outs {
		all = append(all, strings.Fields(outs[i].String())...)
	}
	return all
}

// once checks that got has each wanted id, and none twice.
func once(t *testing.T, got, want []string) {
	t.Helper()
	count := map[string]int{}
	for _, id := range got {
		count[id]++
		if count[id] > 1 {
			t.Errorf("%s is there %d times", id, count[id])
		}
	}
	for _, id := range want {
		if count[id] == 0 {
			t.Errorf("%s was acknowledged and is lost", id)
		}
	}
}

// TestKilledWriters kills processes while they write.
func TestKilledWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var acknowledged []string
	for round := range 30 {
		var wg sync.WaitGroup
		var outs [3][]string
		for i := range outs {
			wg.Go(func() {
				outs[i] = killAfter(t, 1+(round*7+i*13)%40, command(dir, fmt.Sprintf("r%dp%d", round, i), "100000", "20000"))
			})
		}
		wg.Wait()
		for _, out := range outs {
			acknowledged = append(acknowledged, out...)
		}
	}
	appendIDs(t, dir, 0, "last")
	rep, err := journal.Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	var torn []journal.FaultKind
	for _, f := range rep.Faults {
		if f.Kind != journal.Torn {
			t.Error(f)
		}
		torn = append(torn, journal.Torn)
	}
	once(t, ids(t, dir, torn...), acknowledged)
}

// killAfter starts a process, kills it when it has acknowledged n lines, and
// returns all that it acknowledged.
func killAfter(t *testing.T, n int, c *exec.Cmd) []string {
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
			if err := c.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := c.Wait(); err == nil || len(lines) < n {
		t.Errorf("the process ended before it was killed: %v, %d lines", err, len(lines))
	}
	return lines
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := command(dir, "p", "100", "0", "limit")
	out, err := c.Output()
	words := strings.Fields(string(out))
	if err == nil || len(words) < 3 || strings.Join(words[len(words)-2:], " ") != "error full" {
		t.Fatalf("%v: %s", err, out)
	}
	// The half line was taken back, and with room the journal goes on.
	appendIDs(t, dir, 0, "last")
	if diff := cmp.Diff(append(words[:len(words)-2], "last"), ids(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	top, err := os.MkdirTemp("", "journal")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	dir := filepath.Join(top, "journal")
	appendIDs(t, dir, 0, "1")
	for path, mode := range map[string]os.FileMode{top: 0o755, dir: 0o555} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	out, err := command(dir, "p", "1", "0", "nobody").Output()
	if err == nil || string(out) != "error read-only\n" {
		t.Errorf("%v: %s", err, out)
	}
	if diff := cmp.Diff([]string{"1"}, ids(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestAppendErrors(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "no", "journal")
	err := journal.Append(t.Context(), missing, record("1"), journal.Options{})
	if !errors.Is(err, journal.ErrMissing) || len(hint.Of(err)) == 0 {
		t.Errorf("no parent: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := journal.Append(t.Context(), file, record("1"), journal.Options{}); err == nil {
		t.Error("a file was taken for the folder")
	}
	dir := t.TempDir()
	if err := journal.Append(t.Context(), dir, journal.Record{}, journal.Options{}); err == nil || len(segmentFiles(t, dir)) > 0 {
		t.Errorf("an empty record: %v", err)
	}
}

// TestBusy has somebody else hold the lock.
func TestBusy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := flock.New(filepath.Join(dir, "lock"))
	if err := l.Lock(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := journal.Append(ctx, dir, record("1"), journal.Options{}); !errors.Is(err, journal.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := journal.Append(ctx, dir, record("1"), journal.Options{}); !errors.Is(err, journal.ErrBusy) {
		t.Errorf("after the deadline: %v", err)
	}
	done := make(chan error)
	go func() { done <- journal.Append(t.Context(), dir, record("2"), journal.Options{}) }()
	time.Sleep(20 * time.Millisecond)
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"2"}, ids(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestFolderEmptied removes everything, the lock too, while writers write.
func TestFolderEmptied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 100 {
				if err := journal.Append(t.Context(), dir, record(fmt.Sprintf("%d-%d", i, j)), journal.Options{SegmentSize: 20000}); err != nil {
					t.Error(err)
				}
				if i == 0 && j == 50 {
					old, _ := filepath.Glob(filepath.Join(dir, "*"))
					for _, f := range old {
						_ = os.Remove(f)
					}
				}
			}
		})
	}
	wg.Wait()
	appendIDs(t, dir, 0, "last")
	rep, err := journal.Verify(dir)
	if err != nil || rep.Last != "last" {
		t.Errorf("%+v %v", rep, err)
	}
	for _, f := range rep.Faults {
		if f.Kind != journal.Gap {
			t.Error(f)
		}
	}
}

// TestNotFiles has pipes and folders where files should be; opening a pipe would
// wait forever.
func TestNotFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"lock", "00000001.jsonl"} {
		for kind, make := range map[string]func(string) error{
			"pipe":   func(p string) error { return syscall.Mkfifo(p, 0o600) },
			"folder": func(p string) error { return os.Mkdir(p, 0o700) },
		} {
			dir := t.TempDir()
			if err := make(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			if err := journal.Append(t.Context(), dir, record("1"), journal.Options{}); err == nil {
				t.Errorf("%s as a %s: appended", name, kind)
			}
			if _, err := journal.Verify(dir); err != nil {
				t.Errorf("%s as a %s: %v", name, kind, err)
			}
		}
	}
}

// TestEndlessLine has somebody write a great deal without a newline.
func TestEndlessLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendIDs(t, dir, 0, "1")
	f, err := os.OpenFile(segmentFiles(t, dir)[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before, err := journal.End(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(bytes.Repeat([]byte("x"), 5<<20)); err != nil {
		t.Fatal(err)
	}
	if end, err := journal.End(dir); err != nil || end != before {
		t.Errorf("end %v %v, want %v", end, err, before)
	}
	appendIDs(t, dir, 0, "2", "3")
	if diff := cmp.Diff([]string{"1", "2", "3"}, ids(t, dir, journal.Unreadable)); diff != "" {
		t.Error(diff)
	}
}
