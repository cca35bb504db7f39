//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mine reports whether a file belongs to the user that runs doctor.
func mine(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return !ok || int(sys.Uid) == os.Geteuid()
}

// writable reports whether new files can be made in a folder, read-only file
// systems included.
func writable(dir string) bool {
	return unix.Access(dir, unix.W_OK|unix.X_OK) == nil
}
