// Package upkeep keeps the journal and the ledger in order: it verifies the one
// against the other, removes what is old, takes secrets out of what is stored,
// repairs, and carries events from one ledger to another. Whatever it changes is
// announced by a checkpoint in the journal first, so that it can be told from
// tampering.
//
// It works on the journal's files and on a [ledger.Store], and knows no backend.
package upkeep

import (
	"context"
	"encoding/hex"
	"iter"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// edge is a step of the chain that no row of the ledger takes: from the link
// before to the link after what is not there.
type edges map[string][]string

func (e edges) add(from, to string) { e[from] = append(e[from], to) }

// removedEdges are the steps over what was removed from the ledger.
func removedEdges(ctx context.Context, s ledger.Store) (edges, error) {
	out := edges{}
	for r, err := range s.Rows(ctx, journal.KindRemoved, false) {
		if err != nil {
			return nil, err
		}
		out.add(hex.EncodeToString(r.Prev), hex.EncodeToString(r.Link))
	}
	return out, nil
}

// link is a row of the ledger in the order of the chain.
type chained struct {
	ledger.Row
	// follows is false for a row that does not follow the one before it, which
	// should have been one that states expected as its prev.
	follows  bool
	expected string
	// jumped is true where rows before it were removed.
	jumped bool
}

// chain yields the ledger's rows of all kinds in the order of the chain, which is
// that of the journal, so far as it can be told. steps lead over what is not there.
// Rows that no journal line holds are left out.
func chain(ctx context.Context, s ledger.Store, bodies bool, steps edges) iter.Seq2[chained, error] {
	return func(yield func(chained, error) bool) {
		var heads []*head
		for _, kind := range []string{journal.KindEvent, journal.KindOutcome, journal.KindCheckpoint} {
			next, stop := iter.Pull2(s.Rows(ctx, kind, bodies))
			defer stop()
			h := &head{next: next}
			if err := h.advance(); err != nil {
				yield(chained{}, err)
				return
			}
			heads = append(heads, h)
		}
		expected := []string{""}
		jumped := false
		used := map[string]bool{}
		for {
			now, follows := pick(heads, expected)
			if now == nil {
				return
			}
			if !follows {
				if to, ok := step(steps, expected, used); ok {
					expected, jumped = to, true
					continue
				}
			}
			c := chained{Row: now.row, follows: follows, expected: expected[0], jumped: jumped}
			after := hex.EncodeToString(now.row.Link)
			if follows {
				expected = []string{after}
			} else {
				expected = []string{after, expected[0]} // whichever of the two the next one follows
			}
			jumped = false
			if err := now.advance(); err != nil {
				yield(chained{}, err)
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// head is the next row of one kind.
type head struct {
	next func() (ledger.Row, error, bool)
	row  ledger.Row
	done bool
}

func (h *head) advance() error {
	for {
		r, err, ok := h.next()
		if err != nil {
			return err
		}
		h.row, h.done = r, !ok
		if !ok || len(r.Hash) > 0 || r.Kind != journal.KindOutcome {
			return nil
		}
	}
}

// pick finds the head that comes next: one that states an expected link, else the
// oldest.
func pick(heads []*head, expected []string) (h *head, follows bool) {
	for _, e := range expected {
		for _, h := range heads {
			if !h.done && hex.EncodeToString(h.row.Prev) == e {
				return h, true
			}
		}
	}
	for _, other := range heads {
		if !other.done && (h == nil || other.row.Time.Before(h.row.Time)) {
			h = other
		}
	}
	return h, false
}

// step goes over what is not there, each way once.
func step(steps edges, expected []string, used map[string]bool) ([]string, bool) {
	var out []string
	for _, from := range expected {
		for _, to := range steps[from] {
			if key := from + to; !used[key] {
				used[key] = true
				out = append(out, to)
			}
		}
	}
	return out, len(out) > 0
}

// announce writes the checkpoint of a change and has the ledger take it in, so that
// the ledger's place in the journal is behind all that changes.
func announce(ctx context.Context, s ledger.Store, dir string, d journal.Deed, span journal.Span, vouched, known []string) error {
	if err := journal.Checkpoint(ctx, dir, d, span, vouched, known); err != nil {
		return err
	}
	_, err := s.TakeIn(ctx, dir, nil)
	return err
}

// NewDeed is a deed of now.
func NewDeed(now time.Time, by, source, note string) journal.Deed {
	return journal.Deed{ID: journal.NewID("cp", now), Time: now, By: by, Source: source, Note: note}
}

// union appends to a what of b is not in it.
func union(a, b []string) []string {
	seen := make(map[string]bool, len(a))
	for _, s := range a {
		seen[s] = true
	}
	for _, s := range b {
		if !seen[s] {
			a = append(a, s)
		}
	}
	return a
}
