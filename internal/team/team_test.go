package team_test

import (
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/team"
)

func TestName(t *testing.T) {
	t.Parallel()
	files := team.In(t.TempDir())
	var names sync.Map
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			name, err := files.Name("laptop.example.org")
			if err != nil || !regexp.MustCompile(`^laptop-[0-9a-f]{4}$`).MatchString(name) {
				t.Errorf("%q %v", name, err)
			}
			names.Store(name, true)
		})
	}
	wg.Wait()
	n := 0
	names.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d names", n)
	}
	first, _ := files.Name("laptop")
	if later, err := files.Name("renamed"); err != nil || later != first {
		t.Errorf("%q became %q, %v", first, later, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(files.Machine), ".machine-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	other, err := team.In(t.TempDir()).Name("")
	if err != nil || other[:8] != "machine-" {
		t.Errorf("%q %v", other, err)
	}
	if err := os.WriteFile(files.Machine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if name, err := files.Name("laptop"); err == nil {
		t.Errorf("an empty file names it %q", name)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	files := team.In(t.TempDir())
	s, err := files.Load()
	if err != nil || s != (team.State{}) || s.Branch("main") != "main" {
		t.Errorf("%+v %v", s, err)
	}
	s.Checkout = team.Checkout{Branch: "experiment", From: "main"}
	s.Synced, s.Reached = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), journal.Position{Segment: 2, Offset: 3}
	if err := files.Save(s); err != nil {
		t.Fatal(err)
	}
	got, err := files.Load()
	if err != nil || got != s {
		t.Errorf("%+v %v", got, err)
	}
	// A checkout holds until the settings name another branch.
	if got.Branch("main") != "experiment" || got.Branch("other") != "other" {
		t.Errorf("%q %q", got.Branch("main"), got.Branch("other"))
	}
	if err := os.WriteFile(files.State, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Load(); err == nil {
		t.Error("half a file was believed")
	}
}
