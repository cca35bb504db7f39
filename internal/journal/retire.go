package journal

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// PlanRetire prepares the removal of the oldest segments: those whose lines are
// all before place, so that a ledger has them, and were all written before the
// time cutoff. Of the last of them one line is left, which stands for all of their
// lines. The last segment there is stays, and so does a damaged line with all that
// comes after it. See [PlanRewrite] for what is done with a plan; here the readers'
// places hold.
func PlanRetire(ctx context.Context, dir string, d Deed, dry bool, place Position, cutoff time.Time) (*Rewriting, error) {
	w := &Rewriting{Deed: d, dir: dir, unlock: func() {}}
	err := w.retire(ctx, dry, place, cutoff)
	if err != nil {
		w.Discard()
		return nil, fmt.Errorf("retire journal: %w", classify(dir, err))
	}
	return w, nil
}

// Retirable reports whether PlanRetire may find something, at the price of one look
// into the folder and at one file's time.
func Retirable(dir string, place Position, cutoff time.Time) bool {
	all, err := segments(dir)
	if err != nil || len(all) < 2 || all[0] >= place.Segment {
		return false
	}
	for _, n := range all[:min(2, len(all)-1)] { // the first may be what an earlier one left
		fi, err := os.Stat(segmentPath(dir, n))
		if err == nil && n < place.Segment && fi.Size() > maxTombstone && fi.ModTime().Before(cutoff) {
			return true
		}
	}
	return false
}

// maxTombstone is more than a segment of one removed line takes.
const maxTombstone = 2 << 10

func (w *Rewriting) retire(ctx context.Context, dry bool, place Position, cutoff time.Time) error {
	all, err := w.begin(ctx, dry)
	if err != nil || len(all) < 2 {
		return err
	}
	var gone whole // of all segments that go
	end := -1
	for _, n := range all[:len(all)-1] {
		if n >= place.Segment {
			break
		}
		seg, err := w.readWhole(ctx, n, cutoff)
		if err != nil {
			return err
		}
		if !seg.goes {
			break
		}
		if gone.lines == 0 {
			gone.prev = seg.prev
		}
		if seg.lines > 0 {
			gone.add(seg.Span.Lines, seg.First, seg.Last)
			gone.was = seg.was
		}
		gone.lines += seg.lines
		end = n
	}
	if end == all[0] && gone.lines <= 1 || gone.lines == 0 {
		return nil // it is what an earlier call left
	}
	w.Removed = gone.Span
	return w.stageRetired(all, end, gone.run, dry)
}

// whole is a segment that goes as a whole, if goes is true.
type whole struct {
	run
	lines int // in the file, while the span counts what they stand for
	goes  bool
}

func (w *Rewriting) readWhole(ctx context.Context, n int, cutoff time.Time) (seg whole, err error) {
	r := NewReader(w.dir, Position{Segment: n})
	defer r.Close()
	for {
		if err := ctx.Err(); err != nil {
			return seg, err
		}
		line, err := r.Next()
		if err == io.EOF || err == nil && line.At.Segment != n {
			seg.goes = true
			return seg, nil
		}
		if err != nil || line.Fault != nil || line.Record.Time.After(cutoff) {
			return seg, err
		}
		if seg.lines == 0 {
			seg.prev = line.Prev
		}
		seg.lines++
		seg.add(line.Record.span())
		seg.was = line.Link
	}
}

// stageRetired stages one line in segment end for all up to it.
func (w *Rewriting) stageRetired(all []int, end int, r run, dry bool) error {
	for _, n := range all {
		if n <= end {
			w.Segments = append(w.Segments, n)
		}
	}
	line, vouched, err := Tombstone(w.Deed, r.Span, r.prev, r.was)
	if err != nil {
		return err
	}
	w.Vouched = []string{vouched}
	if dry {
		return nil
	}
	path := segmentPath(w.dir, end) + newSuffix
	if err := os.WriteFile(path, append(line, '\n'), 0o600); err != nil {
		return err
	}
	w.staged = append(w.staged, staged{end, path})
	for _, n := range w.Segments[:len(w.Segments)-1] {
		w.staged = append(w.staged, staged{n: n})
	}
	return nil
}
