package upkeep

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// PruneOptions say what is to be removed. At least one of Before and MaxSize is
// set.
type PruneOptions struct {
	Deed journal.Deed
	// Before removes events from before then, MaxSize the oldest ones until the
	// ledger takes at most so many bytes; 0 sets no limit.
	Before  time.Time
	MaxSize int64
	// Outcomes also removes what humans said, with the events that they spoke of,
	// where both are old enough.
	Outcomes bool
	Dry      bool
}

// Pruned is what [Prune] did or, when dry, would do.
type Pruned struct {
	Checkpoint string `json:"checkpoint,omitempty"`
	// Events and Outcomes were removed from the ledger, Lines from the journal.
	Events   int `json:"events"`
	Outcomes int `json:"outcomes"`
	Lines    int `json:"lines"`
	// Protected events are old enough but stay, because a human ruled on them.
	Protected int `json:"protected"`
	// First and Last are the first and the last event that went.
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
	// SizeBefore and SizeAfter are the bytes that the ledger takes.
	SizeBefore int64 `json:"size_before"`
	SizeAfter  int64 `json:"size_after"`
}

// Prune removes old events from the journal and from the ledger, which has taken in
// the journal. Events with a human outcome stay, with that outcome and with what
// proves it, unless o says otherwise. It may be repeated after it was interrupted.
func Prune(ctx context.Context, s ledger.Store, dir string, o PruneOptions) (Pruned, error) {
	var out Pruned
	var err error
	if out.SizeBefore, err = s.Size(ctx); err != nil {
		return out, err
	}
	out.SizeAfter = out.SizeBefore
	p := &pruning{PruneOptions: o, store: s, dir: dir}
	if err := p.cut(ctx, out.SizeBefore); err != nil {
		return out, err
	}
	if err := p.protect(ctx); err != nil {
		return out, err
	}
	runs, err := p.runs(ctx, &out)
	if err != nil {
		return out, err
	}
	plan, err := journal.PlanRewrite(ctx, dir, o.Deed, o.Dry, func(l *journal.Line) (journal.Edit, error) {
		r := l.Record
		return journal.Edit{Remove: r != nil && p.goes(r.Kind, r.ID, r.Time)}, nil
	})
	if err != nil {
		return out, err
	}
	defer plan.Discard()
	out.Lines = plan.Removed.Lines
	if o.Dry || len(runs) == 0 && out.Lines == 0 {
		return out, nil
	}
	out.Checkpoint = o.Deed.ID
	vouched := plan.Vouched
	for _, r := range runs {
		vouched = append(vouched, r.vouched)
	}
	span := journal.Span{Lines: out.Events + out.Outcomes, First: out.First, Last: out.Last}
	if span.Lines == 0 {
		span = plan.Removed
	}
	if err := announce(ctx, s, dir, o.Deed, span, vouched, nil); err != nil {
		return out, err
	}
	if err := plan.Commit(); err != nil {
		return out, err
	}
	out.Events, out.Outcomes = 0, 0
	for _, r := range runs {
		events, outcomes, err := s.Remove(ctx, r.ids, r.marks)
		out.Events += events
		out.Outcomes += outcomes
		if err != nil {
			return out, err
		}
	}
	if err := s.Compact(ctx); err != nil {
		return out, err
	}
	out.SizeAfter, err = s.Size(ctx)
	return out, err
}

type pruning struct {
	PruneOptions
	store ledger.Store
	dir   string
	// ruled are the events that stay, by id.
	ruled map[string]bool
}

// cut moves Before to where the ledger becomes small enough, by the average size of
// its events.
func (p *pruning) cut(ctx context.Context, size int64) error {
	if p.MaxSize <= 0 || size <= p.MaxSize {
		return nil
	}
	n := 0
	for _, err := range p.store.Rows(ctx, journal.KindEvent, false) {
		if err != nil {
			return err
		}
		n++
	}
	// A little more than that, since what stays because of a ruling takes its part.
	keep := int(float64(n) * 0.95 * float64(p.MaxSize) / float64(size))
	i := 0
	for r, err := range p.store.Rows(ctx, journal.KindEvent, false) {
		if err != nil {
			return err
		}
		if i++; i > n-keep {
			if r.Time.After(p.Before) {
				p.Before = r.Time
			}
			return nil
		}
		if keep == 0 && !r.Time.Before(p.Before) {
			p.Before = r.Time.Add(time.Microsecond)
		}
	}
	return nil
}

// protect finds the events on which a human ruled, and those that prove it.
func (p *pruning) protect(ctx context.Context) error {
	p.ruled = map[string]bool{}
	for r, err := range p.store.Rows(ctx, journal.KindOutcome, false) {
		if err != nil {
			return err
		}
		if p.Outcomes && r.Time.Before(p.Before) {
			continue
		}
		p.ruled[r.Outcome.Event] = true
		if len(r.Hash) == 0 {
			p.ruled[proof(r.Outcome.ID)] = true
		}
	}
	return nil
}

// proof is the id of the event from which an outcome follows that no line holds.
func proof(outcomeID string) string { return "ev" + outcomeID[min(2, len(outcomeID)):] }

// goes reports whether a record is to be removed.
func (p *pruning) goes(kind, id string, at time.Time) bool {
	switch {
	case !at.Before(p.Before):
		return false
	case kind == journal.KindEvent:
		return !p.ruled[id]
	case kind == journal.KindOutcome:
		return p.Outcomes
	}
	return false
}

// removal is an unbroken row of records that go in one transaction.
type removal struct {
	ids     []string
	marks   [][]byte
	vouched string
}

// maxRemoval bounds a transaction to less than a second's work.
const maxRemoval = 5000

// runs lists what goes from the ledger.
func (p *pruning) runs(ctx context.Context, out *Pruned) ([]removal, error) {
	steps, err := removedEdges(ctx, p.store)
	if err != nil {
		return nil, err
	}
	var all []removal
	var ids []string
	var prev, was string
	end := func() error {
		if len(ids) == 0 {
			return nil
		}
		span := journal.Span{Lines: len(ids), First: ids[0], Last: ids[len(ids)-1]}
		line, vouched, err := journal.Tombstone(p.Deed, span, prev, was)
		all = append(all, removal{ids, [][]byte{line}, vouched})
		ids = nil
		return err
	}
	for r, err := range chain(ctx, p.store, false, steps) {
		if err != nil {
			return nil, err
		}
		goes := p.goes(r.Kind, r.ID, r.Time)
		if !goes || !r.follows || r.jumped || len(ids) == maxRemoval {
			if err := end(); err != nil {
				return nil, err
			}
		}
		if !goes {
			if r.Kind == journal.KindEvent && r.Time.Before(p.Before) {
				out.Protected++
			}
			continue
		}
		if len(ids) == 0 {
			prev = hex.EncodeToString(r.Prev)
		}
		ids, was = append(ids, r.ID), hex.EncodeToString(r.Link)
		if r.Kind == journal.KindEvent {
			out.Events++
			if out.First == "" {
				out.First = r.ID
			}
			out.Last = r.ID
		} else {
			out.Outcomes++
		}
	}
	return all, end()
}
