//go:build linux || darwin

package hookmon_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fireharp/overseer/internal/hookmon"
)

// A pipe that nobody reads must not hold up the agent.
func TestAppendToAPipeNobodyReads(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() { got <- hookmon.Append(path, []byte("x"), 0) }()
	select {
	case err := <-got:
		if err == nil {
			t.Error("the line is lost without an error")
		}
	case <-time.After(time.Minute):
		t.Fatal("it hangs")
	}
}
