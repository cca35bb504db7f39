package doctor

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// server looks at the ledger of a team: what server it is, and how far this
// machine was with it before the examination, which brings it up to date.
func (m Machine) server(ctx context.Context) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		c, _, err := config.Load(config.Default(), m.Home.Root)
		if err != nil || c.Ledger.Backend != "dolt" || m.OpenLedger == nil {
			return // the settings' own check tells
		}
		const name = "server"
		before, err := m.backlog()
		if err != nil {
			yield(result(name, Warning, hint.Of(err), "%v", err))
			return
		}
		store, _, err := m.OpenLedger(ctx)
		if err != nil {
			state := Failed
			if errors.Is(err, ledger.ErrAway) {
				state = Warning // the hooks enforce all the same
			}
			yield(result(name, state, hint.Of(err), "%v; %s", err, before))
			return
		}
		defer store.Close()
		s, ok := store.(ledger.Server)
		if !ok {
			return
		}
		text, err := s.Describe(ctx)
		if err != nil {
			yield(result(name, Failed, hint.Of(err), "%v", err))
			return
		}
		yield(result(name, OK, nil, "%s; %s", text, before))
	}
}

// backlog says when this machine last saw the server, and what its journal had for
// it since then.
func (m Machine) backlog() (string, error) {
	state, err := m.Home.Team().Load()
	if err != nil {
		return "", err
	}
	waiting, err := journal.Remaining(m.Home.Journal(), state.Reached)
	if err != nil {
		return "", err
	}
	last := "never synced before"
	if !state.Synced.IsZero() {
		last = "last synced " + ago(time.Since(state.Synced))
	}
	if waiting == 0 {
		return last + ", nothing waited", nil
	}
	return fmt.Sprintf("%s, %d KiB of the journal waited", last, (waiting+1023)/1024), nil
}

// ago is a time in the past in one unit.
func ago(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(d / u.size); n > 0 {
			return count(n, u.name) + " ago"
		}
	}
	return "just now"
}
