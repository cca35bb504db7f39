package doctor_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/fireharp/overseer/internal/doctor"
)

// TestShortened: lines that are removed from the end of the journal after they were
// taken in are missed.
func TestShortened(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(path string, content []byte) error
		short bool
	}{
		{"untouched", func(string, []byte) error { return nil }, false},
		{"the last line gone", func(p string, b []byte) error {
			return os.WriteFile(p, b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1], 0o600)
		}, true},
		{"emptied", func(p string, _ []byte) error { return os.WriteFile(p, nil, 0o600) }, true},
		{"deleted", func(p string, _ []byte) error { return os.Remove(p) }, true},
		{"the last line replaced", func(p string, b []byte) error {
			i := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
			return os.WriteFile(p, append(b[:i:i], b[:i]...), 0o600)
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.install("claude", false)
			m.refute(m.examine(), "journal", doctor.Failed)
			path := filepath.Join(m.Home.Journal(), "00000001.jsonl")
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.spoil(path, content); err != nil {
				t.Fatal(err)
			}
			got := m.examine()
			if tt.short {
				m.expect(got, "journal", doctor.Failed, "the journal is shorter than what the ledger has taken in", "backup")
			} else {
				m.refute(got, "journal", doctor.Failed)
			}
		})
	}
}
