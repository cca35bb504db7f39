package upkeep

import (
	"context"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// SetAside takes the damaged lines out of the journal in dir and keeps them in
// [journal.SetAsideFile]. Its faults are settled by that, but for gaps, where
// nothing is left that could be set aside. It returns how many lines it took.
func SetAside(ctx context.Context, s ledger.Store, dir string, d journal.Deed) (int, error) {
	plan, err := journal.PlanRewrite(ctx, dir, d, false, func(l *journal.Line) (journal.Edit, error) {
		return journal.Edit{Remove: !l.Sound(), SetAside: true}, nil
	})
	if err != nil {
		return 0, err
	}
	defer plan.Discard()
	if plan.Removed.Lines == 0 {
		return 0, nil
	}
	if err := announce(ctx, s, dir, d, plan.Removed, plan.Vouched, plan.Known); err != nil {
		return 0, err
	}
	if err := plan.Commit(); err != nil {
		return 0, err
	}
	// The ledger has read past the lines that now say so.
	_, err = s.Put(ctx, plan.Tombstones, nil)
	return plan.Removed.Lines, err
}
