//go:build !dolt

package cmd

import (
	"context"
	"errors"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/ledger"
)

// openDolt refuses: linking the driver of a server would cost every hook its start.
func (w *world) openDolt(context.Context, place, string) (ledger.Store, error) {
	err := errors.New(`config.toml has [ledger] backend = "dolt", which this build of overseer does not have`)
	return nil, hint.Wrap(err, "go install -tags dolt github.com/fireharp/overseer@latest (what was recorded meanwhile is in the journal and will be taken in)")
}
