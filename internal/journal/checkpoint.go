package journal

import (
	"context"
	"fmt"
	"os"
	"time"
)

// maxVouched is how many hashes one checkpoint holds: at two hashes each, they fill
// most of the 64 KiB of a line.
const maxVouched = 400

// Deed is what is done to lines that were written before: by whom, by what, when.
type Deed struct {
	// ID is the id of the checkpoint that vouches for it, see [NewID].
	ID   string
	Time time.Time
	// By is the person, if there is one, Source one of the sources of checkpoints.
	By, Source string
	Note       string
}

// Checkpoint appends to the journal in dir that deed was done: to the lines of
// span, with vouched naming those that now stand for others (see
// [Record.Vouched]) and known the faults that are settled by it. Long lists take
// several lines, of which the first has the deed's id. It is synced to the disk.
func Checkpoint(ctx context.Context, dir string, d Deed, span Span, vouched, known []string) error {
	id := d.ID
	for {
		n, k := min(len(vouched), maxVouched), min(len(known), maxVouched)
		if n > 0 {
			k = 0 // each line has one list
		}
		r := Record{
			Kind: KindCheckpoint, ID: id, Time: d.Time, By: d.By, Source: d.Source, Note: d.Note, Target: d.ID,
			Span: &span, Vouched: vouched[:n], Known: known[:k],
		}
		if err := Append(ctx, dir, r, Options{Sync: true}); err != nil {
			return err
		}
		if vouched, known = vouched[n:], known[k:]; len(vouched)+len(known) == 0 {
			return nil
		}
		id = NewID("cp", d.Time)
	}
}

// vouch is the entry of [Record.Vouched] for a line that now stands for the line,
// or the last of the lines, with the hash was.
func vouch(was, hash string) string { return was + ":" + hash }

// Replace makes the line that stands for another: with a new body, the same prev,
// and the other's link as what it was. It returns what a checkpoint has to vouch.
func Replace(body []byte, prev, was string) (line []byte, vouched string) {
	if inner := statedWasOfBody(body); inner {
		body = append(body[:len(body)-len(wasMember)-hashLen-2:len(body)-len(wasMember)-hashLen-2], '}')
	}
	body = append(body[:len(body)-1:len(body)-1], wasMember+was+`"}`...)
	line = seal(body, prev)
	return line, vouch(was, statedHash(line))
}

// statedWasOfBody reports whether a body ends with a "was" member already.
func statedWasOfBody(body []byte) bool {
	n := len(wasMember) + hashLen + 2
	return len(body) > n && string(body[len(body)-n:len(body)-n+len(wasMember)]) == wasMember && isHex(body[len(body)-hashLen-2:len(body)-2])
}

// Tombstone makes the line that stands where the lines of span were: prev is what
// the first of them stated, was the link of the last.
func Tombstone(d Deed, span Span, prev, was string) (line []byte, vouched string, err error) {
	r := Record{Kind: KindRemoved, ID: NewID("rm", d.Time), Time: d.Time, By: d.By, Source: d.Source, Target: d.ID, Span: &span}
	body, err := r.body(nil)
	if err != nil {
		return nil, "", fmt.Errorf("tombstone: %w", err)
	}
	line, vouched = Replace(body, prev, was)
	return line, vouched, nil
}

// Rotate begins a new segment, so that those before it will not grow any more. It
// does nothing while the last one is empty.
func Rotate(ctx context.Context, dir string) error {
	unlock, err := lock(ctx, dir)
	if err != nil {
		return fmt.Errorf("rotate journal: %w", classify(dir, err))
	}
	defer unlock()
	all, err := segments(dir)
	if err != nil || len(all) == 0 {
		return err
	}
	n := all[len(all)-1]
	if fi, err := os.Stat(segmentPath(dir, n)); err != nil || fi.Size() == 0 {
		return err
	}
	f, err := os.OpenFile(segmentPath(dir, n+1), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("rotate journal: %w", classify(dir, err))
	}
	return f.Close()
}
