// Package cmd holds the faces of the program, one file a command. It is the
// only place that touches the arguments, the environment, the standard streams
// and the exit code.
package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	_ "github.com/fireharp/overseer/agent/claudecode" // registers Claude Code
	_ "github.com/fireharp/overseer/agent/codex"      // registers Codex CLI
	_ "github.com/fireharp/overseer/agent/cursor"     // registers Cursor
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/home"
)

// The exit codes of every command but hook. Status 2 is left to the agents'
// codecs, for which it means deny.
const (
	exitOK     = 0
	exitFailed = 1
)

// errSilent fails a command that has already said what is wrong.
var errSilent = errors.New("failed")

// world is what a command may know of the machine; tests and both faces build
// it from the process.
type world struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	lookupEnv      func(string) (string, bool)
	now            func() time.Time
	started        time.Time
	action         action
}

// Main runs the program with the process's own arguments and streams and returns
// its exit code.
func Main() int {
	w := &world{
		args:      os.Args[1:],
		stdin:     os.Stdin,
		stdout:    os.Stdout,
		stderr:    os.Stderr,
		getenv:    os.Getenv,
		lookupEnv: os.LookupEnv,
		now:       time.Now,
		started:   time.Now(),
	}
	if isHookmon(os.Args[0]) || len(w.args) > 0 && w.args[0] == "hookmon" {
		return runHookmon(w)
	}
	if len(w.args) > 0 && w.args[0] == "hook" {
		if code, ok := runHook(w); ok {
			return code
		}
	}
	code := 0
	root := newRoot(w, &code)
	root.SetArgs(w.args)
	return w.run(root, &code)
}

// run executes a command and prints its error with the hints.
func (w *world) run(c *cobra.Command, code *int) int {
	c.SetIn(w.stdin)
	c.SetOut(w.stdout)
	c.SetErr(w.stderr)
	c.SilenceErrors, c.SilenceUsage = true, true
	err := c.Execute()
	switch {
	case err == nil:
		return *code
	case !errors.Is(err, errSilent):
		fmt.Fprintf(w.stderr, "overseer: %v\n", err)
		for _, h := range hint.Of(err) {
			fmt.Fprintf(w.stderr, "hint: %s\n", h)
		}
	}
	return exitFailed
}

// home finds the person's .overseer folder.
func (w *world) home() (home.Home, error) {
	return home.New(w.getenv("HOME"), w.getenv("OVERSEER_HOME"))
}

// homeAt is the folder that the hook's command line names, whatever the
// environment says: an agent takes variables from a project's settings.
func (w *world) homeAt(root string) (home.Home, error) {
	if root == "" {
		return w.home()
	}
	user := w.getenv("HOME")
	if filepath.Base(root) == home.Name {
		user = filepath.Dir(root)
	}
	return home.New(user, root)
}

// cwd is the folder that the command was started in.
func (w *world) cwd() string {
	d, err := os.Getwd()
	if err != nil {
		return ""
	}
	return d
}

// program is the path of this program as it was started, absolute. It is not
// resolved through symbolic links, so that an upgrade behind a link is followed.
func (w *world) program() (string, error) {
	p, err := lookPath(os.Args[0])
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return filepath.Abs(p)
}
