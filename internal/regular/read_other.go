//go:build !unix

package regular

import (
	"errors"
	"fmt"
	"io"
)

// Read reads a regular file, as [Open] opens it, of at most max bytes. The error
// does not name the path.
func Read(path string, max int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, Reason(err)
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
