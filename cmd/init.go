package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/precedent/snapshot"
)

func newInit(w *world) *cobra.Command {
	var local bool
	var packs []string
	c := &cobra.Command{
		Use:   "init",
		Short: "Scaffold ~/.overseer, or ./.overseer with --local",
		Long: `Init makes the folder with settings and rules. What is already there is kept as
it is, so it can be run again at any time.

The rules come in packs: ` + strings.Join(home.Packs, ", ") + `.
All but ` + home.Paranoid + ` are made unless --packs chooses; "all" stands for them, "none" for
none. The rules that guard overseer itself are built in and always in force.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if local && c.Flags().Changed("packs") {
				return hint.Wrap(errors.New("--packs and --local exclude each other"), "the packs are in the person's own folder and hold in every project")
			}
			chosen, err := home.ParsePacks(packs)
			if err != nil {
				return err
			}
			return runInit(c.Context(), w, local, chosen)
		},
	}
	c.Flags().BoolVar(&local, "local", false, "scaffold ./.overseer for this project instead")
	c.Flags().StringSliceVar(&packs, "packs", []string{"all"}, "the packs of rules to make, separated by commas")
	return c
}

func runInit(ctx context.Context, w *world, local bool, packs []string) error {
	var made []home.Made
	var err error
	if local {
		made, err = home.InitProject(w.cwd())
	} else {
		var h home.Home
		if h, err = w.home(); err != nil {
			return err
		}
		made, err = h.Init(packs...)
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
	if !local {
		err = w.makeLedger(ctx)
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

// makeLedger makes the ledger, so that a hook that is about to ask finds one to
// learn the person's answers from; a hook itself makes none. A server is left to
// the first sync.
func (w *world) makeLedger(ctx context.Context) error {
	p, err := w.place()
	if err != nil || p.shared() {
		return err
	}
	store, err := w.openStore(ctx, p, "")
	if err != nil {
		return err
	}
	defer store.Close()
	key, err := p.home.Key()
	if err != nil || snapshot.Check(p.home.Precedents(), key) == nil {
		return err
	}
	// In a folder that is mended: rulings that the journal has count again.
	if _, err := store.TakeIn(ctx, p.home.Journal(), nil); err != nil {
		return err
	}
	return w.writePrecedents(ctx, p.home, key, store)
}
