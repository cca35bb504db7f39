package journal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/journal"
)

// rewrite changes the lines of the only segment.
func rewrite(t *testing.T, dir string, change func(lines [][]byte) [][]byte) {
	t.Helper()
	file := segmentFiles(t, dir)[0]
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := change(bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")))
	if err := os.WriteFile(file, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	replace := func(i int, old, new string) func([][]byte) [][]byte {
		return func(l [][]byte) [][]byte { l[i] = bytes.Replace(l[i], []byte(old), []byte(new), 1); return l }
	}
	insert := func(i int, line string) func([][]byte) [][]byte {
		return func(l [][]byte) [][]byte {
			return append(append(append([][]byte{}, l[:i]...), []byte(line)), l[i:]...)
		}
	}
	type finding struct {
		ID   string
		Kind journal.FaultKind
	}
	tests := []struct {
		name   string
		change func([][]byte) [][]byte
		want   []finding
	}{
		{"nothing", func(l [][]byte) [][]byte { return l }, nil},
		{"edited", replace(1, `"decision":"allow"`, `"decision":"deny"`), []finding{{"ev_1", journal.Edited}}},
		{"edited time", replace(2, `2026`, `2027`), []finding{{"ev_2", journal.Edited}}},
		{"space added", replace(2, `,"agent"`, `, "agent"`), []finding{{"ev_2", journal.Edited}}},
		{"removed", func(l [][]byte) [][]byte { return append(l[:1:1], l[2:]...) }, []finding{{"ev_2", journal.Gap}}},
		{"first removed", func(l [][]byte) [][]byte { return l[1:] }, []finding{{"ev_1", journal.Gap}}},
		{"swapped", func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l },
			[]finding{{"ev_2", journal.Gap}, {"ev_1", journal.Gap}, {"ev_3", journal.Gap}}},
		{"repeated", func(l [][]byte) [][]byte { return append(l[:2:2], l[1:]...) }, []finding{{"ev_1", journal.Gap}}},
		{"hash edited", replace(1, `"hash":"`, `"hash":"0`), []finding{{"ev_1", journal.Edited}, {"ev_2", journal.Gap}}},
		{"inserted without a hash", insert(1, `{"v":1,"kind":"outcome","id":"oc_x","time":"2026-01-01T00:00:00Z","target":"ev_1","decision":"allow"}`),
			[]finding{{"oc_x", journal.Edited}, {"ev_1", journal.Gap}}},
		{"garbage", insert(2, "garbage"), []finding{{"", journal.Unreadable}, {"ev_2", journal.Gap}}},
		{"empty line", insert(2, ""), []finding{{"", journal.Unreadable}, {"ev_2", journal.Gap}}},
		{"other JSON", insert(2, `[1]`), []finding{{"", journal.Unreadable}, {"ev_2", journal.Gap}}},
		{"wrong types", insert(2, `{"v":1,"kind":"event","id":"ev_x","session":[]}`), []finding{{"ev_x", journal.Edited}, {"ev_2", journal.Gap}}},
		{"broken in two", replace(1, `"kind"`, "\n"), []finding{{"", journal.Torn}, {"ev_1", journal.Unreadable}}},
		{"huge line", insert(2, strings.Repeat("x", 3<<20)), []finding{{"", journal.Unreadable}, {"ev_2", journal.Gap}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			appendIDs(t, dir, 0, "ev_0", "ev_1", "ev_2", "ev_3")
			rewrite(t, dir, tt.change)
			rep, err := journal.Verify(dir)
			if err != nil {
				t.Fatal(err)
			}
			var got []finding
			for _, f := range rep.Faults {
				got = append(got, finding{f.ID, f.Kind})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if rep.Last != "ev_3" || rep.Segments != 1 {
				t.Errorf("%+v", rep)
			}
			// Whatever was done to it, the journal goes on, and the new line follows.
			before := len(rep.Faults)
			appendIDs(t, dir, 0, "ev_4")
			if rep, err = journal.Verify(dir); err != nil || len(rep.Faults) != before || rep.Last != "ev_4" {
				t.Errorf("after another line: %+v %v", rep, err)
			}
		})
	}
}

func TestReaderFromAnyPosition(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := []string{"1", "2", "3", "4", "5", "6"}
	appendIDs(t, dir, 1500, want...)
	positions := []journal.Position{{}}
	r := journal.NewReader(dir, journal.Position{})
	for range want {
		line, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if prev, known, err := journal.LinkAt(dir, line.Next); err != nil || !known || prev != line.Link {
			t.Errorf("link at %v: %q %v %v, want %q", line.Next, prev, known, err, line.Link)
		}
		positions = append(positions, line.Next)
	}
	for i, p := range positions {
		r := journal.NewReader(dir, p)
		for _, id := range want[i:] {
			line, err := r.Next()
			if err != nil || line.Fault != nil || line.Record.ID != id {
				t.Errorf("from %v: %+v %v, want %s", p, line, err, id)
			}
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("from %v: %v at the end", p, err)
		}
	}
	end, err := journal.End(dir)
	if err != nil || end != positions[len(positions)-1] {
		t.Errorf("end %v %v", end, err)
	}
	if _, known, err := journal.LinkAt(dir, journal.Position{Segment: 1, Offset: 1 << 30}); known || err != nil {
		t.Errorf("a place that is not there is known: %v", err)
	}
	// The same reader goes on when there is more.
	if _, err := r.Next(); err != io.EOF {
		t.Fatal(err)
	}
	appendIDs(t, dir, 1500, "7")
	if line, err := r.Next(); err != nil || line.Record.ID != "7" || line.Fault != nil {
		t.Errorf("%+v %v", line, err)
	}
}

func TestReaderOfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, d := range []string{dir, dir + "/missing"} {
		if _, err := journal.NewReader(d, journal.Position{}).Next(); err != io.EOF {
			t.Errorf("%s: %v", d, err)
		}
		if end, err := journal.End(d); err != nil || end != (journal.Position{}) {
			t.Errorf("%s: %v %v", d, end, err)
		}
	}
}

func TestNewerVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendIDs(t, dir, 0, "1")
	if err := journal.AppendRaw(dir, `{"v":2,"kind":"event","id":"2","time":"2026-01-01T00:00:00Z","session":["another","type"]}`); err != nil {
		t.Fatal(err)
	}
	r := journal.NewReader(dir, journal.Position{})
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, journal.ErrNewer) {
			t.Errorf("got %v", err)
		}
	}
}

// TestSoundButNoRecord has lines with a right hash that are no records.
func TestSoundButNoRecord(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"v":1}`, `{"v":1,"kind":"event","id":"2","session":[]}`, `{}`} {
		dir := t.TempDir()
		appendIDs(t, dir, 0, "1")
		if err := journal.AppendRaw(dir, body); err != nil {
			t.Fatal(err)
		}
		appendIDs(t, dir, 0, "3")
		if diff := cmp.Diff([]string{"1", "3"}, ids(t, dir, journal.Unreadable)); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendIDs(t, dir, 0, "old")
	end, err := journal.End(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 50 {
			appendIDs(t, dir, 5000, fmt.Sprint(i))
		}
	})
	n := 0
	for line, err := range journal.Follow(ctx, dir, end) {
		if err != nil || line.Fault != nil || line.Record.ID != fmt.Sprint(n) {
			t.Fatalf("%+v %v, want %d", line, err, n)
		}
		if n++; n == 50 {
			cancel()
		}
	}
	wg.Wait()
	if n != 50 {
		t.Errorf("%d lines", n)
	}
}
