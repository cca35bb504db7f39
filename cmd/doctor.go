package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/doctor"
	"github.com/fireharp/overseer/internal/ledger"
)

func newDoctor(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Prove that what is installed enforces",
		Long: `Doctor runs the very command lines that stand in the agents' settings, the way
the agents run them, with an event that must be denied, and looks at the answer
and at the record of it. It also checks the folder, the settings, every rule
file, the journal and the ledger, and whether Codex has been told to trust the
hooks. For each fault it prints what mends it.

The only traces are the events of the trials in the record, whose ids it prints.
The exit status is 0 if everything that is installed enforces.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			return runDoctor(ctx, w, asJSON)
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

func runDoctor(ctx context.Context, w *world, asJSON bool) error {
	m, err := w.machine()
	if err != nil {
		return err
	}
	var results []doctor.Result
	for r := range m.Examine(ctx) {
		results = append(results, r)
		if !asJSON {
			w.printResult(r)
		} else if err := w.printJSON(r); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	text, well := doctor.Conclude(results)
	if !asJSON {
		fmt.Fprintf(w.stdout, "\n%s\n", text)
	}
	if !well {
		return errSilent
	}
	return nil
}

// machine is what doctor examines.
func (w *world) machine() (doctor.Machine, error) {
	h, err := w.home()
	if err != nil {
		return doctor.Machine{}, err
	}
	program, err := w.program()
	if err != nil {
		return doctor.Machine{}, err
	}
	return doctor.Machine{
		Home: h, CWD: w.cwd(),
		Program: program, Version: version(), Cgo: builtWithCgo(),
		Environ: os.Environ(), Getenv: w.getenv, LookPath: exec.LookPath,
		AgentVersion: agentVersion, AllowMeans: allowMeans,
		OpenLedger: func(ctx context.Context) (ledger.Store, ledger.Intake, error) {
			quiet := *w
			quiet.stderr = io.Discard // damage in the journal is a result of its own
			store, hm, in, err := quiet.openLedger(ctx)
			if key, keyErr := hm.Key(); err == nil && keyErr == nil {
				// Whatever became of the snapshot, a result tells; here it is made again.
				_ = quiet.writePrecedents(ctx, hm, key, store)
			}
			return store, in, err
		},
	}, nil
}

// mark is the state as a person sees it.
func mark(s doctor.State) string {
	switch s {
	case doctor.OK:
		return "ok"
	case doctor.Warning:
		return "warn"
	case doctor.Failed:
		return "FAIL"
	case doctor.Absent:
		return "-"
	}
	return ""
}

// printResult prints one finding, its hints on lines of their own below. It is
// printed as soon as it is known, since a hook under trial may take its time, so
// the columns have a fixed width: that of the longest name. Hints are left as they
// are, to be pasted.
func (w *world) printResult(r doctor.Result) {
	text := r.Text
	if home := w.getenv("HOME"); len(home) > 1 {
		text = strings.ReplaceAll(text, home+"/", "~/")
	}
	fmt.Fprintf(w.stdout, "%-4s  %-26s  %s\n", mark(r.State), r.Name, clean(text, 0))
	for _, h := range r.Hints {
		fmt.Fprintf(w.stdout, "%34s%s\n", "mend: ", clean(h, 0))
	}
}
