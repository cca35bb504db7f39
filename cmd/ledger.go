package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

func newLedger(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "ledger",
		Short: "Browse what happened and say what you think of it",
		Args:  subcommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTail(w), newSearch(w), newOutcome(w), newSync(w),
		newVerify(w), newCheck(w), newRepair(w), newExport(w), newImport(w), newPrune(w), newRedact(w),
		newBranch(w), newCheckout(w), newMerge(w))
	return c
}

// openLedger opens the ledger with all that the hooks have recorded taken in, and,
// where it is a team's, with the team's rulings brought to the hooks of this
// machine. The caller closes it.
func (w *world) openLedger(ctx context.Context) (ledger.Store, home.Home, ledger.Intake, error) {
	p, err := w.place()
	if err != nil {
		return nil, p.home, ledger.Intake{}, err
	}
	h := p.home
	branch, err := p.branch()
	if err != nil {
		return nil, h, ledger.Intake{}, err
	}
	store, err := w.openStore(ctx, p, branch)
	if err != nil {
		return nil, h, ledger.Intake{}, err
	}
	in, err := store.TakeIn(ctx, h.Journal(), w.progress("taking in the journal"))
	switch {
	case errors.Is(err, ledger.ErrReadOnly), errors.Is(err, ledger.ErrFull) && !p.shared():
		// What was taken in before can still be read, and what is new in the journal.
		in.Unread = err
		fmt.Fprintf(w.stderr, "warning: what is new is not in the ledger yet: %v\n", err)
		for _, h := range hint.Of(err) {
			fmt.Fprintf(w.stderr, "hint: %s\n", h)
		}
		if !p.shared() {
			if store, err = ledger.WithUnread(store, h.Journal(), in.End); err != nil {
				fmt.Fprintf(w.stderr, "warning: nor is it shown: %v\n", err)
			}
		}
	case err != nil:
		store.Close()
		return nil, h, in, err
	}
	if p.shared() {
		err = w.synced(ctx, store, h, in)
	} else {
		err = w.keepPrecedents(ctx, h, store, in)
	}
	if err != nil {
		fmt.Fprintf(w.stderr, "warning: %v\n", err)
	}
	if ahead, err := in.Ahead(h.Journal()); err == nil && ahead {
		fmt.Fprintln(w.stderr, "warning: the journal is shorter than what the ledger has taken in, or not the same any more: lines at its end were removed or replaced")
	}
	w.warnOfFaults(ctx, store)
	w.retire(ctx, store, h, p.config.Ledger.Keep, in)
	return store, h, in, nil
}

// progress draws a line on a terminal while something takes long.
func (w *world) progress(what string) func(done, total int64) {
	f, ok := w.stderr.(*os.File)
	if !ok || !isatty.IsTerminal(f.Fd()) {
		return nil
	}
	begun := w.now()
	return func(done, total int64) {
		if total <= 0 || w.now().Sub(begun) < time.Second {
			return
		}
		fmt.Fprintf(f, "\r%s: %d%%", what, 100*done/total)
		if done >= total {
			fmt.Fprint(f, "\r\033[K")
		}
	}
}

// entryTable is the table of tail and search.
func entryTable() *table {
	return newTable("TIME", "ID", "AGENT", "EVENT", "TOOL", "VERDICT", "BASIS", "SUBJECT")
}

func (t *table) entry(w *world, r *journal.Record, outcomes []ledger.Outcome) {
	verdict := string(r.Decision)
	if r.Answered != "" && r.Answered != r.Decision {
		verdict += "→" + string(r.Answered)
	}
	if len(outcomes) > 0 {
		verdict += " (" + string(outcomes[len(outcomes)-1].Decision) + " by a person)"
	}
	t.row(w.when(r.Time), r.ID, firstOf(r.Caller, r.Agent), r.Event, r.Tool, verdict, string(r.Basis), r.Subject)
}

// when writes a time in the person's zone, without the date if it is today.
func (w *world) when(t time.Time) string {
	t, now := t.Local(), w.now().Local()
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

func (w *world) printEntries(entries []ledger.Entry, asJSON bool) error {
	t := entryTable()
	for i := range entries {
		if asJSON {
			if err := w.printJSON(&entries[i]); err != nil {
				return err
			}
			continue
		}
		t.entry(w, &entries[i].Record, entries[i].Outcomes)
	}
	if !asJSON {
		t.print(w)
	}
	return nil
}

func newTail(w *world) *cobra.Command {
	var q ledger.Query
	var decision string
	var follow, asJSON bool
	c := &cobra.Command{
		Use:   "tail",
		Short: "Show the newest events",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			d, err := parseDecision(decision, event.Allow, event.Ask, event.Deny, "")
			if err != nil {
				return err
			}
			q.Decision = d
			if q.N < 1 {
				return fmt.Errorf("-n %d: at least 1", q.N)
			}
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
			defer stop()
			return runTail(ctx, w, q, follow, asJSON)
		},
	}
	c.Flags().IntVarP(&q.N, "lines", "n", ledger.DefaultN, "how many events")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with new events as they happen")
	c.Flags().StringVar(&q.Agent, "agent", "", "only this agent's")
	c.Flags().StringVar(&decision, "decision", "", "only allow, ask or deny")
	c.Flags().StringVar(&q.Session, "session", "", "only this session's")
	jsonFlag(c, &asJSON)
	return c
}

func runTail(ctx context.Context, w *world, q ledger.Query, follow, asJSON bool) error {
	store, h, in, err := w.openLedger(ctx)
	if err != nil {
		return err
	}
	from := in.End
	if in.Unread != nil {
		from, err = journal.End(h.Journal()) // the rest is shown too
	}
	entries, tailErr := store.Tail(ctx, q)
	store.Close()
	if err := errors.Join(err, tailErr); err != nil {
		return err
	}
	if err := w.printEntries(entries, asJSON); err != nil || !follow {
		return err
	}
	// New events come straight from the journal: no need to hold the database.
	for line, err := range journal.Follow(ctx, h.Journal(), from) {
		if err != nil {
			return err
		}
		r := line.Record
		if r.Kind != journal.KindEvent || !q.Selects(r) {
			continue
		}
		if asJSON {
			err = w.printJSON(ledger.Entry{Record: *r})
		} else {
			err = w.followLine(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// followLine prints one event below a table whose columns are already set.
func (w *world) followLine(r *journal.Record) error {
	t := &table{}
	t.entry(w, r, nil)
	t.print(w)
	return nil
}

func newSearch(w *world) *cobra.Command {
	var n int
	var asJSON bool
	c := &cobra.Command{
		Use:   "search <words>",
		Short: "Find events by the words of their command, paths, reason or rules",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			store, _, _, err := w.openLedger(c.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			entries, err := store.Search(c.Context(), strings.Join(args, " "), n)
			if err != nil {
				return err
			}
			if len(entries) == 0 && !asJSON {
				fmt.Fprintln(w.stdout, "nothing found")
				return nil
			}
			return w.printEntries(entries, asJSON)
		},
	}
	c.Flags().IntVarP(&n, "lines", "n", ledger.DefaultN, "how many events at most")
	jsonFlag(c, &asJSON)
	return c
}

func parseDecision(s string, allowed ...event.Decision) (event.Decision, error) {
	var words []string
	for _, d := range allowed {
		if event.Decision(s) == d {
			return d, nil
		}
		if d != "" {
			words = append(words, string(d))
		}
	}
	return "", hint.Wrap(fmt.Errorf("unknown decision %q", s), "write one of %s", strings.Join(words, ", "))
}

// explain adds to a failed look-up what the person can do.
func explain(err error) error {
	if errors.Is(err, ledger.ErrNotFound) {
		return hint.Wrap(fmt.Errorf("event %w", err), `"overseer ledger tail" shows the newest events with their ids`)
	}
	if errors.Is(err, ledger.ErrAmbiguous) {
		return hint.Wrap(err, "give more of the id")
	}
	return err
}
