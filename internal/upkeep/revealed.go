package upkeep

import (
	"context"
	"crypto/sha256"
	"errors"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// calls are the halves of tool calls that the ledger's events are, in order.
type calls struct{ asked, ends []half }

// half is an event of a call.
type half struct {
	call  [16]byte
	id    string
	micro int64
}

// see notes an event.
func (c *calls) see(r *journal.Record) {
	call, asked := ledger.Call(r)
	if call == "" {
		return
	}
	sum := sha256.Sum256([]byte(call))
	h := half{[16]byte(sum[:16]), r.ID, r.Time.UnixMicro()}
	if asked {
		c.asked = append(c.asked, h)
		return
	}
	c.ends = append(c.ends, h)
}

// answered lists, for each end of a call, the asked event that it answers for: the
// latest before it.
func (c *calls) answered(do func(asked, end half)) {
	asked := map[[16]byte][]half{}
	for _, a := range c.asked {
		asked[a.call] = append(asked[a.call], a)
	}
	for _, e := range c.ends {
		var latest *half
		for i, a := range asked[e.call] {
			if a.micro <= e.micro && (latest == nil || a.micro >= latest.micro) {
				latest = &asked[e.call][i]
			}
		}
		if latest != nil {
			do(*latest, e)
		}
	}
}

// revealed derives the outcomes that no journal line holds again from the events,
// all of which were seen, and compares them with those that the ledger has.
func (v *verifier) revealed(ctx context.Context) error {
	told := map[string]bool{}
	for r, err := range v.store.Rows(ctx, journal.KindOutcome, false) {
		if err != nil {
			return err
		}
		if len(r.Hash) > 0 {
			continue
		}
		v.rep.Outcomes++
		told[r.Outcome.Event] = true
		want, ok, err := v.derive(ctx, &r)
		if err != nil {
			return err
		}
		switch {
		case !ok:
			v.find(Finding{Kind: inserted, In: "ledger", ID: r.ID, Expected: "an event that proves it", Found: says(r.Outcome),
				Text: "no record of the journal says so, and no event proves it"})
		case want != *r.Outcome:
			v.find(Finding{Kind: string(journal.Edited), In: "ledger", ID: r.ID, Expected: says(&want), Found: says(r.Outcome),
				Text: "it is not what the events say that it follows from"})
		}
	}
	v.calls.answered(func(a, end half) {
		if told[a.id] {
			return
		}
		told[a.id] = true // once is enough
		v.find(Finding{Kind: removed, In: "ledger", ID: a.id, Expected: "what " + end.id + " says of it", Found: "nothing",
			Text: "the outcome that follows from how the call ended was removed from the ledger"})
	})
	return nil
}

// derive is the outcome that a row should hold, if the events that it names prove one.
func (v *verifier) derive(ctx context.Context, r *ledger.Row) (ledger.Outcome, bool, error) {
	var events [2]ledger.Entry
	for i, id := range []string{r.Outcome.Event, proof(r.ID)} {
		e, err := v.store.Get(ctx, id)
		switch {
		case errors.Is(err, ledger.ErrNotFound), errors.Is(err, ledger.ErrCorrupt), errors.Is(err, ledger.ErrAmbiguous):
			return ledger.Outcome{}, false, nil
		case err != nil:
			return ledger.Outcome{}, false, err
		case e.ID != id:
			return ledger.Outcome{}, false, nil // only the beginning of it
		}
		events[i] = e
	}
	o, ok := ledger.Reveals(&events[0].Record, &events[1].Record)
	return o, ok, nil
}

// says is an outcome as a text, with all that it counts by.
func says(o *ledger.Outcome) string {
	text := string(o.Decision) + " of " + o.Event + " from " + o.Source + " at " + o.Time.Format("2006-01-02T15:04:05.000000Z07:00")
	if o.By != "" {
		text += " by " + o.By
	}
	if !o.Until.IsZero() {
		text += " until " + o.Until.Format("2006-01-02T15:04:05.000000Z07:00")
	}
	if o.Note != "" {
		text += ": " + o.Note
	}
	return text
}
