package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/ledgertest"
	"github.com/fireharp/overseer/internal/ledger/sqlite"
)

func TestStore(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t *testing.T) func() (ledger.Store, error) {
		path := filepath.Join(t.TempDir(), "ledger.db")
		return func() (ledger.Store, error) { return sqlite.Open(t.Context(), path) }
	})
}
