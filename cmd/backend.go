package cmd

import (
	"context"
	"errors"

	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/sqlite"
)

// place is where the ledger is.
type place struct {
	home   home.Home
	config config.Config
}

// place finds the ledger by the person's settings.
func (w *world) place() (place, error) {
	h, c, err := w.ledgerHome()
	return place{h, c}, err
}

// shared reports whether the ledger is a server that several machines share.
func (p place) shared() bool { return p.config.Ledger.Backend == "dolt" }

// branch is the branch of the ledger to work on.
func (p place) branch() (string, error) {
	s, err := p.home.Team().Load()
	return s.Branch(p.config.Ledger.Dolt.Branch), err
}

// openStore opens the ledger as it is. On a server with branches that is the
// given one, "" for the server's own choice.
func (w *world) openStore(ctx context.Context, p place, branch string) (ledger.Store, error) {
	if p.shared() {
		return w.openDolt(ctx, p, branch)
	}
	return sqlite.Open(ctx, p.home.Ledger(p.config))
}

// renew rewrites from the ledger the snapshots that hooks read.
func (w *world) renew(ctx context.Context, store ledger.Store, h home.Home) error {
	err := approval.Refresh(ctx, h.Approvals(), func(ctx context.Context) ([]approval.Approval, error) {
		return store.Approvals(ctx, w.now())
	})
	key, keyErr := h.Key()
	if keyErr != nil {
		return errors.Join(err, keyErr)
	}
	return errors.Join(err, w.writePrecedents(ctx, h, key, store))
}

// branches is the ledger as one that has branches.
func branches(store ledger.Store) (ledger.Brancher, error) {
	if b, ok := store.(ledger.Brancher); ok {
		return b, nil
	}
	return nil, hint.Wrap(errors.New("the SQLite ledger has no branches"), `they need the Dolt backend: docs/ledger.md, "A team on Dolt"`)
}
