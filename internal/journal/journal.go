// Package journal is the hook's own record: every event with its verdict, and
// every human outcome, as one JSON line appended to a numbered segment file.
//
// It exists so that a hook process waits for one write and nothing else. No
// database is opened, and a killed process, a locked database or a team server
// that is away cost no event: whoever reads the ledger takes the journal in
// first, from where the last reader stopped.
//
// Each line carries a hash over itself and over the hash of the line before it,
// across segments, so that an edited, removed or reordered line can be named
// (see [Verify]). Writers of all processes take turns through one lock file.
//
// This package is on the path of every hook process. It imports neither net nor
// os/user, and does nothing at start-up.
package journal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/fireharp/overseer/internal/hint"
)

// DefaultSegmentSize is the size at which a new segment is begun. A segment is
// the unit that can be removed once it is in the ledger: at about 1 KiB a line,
// 64 MiB hold some weeks of one person's work.
const DefaultSegmentSize = 64 << 20

// maxLine bounds the lines that are written; a reader accepts up to maxReadLine,
// so that a later version may write longer ones.
const (
	maxLine     = 64 << 10
	maxReadLine = 1 << 20
)

// The reasons why a journal cannot be written, for errors.Is.
var (
	// ErrBusy means that other writers held the lock until the context ended.
	ErrBusy = errors.New("other processes kept the journal locked")
	// ErrFull means that the disk, the quota or the file size limit is used up.
	// Nothing of the line is left in the file.
	ErrFull = errors.New("no space left for the journal")
	// ErrReadOnly means that the file system or the permissions forbid writing.
	ErrReadOnly = errors.New("the journal may not be written")
	// ErrMissing means that the folder that should hold the journal's is not there.
	ErrMissing = errors.New("there is no folder for the journal")
)

// classify adds to an error of the operating system what it means for the
// journal and what the person can do about it.
func classify(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return hint.Wrap(&cause{ErrFull, err}, "free some space on the disk of %s", dir)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return hint.Wrap(&cause{ErrReadOnly, err}, "make %s writable for you: chmod u+rwx %s", dir, dir)
	case errors.Is(err, fs.ErrNotExist):
		return hint.Wrap(&cause{ErrMissing, err}, "run: overseer init")
	}
	return err
}

// Writable fails with what keeps a line from being written to the journal in dir,
// and a hint. It tries that with a file that it removes again.
func Writable(dir string) error {
	f, err := os.CreateTemp(dir, ".try-*")
	if err != nil {
		return classify(dir, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, maxLine))
	return classify(dir, errors.Join(err, f.Close()))
}

// cause is an error of the operating system under one of this package's names.
type cause struct{ is, err error }

func (c *cause) Error() string   { return c.is.Error() + ": " + c.err.Error() }
func (c *cause) Unwrap() []error { return []error{c.is, c.err} }
