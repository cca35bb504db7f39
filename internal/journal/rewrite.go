package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/fireharp/overseer/internal/redact"
)

// Edit says what becomes of a line of the journal. The zero Edit leaves it as it is.
type Edit struct {
	// Body, if set, is the record's new JSON, without its place in the chain.
	Body []byte
	// Remove takes the line out, SetAside besides copies it to [SetAsideFile].
	Remove, SetAside bool
}

// SetAsideFile is where in the journal's folder damaged lines go that were taken
// out, as they were.
const SetAsideFile = "set-aside.txt"

// Rewriting is a change of lines that were written before: planned, but not made.
type Rewriting struct {
	// Deed is who changes them and why.
	Deed Deed
	// Removed and Rewritten count the lines.
	Removed, Rewritten Span
	// Vouched is what a checkpoint has to list before [Rewriting.Commit].
	Vouched []string
	// Known are the keys of the faults of removed lines.
	Known []string
	// Tombstones are the lines that stand for those that are removed.
	Tombstones [][]byte
	// Segments are the numbers of the files that change.
	Segments []int

	dir    string
	unlock func()
	staged []staged
	aside  []byte
}

// staged is a segment's new content: a file beside it, or none for no segment.
type staged struct {
	n    int
	path string
}

// newSuffix is that of a segment's new content before it replaces the old.
const newSuffix = ".new"

// rewriteLock keeps those apart that change what was written before. Writers of
// new lines do not wait for it.
const rewriteLock = "rewrite.lock"

// exclusive takes the rewriters' lock and finishes what a killed one left.
func exclusive(ctx context.Context, dir string) (unlock func(), err error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(dir, rewriteLock), flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			err = busy(err)
		}
		return nil, err
	}
	unlock = func() { _ = l.Unlock() }
	if err := tidy(dir); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// PlanRewrite asks edit about every line that is in the journal now, damaged ones
// included, and prepares new files for the segments that change. Nothing that a
// reader sees is changed before [Rewriting.Commit]; until then, or until
// [Rewriting.Discard], other rewriters wait. A segment that is still written to is
// closed first if it changes.
//
// A rewritten line keeps its place in the chain, and of removed lines one is left
// that says so; both say by [Record.Was] what stood there. A checkpoint with
// [Rewriting.Vouched] has to be in the journal before the commit, and every reader
// that keeps its place must have read that checkpoint: places in changed segments
// do not hold.
//
// With dry nothing is written, and there is nothing to commit.
func PlanRewrite(ctx context.Context, dir string, d Deed, dry bool, edit func(*Line) (Edit, error)) (*Rewriting, error) {
	w := &Rewriting{Deed: d, dir: dir, unlock: func() {}}
	err := w.plan(ctx, dry, edit)
	if err != nil {
		w.Discard()
		return nil, fmt.Errorf("rewrite journal: %w", classify(dir, err))
	}
	return w, nil
}

// begin takes the journal for itself, unless nothing is to be written, and lists the
// segments that there are.
func (w *Rewriting) begin(ctx context.Context, dry bool) ([]int, error) {
	if !dry {
		unlock, err := exclusive(ctx, w.dir)
		if err != nil {
			return nil, err
		}
		w.unlock = unlock
	}
	return segments(w.dir)
}

func (w *Rewriting) plan(ctx context.Context, dry bool, edit func(*Line) (Edit, error)) error {
	all, err := w.begin(ctx, dry)
	if err != nil {
		return err
	}
	for i, n := range all {
		if i < len(all)-1 || dry {
			if _, err := w.segment(ctx, n, !dry, edit); err != nil {
				return err
			}
			continue
		}
		// The last one may grow. Only if it changes, it is closed and done over.
		trial := &Rewriting{Deed: w.Deed, dir: w.dir}
		changes, err := trial.segment(ctx, n, false, edit)
		if err != nil || !changes {
			return err
		}
		if err := Rotate(ctx, w.dir); err != nil {
			return err
		}
		if _, err := w.segment(ctx, n, true, edit); err != nil {
			return err
		}
	}
	return nil
}

// segment asks edit about the lines of segment n and counts. With write it stages
// the new content, if there is any.
func (w *Rewriting) segment(ctx context.Context, n int, write bool, edit func(*Line) (Edit, error)) (changes bool, err error) {
	before := w.Removed.Lines + w.Rewritten.Lines
	old, err := os.Open(segmentPath(w.dir, n))
	if err != nil {
		return false, err
	}
	defer old.Close()
	out := &rewriter{Rewriting: w, old: old}
	if write {
		if err := out.create(n); err != nil {
			return false, err
		}
		defer out.drop()
	}
	r := NewReader(w.dir, Position{Segment: n})
	defer r.Close()
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		line, err := r.Next()
		if err == io.EOF || err == nil && line.At.Segment != n {
			break
		}
		if err != nil {
			return false, err
		}
		e, err := edit(&line)
		if err != nil {
			return false, err
		}
		if err := out.line(&line, e); err != nil {
			return false, err
		}
	}
	if err := out.flush(); err != nil {
		return false, err
	}
	changes = w.Removed.Lines+w.Rewritten.Lines > before
	if !changes || !write {
		return changes, nil
	}
	w.Segments = append(w.Segments, n)
	return true, out.stage(n)
}

// rewriter writes one segment's new content. Without a file it only counts.
type rewriter struct {
	*Rewriting
	old *os.File
	f   *os.File
	w   *bufio.Writer
	run run
}

// run is an unbroken row of removed lines.
type run struct {
	Span
	prev, was string
}

func (r *rewriter) create(n int) (err error) {
	r.f, err = os.OpenFile(segmentPath(r.dir, n)+newSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	r.w = bufio.NewWriterSize(r.f, 256<<10)
	return err
}

// drop removes a file that was not staged.
func (r *rewriter) drop() {
	if r.f != nil {
		_ = r.f.Close()
		_ = os.Remove(r.f.Name())
	}
}

// stage syncs the new content, to be put in place by Commit.
func (r *rewriter) stage(n int) error {
	if err := errors.Join(r.w.Flush(), r.f.Sync(), r.f.Close()); err != nil {
		return err
	}
	r.staged = append(r.staged, staged{n, r.f.Name()})
	r.f = nil
	return nil
}

func (r *rewriter) line(l *Line, e Edit) error {
	n, first, last := 1, "", ""
	switch {
	case l.Record != nil:
		n, first, last = l.Record.span()
	case l.Fault != nil:
		first, last = l.Fault.ID, l.Fault.ID
	}
	switch {
	case e.Remove:
		if r.run.Lines == 0 {
			r.run.prev = l.Prev
		}
		r.run.add(n, first, last)
		r.run.was = l.Link
		if l.Record == nil || l.Record.Kind != KindRemoved {
			r.Removed.add(n, first, last)
		}
		if l.Fault != nil && !l.Sound() {
			r.Known = append(r.Known, l.Fault.Key())
		}
		if e.SetAside {
			return r.setAside(l)
		}
		return nil
	case e.Body != nil:
		if err := r.flush(); err != nil {
			return err
		}
		line, vouched := Replace(e.Body, l.Prev, l.Link)
		r.Vouched = append(r.Vouched, vouched)
		r.Rewritten.add(n, first, last)
		return r.put(line)
	}
	if err := r.flush(); err != nil || r.w == nil {
		return err
	}
	// As it is, byte for byte, also where the reader held only the beginning.
	size, length := l.Next.Offset-l.At.Offset, int64(len(l.Raw))
	if !l.Sound() {
		length = l.Fault.Length
	}
	_, err := io.Copy(r.w, io.NewSectionReader(r.old, l.At.Offset, size))
	if err == nil && size == length {
		err = r.w.WriteByte('\n') // the last line of the segment had none
	}
	return err
}

// flush ends a run of removed lines with the line that stands for them.
func (r *rewriter) flush() error {
	if r.run.Lines == 0 {
		return nil
	}
	line, vouched, err := Tombstone(r.Deed, r.run.Span, r.run.prev, r.run.was)
	if err != nil {
		return err
	}
	r.Vouched = append(r.Vouched, vouched)
	r.Tombstones = append(r.Tombstones, line)
	r.run = run{}
	return r.put(line)
}

func (r *rewriter) put(line []byte) error {
	if r.w == nil {
		return nil
	}
	_, err := r.w.Write(append(line, '\n'))
	return err
}

// setAside keeps the bytes of a line for [SetAsideFile].
func (r *rewriter) setAside(l *Line) error {
	b := make([]byte, l.Next.Offset-l.At.Offset)
	if _, err := r.old.ReadAt(b, l.At.Offset); err != nil {
		return err
	}
	r.aside = append(append(r.aside, bytes.TrimSuffix(b, []byte{'\n'})...), '\n')
	return nil
}

// Commit puts the new content in place. The checkpoint must have been written.
func (w *Rewriting) Commit() error {
	defer w.Discard()
	if err := w.commit(); err != nil {
		return fmt.Errorf("rewrite journal: %w", classify(w.dir, err))
	}
	return nil
}

func (w *Rewriting) commit() error {
	if len(w.aside) > 0 {
		f, err := os.OpenFile(filepath.Join(w.dir, SetAsideFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(w.aside)
		if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	for len(w.staged) > 0 {
		s := w.staged[0]
		var err error
		if s.path == "" {
			err = os.Remove(segmentPath(w.dir, s.n))
		} else {
			err = os.Rename(s.path, segmentPath(w.dir, s.n))
		}
		if err != nil {
			return err
		}
		w.staged = w.staged[1:]
	}
	return syncDir(w.dir)
}

// Discard gives up what was not committed, and lets other rewriters go on. It may
// be called after Commit.
func (w *Rewriting) Discard() {
	for _, s := range w.staged {
		if s.path != "" {
			_ = os.Remove(s.path)
		}
	}
	w.staged = nil
	w.unlock()
	w.unlock = func() {}
}

// tidy finishes what a killed rewriter left: new content that no commit reached,
// and old segments that a line in a later one already stands for.
func tidy(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, "*"+suffix+newSuffix))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	all, err := segments(dir)
	if err != nil || len(all) < 2 {
		return err
	}
	first, err := firstLine(dir, all[0])
	if err != nil || first == nil {
		return err
	}
	for i := len(all) - 1; i > 0; i-- {
		l, err := firstLine(dir, all[i])
		if err != nil {
			return err
		}
		if l == nil || l.Record == nil || l.Record.Kind != KindRemoved || l.Prev != first.Prev {
			continue
		}
		for _, n := range all[:i] {
			if err := os.Remove(segmentPath(dir, n)); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// firstLine reads the first line of a segment, nil if it has none.
func firstLine(dir string, n int) (*Line, error) {
	r := NewReader(dir, Position{Segment: n})
	defer r.Close()
	line, err := r.Next()
	if err == io.EOF || err == nil && line.At.Segment != n {
		return nil, nil
	}
	return &line, err
}

// RedactedBody is the record's JSON without the secrets in its texts, nil if it
// holds none.
func RedactedBody(r *Record, secrets *redact.Set) ([]byte, error) {
	was := *r
	was.Prev, was.Hash, was.Was = "", "", ""
	clean := Redact(was, secrets)
	before, after := encode(&was), encode(&clean)
	if bytes.Equal(before, after) {
		return nil, nil
	}
	if len(after) > maxReadLine-chainSize || !json.Valid(after) {
		return nil, fmt.Errorf("record %s cannot be redacted", r.ID)
	}
	return after, nil
}

// Body is the JSON of a record that comes from elsewhere, without a place in the
// chain; see [AppendBodies].
func Body(r Record) ([]byte, error) {
	r.Prev, r.Hash, r.Was = "", "", ""
	body := encode(&r)
	if len(body) > maxReadLine-chainSize || bytes.IndexByte(body, '\n') >= 0 || !json.Valid(body) {
		return nil, fmt.Errorf("record %s is no line of a journal", r.ID)
	}
	return body, nil
}
