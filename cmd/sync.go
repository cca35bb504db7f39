package cmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/ledger"
)

// The pauses of sync --watch: after a good turn, and at most after a bad one.
const (
	defaultEvery = 5 * time.Second
	maxPause     = time.Minute
)

func newSync(w *world) *cobra.Command {
	var watch, asJSON bool
	var every time.Duration
	c := &cobra.Command{
		Use:   "sync",
		Short: "Take the journal into the ledger, and a team's rulings back",
		Long: `Sync takes into the ledger what the hooks of this machine have recorded and, where
a team shares the ledger, brings back the rulings of the others, so that the hooks
of this machine know them. Every command that reads the ledger does the same.

With --watch it goes on until it is interrupted. A server that is away is waited
for; nothing is lost meanwhile, the journal has it.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if every <= 0 {
				return fmt.Errorf("--every %v: more than 0", every)
			}
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
			defer stop()
			if watch {
				return watchSync(ctx, w, every, asJSON)
			}
			return runSync(ctx, w, asJSON, false)
		},
	}
	c.Flags().BoolVar(&watch, "watch", false, "go on until interrupted")
	c.Flags().DurationVar(&every, "every", defaultEvery, "with --watch: how often")
	jsonFlag(c, &asJSON)
	return c
}

// runSync does one turn. A quiet one says nothing if there was nothing new.
func runSync(ctx context.Context, w *world, asJSON, quiet bool) error {
	store, _, in, err := w.openLedger(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	nothing := in.Events+in.Outcomes+in.Completions+in.Refusals == 0
	switch {
	case quiet && nothing:
		return nil
	case asJSON:
		return w.printJSON(in)
	}
	fmt.Fprintf(w.stdout, "taken in: %s, %s\n", count(in.Events, "event"), count(in.Outcomes+in.Completions+in.Refusals, "outcome"))
	return nil
}

// watchSync syncs until ctx ends. The same trouble is told once.
func watchSync(ctx context.Context, w *world, every time.Duration, asJSON bool) error {
	told := ""
	for pause := every; ; {
		err := runSync(ctx, w, asJSON, true)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			if told != "" {
				fmt.Fprintln(w.stderr, "all is well again")
			}
			told, pause = "", every
		default:
			if err.Error() != told {
				fmt.Fprintf(w.stderr, "warning: %v\n", err)
				for _, h := range hint.Of(err) {
					fmt.Fprintf(w.stderr, "hint: %s\n", h)
				}
			}
			told, pause = err.Error(), min(2*pause, max(maxPause, every))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// shareKey has all machines of a team sign with one key, that of the first: else
// none would know again what another has ruled on.
func (w *world) shareKey(ctx context.Context, store ledger.Store, h home.Home) error {
	server, ok := store.(ledger.Server)
	if !ok {
		return nil
	}
	if _, err := h.MakeKey(); err != nil {
		return err
	}
	own, err := h.Key()
	if err != nil {
		return err
	}
	key, err := server.Key(ctx, own)
	if err != nil || bytes.Equal(key, own) {
		return err
	}
	if err := h.AdoptKey(key); err != nil {
		return err
	}
	fmt.Fprintln(w.stderr, "note: this machine signs with the team's key from now on; rulings on what it recorded before are no precedent")
	return nil
}

// synced brings a team's rulings to the hooks of this machine, and notes when.
func (w *world) synced(ctx context.Context, store ledger.Store, h home.Home, in ledger.Intake) error {
	if err := w.shareKey(ctx, store, h); err != nil {
		return err
	}
	if err := w.renew(ctx, store, h); err != nil {
		return err
	}
	files := h.Team()
	state, err := files.Load()
	if err != nil {
		return err
	}
	state.Synced, state.Reached = w.now().UTC(), in.End
	return files.Save(state)
}
