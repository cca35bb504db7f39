package doctor

import (
	"context"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/precedent/snapshot"
)

// precedents says how many human rulings count for hooks, or why none do.
func (m Machine) precedents(ctx context.Context, store ledger.Store) Result {
	const name = "precedents"
	if _, err := m.Home.Key(); err != nil {
		return result(name, Warning, hint.Of(err), "%v", err)
	}
	if _, err := snapshot.Find(m.Home.Precedents(), nil, true); err != nil {
		return result(name, Failed, hint.Of(err), "%v", err)
	}
	c, _, err := config.Load(config.Default(), m.Home.Root)
	if err != nil {
		return result(name, Warning, nil, "%v", err)
	}
	rulings, err := store.Rulings(ctx, time.Now().Add(-c.Precedent.MaxAge), snapshot.Limit)
	if err != nil {
		return result(name, Failed, hint.Of(err), "%v", err)
	}
	allows := 0
	for _, r := range rulings {
		if r.Decision == event.Allow {
			allows++
		}
	}
	more := ""
	if len(rulings) == snapshot.Limit {
		more = " of the newest"
	}
	r := result(name, OK, nil, "%d allows and %d denies by people%s count for actions like them", allows, len(rulings)-allows, more)
	if c.Precedent.AllowThreshold > c.Precedent.TopK {
		r = result(name, Warning, []string{"make top_k in config.toml at least allow_threshold"}, "precedent never allows: top_k is less than allow_threshold")
	}
	return r
}
