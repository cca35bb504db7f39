//go:build dolt

package dolt_test

import (
	"os"
	"testing"

	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/dolt"
	"github.com/fireharp/overseer/internal/ledger/dolt/dolttest"
	"github.com/fireharp/overseer/internal/ledger/ledgertest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dolttest.Cleanup()
	os.Exit(code)
}

// TestStore is the suite that every backend passes, on every server.
func TestStore(t *testing.T) {
	for kind, start := range dolttest.Kinds {
		t.Run(kind, func(t *testing.T) {
			server := start(t)
			ledgertest.Run(t, func(t *testing.T) func() (ledger.Store, error) {
				o := dolt.Options{Address: server.Database(), Branch: "main", Machine: "here", User: "dev"}
				return func() (ledger.Store, error) { return dolt.Open(t.Context(), o) }
			})
		})
	}
}
