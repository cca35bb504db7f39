// Package regular reads files that a stranger may have put there. A cloned
// repository can hold links to /dev/zero and a folder can hold pipes: such a file
// must neither keep a hook waiting nor fill its memory.
package regular

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNot is the error for what is no regular file.
var ErrNot = errors.New("not a regular file")

// Open opens a regular file for reading, also behind a link. Anything else is not
// even opened. The error does not name the path.
func Open(path string) (*os.File, error) {
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
	// It may have been replaced since.
	if st, err = f.Stat(); err == nil && !st.Mode().IsRegular() {
		err = ErrNot
	}
	if err != nil {
		f.Close()
		return nil, Reason(err)
	}
	return f, nil
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
