package upkeep

import (
	"context"
	"fmt"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// Check looks for damage in the ledger alone: in its storage, and in every record
// that it holds, and among the outcomes that follow from its events. It says what it finds, at most some dozen lines, and how many
// records it looked at.
func Check(ctx context.Context, s ledger.Store) (problems []string, records int, err error) {
	problems, err = s.Check(ctx)
	if err != nil {
		return nil, 0, err
	}
	const most = 20
	bad := 0
	v := &verifier{store: s, seen: map[string]int{}}
	for _, kind := range []string{journal.KindEvent, journal.KindOutcome, journal.KindCheckpoint, journal.KindRemoved} {
		for r, err := range s.Rows(ctx, kind, true) {
			if err != nil {
				bad++
				problems = append(problems, fmt.Sprintf("records of the kind %s: %v", kind, err))
				break
			}
			records++
			if len(r.Hash) == 0 && r.Outcome != nil {
				continue
			}
			if _, ok := v.genuine(&r); !ok {
				if bad++; bad <= most {
					f := v.rep.Findings[len(v.rep.Findings)-1]
					problems = append(problems, fmt.Sprintf("%s: %s", r.ID, f.Text))
				}
			}
		}
	}
	listed := len(v.rep.Findings)
	if err := v.revealed(ctx); err != nil && bad == 0 {
		return nil, 0, err
	}
	for _, f := range v.rep.Findings[listed:] {
		if bad++; bad <= most {
			problems = append(problems, fmt.Sprintf("%s: %s", f.ID, f.Text))
		}
	}
	if bad > most {
		problems = append(problems, fmt.Sprintf("and %d more records", bad-most))
	}
	return problems, records, nil
}
