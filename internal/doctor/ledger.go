package doctor

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// journal walks the hash chain of the record that the hooks write.
func (m Machine) journal() []Result {
	const name = "journal"
	dir := m.Home.Journal()
	if !exists(dir) {
		return nil // the folder's check has said so
	}
	rep, err := journal.Verify(dir)
	if err != nil {
		return []Result{result(name, Failed, hint.Of(err), "%v", err)}
	}
	var torn, bad []string
	for _, f := range rep.Faults {
		if f.Kind == journal.Torn {
			torn = append(torn, f.String())
		} else {
			bad = append(bad, f.String())
		}
	}
	var out []Result
	if len(bad) > 0 {
		out = append(out, result(name, Failed, []string{"somebody else than overseer wrote into " + dir + ": find out who; the sound lines stay readable, and a backup of the folder can be put back"},
			"%s", several(bad)))
	}
	if len(torn) > 0 {
		out = append(out, result(name, Warning, nil, "%s", several(torn)))
	}
	if len(out) == 0 {
		out = append(out, result(name, OK, nil, "%s in %s, the chain is whole", count(rep.Lines, "line"), count(rep.Segments, "segment")))
	}
	return out
}

// shortened compares the end of the journal with the place up to which the ledger
// has taken it in: the chain alone does not show that its last lines are gone.
func (m Machine) shortened(ctx context.Context) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		if m.OpenLedger == nil || !m.Home.Exists() {
			return
		}
		store, in, err := m.OpenLedger(ctx)
		if err != nil {
			return // the ledger's own check tells
		}
		defer store.Close()
		if short, err := in.Ahead(m.Home.Journal()); err == nil && short {
			yield(result("journal", Failed,
				[]string{"find out who removed lines from " + m.Home.Journal() + "; the ledger still has the events, and a backup of the folder can be put back"},
				"the journal is shorter than what the ledger has taken in, or not the same any more: lines at its end were removed or replaced"))
		}
	}
}

// ledger opens the ledger, which takes the journal in, and reads from it; what
// the probes left must be there.
func (m Machine) ledger(ctx context.Context) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		if m.OpenLedger == nil || !m.Home.Exists() {
			return
		}
		r := Result{State: OK}
		unread, precedents, err := m.readLedger(ctx)
		switch {
		case err != nil:
			r = result("", Failed, hint.Of(err), "%v", err)
		case unread != nil:
			r = result("", Warning, hint.Of(unread), "what is new is not taken in: %v", unread)
		default:
			r.Text = "the journal is taken in, and what the hooks recorded can be read"
			if ids := m.probes.ids; len(ids) > 0 {
				r.Text += "; doctor's own events: " + strings.Join(ids, ", ")
			}
		}
		r.Name = "ledger"
		for _, r := range append([]Result{r}, precedents...) {
			if !yield(r) {
				return
			}
		}
	}
}

// readLedger looks at the ledger, and the precedents in it. unread is why it lacks what
// is new.
func (m Machine) readLedger(ctx context.Context) (unread error, precedents []Result, _ error) {
	store, in, err := m.OpenLedger(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer store.Close()
	if _, err := store.Tail(ctx, ledger.Query{N: 1}); err != nil {
		return nil, nil, fmt.Errorf("read the ledger: %w", err)
	}
	precedents = m.precedents(ctx, store)
	for _, id := range m.probes.ids {
		if _, err := store.Get(ctx, id); err != nil {
			err = fmt.Errorf("the ledger does not have the event %s, which the journal has: %w", id, err)
			return nil, precedents, hint.Wrap(err, "run: overseer ledger repair --rebuild")
		}
	}
	return in.Unread, precedents, nil
}
