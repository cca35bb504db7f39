//go:build dolt

package dolt_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/dolt"
	"github.com/fireharp/overseer/internal/ledger/dolt/dolttest"
	"github.com/fireharp/overseer/internal/ledger/ledgertest"
)

var lines = flag.Int("lines", 20_000, "how many journal lines BenchmarkLedger takes in")

// BenchmarkLedger says how long a server of each kind takes.
func BenchmarkLedger(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "journal")
	if err := os.Mkdir(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	sample := ledgertest.NewSample(1)
	add := func(n int) {
		for range n {
			if err := journal.Append(b.Context(), dir, sample.Next(), journal.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	add(*lines)
	for kind, start := range dolttest.Kinds {
		server := start(b)
		s, err := dolt.Open(b.Context(), dolt.Options{Address: server.Database(), Branch: "main", Machine: "m"})
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		timed := func(what string, do func() error) {
			begun := time.Now()
			if err := do(); err != nil {
				b.Fatal(err)
			}
			b.Logf("%-8s %-20s %v", kind, what, time.Since(begun).Round(10*time.Microsecond))
		}
		takeIn := func() error { _, err := s.TakeIn(b.Context(), dir, nil); return err }
		timed("take in", takeIn)
		timed("nothing new", takeIn)
		add(1)
		timed("one line", takeIn)
		timed("tail", func() error { _, err := s.Tail(b.Context(), ledger.Query{}); return err })
		timed("tail, denied", func() error { _, err := s.Tail(b.Context(), ledger.Query{Decision: "deny"}); return err })
		for what, words := range map[string]string{"search common": "bash test", "search rare": "toolu index zzz"} {
			timed(what, func() error { _, err := s.Search(b.Context(), words, 20); return err })
		}
		timed("rulings", func() error { _, err := s.Rulings(b.Context(), time.Time{}, 1000); return err })
		size, err := s.Size(b.Context())
		b.Logf("%-8s %d bytes an event in the tables, %v; %d on the disk", kind, size/int64(*lines), err, server.Disk()/int64(*lines))
	}
}
