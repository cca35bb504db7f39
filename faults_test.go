package main

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
)

// A fault of the machine around one hook: the verdict still comes in time, and
// whatever was recorded is in the ledger once when the fault is over.

// verdict runs a hook on a command in the home folder, started by start if it is
// not nil, and checks that it answers as wanted within the hook's own deadline.
func verdict(t *testing.T, home, use, command string, wantCode int, want string, start func(*exec.Cmd)) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := exec.Command("overseer", "hook", "PreToolUse", "--agent", "claude")
	c.Dir = home
	c.Env = []string{"HOME=" + home, "USER=dev", "PATH=" + os.Getenv("PATH")}
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(answeredEvent(use, command)), &stdout, &stderr
	if start != nil {
		start(c)
	}
	begun := time.Now()
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("answered after %v", took)
	}
	if code := c.ProcessState.ExitCode(); code != wantCode || !strings.Contains(stdout.String()+stderr.String(), want) {
		t.Errorf("%s: exit %d, stdout %q, stderr %q; want %d and %q", command, code, stdout.String(), stderr.String(), wantCode, want)
	}
}

// once checks that these events, and no others, are in the ledger once each.
func once(t *testing.T, run func(io.Reader, ...string) (string, string, int), want ...string) {
	t.Helper()
	got := uses(t, run)
	for _, use := range want {
		if got[use] != 1 {
			t.Errorf("%s is in the ledger %d times", use, got[use])
		}
	}
	if len(got) != len(want) {
		t.Errorf("the ledger has %v, want %v", got, want)
	}
	if out, stderr, code := run(nil, "ledger", "verify"); code != 0 {
		t.Errorf("verify: %s%s", out, stderr)
	}
}

// TestDiskFull fills the journal's file system (root mounts a small one), or else
// sets the file size limit, which gives the same errors of writing.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	home, run := scratch(t)
	verdict(t, home, "before", "echo fine", 0, `"allow"`, nil)
	t.Run("limit", func(t *testing.T) {
		limited := func(c *exec.Cmd) {
			c.Args = append([]string{"sh", "-c", `ulimit -f 1; exec "$0" "$@"`}, append([]string{c.Path}, c.Args[1:]...)...)
			c.Path = "/bin/sh"
		}
		for _, use := range []string{"l1", "l2"} {
			verdict(t, home, use, "rm -rf /", 2, "block-rm-rf-root", limited)
			verdict(t, home, use, "echo fine", 0, "no space left for the journal", limited)
		}
		once(t, run, "before")
	})
	verdict(t, home, "after", "echo fine", 0, `"allow"`, nil)
	once(t, run, "before", "after")
	t.Run("mount", func(t *testing.T) {
		mount := filepath.Join(home, ".overseer", "journal")
		smallDisk(t, mount, "64k")
		ballast := filepath.Join(mount, "ballast")
		fill(t, ballast)
		more := " # " + strings.Repeat("x", 8<<10) // than is free in the last block
		verdict(t, home, "full", "rm -rf /"+more, 2, "block-rm-rf-root", nil)
		verdict(t, home, "full", "echo fine"+more, 0, "no space left for the journal", nil)
		once(t, run, "before", "after")
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		verdict(t, home, "freed", "rm -rf /", 2, "block-rm-rf-root", nil)
		once(t, run, "before", "after", "freed")
	})
}

// smallDisk moves what is in a folder to a file system of so many bytes, which is
// gone at the test's end.
func smallDisk(t *testing.T, folder, size string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount; the file size limit above stands for it")
	}
	saved := filepath.Join(t.TempDir(), "saved")
	if err := os.Rename(folder, saved); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+size+",mode=700"); err != nil {
		t.Skipf("this root may not mount (%v); the file size limit above stands for it", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, 0); err != nil {
			t.Error(err)
		}
	})
	copyInto(t, saved, folder)
}

func copyInto(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// fill writes until nothing more fits.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 4096; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// TestReadOnlyFolders runs the hook as a user who may not write: root may, whatever
// the modes, and so runs it as another user.
func TestReadOnlyFolders(t *testing.T) {
	t.Parallel()
	home, run := scratch(t)
	verdict(t, home, "before", "echo fine", 0, `"allow"`, nil)
	once(t, run, "before")
	root := filepath.Join(home, ".overseer")
	chmod := func(dirs, files os.FileMode) {
		t.Helper()
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				return os.Chmod(path, dirs|0o500)
			}
			return os.Chmod(path, files)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var as func(*exec.Cmd)
	if os.Geteuid() == 0 {
		program, err := exec.LookPath("overseer")
		if err != nil {
			t.Fatal(err)
		}
		public, err := os.MkdirTemp("", "overseer-public")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(public) })
		b, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		for dir := home; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.Chmod(public, 0o755), os.WriteFile(filepath.Join(public, "overseer"), b, 0o755)); err != nil {
			t.Fatal(err)
		}
		as = func(c *exec.Cmd) {
			c.Path = filepath.Join(public, "overseer")
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
	}
	chmod(0o555, 0o444)
	verdict(t, home, "readonly", "rm -rf /", 2, "block-rm-rf-root", as)
	verdict(t, home, "readonly", "echo fine", 0, "the journal may not be written", as)
	chmod(0o700, 0o600)
	verdict(t, home, "after", "echo fine", 0, `"allow"`, nil)
	once(t, run, "before", "after")
}

// TestLedgerFaults has a ledger that is locked, and one that is garbage, while hooks
// run, also where an ask is at stake, for which a hook looks into the ledger.
func TestLedgerFaults(t *testing.T) {
	t.Parallel()
	home, run := scratch(t)
	verdict(t, home, "1", "git clean -fd", 0, `"ask"`, nil)
	once(t, run, "1")
	path := filepath.Join(home, ".overseer", "ledger", "ledger.db")

	db, err := driver.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(`DELETE FROM faults`); err != nil { // holds the lock
		t.Fatal(err)
	}
	verdict(t, home, "2", "git clean -fd", 0, `"ask"`, nil)
	verdict(t, home, "3", "echo fine", 0, `"allow"`, nil)
	if _, stderr, code := run(nil, "ledger", "tail"); code == 0 || !strings.Contains(stderr, "locked by another process") {
		t.Errorf("tail: %d %s", code, stderr)
	}
	if err := errors.Join(tx.Rollback(), db.Close()); err != nil {
		t.Fatal(err)
	}
	once(t, run, "1", "2", "3")

	if err := os.WriteFile(path, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	verdict(t, home, "4", "git clean -fd", 0, `"ask"`, nil)
	verdict(t, home, "5", "rm -rf /", 2, "block-rm-rf-root", nil)
	if _, stderr, code := run(nil, "ledger", "tail"); code == 0 || !strings.Contains(stderr, "overseer ledger repair") {
		t.Errorf("tail: %d %s", code, stderr)
	}
	if out, stderr, code := run(nil, "ledger", "repair"); code != 0 {
		t.Errorf("repair: %s%s", out, stderr)
	}
	once(t, run, "1", "2", "3", "4", "5")
}

// TestTornLine has half a line at the journal's end, as a killed writer leaves it.
func TestTornLine(t *testing.T) {
	t.Parallel()
	home, run := scratch(t)
	verdict(t, home, "1", "echo fine", 0, `"allow"`, nil)
	f, err := os.OpenFile(filepath.Join(home, ".overseer", "journal", "00000001.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"v":1,"kind":"event","id":"ev_half","tim`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	verdict(t, home, "2", "echo fine", 0, `"allow"`, nil)
	for range 2 { // every reader says so
		if _, stderr, code := run(nil, "ledger", "tail"); code != 0 || !strings.Contains(stderr, "(ev_half) is cut off: its writer was killed") {
			t.Errorf("tail: %d %s", code, stderr)
		}
	}
	if out, stderr, code := run(nil, "ledger", "repair"); code != 0 || !strings.Contains(out, "set aside 1 damaged line") {
		t.Errorf("repair: %s%s", out, stderr)
	}
	if _, stderr, _ := run(nil, "ledger", "tail"); stderr != "" {
		t.Errorf("still reported: %s", stderr)
	}
	verdict(t, home, "3", "echo fine", 0, `"allow"`, nil)
	once(t, run, "1", "2", "3")
}
