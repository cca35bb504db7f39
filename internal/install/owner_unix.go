//go:build unix

package install

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner of the file that it will replace: under sudo the
// person's settings must not become root's.
func keepOwner(f *os.File, old fs.FileInfo) error {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	now, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if now.Uid != was.Uid {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return fmt.Errorf("keep the file's owner: %w", err)
		}
	} else if now.Gid != was.Gid {
		_ = f.Chown(-1, int(was.Gid)) // only for a group that the person is in
	}
	return nil
}
