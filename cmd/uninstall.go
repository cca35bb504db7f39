package cmd

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/install"
)

func newUninstall(w *world) *cobra.Command {
	var f targetFlags
	c := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove overseer's entries from the agents' settings",
		Long: `Uninstall removes overseer's own entries and leaves all others untouched. Where
nothing else has changed since the install, the file is given back byte for byte.
Rules and records in ~/.overseer stay.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return runUninstall(w, &f)
		},
	}
	f.register(c)
	return c
}

func runUninstall(w *world, f *targetFlags) error {
	h, err := w.home()
	if err != nil {
		return err
	}
	targets, err := f.targets(w, h, hasFile)
	if err != nil {
		return err
	}
	program, err := w.program()
	if err != nil {
		return err
	}
	var plans []install.Plan
	for _, t := range targets {
		p, err := install.PlanRemove(t, install.Options{Binary: program, State: h.Install()})
		if err != nil {
			return fmt.Errorf("uninstall from %s: %w", t.Provider.Title(), err)
		}
		plans = append(plans, p)
	}
	return w.carryOut(plans, f.dryRun)
}

// hasFile tells whether the settings exist.
func hasFile(t install.Target) bool {
	_, err := os.Stat(t.Path)
	return err == nil
}
