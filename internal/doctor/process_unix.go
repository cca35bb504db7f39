//go:build unix

package doctor

import (
	"os/exec"
	"syscall"
)

// alone makes the program the leader of a session, so that a profile file that
// reaches for the terminal fails at once instead of being stopped, and so that
// all its children can be killed with it.
func alone(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.Cancel = func() error { return killAll(c) }
}

// killAll kills a program that was started alone, with its children.
func killAll(c *exec.Cmd) error {
	return syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
}
