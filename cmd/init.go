package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/home"
)

func newInit(w *world) *cobra.Command {
	var local bool
	c := &cobra.Command{
		Use:   "init",
		Short: "Scaffold ~/.overseer, or ./.overseer with --local",
		Long: `Init makes the folder with settings and rules. What is already there is kept as
it is, so it can be run again at any time.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return runInit(w, local)
		},
	}
	c.Flags().BoolVar(&local, "local", false, "scaffold ./.overseer for this project instead")
	return c
}

func runInit(w *world, local bool) error {
	var made []home.Made
	var err error
	if local {
		made, err = home.InitProject(w.cwd())
	} else {
		var h home.Home
		if h, err = w.home(); err != nil {
			return err
		}
		made, err = h.Init()
	}
	for _, m := range made {
		word := "wrote"
		if m.Kept {
			word = "kept "
		}
		fmt.Fprintf(w.stdout, "%s %s\n", word, m.Path)
	}
	if err != nil {
		return err
	}
	if local {
		fmt.Fprintln(w.stdout, "\nDeny and ask rules in it count at once; the rest after \"overseer trust\".")
	} else {
		fmt.Fprintln(w.stdout, "\nNext: overseer install, then overseer doctor")
	}
	return nil
}
