package snapshot_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/precedent"
	"github.com/fireharp/overseer/internal/precedent/snapshot"
	"github.com/fireharp/overseer/internal/regular"
)

var (
	key = make([]byte, precedent.KeySize)
	now = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
)

// action runs the given programs in a form of its own.
func action(form int, programs ...string) precedent.Signature {
	return precedent.Of(precedent.Act{
		Tool: "shell", Programs: programs, Text: strings.Join(programs, " ") + fmt.Sprint(" ", form), Form: []string{fmt.Sprint(form)},
		Effects: []effect.Effect{{Kind: effect.DeleteRecursive, Targets: []effect.Target{{Name: "/x", Scope: effect.Repo}}}},
	}, key).Signature
}

func ruling(n int, d event.Decision, s precedent.Signature) precedent.Ruling {
	return precedent.Ruling{Event: fmt.Sprintf("ev_01K%023d", n), Decision: d, By: "ada", Source: "approve", Time: now.Add(-time.Duration(n) * time.Second), Signature: s.String()}
}

func find(t testing.TB, path string, s precedent.Signature, all bool) []precedent.Ruling {
	t.Helper()
	out, err := snapshot.Find(path, key, s.Programs, all)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFind(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "precedents")
	push, both, rm := action(1, "git push"), action(2, "git push", "rm"), action(3, "rm")
	if got, err := snapshot.Find(path, key, push.Programs, true); !errors.Is(err, snapshot.ErrGone) {
		t.Errorf("without a file: %v %v", got, err)
	}
	allowPush, allowBoth, denyRm := ruling(1, event.Allow, push), ruling(2, event.Allow, both), ruling(3, event.Deny, rm)
	tabbed := ruling(4, event.Allow, action(4, "curl"))
	tabbed.By = "a\tb\nc"
	other := ruling(5, event.Allow, push)
	other.Signature = "2 of a newer overseer"
	if err := snapshot.Write(path, key, []precedent.Ruling{allowPush, allowBoth, denyRm, tabbed, other, ruling(6, event.Ask, push)}); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	for _, tt := range []struct {
		name string
		s    precedent.Signature
		all  bool
		want []string
	}{
		{"allows where nothing is asked", push, false, nil},
		{"allows where something is", action(9, "git push"), true, []string{allowPush.Event}},
		{"a deny, and what weighs against it", both, false, []string{denyRm.Event, allowBoth.Event, allowPush.Event}},
		{"a deny alone", rm, false, []string{denyRm.Event}},
		{"another program", action(9, "ls"), true, nil},
	} {
		var got []string
		for _, r := range find(t, path, tt.s, tt.all) {
			got = append(got, r.Event)
		}
		// Which program of two is the first is the hash's choice.
		slices.Sort(got)
		slices.Sort(tt.want)
		if both.Programs[0] == rm.Programs[0] && tt.name == "allows where something is" {
			tt.want = []string{allowPush.Event}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" && tt.s.Programs[0] != both.Programs[0] {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
	if got := find(t, path, rm, true); len(got) == 0 || !cmp.Equal(got[0], denyRm) {
		t.Errorf("%+v, want %+v", got, denyRm)
	}
	if got := find(t, path, action(4, "curl"), true); len(got) != 1 || got[0].By != "a b c" {
		t.Errorf("%+v", got)
	}
}

// TestBounds: what a hook reads stays small, whatever a person rules.
func TestBounds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "precedents")
	var rulings []precedent.Ruling
	for i := range 5000 { // newest first
		rulings = append(rulings, ruling(i, event.Allow, action(i/100, "git push")))
	}
	rulings = append(rulings, ruling(6000, event.Deny, action(0, "git push")))
	if err := snapshot.Write(path, key, rulings); err != nil {
		t.Fatal(err)
	}
	got := find(t, path, action(0, "git push"), true)
	if got[0].Decision != event.Deny || len(got) != 257 {
		t.Errorf("%d rulings, the first %+v", len(got), got[0])
	}
	if got[1].Event != rulings[0].Event {
		t.Errorf("the newest is %s", got[1].Event)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "precedents")
	var rulings []precedent.Ruling
	for i := range 100 {
		rulings = append(rulings, ruling(i, event.Allow, action(i, fmt.Sprint("p", i))), ruling(1000+i, event.Deny, action(i, fmt.Sprint("p", i))))
	}
	if err := snapshot.Write(path, key, rulings); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := action(1, "p1")
	want := find(t, path, s, true)
	other := bytes.Repeat([]byte{7}, precedent.KeySize)
	put := func(at int, n uint32) []byte {
		b := slices.Clone(whole)
		binary.BigEndian.PutUint32(b[at:], n)
		return b
	}
	for _, tt := range []struct {
		name    string
		content []byte
		want    error
	}{
		{"empty", nil, snapshot.ErrDamaged},
		{"half a header", whole[:28], snapshot.ErrDamaged},
		{"no magic", append([]byte("x"), whole...), snapshot.ErrDamaged},
		{"text", []byte(strings.Repeat("x", 1000)), snapshot.ErrDamaged},
		{"indexes alone", whole[:72+200*28], snapshot.ErrDamaged},
		{"half an index", whole[:72+100*28], snapshot.ErrDamaged},
		{"huge count", put(24, 1<<31), snapshot.ErrDamaged},
		{"no denies", put(24, 0), snapshot.ErrDamaged},
		{"no allows", put(28, 0), snapshot.ErrDamaged},
		{"another version", append([]byte("overseer precedents 1\n\n\n"), whole[24:]...), snapshot.ErrOlder},
	} {
		if err := os.WriteFile(path, tt.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := snapshot.Find(path, key, s.Programs, false); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v %v", tt.name, got, err)
		}
	}
	// Wherever a byte is changed, the answer is the same or there is none: in header and
	// indexes there is none for anybody.
	for i := 0; i < len(whole); i += 13 {
		broken := slices.Clone(whole)
		broken[i] ^= 0x01
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := snapshot.Find(path, key, s.Programs, true)
		if err == nil && (i < 72+200*28 || !cmp.Equal(got, want)) {
			t.Errorf("byte %d: %v", i, got)
		}
	}
	if err := snapshot.Write(path, other, nil); err != nil {
		t.Fatal(err)
	}
	if err := snapshot.Check(path, key); !errors.Is(err, snapshot.ErrKey) {
		t.Errorf("another key: %v", err)
	}
	if _, err := snapshot.Find(t.TempDir(), key, s.Programs, true); err == nil {
		t.Error("a folder was read")
	}
}

// TestKeys: what was recorded with another key is like nothing, and not kept.
func TestKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "precedents")
	mine := action(1, "rm")
	old := mine
	old.Key = "abcd"
	unsaid := mine
	unsaid.Key = ""
	if err := snapshot.Write(path, key, []precedent.Ruling{ruling(1, event.Deny, mine), ruling(2, event.Deny, old), ruling(3, event.Deny, unsaid)}); err != nil {
		t.Fatal(err)
	}
	got := find(t, path, mine, true)
	if len(got) != 2 || got[0].Event != ruling(1, "", mine).Event || got[1].Event != ruling(3, "", mine).Event {
		t.Errorf("%+v", got)
	}
}

// TestRefresh has many writers, each with one ruling more: the last word must be
// the longest list.
func TestRefresh(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "precedents")
	s := action(1, "rm")
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			n.Add(1)
			err := snapshot.Refresh(t.Context(), path, key, func(context.Context) ([]precedent.Ruling, error) {
				var list []precedent.Ruling
				for i := range n.Load() {
					list = append(list, ruling(int(i), event.Deny, s))
				}
				return list, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := find(t, path, s, false); len(got) != 10 {
		t.Errorf("%d rulings", len(got))
	}
	broken := errors.New("broken")
	if err := snapshot.Refresh(t.Context(), path, key, func(context.Context) ([]precedent.Ruling, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if got := find(t, path, s, false); len(got) != 10 {
		t.Errorf("a failed refresh changed the snapshot: %d", len(got))
	}
}

// BenchmarkFind reads from a snapshot of 10,000 rulings, as a hook does.
func BenchmarkFind(b *testing.B) {
	path := filepath.Join(b.TempDir(), "precedents")
	var rulings []precedent.Ruling
	for i := range 10_000 {
		d := event.Allow
		if i%20 == 0 {
			d = event.Deny
		}
		rulings = append(rulings, ruling(i, d, action(i/4, fmt.Sprint("program ", i%500))))
	}
	if err := snapshot.Write(path, key, rulings); err != nil {
		b.Fatal(err)
	}
	small := filepath.Join(b.TempDir(), "small")
	if err := os.WriteFile(small, []byte("x"), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("a file of one byte", func(b *testing.B) {
		for b.Loop() {
			if _, err := regular.Read(small, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	s := precedent.Settings{MinScore: 0.25, AllowThreshold: 3, TopK: 10}
	for _, c := range []struct {
		name string
		a    precedent.Signature
		all  bool
	}{
		{"nothing about it", action(1, "ls"), false},
		{"an ask, nothing about it", action(1, "ls"), true},
		{"an ask, 20 rulings about it", action(1, "program 7"), true},
		{"a deny, 20 rulings about it", action(0, "program 0"), false},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				precedent.Weigh(&precedent.Action{Signature: c.a}, find(b, path, c.a, c.all), s)
			}
		})
	}
}
