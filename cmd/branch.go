package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/team"
)

func newBranch(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "branch <name>",
		Short: "Make a branch of the ledger (Dolt only)",
		Long: `Branch makes a branch that has what the present one has. "overseer ledger
checkout" goes to it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			store, _, _, err := w.openLedger(c.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			b, err := branches(store)
			if err == nil {
				err = b.Branch(c.Context(), args[0])
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(w.stdout, "made %s; go to it with: overseer ledger checkout %[1]s\n", args[0])
			return nil
		},
	}
}

func newCheckout(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "checkout <name>",
		Short: "Work on another branch of the ledger (Dolt only)",
		Long: `Checkout goes to a branch: what this machine records from now on goes there, and
the rulings that stand there count. What was recorded before stays on the branch it
came from, until that is merged. It holds until the next checkout, or until
[ledger.dolt] branch is changed in config.toml.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return runCheckout(c.Context(), w, args[0]) },
	}
}

func runCheckout(ctx context.Context, w *world, name string) error {
	if err := w.personOnly("a checkout"); err != nil {
		return err
	}
	p, err := w.place()
	if err != nil {
		return err
	}
	if err := w.leaveFor(ctx, p, name); err != nil {
		return err
	}
	files := p.home.Team()
	state, _ := files.Load() // one that cannot be read is replaced
	before := state
	state.Checkout = team.Checkout{Branch: name, From: p.config.Ledger.Dolt.Branch}
	if err := files.Save(state); err != nil {
		return err
	}
	store, _, _, err := w.openLedger(ctx) // renews the snapshots
	if err != nil {
		return errors.Join(err, files.Save(before))
	}
	store.Close()
	fmt.Fprintf(w.stdout, "on branch %s\n", name)
	return nil
}

// leaveFor takes into the present branch what was recorded so far, and lets the
// journal go on on another.
func (w *world) leaveFor(ctx context.Context, p place, name string) error {
	store, _, _, err := w.openLedger(ctx)
	if errors.Is(err, ledger.ErrNoBranch) {
		store, err = w.openStore(ctx, p, "") // the present one is gone
	}
	if err != nil {
		return err
	}
	defer store.Close()
	b, err := branches(store)
	if err != nil {
		return err
	}
	return b.Checkout(ctx, name)
}

func newMerge(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "merge <from> <into>",
		Short: "Merge a branch of the ledger into another (Dolt only)",
		Long: `Merge brings the events and rulings of one branch into another. Where both have
changed the same row in different ways it shows the rows and merges nothing.`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return runMerge(c.Context(), w, args[0], args[1], asJSON) },
	}
	jsonFlag(c, &asJSON)
	return c
}

func runMerge(ctx context.Context, w *world, from, into string, asJSON bool) error {
	if err := w.personOnly("a merge"); err != nil {
		return err
	}
	store, h, _, err := w.openLedger(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	b, err := branches(store)
	if err != nil {
		return err
	}
	m, err := b.Merge(ctx, from, into)
	var conflicts *ledger.ConflictError
	if errors.As(err, &conflicts) {
		if e := w.printConflicts(conflicts, asJSON); e != nil {
			return e
		}
	}
	if err != nil {
		return err
	}
	if err := w.renew(ctx, store, h); err != nil {
		return err
	}
	switch {
	case asJSON:
		return w.printJSON(m)
	case m.Nothing:
		fmt.Fprintf(w.stdout, "%s has all of %s already\n", into, from)
	default:
		fmt.Fprintf(w.stdout, "merged %s into %s, which is at %s now\n", from, into, m.Commit)
	}
	return nil
}

// printConflicts shows each row that both branches have changed.
func (w *world) printConflicts(e *ledger.ConflictError, asJSON bool) error {
	if asJSON {
		for _, c := range e.Conflicts {
			if err := w.printJSON(c); err != nil {
				return err
			}
		}
		return nil
	}
	t := newTable("TABLE", "ID", "COLUMN", "BASE", strings.ToUpper(e.Into), strings.ToUpper(e.From))
	for _, c := range e.Conflicts {
		if c.Note != "" {
			t.row(c.Table, c.ID, c.Note, "", "", "")
		}
		for _, col := range c.Columns {
			t.row(c.Table, c.ID, col.Name, cell(col.Base), cell(col.Ours), cell(col.Theirs))
		}
	}
	t.print(w)
	return nil
}

// cell is a value in a table of conflicts, which is nil in a row that is gone.
func cell(v *string) string {
	if v == nil {
		return "-"
	}
	return clean(*v, 60)
}
