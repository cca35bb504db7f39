package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// freshBudget is how long a hook that would ask may spend on taking in what
// happened since: little beside the person's own time, and enough for a few
// thousand lines.
const freshBudget = 300 * time.Millisecond

// precedents are the human rulings that the decision on an event may rest on. fresh
// has those of the journal taken in first where an ask is at stake. The fault is "" or
// says why what was denied may be missing.
func (w *world) precedents(hm home.Home, e *event.Event, l home.Loaded, fresh bool) (_ engine.Precedents, fault string) {
	if !e.AboutToRun() || e.Tool.Name == "" {
		return engine.Precedents{}, ""
	}
	if err := l.KeyError; err != nil {
		if _, never := os.Lstat(hm.Precedents()); errors.Is(err, fs.ErrNotExist) && errors.Is(never, fs.ErrNotExist) {
			return engine.Precedents{}, "" // a home without key and rulings: an older overseer's
		}
		return engine.Precedents{}, err.Error()
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
		Action:  func() string { return journal.Fingerprint(e, l.Key) },
		Besides: func() string { return journal.Besides(e) },
		Find: func(s *precedent.Signature, asked bool) (found []precedent.Ruling, noted, err error) {
			if asked && fresh && c.Ledger.Backend == "sqlite" {
				noted = w.freshen(hm, c)
			}
			found, err = snapshot.Find(hm.Precedents(), s.Programs, asked)
			return found, noted, err
		},
	}, ""
}

// freshen takes in the journal, as far as that is quick, and renews the snapshot if
// a human has ruled since.
func (w *world) freshen(hm home.Home, c config.Config) error {
	ctx, cancel := context.WithTimeout(context.Background(), freshBudget)
	defer cancel()
	store, err := sqlite.OpenExisting(ctx, hm.Ledger(c))
	if errors.Is(err, ledger.ErrMissing) {
		return nil // nobody has looked at it yet
	}
	if err == nil {
		defer store.Close()
		var in ledger.Intake
		if in, err = store.TakeIn(ctx, hm.Journal(), nil); err == nil {
			err = w.renewPrecedents(ctx, hm, store, in)
		}
	}
	if err != nil {
		return fmt.Errorf("the newest precedents are not known: %w", err)
	}
	return nil
}

// renewPrecedents rewrites the snapshot if an intake brought rulings.
func (w *world) renewPrecedents(ctx context.Context, hm home.Home, store ledger.Store, in ledger.Intake) error {
	if in.Outcomes+in.Completions+in.Refusals == 0 {
		if _, err := os.Stat(hm.Precedents()); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	return w.writePrecedents(ctx, hm, store)
}

func (w *world) writePrecedents(ctx context.Context, hm home.Home, store ledger.Store) error {
	c, _, err := config.Load(config.Default(), hm.Root)
	if err != nil {
		return err
	}
	return snapshot.Refresh(ctx, hm.Precedents(), func(ctx context.Context) ([]precedent.Ruling, error) {
		return store.Rulings(ctx, w.now().Add(-c.Precedent.MaxAge), snapshot.Limit)
	})
}

// keepPrecedents is what reading commands do for the hooks: it makes the key where
// an older overseer made the home, and renews the snapshot.
func (w *world) keepPrecedents(ctx context.Context, hm home.Home, store ledger.Store, in ledger.Intake) error {
	if _, err := hm.MakeKey(); err != nil {
		return err
	}
	return w.renewPrecedents(ctx, hm, store, in)
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
