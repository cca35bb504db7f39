//go:build unix

package regular

import (
	"fmt"
	"syscall"
)

// Read reads a regular file, also behind a link, of at most max bytes. Anything else
// is not even opened. The error does not name the path.
//
// It does not use os.File, which offers every file that may block to the poller: a
// hook reads a dozen files, and none of them can wait.
func Read(path string, max int64) ([]byte, error) {
	var st syscall.Stat_t
	if err := again(func() error { return syscall.Stat(path, &st) }); err != nil {
		return nil, err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, ErrNot
	}
	var fd int
	err := again(func() (err error) {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|nonblock, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	if err := again(func() error { return syscall.Fstat(fd, &st) }); err != nil {
		return nil, err
	}
	switch {
	case st.Mode&syscall.S_IFMT != syscall.S_IFREG: // it was replaced meanwhile
		return nil, ErrNot
	case st.Size > max:
		return nil, fmt.Errorf("larger than %d KiB", max>>10)
	}
	b := make([]byte, st.Size)
	for n := 0; n < len(b); {
		var m int
		err := again(func() (err error) {
			m, err = syscall.Read(fd, b[n:])
			return err
		})
		if err != nil || m == 0 { // none is left: it was cut meanwhile
			return b[:n], err
		}
		n += m
	}
	return b, nil
}

// again calls f until no signal interrupts it.
func again(f func() error) error {
	for {
		if err := f(); err != syscall.EINTR {
			return err
		}
	}
}
