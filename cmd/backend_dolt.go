//go:build dolt

package cmd

import (
	"context"
	"os"

	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/dolt"
)

func (w *world) openDolt(ctx context.Context, p place, branch string) (ledger.Store, error) {
	host, _ := os.Hostname()
	machine, err := p.home.Team().Name(host)
	if err != nil {
		return nil, err
	}
	s, err := dolt.Open(ctx, dolt.Options{
		Address:  p.config.Ledger.Path,
		Password: w.getenv(dolt.PasswordVar),
		Branch:   branch,
		Machine:  machine,
		User:     w.user(),
	})
	if err != nil {
		return nil, err // and not a *dolt.Store that is nil
	}
	return s, nil
}
