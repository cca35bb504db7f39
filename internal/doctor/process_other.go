//go:build !unix

package doctor

import "os/exec"

func alone(*exec.Cmd) {}

func killAll(c *exec.Cmd) error { return c.Process.Kill() }
