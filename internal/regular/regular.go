// Package regular reads files that a stranger may have put there. A cloned
// repository can hold links to /dev/zero and a folder can hold pipes: such a file
// must neither keep a hook waiting nor fill its memory.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNot is the error for what is no regular file.
var ErrNot = errors.New("not a regular file")

// Read reads a regular file, also behind a link, of at most max bytes. Anything
// else is not even opened. The error does not name the path.
func Read(path string, max int64) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, Reason(err)
	}
	if !st.Mode().IsRegular() {
		return nil, ErrNot
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, Reason(err)
	}
	defer f.Close()
	// It may have been replaced since, or still be growing.
	if st, err = f.Stat(); err != nil {
		return nil, Reason(err)
	}
	switch {
	case !st.Mode().IsRegular():
		return nil, ErrNot
	case st.Size() > max:
		return nil, fmt.Errorf("larger than %d KiB", max>>10)
	}
	b := make([]byte, st.Size())
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.ErrUnexpectedEOF) { // it was cut meanwhile
		err = nil
	}
	return b[:n], Reason(err)
}

// Reason drops the path that os puts before an error, for those who name the file
// themselves.
func Reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
