package doctor

import (
	"context"
	"errors"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/precedent"
	"github.com/fireharp/overseer/internal/precedent/snapshot"
)

// snapshot looks at the file in which hooks find human rulings, before the
// examination writes it again.
func (m Machine) snapshot() error {
	key, err := m.Home.Key()
	if err != nil {
		return nil // the check of the precedents tells
	}
	err = snapshot.Check(m.Home.Precedents(), key)
	if errors.Is(err, snapshot.ErrOlder) {
		return nil
	}
	return err
}

// precedents says how many human rulings count for hooks, or why none do.
func (m Machine) precedents(ctx context.Context, store ledger.Store) []Result {
	const name = "precedents"
	key, err := m.Home.Key()
	if err != nil {
		return []Result{result(name, Warning, hint.Of(err), "%v", err)}
	}
	if err := snapshot.Check(m.Home.Precedents(), key); err != nil {
		return []Result{result(name, Failed, hint.Of(err), "%v", err)}
	}
	c, _, err := config.Load(config.Default(), m.Home.Root)
	if err != nil {
		return []Result{result(name, Warning, nil, "%v", err)}
	}
	rulings, err := store.Rulings(ctx, time.Now().Add(-c.Precedent.MaxAge), snapshot.Limit)
	if err != nil {
		return []Result{result(name, Failed, hint.Of(err), "%v", err)}
	}
	allows, denies, lost := 0, 0, 0
	for _, r := range rulings {
		sig, err := precedent.Parse(r.Signature)
		switch {
		case err != nil || !sig.Under(key):
			lost++
		case r.Decision == event.Allow:
			allows++
		default:
			denies++
		}
	}
	more := ""
	if len(rulings) == snapshot.Limit {
		more = " of the newest"
	}
	out := []Result{result(name, OK, nil, "%d allows and %d denies by people%s count for actions like them", allows, denies, more)}
	if c.Precedent.AllowThreshold > c.Precedent.TopK {
		out[0] = result(name, Warning, []string{"make top_k in config.toml at least allow_threshold"}, "precedent never allows: top_k is less than allow_threshold")
	}
	if lost > 0 {
		out = append(out, result(name, Warning, []string{"put the earlier key back from a backup to " + m.Home.KeyFile() + ", or rule again on what matters"},
			"%s on what was recorded with another key, or by another version, and count no more", count(lost, "ruling")))
	}
	if m.was != nil && !errors.Is(m.was, snapshot.ErrKey) {
		out = append(out, result(name, Warning, []string{"find out who did it: only overseer writes it. Hooks went by on_fault meanwhile"},
			"%v; it was written again", m.was))
	}
	return out
}
