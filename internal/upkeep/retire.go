package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// Retire removes the journal's oldest segments: those that were last written to
// before the time cutoff and that the ledger, which has read the journal up to
// place, has in whole and safe from a power failure. Most often there is nothing to
// do, and that costs next to nothing. It returns how many segments went.
func Retire(ctx context.Context, s ledger.Store, dir string, d journal.Deed, place journal.Position, cutoff time.Time) (int, error) {
	if !journal.Retirable(dir, place, cutoff) {
		return 0, nil
	}
	plan, err := journal.PlanRetire(ctx, dir, d, false, place, cutoff)
	if err != nil {
		return 0, err
	}
	defer plan.Discard()
	if len(plan.Segments) == 0 {
		return 0, nil
	}
	if err := s.Sync(ctx); err != nil {
		return 0, err
	}
	if err := journal.Checkpoint(ctx, dir, d, plan.Removed, plan.Vouched, nil); err != nil {
		return 0, err
	}
	if err := plan.Commit(); err != nil {
		return 0, fmt.Errorf("remove segments that the ledger has: %w", err)
	}
	return len(plan.Segments), nil
}
