//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// others is a file of another user's.
type others struct{ fs.FileInfo }

func (others) Sys() any { return &syscall.Stat_t{Uid: uint32(os.Geteuid()) + 1} }

func TestMine(t *testing.T) {
	t.Parallel()
	st, err := os.Stat(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !mine(st) {
		t.Error("a file of mine is not mine")
	}
	if mine(others{st}) {
		t.Error("a file of another user's is mine")
	}
}
