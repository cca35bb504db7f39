package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// defaultFor is how long an approval holds: enough to tell the agent to try
// again, short enough that it is not forgotten (issue: 10 minutes).
const defaultFor = 10 * time.Minute

// minPrefix is how much of an id, after its "ev_", a ruling needs: less may be
// whatever event happens to be the only one.
const minPrefix = 6

// ruling is what a person says of an event.
type ruling struct {
	event    string
	decision event.Decision
	source   string
	hold     time.Duration
	note     string
}

func (r *ruling) flags(c *cobra.Command) {
	c.Flags().DurationVar(&r.hold, "for", defaultFor, "how long an approval holds, at most 24h")
	c.Flags().StringVar(&r.note, "note", "", "why, for the record")
}

func newApprove(w *world) *cobra.Command {
	r := ruling{decision: event.Allow, source: journal.SourceApprove}
	c := &cobra.Command{
		Use:   "approve <event-id>",
		Short: "Let an action that was asked about through when the agent retries it",
		Long: `Approve lets the very action of an asked event through for some minutes: the same
agent, tool, arguments and folder, and the scripts that it runs as they were when it
was asked about. It cannot lift a deny rule. It is precedent too:
after some of them (allow_threshold, 3) actions that do no more are let through.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r.event = args[0]
			return w.rule(c.Context(), r)
		},
	}
	r.flags(c)
	return c
}

func newOutcome(w *world) *cobra.Command {
	r := ruling{source: journal.SourceOutcome}
	c := &cobra.Command{
		Use:   "outcome <event-id> <allow|deny|ask|none>",
		Short: "Record what you think of an event",
		Long: `Outcome records a person's ruling on an event. An allow of an action that was
asked about also lets it through when the agent retries it, as approve does; none
takes earlier rulings back.

A ruling is precedent for max_age (90 days): one deny is enough that actions like it
are denied, unless more were allowed; allow_threshold (3) allows let through actions
that do no more, where nothing like them was denied.`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := parseDecision(args[1], event.Allow, event.Deny, event.Ask, journal.None)
			if err != nil {
				return err
			}
			r.event, r.decision = args[0], d
			return w.rule(c.Context(), r)
		},
	}
	r.flags(c)
	return c
}

// rule records a person's ruling and renews the snapshot of approvals.
func (w *world) rule(ctx context.Context, r ruling) error {
	if err := w.personOnly("a ruling"); err != nil {
		return err
	}
	if r.hold <= 0 || r.hold > approval.MaxHold {
		return hint.Wrap(fmt.Errorf("--for %v is not between 0 and %v", r.hold, approval.MaxHold), "what is to hold for good is an allow rule in ~/.overseer/constitution")
	}
	if id := strings.TrimSpace(r.event); len(strings.TrimPrefix(strings.ToLower(id), "ev_")) < minPrefix {
		return hint.Wrap(fmt.Errorf("%q is too short to tell which event is meant", r.event), "give at least %d characters after ev_", minPrefix)
	}
	store, h, _, err := w.openLedger(ctx)
	away := errors.Is(err, ledger.ErrAway)
	if away {
		store, err = w.whileAway(h, err)
	}
	if err != nil {
		return err
	}
	defer store.Close()
	e, err := store.Get(ctx, r.event)
	if err != nil {
		return explain(err)
	}
	approves := r.decision == event.Allow && e.Decision == event.Ask && e.Action != ""
	if r.source == journal.SourceApprove && !approves {
		return cannotApprove(w, &e)
	}
	if approves && journal.WasCut(e.Subject) {
		err := fmt.Errorf("%s is too long to be shown whole, so it cannot be approved unseen", e.ID)
		return hint.Wrap(err, "let the agent do it in smaller steps, or allow it by a rule")
	}
	o, err := w.append(ctx, h, &e, r, approves)
	if err != nil {
		return err
	}
	if away {
		err = w.tellHooks(ctx, h, &e, o)
	} else {
		err = refresh(ctx, w, store, h)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "%s: %s (%s)\n", e.ID, r.decision, clean(e.Subject, 100))
	switch {
	case approves:
		fmt.Fprintf(w.stdout, "approved until %s: tell the agent to try again\n", w.now().Add(r.hold).Local().Format(time.TimeOnly))
	case r.decision == event.Allow && e.Decision == event.Deny && e.Basis == event.ByPrecedent:
		fmt.Fprintln(w.stdout, "recorded: this action is asked about next time, unless it was itself denied")
	case r.decision == event.Allow && e.Decision == event.Deny:
		fmt.Fprintf(w.stdout, "recorded; it lifts no deny rule (%s)\n", clean(e.Reason, 200))
	}
	w.explainRuling(&e, r.decision, h)
	return nil
}

// cannotApprove says why there is nothing that an approval could let through.
func cannotApprove(w *world, e *ledger.Entry) error {
	switch {
	case e.Decision == event.Deny && e.Basis == event.ByPrecedent && len(e.Precedents) > 0:
		err := fmt.Errorf("%s was denied, and an approval lifts no deny (%s)", e.ID, clean(e.Reason, 200))
		return hint.Wrap(err, "take the earlier ruling back: overseer ledger outcome %s none", e.Precedents[0].Event)
	case e.Decision == event.Deny:
		err := fmt.Errorf("%s was denied, and an approval lifts no deny (%s)", e.ID, clean(e.Reason, 200))
		for _, r := range e.Reasons {
			if r.Settled {
				return hint.Wrap(err, "change the rule, it is in %s", w.shortPath(r.At))
			}
		}
		return err
	case e.Decision == event.Allow:
		return fmt.Errorf("%s was allowed; there is nothing to approve", e.ID)
	}
	return fmt.Errorf("%s could not be read by overseer, so there is no action to approve", e.ID)
}

// append writes the ruling to the journal.
func (w *world) append(ctx context.Context, h home.Home, e *ledger.Entry, r ruling, approves bool) (journal.Record, error) {
	o := journal.Record{
		Kind:     journal.KindOutcome,
		ID:       journal.NewID("oc", w.now()),
		Time:     w.now(),
		Target:   e.ID,
		Decision: r.decision,
		By:       w.user(),
		Source:   r.source,
		Note:     r.note,
	}
	if approves {
		o.Until = w.now().Add(r.hold)
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	c, _, _ := config.Load(config.Default(), h.Root) // a broken file does not switch redaction off
	return o, journal.Append(ctx, h.Journal(), o, journal.Options{Sync: true, Secrets: c.Privacy.Secrets()})
}

// refresh takes the ruling in and rewrites the snapshots that the hook reads.
func refresh(ctx context.Context, w *world, store ledger.Store, h home.Home) error {
	if _, err := store.TakeIn(ctx, h.Journal(), nil); err != nil {
		return err
	}
	return w.renew(ctx, store, h)
}
