// Package atomicfile replaces a file in one step, so that a reader sees the old
// content or the new, also when the machine stops in between.
package atomicfile

import (
	"os"
	"path/filepath"
)

// Write puts content into a temporary file beside path, syncs it to disk and
// renames it over path. A symbolic link is followed: its target is replaced.
func Write(path string, content []byte, mode os.FileMode) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
