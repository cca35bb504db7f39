//go:build unix

package install

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

func owner(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	st := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d:%d", st.Uid, st.Gid)
}

// Opening a pipe would wait for a writer that never comes.
func TestPipeIsNotRead(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.write(s.Path, "")
	os.Remove(s.Path)
	if err := syscall.Mkfifo(s.Path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := PlanInstall(s.Target, s.Options); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("error = %v", err)
	}
}
