package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/fireharp/overseer/agent"
)

// maxOutput is how much of a stream of a foreign program is kept.
const maxOutput = 1 << 20

// reply is what a program that was run left behind.
type reply struct {
	argv           []string
	stdout, stderr []byte
	status         syscall.WaitStatus
	late           bool  // it did not end in time and was killed
	err            error // it could not be started
}

// run starts a process as the leader of a session of its own and waits until it
// ends; with all its children it is killed when the limit passes or ctx ends.
func run(ctx context.Context, limit time.Duration, p agent.Process) reply {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...)
	c.Dir, c.Env = p.Dir, p.Env
	var stdout, stderr bounded
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(p.Stdin), &stdout, &stderr
	alone(c)
	// A child that lives on with the streams in its hands holds up nobody.
	c.WaitDelay = time.Second
	err := c.Run()
	r := reply{argv: p.Argv, stdout: stdout.kept.Bytes(), stderr: stderr.kept.Bytes(), late: ctx.Err() != nil}
	if c.ProcessState == nil {
		r.err = err
		return r
	}
	r.status, _ = c.ProcessState.Sys().(syscall.WaitStatus)
	return r
}

// ending says what kept the program from ending by itself, "" if it did.
func (r reply) ending(limit time.Duration) string {
	switch {
	case r.err != nil:
		return fmt.Sprintf("it cannot be started: %v", r.err)
	case r.late:
		return fmt.Sprintf("it gave no answer within %v", limit)
	case r.status.Signaled():
		return fmt.Sprintf("it was killed (%v)", r.status.Signal())
	}
	return ""
}

// firstLine is the first line that says anything, cut to a readable length.
func firstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(string(b), "\ufffd")), "\n")
	const most = 200
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return strings.TrimSpace(line)
}

// bounded keeps the beginning of what is written to it. It does not embed the
// buffer, whose ReadFrom would take everything.
type bounded struct{ kept bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if room := maxOutput - b.kept.Len(); room > 0 {
		b.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
