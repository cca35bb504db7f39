package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/sqlite"
	"github.com/fireharp/overseer/internal/precedent"
	"github.com/fireharp/overseer/internal/precedent/snapshot"
)

// againBudget is how long a hook may spend on a snapshot that was lost, if not longer on
// any: it happens once, and else all that follows is asked about.
const againBudget = 3 * time.Second

// precedents are the human rulings that the decision on an event may rest on. fresh
// has those of the journal taken in first where an ask is at stake. The fault is "" or
// says why what was denied may be missing.
func (w *world) precedents(hm home.Home, e *event.Event, l home.Loaded, fresh bool) (_ engine.Precedents, fault string) {
	if !e.AboutToRun() || e.Tool.Name == "" {
		return engine.Precedents{}, ""
	}
	if l.KeyError != nil {
		return engine.Precedents{}, l.KeyError.Error()
	}
	c := l.Config
	return engine.Precedents{
		Key: l.Key,
		Settings: precedent.Settings{
			MinScore:       c.Precedent.MinScore,
			AllowThreshold: c.Precedent.AllowThreshold,
			TopK:           c.Precedent.TopK,
			Since:          w.now().Add(-c.Precedent.MaxAge),
		},
		Action:  func() string { return w.action.of(e, l.Key) },
		Besides: func() string { return journal.Besides(e) },
		Find: func(s *precedent.Signature, asked bool) (found []precedent.Ruling, noted, err error) {
			found, err = snapshot.Find(hm.Precedents(), l.Key, s.Programs, asked)
			// A file that is not as it was written may hide a deny, so that an ask is at
			// stake. The ledger can tell, but for what was ruled under another key.
			lost := err
			if !fresh || c.Ledger.Backend != "sqlite" || errors.Is(lost, snapshot.ErrKey) || lost == nil && !asked {
				return found, nil, err
			}
			noted = w.freshen(hm, c, l.Key, lost != nil)
			found, err = snapshot.Find(hm.Precedents(), l.Key, s.Programs, asked)
			if lost != nil && err == nil {
				noted = fmt.Errorf("%w; it was written again", lost)
			}
			return found, noted, err
		},
	}, ""
}

// freshen takes in the journal, as far as that is quick, and renews the snapshot if
// a human has ruled since, or, with again, whether or not.
func (w *world) freshen(hm home.Home, c config.Config, key []byte, again bool) error {
	budget := c.Precedent.CatchUp // the default is little beside the person's own time, and enough for a few thousand lines
	if again {
		budget = max(budget, againBudget)
	}
	ctx, cancel := context.WithTimeout(context.Background(), budget)
	defer cancel()
	store, err := sqlite.OpenExisting(ctx, hm.Ledger(c))
	if errors.Is(err, ledger.ErrMissing) && !again {
		return nil // nobody has looked at it yet
	}
	if err == nil {
		defer store.Close()
		var in ledger.Intake
		if in, err = store.TakeIn(ctx, hm.Journal(), nil); err == nil && (again || in.Ruled()) {
			err = w.writePrecedents(ctx, hm, key, store)
		}
	}
	if err != nil {
		return fmt.Errorf("the newest precedents are not known: %w", err)
	}
	return nil
}

// renewPrecedents rewrites the snapshot if an intake brought rulings, or if it is
// not as overseer wrote it with the key that there is now, which it returns as an
// error of [snapshot.Check].
func (w *world) renewPrecedents(ctx context.Context, hm home.Home, store ledger.Store, in ledger.Intake) (was, err error) {
	key, err := hm.Key()
	if err != nil {
		return nil, err
	}
	if was = snapshot.Check(hm.Precedents(), key); was == nil && !in.Ruled() {
		return nil, nil
	}
	return was, w.writePrecedents(ctx, hm, key, store)
}

func (w *world) writePrecedents(ctx context.Context, hm home.Home, key []byte, store ledger.Store) error {
	c, _, err := config.Load(config.Default(), hm.Root)
	if err != nil {
		return err
	}
	return snapshot.Refresh(ctx, hm.Precedents(), key, func(ctx context.Context) ([]precedent.Ruling, error) {
		return store.Rulings(ctx, w.now().Add(-c.Precedent.MaxAge), snapshot.Limit)
	})
}

// keepPrecedents is what reading commands do for the hooks: it makes the key where
// there is none, and renews the snapshot. It says what was wrong with it.
func (w *world) keepPrecedents(ctx context.Context, hm home.Home, store ledger.Store, in ledger.Intake) error {
	made, err := hm.MakeKey()
	if err != nil {
		return err
	}
	was, err := w.renewPrecedents(ctx, hm, store, in)
	switch {
	case err != nil || was == nil || !made.Kept && errors.Is(was, snapshot.ErrGone) || errors.Is(was, snapshot.ErrOlder):
		return err // none is missing where there was no key yet
	case errors.Is(was, snapshot.ErrKey):
		return fmt.Errorf("%w: what people ruled before counts no more", was)
	}
	return fmt.Errorf("%w; it was written again, and hooks could not tell meanwhile what was denied", was)
}

// explainRuling says what a ruling on an event will mean for other actions.
func (w *world) explainRuling(e *ledger.Entry, d event.Decision, hm home.Home) {
	sig, err := precedent.Parse(e.Signature)
	c, _, _ := config.Load(config.Default(), hm.Root)
	p, until := c.Precedent, w.now().Add(c.Precedent.MaxAge).Local().Format(time.DateOnly)
	switch {
	case d == journal.None:
		fmt.Fprintln(w.stdout, "earlier rulings on it are taken back; they are no precedent any more")
	case d == event.Ask:
		fmt.Fprintln(w.stdout, "it is no precedent")
	case err != nil && e.Event == event.PreToolUse:
		fmt.Fprintln(w.stdout, "it is no precedent: the event was recorded without a key (\"overseer doctor\")")
	case err != nil:
		fmt.Fprintln(w.stdout, "it is no precedent: only what is said of a tool call about to run is")
	case d == event.Deny:
		fmt.Fprintf(w.stdout, "precedent: until %s actions like it are denied, unless more of them were allowed\n", until)
	case sig.Form == "":
		fmt.Fprintln(w.stdout, "as precedent it only counts against denies: what it runs cannot be read, so nobody can tell that it is the same another time")
	default:
		fmt.Fprintf(w.stdout, "precedent: until %s, one of the %d allows after which an action that does no more is not asked about\n", until, p.AllowThreshold)
	}
}
