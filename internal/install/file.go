package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/fireharp/overseer/internal/hint"
)

// maxLinks is how many symlinks in a row are followed, as on Linux.
const maxLinks = 40

// file is a settings file as found on disk.
type file struct {
	path   string // as named
	real   string // behind symlinks; where the bytes are or will be
	exists bool
	data   []byte
	info   fs.FileInfo // nil if it does not exist
}

// readFile reads the file behind path; one that does not exist is no error,
// also where path is a symlink that points to nothing yet.
func readFile(path string) (file, error) {
	f := file{path: path}
	real, err := resolve(path)
	if err != nil {
		return f, err
	}
	f.real = real
	info, err := os.Lstat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if real != path && !exists(filepath.Dir(real)) {
			return f, hint.Wrap(fmt.Errorf("%s is a symlink to %s, whose folder does not exist", path, real),
				"make the folder, or remove the symlink")
		}
		return f, nil
	case err != nil:
		return f, fmt.Errorf("read settings: %w", err)
	case info.IsDir():
		return f, fmt.Errorf("read settings: %s is a folder, not a file", real)
	case !info.Mode().IsRegular():
		return f, fmt.Errorf("read settings: %s is not a regular file (%s)", real, info.Mode().Type())
	}
	if f.data, err = os.ReadFile(real); err != nil {
		return f, fmt.Errorf("read settings: %w", err)
	}
	f.exists, f.info = true, info
	return f, nil
}

// resolve follows the symlinks that path itself is, so that the file behind
// them is replaced and not the link. The last one may point to nothing.
func resolve(path string) (string, error) {
	start := path
	for range maxLinks {
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link, or not there; reading it will tell
		}
		if !filepath.IsAbs(link) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", fmt.Errorf("follow symlink %s: %w", start, err)
			}
			link = filepath.Join(dir, link)
		}
		path = link
	}
	return "", fmt.Errorf("follow symlink %s: it leads in a circle", start)
}

// writable refuses a file or a folder that was made read-only. A rename would
// replace such a file all the same, and root is not held back by modes.
func (f file) writable() error {
	const help = "make it writable, or change the file at the place that it is generated from"
	if f.exists && f.info.Mode().Perm()&0o222 == 0 {
		return hint.Wrap(fmt.Errorf("%s is read-only (mode %04o); nothing is written", f.real, f.info.Mode().Perm()), help)
	}
	dir := filepath.Dir(f.real)
	info, err := os.Stat(dir)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o222 == 0 {
		return hint.Wrap(fmt.Errorf("the folder %s is read-only (mode %04o); nothing is written", dir, info.Mode().Perm()), help)
	}
	return nil
}

// writeFile replaces the file at path, which is no symlink, in one step:
// readers see the old content or the new. Mode and owner stay as in old; a
// file that is new gets mode.
func writeFile(path string, data []byte, old fs.FileInfo, mode fs.FileMode) (err error) {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".overseer-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(data); err != nil {
		return err
	}
	if old != nil {
		mode = old.Mode().Perm()
		if err = keepOwner(tmp, old); err != nil {
			return err
		}
	}
	if err = tmp.Chmod(mode); err != nil {
		return err
	}
	if err = tmp.Sync(); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	syncFolder(dir)
	return nil
}

// syncFolder makes the rename last through a power cut, where the system can.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// missingFolders lists dir and its parents that do not exist, outermost first.
func missingFolders(dir string) []string {
	var out []string
	for !exists(dir) && dir != filepath.Dir(dir) {
		out = append(out, dir)
		dir = filepath.Dir(dir)
	}
	slices.Reverse(out)
	return out
}

// exists reports whether something is at path, also a dangling symlink.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// removeEmpty removes a folder if it is one and has nothing in it.
func removeEmpty(dir string) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		_ = os.Remove(dir)
	}
}
