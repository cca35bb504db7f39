package journal_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/journal"
)

func deed(source string) journal.Deed {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	return journal.Deed{ID: journal.NewID("cp", now), Time: now, By: "dev", Source: source}
}

// lines reads all that the journal has, and fails on any fault.
func lines(t *testing.T, dir string) (out []journal.Line) {
	t.Helper()
	r := journal.NewReader(dir, journal.Position{})
	defer r.Close()
	for {
		line, err := r.Next()
		if err != nil {
			return out
		}
		if line.Fault != nil {
			t.Errorf("%v", line.Fault)
		}
		out = append(out, line)
	}
}

func names(all []journal.Line) (out []string) {
	for _, l := range all {
		switch l.Record.Kind {
		case journal.KindRemoved:
			s := l.Record.Span
			out = append(out, fmt.Sprintf("%d from %s to %s", s.Lines, s.First, s.Last))
		case journal.KindCheckpoint:
			out = append(out, l.Record.Source)
		default:
			out = append(out, l.Record.ID)
		}
	}
	return out
}

// finish writes the checkpoint and commits.
func finish(t *testing.T, dir string, w *journal.Rewriting) {
	t.Helper()
	span := w.Removed
	span.Lines += w.Rewritten.Lines
	if err := journal.Checkpoint(t.Context(), dir, w.Deed, span, w.Vouched, w.Known); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	vouched := map[string]bool{}
	all := lines(t, dir)
	for _, l := range all {
		for _, v := range l.Record.Vouched {
			vouched[v] = true
		}
	}
	for _, l := range all {
		if l.Record.Was != "" && !vouched[l.Record.Was+":"+l.Record.Hash] {
			t.Errorf("%s is not vouched for", l.Record.ID)
		}
	}
}

func TestRewrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendIDs(t, dir, 1500, "1", "2", "3", "4", "5", "6", "7")
	before := names(lines(t, dir))
	edit := func(remove, change string) func(*journal.Line) (journal.Edit, error) {
		return func(l *journal.Line) (journal.Edit, error) {
			switch {
			case strings.Contains(remove, l.Record.ID) || l.Record.Kind == journal.KindRemoved:
				return journal.Edit{Remove: true}, nil
			case strings.Contains(change, l.Record.ID):
				body, _, _, _ := journal.Split(l.Raw)
				return journal.Edit{Body: bytes.ReplaceAll(body, []byte("echo"), []byte("eeee"))}, nil
			}
			return journal.Edit{}, nil
		}
	}
	dry, err := journal.PlanRewrite(t.Context(), dir, deed(journal.SourcePrune), true, edit("12", "7"))
	if err != nil || dry.Removed.Lines != 2 || dry.Rewritten.Lines != 1 {
		t.Errorf("%+v %v", dry, err)
	}
	if diff := cmp.Diff(before, names(lines(t, dir))); diff != "" {
		t.Error(diff)
	}
	if w, err := journal.PlanRewrite(t.Context(), dir, deed(journal.SourcePrune), false, edit("", "")); err != nil || len(w.Vouched) > 0 || len(w.Segments) > 0 {
		t.Errorf("%+v %v", w, err)
	} else {
		w.Discard()
	}
	w, err := journal.PlanRewrite(t.Context(), dir, deed(journal.SourceRedact), false, edit("245", "367"))
	if err != nil {
		t.Fatal(err)
	}
	appendIDs(t, dir, 0, "8") // while it is planned
	finish(t, dir, w)
	got := lines(t, dir)
	want := []string{"1", "1 from 2 to 2", "3", "1 from 4 to 4", "1 from 5 to 5", "6", "7", "8", "ledger redact"}
	if s := names(got); len(s) == 8 { // where a segment ends between 4 and 5 depends on the lines' length
		want = []string{"1", "1 from 2 to 2", "3", "2 from 4 to 5", "6", "7", "8", "ledger redact"}
	}
	if diff := cmp.Diff(want, names(got)); diff != "" {
		t.Error(diff)
	}
	for _, l := range got {
		if changed := l.Record.Subject == "ls && eeee <x>"; changed != strings.Contains("367", l.Record.ID) {
			t.Errorf("%s: %s", l.Record.ID, l.Record.Subject)
		}
	}
	// Again, over what was rewritten.
	w, err = journal.PlanRewrite(t.Context(), dir, deed(journal.SourcePrune), false, edit("1 3 6", ""))
	if err != nil || w.Removed.Lines != 3 {
		t.Fatal(w, err)
	}
	finish(t, dir, w)
	for _, l := range lines(t, dir) {
		if l.Record.Kind == journal.KindEvent && strings.Contains("123456", l.Record.ID) {
			t.Errorf("%s is still there", l.Record.ID)
		}
	}
	appendIDs(t, dir, 0, "9")
	lines(t, dir)
	if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestSetAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendIDs(t, dir, 0, "ev_0", "ev_1", "ev_2", "ev_3")
	rewrite(t, dir, func(l [][]byte) [][]byte {
		l[1] = bytes.Replace(l[1], []byte("allow"), []byte("deny"), 1)
		return append(l[:3:3], append([][]byte{[]byte("{half"), bytes.Repeat([]byte("x"), 3<<20)}, l[3:]...)...)
	})
	w, err := journal.PlanRewrite(t.Context(), dir, deed(journal.SourceRepair), false, func(l *journal.Line) (journal.Edit, error) {
		return journal.Edit{Remove: !l.Sound(), SetAside: true}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.Checkpoint(t.Context(), dir, w.Deed, w.Removed, w.Vouched, w.Known); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	rep, err := journal.Verify(dir)
	if err != nil || len(rep.Faults) != 1 || rep.Faults[0].Kind != journal.Gap || rep.Faults[0].ID != "ev_3" {
		t.Errorf("%+v %v", rep, err)
	}
	aside, err := os.ReadFile(filepath.Join(dir, journal.SetAsideFile))
	if err != nil || bytes.Count(aside, []byte("\n")) != 3 || !bytes.Contains(aside, []byte("ev_1")) || len(aside) < 3<<20 || len(w.Known) != 3 {
		t.Errorf("%d bytes, %v, %v", len(aside), w.Known, err)
	}
}

func TestRetire(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := []string{"1", "2", "3", "4", "5", "6", "7", "8"}
	appendIDs(t, dir, 1500, all...)
	end, err := journal.End(dir)
	if err != nil || end.Segment < 4 {
		t.Fatal(end, err)
	}
	later := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	plan := func(p journal.Position, cutoff time.Time) *journal.Rewriting {
		w, err := journal.PlanRetire(t.Context(), dir, deed(journal.SourceKeep), false, p, cutoff)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, nothing := range []struct {
		place  journal.Position
		cutoff time.Time
	}{{end, time.Time{}}, {journal.Position{Segment: 1, Offset: 100}, later}} {
		w := plan(nothing.place, nothing.cutoff)
		if w.Removed.Lines > 0 || len(w.Segments) > 0 {
			t.Errorf("%+v", w)
		}
		w.Discard()
	}
	for place := 2; place <= end.Segment+1; place++ {
		w := plan(journal.Position{Segment: place}, later)
		if place == end.Segment+1 { // the last one stays, so nothing is left to do
			if len(w.Segments) > 0 {
				t.Errorf("%+v", w)
			}
			w.Discard()
			break
		}
		if len(w.Segments) == 0 || w.Removed.First != "1" {
			t.Fatalf("%d: %+v", place, w)
		}
		finish(t, dir, w)
		got := lines(t, dir)
		if got[0].Record.Kind != journal.KindRemoved || got[0].Record.Span.Lines != w.Removed.Lines || got[0].At.Segment != place-1 {
			t.Errorf("%d: %+v", place, got[0])
		}
	}
	if got := names(lines(t, dir)); got[1] != "8" && got[1] != "7" {
		t.Errorf("%v", got)
	}
}

// TestKilledRetire puts back what a killed process would have left.
func TestKilledRetire(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendIDs(t, dir, 1500, "1", "2", "3", "4", "5", "6")
	first, err := os.ReadFile(filepath.Join(dir, "00000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	later := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	w, err := journal.PlanRetire(t.Context(), dir, deed(journal.SourceKeep), false, journal.Position{Segment: 3}, later)
	if err != nil {
		t.Fatal(err)
	}
	finish(t, dir, w)
	want := names(lines(t, dir))
	for name, content := range map[string][]byte{"00000001.jsonl": first, "00000003.jsonl.new": first} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err = journal.PlanRetire(t.Context(), dir, deed(journal.SourceKeep), false, journal.Position{}, later)
	if err != nil {
		t.Fatal(err)
	}
	w.Discard()
	if diff := cmp.Diff(want, names(lines(t, dir))); diff != "" {
		t.Error(diff)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
