package ledger_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/ledgertest"
)

// lines are sample records as journal lines.
func lines(t testing.TB, n int) [][]byte {
	t.Helper()
	dir := t.TempDir()
	s := ledgertest.NewSample(1)
	for range n {
		if err := journal.Append(t.Context(), dir, s.Next(), journal.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "00000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for in := bufio.NewScanner(bytes.NewReader(b)); in.Scan(); {
		out = append(out, bytes.Clone(in.Bytes()))
	}
	return out
}

func TestPack(t *testing.T) {
	t.Parallel()
	var raw, packed int
	for _, line := range lines(t, 500) {
		p, err := ledger.Pack(line)
		if err != nil {
			t.Fatal(err)
		}
		want := journal.Line{Raw: line}
		want.Decode()
		got, err := p.Record()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(*want.Record, got); diff != "" {
			t.Fatal(diff)
		}
		again, err := p.Line()
		if err != nil || !bytes.Equal(again, line) {
			t.Fatalf("%v\n got %s\nwant %s", err, again, line)
		}
		raw, packed = raw+len(line), packed+len(p.Body)+len(p.Prev)+len(p.Hash)
	}
	if packed*2 > raw {
		t.Errorf("%d bytes became %d", raw, packed)
	}
}

func TestPackOfNoise(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 20)
	for i := range noise {
		noise[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[rng.IntN(62)]
	}
	dir := t.TempDir()
	if err := journal.Append(t.Context(), dir, journal.Record{Kind: "k", ID: string(noise), Time: time.Now()}, journal.Options{}); err != nil {
		t.Fatal(err)
	}
	line, err := journal.NewReader(dir, journal.Position{}).Next()
	if err != nil {
		t.Fatal(err)
	}
	p, err := ledger.Pack(line.Raw)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Record(); err != nil || r.ID != string(noise) {
		t.Errorf("%+v %v", r, err)
	}
}

func TestDamagedPacking(t *testing.T) {
	t.Parallel()
	good, err := ledger.Pack(lines(t, 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{
		"empty": {}, "unknown packing": {9, 1, 2}, "plain garbage": {0, 'x'}, "half": good.Body[:len(good.Body)/2], "no stream": {1},
	} {
		if _, err := (ledger.Packed{Body: body}).Record(); !errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, line := range []string{"", "{}", `{"hash":"x"}`} {
		if _, err := ledger.Pack([]byte(line)); err == nil {
			t.Errorf("%q was packed", line)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	all := lines(b, 1000)
	var size int
	for b.Loop() {
		size = 0
		for _, line := range all {
			p, err := ledger.Pack(line)
			if err != nil {
				b.Fatal(err)
			}
			size += len(p.Body)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/line")
	b.ReportMetric(float64(size)/float64(len(all)), "bytes/line")
}

func BenchmarkRecordWords(b *testing.B) {
	s := ledgertest.NewSample(1)
	r := s.Next()
	for r.Subject == "" || r.Tool != "Bash" {
		r = s.Next()
	}
	for b.Loop() {
		ledger.RecordWords(&r)
	}
}

// TestDictionaryNeverChanges guards the ledgers that people have: what was packed
// with a dictionary can be read with the same bytes only.
func TestDictionaryNeverChanges(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("pack.dict")
	if err != nil {
		t.Fatal(err)
	}
	const want = "8f33bab98b21b88f4b1ce8e0eaf0789722dff4ef0dedb0f900846056a36c182a"
	if got := sha256.Sum256(b); hex.EncodeToString(got[:]) != want {
		t.Errorf("pack.dict is %x; add another dictionary with a number of its own instead", got)
	}
}
