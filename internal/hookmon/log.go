package hookmon

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lockWait is how long a writer waits for its turn. One write takes microseconds;
// whoever holds the lock for longer is stopped or ill, and must not cost us the
// line.
const lockWait = 2 * time.Second

// Append adds one line to a log file by one write, so that the lines of processes
// that write at the same time neither mix nor get lost. line has no line break.
// The file is made if it is missing, readable by its owner only; its folder is not.
//
// A maxSize above 0 renames a file that the line would make larger to path.1,
// which replaces an older one.
//
// Writers take turns under a lock on the file itself. On file systems without
// locks, or behind a writer that does not go on, the line is written all the same:
// O_APPEND alone keeps lines whole on a local disk.
func Append(path string, line []byte, maxSize int64) error {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return appendPlain(path, line) // /dev/stderr, a pipe
	}
	line = append(line, '\n')
	// A file may be renamed while we wait for its lock; then the next one is ours.
	for range 1000 {
		f, locked, err := open(path)
		if err != nil {
			return err
		}
		done := true
		if locked {
			done, err = appendLocked(f, path, line, maxSize)
		} else {
			_, err = f.Write(line)
		}
		if cerr := f.Close(); err == nil { // which also gives the lock back
			err = cerr
		}
		if done || err != nil {
			return err
		}
	}
	return fmt.Errorf("append to %s: it is replaced all the time", path)
}

// appendLocked writes to a locked file; done is false where the file is no longer
// the one at path.
func appendLocked(f *os.File, path string, line []byte, maxSize int64) (done bool, err error) {
	st, err := f.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Stat(path)
	if err != nil || !os.SameFile(st, now) {
		return false, nil
	}
	size := st.Size()
	if maxSize > 0 && size > 0 && size+int64(len(line)) > maxSize {
		if rotate(path) == nil {
			return false, nil
		}
		// A log that cannot be renamed goes on growing: better than losing lines.
	}
	if size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err == nil && last[0] != '\n' {
			// The writer before us was killed in the middle of its line.
			line = append([]byte{'\n'}, line...)
		}
	}
	if _, err := f.Write(line); err != nil {
		return true, errors.Join(err, f.Truncate(size)) // a full disk: no half lines
	}
	return true, nil
}

// rotate renames the file itself, not a link to it.
func rotate(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return os.Rename(real, real+".1")
}

// open opens the file and locks it, if that can be had within lockWait. It tries
// again and again instead of queueing: a queue hands the lock to a process that
// must first be woken, which on a busy machine takes a hundred times as long as the
// write. A file that may be written and not read is not locked.
func open(path string) (f *os.File, locked bool, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, os.ErrPermission) {
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
		return f, false, err
	}
	if err != nil {
		return nil, false, err
	}
	pause := 20 * time.Microsecond
	for end := time.Now().Add(lockWait); ; pause = min(2*pause, 2*time.Millisecond) {
		switch locked, err := tryLock(f); {
		case err != nil: // a file system without locks
			return f, false, nil
		case locked:
			return f, true, nil
		case time.Now().After(end):
			return f, false, nil
		}
		time.Sleep(pause/2 + rand.N(pause))
	}
}

// appendPlain is one write without a lock. A pipe that nobody reads is an error,
// not a reason to wait.
func appendPlain(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
