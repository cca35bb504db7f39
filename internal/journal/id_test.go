package journal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/fireharp/overseer/internal/journal"
)

func TestNewID(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1764470400123)
	seen := map[string]bool{}
	for i := range 1000 {
		at := now.Add(time.Duration(i) * time.Millisecond)
		digits, ok := strings.CutPrefix(journal.NewID("ev", at), "ev_")
		id, err := ulid.ParseStrict(digits)
		if err != nil || !ok || ulid.Time(id.Time()).UnixMilli() != at.UnixMilli() || seen[digits] {
			t.Fatalf("%s: %v, time %v, want %v", digits, err, ulid.Time(id.Time()), at)
		}
		seen[digits] = true
	}
	if a, b := journal.NewID("ev", now), journal.NewID("ev", now.Add(time.Millisecond)); a >= b {
		t.Errorf("%s does not sort before %s", a, b)
	}
}
