//go:build linux && !race

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger/ledgertest"
)

// terminal is a pseudo terminal: what is written to tty can be read from here.
func terminal(t *testing.T) (here, tty *os.File) {
	t.Helper()
	here, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { here.Close() })
	if err := unix.IoctlSetPointerInt(int(here.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(here.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return here, tty
}

// TestProgress takes in a journal that takes longer than a second: a terminal sees
// how far it is, and a file or a pipe nothing.
func TestProgress(t *testing.T) {
	t.Parallel()
	home, run := scratch(t)
	dir := filepath.Join(home, ".overseer", "journal")
	sample := ledgertest.NewSample(1)
	for range 60 {
		var bodies [][]byte
		for range 1000 {
			body, err := journal.Body(sample.Next())
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, body)
		}
		if err := journal.AppendBodies(t.Context(), dir, bodies); err != nil {
			t.Fatal(err)
		}
	}
	db := filepath.Join(home, ".overseer", "ledger", "ledger.db")
	here, tty := terminal(t)
	c := exec.Command("overseer", "ledger", "tail", "-n", "1")
	c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	c.Stderr = tty
	shown := make(chan string)
	go func() {
		b, _ := io.ReadAll(here) // ends with an error when the terminal is closed
		shown <- string(b)
	}()
	if err := c.Run(); err != nil {
		t.Error(err)
	}
	tty.Close()
	if s := <-shown; !strings.Contains(s, "\rtaking in the journal: ") || !strings.HasSuffix(s, "\r\x1b[K") {
		t.Errorf("the terminal saw %q", s)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(db + suffix)
	}
	if _, stderr, code := run(nil, "ledger", "tail", "-n", "1"); code != 0 || stderr != "" {
		t.Errorf("a pipe saw %q, exit %d", stderr, code)
	}
}
