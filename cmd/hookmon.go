package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/hookmon"
)

// isHookmon reports whether the program goes by the name hookmon, as it does when
// it is built with "go build -o hookmon ." The name it was started under counts,
// not the file behind a link.
func isHookmon(arg0 string) bool {
	name := strings.ToLower(filepath.Base(arg0))
	return strings.HasPrefix(strings.TrimSuffix(name, ".exe"), "hookmon")
}

// newHookmon lists the face among the commands; see runHookmon.
func newHookmon(w *world, code *int) *cobra.Command {
	c := &cobra.Command{
		Use:                "hookmon",
		Short:              "Record events to a log and block by a policy file (see docs/hookmon.md)",
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			*code = runHookmon(w)
			return nil
		},
	}
	c.SetHelpFunc(func(*cobra.Command, []string) { fmt.Fprint(w.stdout, hookmonUsage()) })
	return c
}

// runHookmon is the hookmon face: it records one event, blocks it if the policy
// says so, and otherwise acknowledges it. Whatever goes wrong is a warning on
// standard error: this face never stands in an agent's way by its own failure.
func runHookmon(w *world) (code int) {
	m := &monitor{w: w}
	given, help := m.parse(w.args)
	if help {
		fmt.Fprint(w.stdout, hookmonUsage())
		return exitOK
	}
	if terminal(w.stdin) {
		if len(m.warnings) > 0 { // a person mistyped; an agent never gets here
			m.printWarnings()
			fmt.Fprintln(w.stderr, `hint: "hookmon --help" lists the flags`)
			return exitFailed
		}
		fmt.Fprintln(w.stderr, "hookmon: waiting for one event as JSON; end it with Ctrl-D")
	}
	defer func() {
		if p := recover(); p != nil {
			m.warn(fmt.Errorf("panic: %v", p))
			code = m.answer(nil)
		}
	}()
	m.settle(given)
	limit := max(deadline, m.settings.TypeSafe.Timeout+deadline/2)
	timer := time.AfterFunc(limit-w.now().Sub(w.started), func() {
		m.warn(fmt.Errorf("no answer within %v", limit))
		os.Exit(m.answer(nil))
	})
	defer timer.Stop()
	return m.answer(m.observe())
}

func terminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// monitor handles one event.
type monitor struct {
	w        *world
	settings hookmon.Settings
	event    event.Event

	mu       sync.Mutex // the deadline may pass at any time
	answered bool
	warnings []error
}

func (m *monitor) warn(err error) {
	if err == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.warnings = append(m.warnings, err)
}

// printWarnings writes each warning with its hints on one line.
func (m *monitor) printWarnings() {
	for _, err := range m.warnings {
		line := "hookmon: warning: " + err.Error()
		if h := hint.Of(err); len(h) > 0 {
			line += " (" + strings.Join(h, "; ") + ")"
		}
		fmt.Fprintln(m.w.stderr, clean(line, 0))
	}
	m.warnings = nil
}

// answer writes the answer, nil for an acknowledgment, and then the warnings: an
// agent may take standard error for the reason, which must come first. Only the
// first call writes, so that there is one answer.
func (m *monitor) answer(a *agent.Answer) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answered {
		return exitOK
	}
	m.answered = true
	if a == nil {
		a = &agent.Answer{Stdout: hookmon.Acknowledgment(&m.event)}
	}
	_, _ = m.w.stdout.Write(a.Stdout)
	_, _ = m.w.stderr.Write(a.Stderr)
	m.printWarnings()
	return a.ExitCode
}
