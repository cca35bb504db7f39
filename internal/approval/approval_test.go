package approval_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/approval"
)

var now = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

func TestWriteAndLoad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "approvals.json")
	if s, err := approval.Load(path); err != nil || len(s.Approvals) != 0 {
		t.Errorf("missing file: %v %v", s, err)
	}
	want := []approval.Approval{{Event: "ev_1", Action: "aa", Until: now}, {Event: "ev_2", Action: "bb", Until: now.Add(time.Hour)}}
	for _, list := range [][]approval.Approval{want, nil} {
		if err := approval.Write(path, list); err != nil {
			t.Fatal(err)
		}
		got, err := approval.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append([]approval.Approval{}, list...), got.Approvals); diff != "" {
			t.Error(diff)
		}
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", fi.Mode(), err)
		}
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := approval.Write(filepath.Join(path, "no", "folder"), want); err == nil {
		t.Error("written into nothing")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := approval.Set{Approvals: []approval.Approval{
		{Event: "ev_1", Action: "aa", Until: now.Add(time.Minute)},
		{Event: "ev_2", Action: "aa", Until: now.Add(time.Hour)},
		{Event: "ev_3", Action: "aa", Until: now.Add(-time.Minute)},
		{Event: "ev_4", Action: "bb", Until: now},
		{Event: "ev_5", Action: "", Until: now.Add(time.Hour)},
		{Event: "ev_6", Action: "dd", Form: "x", Until: now.Add(time.Minute)},
		{Event: "ev_7", Action: "dd", Form: "y", Until: now.Add(time.Hour)},
	}}
	for _, tt := range []struct{ action, form, want string }{
		{"aa", "x", "ev_2"}, {"aa", "", "ev_2"}, {"bb", "", ""}, {"", "", ""}, {"cc", "", ""}, {"a", "", ""},
		{"dd", "x", "ev_6"}, {"dd", "y", "ev_7"}, {"dd", "z", ""}, {"dd", "", ""},
	} {
		got, ok := s.Find(tt.action, tt.form, now)
		if got.Event != tt.want || ok != (tt.want != "") {
			t.Errorf("%q %q: %v %v, want %q", tt.action, tt.form, got, ok, tt.want)
		}
	}
}

func TestBrokenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"half":  `{"approvals":[{"event":"ev_1","action":"aa","until":"2036-01-01T00:00:00Z"}`,
		"wrong": `{"approvals":[{"event":"ev_1","action":"aa","until":"2036-01-01T00:00:00Z"},{"action":1}]}`,
		"time":  `{"approvals":[{"event":"ev_1","action":"aa","until":"tomorrow"}]}`,
		"large": `{"approvals":[]}` + strings.Repeat(" ", 1<<20),
		"empty": ``,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := approval.Load(path); err == nil || len(s.Approvals) > 0 {
			t.Errorf("%s: %v %v", name, s, err)
		}
	}
	if _, err := approval.Load(dir); err == nil {
		t.Error("a folder was read")
	}
}

// TestRefresh has many writers, each with one approval more: the last word must
// be the longest list.
func TestRefresh(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "approvals.json")
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			n.Add(1) // the ruling
			err := approval.Refresh(t.Context(), path, func(context.Context) ([]approval.Approval, error) {
				var list []approval.Approval
				for i := range n.Load() {
					list = append(list, approval.Approval{Event: fmt.Sprint(i), Action: "a", Until: now})
				}
				return list, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, err := approval.Load(path)
	if err != nil || len(s.Approvals) != 20 {
		t.Errorf("%d approvals, %v", len(s.Approvals), err)
	}
	broken := errors.New("broken")
	if err := approval.Refresh(t.Context(), path, func(context.Context) ([]approval.Approval, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if s, err := approval.Load(path); err != nil || len(s.Approvals) != 20 {
		t.Errorf("a failed refresh changed the snapshot: %d, %v", len(s.Approvals), err)
	}
}
