package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLedgerFull has no room for the ledger: what was recorded can be read all the
// same, what the journal alone has too, and nothing is lost.
func TestLedgerFull(t *testing.T) {
	t.Parallel()
	// read runs the reading commands, started by start.
	read := func(t *testing.T, home string, start func(*exec.Cmd)) {
		t.Helper()
		id := ""
		for _, tt := range []struct {
			args []string
			want []string
		}{
			{[]string{"ledger", "tail"}, []string{"echo taken-in", "echo waiting"}},
			{[]string{"ledger", "tail", "-n", "1", "--json"}, []string{"echo waiting"}},
			{[]string{"ledger", "search", "echo"}, []string{"echo waiting", "echo taken-in"}},
			{[]string{"ledger", "export"}, []string{"echo taken-in"}},
			{[]string{"ledger", "verify"}, []string{"the chain is whole"}},
			{[]string{"why", "ID"}, []string{"subject    echo waiting"}},
		} {
			if tt.args[0] == "why" {
				tt.args[1] = id
			}
			var stdout, stderr bytes.Buffer
			c := exec.Command("overseer", tt.args...)
			c.Dir = home
			c.Env = []string{"HOME=" + home, "USER=dev", "PATH=" + os.Getenv("PATH")}
			c.Stdout, c.Stderr = &stdout, &stderr
			start(c)
			if err := c.Run(); err != nil {
				t.Errorf("%v: %v %s", tt.args, err, stderr.String())
			}
			at := 0
			for _, want := range tt.want {
				i := strings.Index(stdout.String()[at:], want)
				if i < 0 {
					t.Errorf("%v: %q lacks %q", tt.args, stdout.String(), want)
					break
				}
				at += i
			}
			if !strings.Contains(stderr.String(), "warning: what is new is not in the ledger yet: ") || !strings.Contains(stderr.String(), "no space left for the ledger") {
				t.Errorf("%v says %q", tt.args, stderr.String())
			}
			if _, rest, ok := strings.Cut(stdout.String(), `"id":"`); ok && tt.args[1] == "tail" {
				id, _, _ = strings.Cut(rest, `"`)
			}
		}
	}
	home, run := scratch(t)
	verdict(t, home, "one", "echo taken-in", 0, `"allow"`, nil)
	once(t, run, "one")
	verdict(t, home, "two", "echo waiting", 0, `"allow"`, nil)
	t.Run("limit", func(t *testing.T) {
		read(t, home, func(c *exec.Cmd) {
			c.Args = append([]string{"sh", "-c", `ulimit -f 1; exec "$0" "$@"`}, append([]string{c.Path}, c.Args[1:]...)...)
			c.Path = "/bin/sh"
		})
	})
	once(t, run, "one", "two")

	t.Run("mount", func(t *testing.T) {
		mount := filepath.Join(home, ".overseer", "ledger")
		smallDisk(t, mount, "1m")
		if err := os.Chmod(filepath.Join(mount, "ledger.db"), 0o600); err != nil {
			t.Fatal(err)
		}
		verdict(t, home, "three", "echo waiting", 0, `"allow"`, nil)
		ballast := filepath.Join(mount, "ballast")
		fill(t, ballast)
		read(t, home, func(*exec.Cmd) {})
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		once(t, run, "one", "two", "three")
		if out, stderr, code := run(nil, "ledger", "check"); code != 0 {
			t.Errorf("check: %s%s", out, stderr)
		}
	})
}
