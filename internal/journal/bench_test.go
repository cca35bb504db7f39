package journal_test

import (
	"io"
	"testing"

	"github.com/fireharp/overseer/internal/journal"
)

func BenchmarkAppend(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		if err := journal.Append(b.Context(), dir, record("ev_1"), journal.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	const lines = 1000
	for range lines {
		if err := journal.Append(b.Context(), dir, record("ev_1"), journal.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	read := func(next func(*journal.Reader) (journal.Line, error)) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				r := journal.NewReader(dir, journal.Position{})
				n := 0
				for line, err := next(r); err != io.EOF; line, err = next(r) {
					if err != nil || line.Fault != nil {
						b.Fatalf("%+v %v", line, err)
					}
					n++
				}
				if n != lines {
					b.Fatalf("%d lines", n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lines), "ns/line")
		}
	}
	b.Run("Next", read((*journal.Reader).Next))
	b.Run("Skim", read((*journal.Reader).Skim))
}
