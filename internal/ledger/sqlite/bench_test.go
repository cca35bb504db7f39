package sqlite_test

import (
	"flag"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/ledgertest"
	"github.com/fireharp/overseer/internal/ledger/sqlite"
)

var benchLines = flag.Int("lines", 100_000, "journal lines of BenchmarkLedger")

// cpuTime is the processor time of this process so far. On a machine that others
// use too it says more than the clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLedger gives the figures of docs/ledger.md: it takes in a journal of
// sample records once and then asks what people ask.
func BenchmarkLedger(b *testing.B) {
	dir := b.TempDir()
	sample := ledgertest.NewSample(1)
	var last journal.Record
	for range *benchLines {
		last = sample.Next()
		if err := journal.Append(b.Context(), journalDir(dir), last, journal.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	bytes, err := journal.Remaining(journalDir(dir), journal.Position{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := sqlite.Open(b.Context(), ledgerPath(dir))
	if err != nil {
		b.Fatal(err)
	}
	start, cpu := time.Now(), cpuTime()
	in, err := s.TakeIn(b.Context(), journalDir(dir), nil)
	if err != nil || in.Events != *benchLines {
		b.Fatalf("%+v %v", in, err)
	}
	took, cpu := time.Since(start), cpuTime()-cpu
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	fi, err := os.Stat(ledgerPath(dir))
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("took in %d lines of %d bytes in %v (%v of processor time), %d completions; %d bytes an event in the ledger",
		in.Events, bytes/int64(in.Events), took.Round(time.Millisecond), cpu.Round(time.Millisecond), in.Completions, fi.Size()/int64(in.Events))

	b.Run("OpenAndClose", func(b *testing.B) {
		for b.Loop() {
			s, err := sqlite.OpenExisting(b.Context(), ledgerPath(dir))
			if err != nil {
				b.Fatal(err)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	if s, err = sqlite.Open(b.Context(), ledgerPath(dir)); err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.Run("TakeInNothing", func(b *testing.B) {
		for b.Loop() {
			if in, err := s.TakeIn(b.Context(), journalDir(dir), nil); err != nil || in.Events != 0 {
				b.Fatal(in, err)
			}
		}
	})
	b.Run("TakeInOne", func(b *testing.B) {
		for b.Loop() {
			if err := journal.Append(b.Context(), journalDir(dir), sample.Next(), journal.Options{}); err != nil {
				b.Fatal(err)
			}
			if in, err := s.TakeIn(b.Context(), journalDir(dir), nil); err != nil || in.Events != 1 {
				b.Fatal(in, err)
			}
		}
	})
	for name, q := range map[string]ledger.Query{
		"Tail": {}, "TailDenied": {Decision: event.Deny}, "TailSession": {Session: last.Session}, "TailNoSuchSession": {Session: "none"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Tail(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for name, text := range map[string]string{
		"SearchCommon": "home dev", "SearchRare": "python3 segment hash", "SearchNothing": "no such word", "SearchCommonPairOfRare": "push zzz home",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Search(b.Context(), text, 20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("Get", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Get(b.Context(), last.ID[:20]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Approvals", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Approvals(b.Context(), last.Time); err != nil {
				b.Fatal(err)
			}
		}
	})
}
