package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/fireharp/overseer/internal/redact"
)

// Options say how a line is appended. The zero value is a plain append.
type Options struct {
	// Sync waits until the line is on the disk, as for deny and ask.
	Sync bool
	// SegmentSize is the size at which a new segment is begun, 0 for
	// [DefaultSegmentSize].
	SegmentSize int64
	// Secrets are taken out of the record's texts before they are cut; nil keeps
	// all as it is.
	Secrets *redact.Set
}

// Append adds r to the journal in dir as one line by one write, and returns when
// the line is in the file. Writers of all processes take turns; waiting for one's
// turn ends with ctx and gives [ErrBusy]. A folder that is missing is made if its
// parent exists. After an error nothing of the line is left, except where only
// the sync failed. The errors to expect are [ErrBusy], [ErrFull], [ErrReadOnly]
// and [ErrMissing].
func Append(ctx context.Context, dir string, r Record, o Options) error {
	if err := appendRecord(ctx, dir, r, o); err != nil {
		return fmt.Errorf("append to journal: %w", classify(dir, err))
	}
	return nil
}

func appendRecord(ctx context.Context, dir string, r Record, o Options) error {
	body, err := r.body(o.Secrets)
	if err != nil {
		return err
	}
	unlock, err := lock(ctx, dir)
	if err != nil {
		return err
	}
	f, created, err := appendLocked(dir, body, o)
	unlock()
	if err != nil {
		return err
	}
	defer f.Close()
	if !o.Sync {
		return nil
	}
	// The lock is free again: the next writer need not wait for our disk.
	if err := f.Sync(); err != nil {
		return err
	}
	if created {
		return syncDir(dir)
	}
	return nil
}

// turn is how many lines AppendBodies writes before others get theirs.
const turn = 200

// AppendBodies adds to the journal in dir records that come from another one: their
// own JSON as [Split] gives it, which becomes as many lines of this chain. Other
// writers get their turn in between. After an error some are there and the rest
// not. It syncs at the end.
func AppendBodies(ctx context.Context, dir string, bodies [][]byte) error {
	for len(bodies) > 0 {
		n := min(turn, len(bodies))
		unlock, err := lock(ctx, dir)
		if err != nil {
			return fmt.Errorf("append to journal: %w", classify(dir, err))
		}
		for i, body := range bodies[:n] {
			f, _, e := appendLocked(dir, body, Options{})
			if e != nil {
				err = e
				break
			}
			if i == n-1 {
				err = f.Sync()
			}
			err = errors.Join(err, f.Close())
		}
		unlock()
		if err != nil {
			return fmt.Errorf("append to journal: %w", classify(dir, err))
		}
		bodies = bodies[n:]
	}
	return nil
}

// appendLocked writes the line while the lock is held. created tells that the
// segment is new.
func appendLocked(dir string, body []byte, o Options) (f *os.File, created bool, err error) {
	all, err := segments(dir)
	if err != nil {
		return nil, false, err
	}
	n := 1
	if len(all) > 0 {
		n = all[len(all)-1]
	}
	f, size, prev, torn, err := openSegment(dir, n)
	if err != nil {
		return nil, false, err
	}
	created = len(all) == 0
	if size == 0 && !created {
		// A writer began this segment and was killed before it wrote.
		if prev, _, err = LinkAt(dir, Position{Segment: n}); err != nil {
			f.Close()
			return nil, false, err
		}
	}
	line := seal(body, prev)
	if limit := o.limit(); size > 0 && size+int64(len(line)) >= limit {
		f.Close()
		created, torn = true, false
		if f, size, _, _, err = openSegment(dir, n+1); err != nil {
			return nil, false, err
		}
	}
	if torn {
		// The writer before us was killed in the middle of its line. What it left
		// becomes a line of its own, which the reader sets aside.
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		err = errors.Join(err, f.Truncate(size))
		f.Close()
		return nil, false, err
	}
	return f, created, nil
}

func (o Options) limit() int64 {
	if o.SegmentSize > 0 {
		return o.SegmentSize
	}
	return DefaultSegmentSize
}

// openSegment opens segment n for appending, making it if needed, and reads where
// the chain stands at its end.
func openSegment(dir string, n int) (f *os.File, size int64, prev string, torn bool, err error) {
	f, err = os.OpenFile(segmentPath(dir, n), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, "", false, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", f.Name())
	}
	if err != nil {
		f.Close()
		return nil, 0, "", false, err
	}
	line, torn, err := lastLine(f, fi.Size())
	if err != nil {
		f.Close()
		return nil, 0, "", false, err
	}
	if fi.Size() > 0 {
		prev = link(line)
	}
	return f, fi.Size(), prev, torn, nil
}

// lockName is the file whose lock the writers share. It stays empty.
const lockName = "lock"

// lock takes the journal's lock, waiting until ctx ends. The wait is the kernel's
// own queue and not a poll, so that of many writers none starves.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, busy(err)
	}
	for {
		l := flock.New(filepath.Join(dir, lockName))
		if fi, err := os.Lstat(l.Path()); err == nil && !fi.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is no file", l.Path()) // opening a pipe would wait forever
		}
		locked, err := l.TryLock()
		if errors.Is(err, fs.ErrNotExist) {
			if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
			locked, err = l.TryLock()
		}
		if err != nil {
			return nil, err
		}
		if !locked {
			if err := wait(ctx, l); err != nil {
				return nil, err
			}
		}
		// Somebody may have emptied the folder while we waited; a lock on a file
		// that is gone keeps nobody out.
		mine, err := l.Stat()
		if err == nil {
			if theirs, err := os.Stat(l.Path()); err == nil && os.SameFile(mine, theirs) {
				return func() { _ = l.Unlock() }, nil
			}
		}
		_ = l.Unlock()
		if err := ctx.Err(); err != nil {
			return nil, busy(err)
		}
	}
}

// wait blocks until l is locked or ctx ends. A lock that comes too late is given
// back.
func wait(ctx context.Context, l *flock.Flock) error {
	done := make(chan error, 1)
	go func() { done <- l.Lock() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		go func() {
			if <-done == nil {
				_ = l.Unlock()
			}
		}()
		return busy(ctx.Err())
	}
}

func busy(err error) error { return &cause{ErrBusy, err} }

// syncDir makes a new file's name last, where the system can do that.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
