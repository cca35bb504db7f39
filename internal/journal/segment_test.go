package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/journal"
)

func TestResume(t *testing.T) {
	t.Parallel()
	// A journal of five segments, read to the end of the third.
	setup := func(t *testing.T) (dir string, p journal.Position, link string) {
		dir = t.TempDir()
		appendIDs(t, dir, 10, "1", "2", "3", "4", "5")
		r := journal.NewReader(dir, journal.Position{})
		defer r.Close()
		for range 3 {
			line, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			p, link = line.Next, line.Link
		}
		return dir, p, link
	}
	remove := func(numbers ...int) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			for _, n := range numbers {
				if err := os.Remove(segmentFiles(t, dir)[0]); err != nil {
					t.Fatal(n, err)
				}
			}
		}
	}
	tests := []struct {
		name     string
		change   func(t *testing.T, dir string)
		replaced bool
		next     string // the id that is read next, "" for none
	}{
		{"unchanged", func(*testing.T, string) {}, false, "4"},
		{"pruned before it", remove(1, 2), false, "4"},
		{"pruned with it", remove(1, 2, 3), false, "4"},
		{"pruned past it", remove(1, 2, 3, 4), false, "5"},
		{"all gone", remove(1, 2, 3, 4, 5), false, ""},
		{"begun anew", func(t *testing.T, dir string) {
			remove(1, 2, 3, 4, 5)(t, dir)
			appendIDs(t, dir, 0, "a")
		}, true, "a"},
		{"begun anew and as long", func(t *testing.T, dir string) {
			remove(1, 2, 3, 4, 5)(t, dir)
			appendIDs(t, dir, 10, "a", "b", "c", "d")
		}, true, "a"},
		{"cut off", func(t *testing.T, dir string) {
			if err := os.Truncate(segmentFiles(t, dir)[2], 5); err != nil {
				t.Fatal(err)
			}
		}, true, "1"},
		{"last line edited", func(t *testing.T, dir string) {
			file := segmentFiles(t, dir)[2]
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)-5] ^= 1 // a digit of the hash
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}, true, "1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, p, link := setup(t)
			before, err := journal.Remaining(dir, p)
			if fi, _ := os.Stat(segmentFiles(t, dir)[4]); err != nil || before < fi.Size() || before > 3*fi.Size() {
				t.Errorf("remaining %d %v", before, err)
			}
			tt.change(t, dir)
			from, replaced, err := journal.Resume(dir, p, link)
			if err != nil || replaced != tt.replaced {
				t.Fatalf("%v %v %v", from, replaced, err)
			}
			line, err := journal.NewReader(dir, from).Next()
			if tt.next == "" {
				if err == nil {
					t.Errorf("read %s", line.Record.ID)
				}
				return
			}
			if err != nil || line.Record == nil || line.Record.ID != tt.next {
				t.Errorf("read %+v %v, want %s", line, err, tt.next)
			}
		})
	}
	if from, replaced, err := journal.Resume(t.TempDir(), journal.Position{}, ""); from != (journal.Position{}) || replaced || err != nil {
		t.Errorf("at the beginning: %v %v %v", from, replaced, err)
	}
}

func TestWritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := journal.Writable(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := journal.Writable(filepath.Join(dir, "none")); !errors.Is(err, journal.ErrMissing) || len(hint.Of(err)) == 0 {
		t.Errorf("a folder that is not there: %v", err)
	}
}
