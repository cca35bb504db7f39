//go:build dolt

package dolt_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/dolt"
	"github.com/fireharp/overseer/internal/ledger/dolt/dolttest"
)

// machine is one of a team: a journal of its own.
type machine struct {
	*testing.T
	name, address, journal string
	n                      int
}

func newMachine(t *testing.T, name, address string) *machine {
	return &machine{T: t, name: name, address: address, journal: filepath.Join(t.TempDir(), "journal")}
}

func (m *machine) open() *dolt.Store {
	m.Helper()
	s, err := dolt.Open(m.Context(), dolt.Options{Address: m.address, Branch: "main", Machine: m.name, User: "user of " + m.name})
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { _ = s.Close() })
	return s
}

// append records events, or what r says, and returns their ids.
func (m *machine) append(n int, r journal.Record) (ids []string) {
	m.Helper()
	for range n {
		m.n++
		r := r
		r.Time = time.Now().UTC().Truncate(time.Microsecond)
		if r.Kind == "" {
			r.Kind = journal.KindEvent
		}
		r.ID = journal.NewID("ev", r.Time)
		r.Subject = fmt.Sprintf("%s number %d", m.name, m.n)
		if err := journal.Append(m.Context(), m.journal, r, journal.Options{}); err != nil {
			m.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

func (m *machine) takeIn(s *dolt.Store) ledger.Intake {
	m.Helper()
	in, err := s.TakeIn(m.Context(), m.journal, nil)
	if err != nil {
		m.Fatal(err)
	}
	return in
}

func all(t *testing.T, s *dolt.Store) (ids []string) {
	t.Helper()
	entries, err := s.Tail(t.Context(), ledger.Query{N: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

func each(t *testing.T, test func(t *testing.T, server *dolttest.Server)) {
	for kind, start := range dolttest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, start(t))
		})
	}
}

// TestTeam has two machines share a ledger.
func TestTeam(t *testing.T) {
	each(t, func(t *testing.T, server *dolttest.Server) {
		address := server.Database()
		a, b := newMachine(t, "a", address), newMachine(t, "b", address)
		sa := a.open()
		asked := a.append(1, journal.Record{Decision: event.Ask, Answered: event.Ask, Action: "act"})[0]
		a.takeIn(sa)
		sb := b.open()
		other := b.append(1, journal.Record{})[0]
		b.takeIn(sb)
		e, err := sb.Get(t.Context(), asked)
		if err != nil || e.Machine != "a" || e.User != "user of a" {
			t.Errorf("%s of %s: %v", e.User, e.Machine, err)
		}
		// Ordered by time, whoever was first to come.
		late := a.append(1, journal.Record{})[0]
		after := b.append(1, journal.Record{})[0]
		b.takeIn(sb)
		a.takeIn(sa)
		if diff := cmp.Diff([]string{asked, other, late, after}, all(t, sb)); diff != "" {
			t.Error(diff)
		}
		// A ruling that is given on b reaches a, and only a.
		until := time.Now().UTC().Add(time.Hour).Truncate(time.Microsecond)
		b.append(1, journal.Record{Kind: journal.KindOutcome, Target: asked, Decision: event.Allow, Source: journal.SourceApprove, By: "bea", Until: until})
		b.takeIn(sb)
		got, err := sa.Approvals(t.Context(), time.Now())
		if diff := cmp.Diff([]approval.Approval{{Event: asked, Action: "act", Until: until}}, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if got, err := sb.Approvals(t.Context(), time.Now()); err != nil || len(got) != 0 {
			t.Error(got, err)
		}
	})
}

// TestManyMachines lets machines take in at the same time, two processes each.
func TestManyMachines(t *testing.T) {
	each(t, func(t *testing.T, server *dolttest.Server) {
		const machines, events = 4, 300
		address := server.Database()
		var team []*machine
		var wg sync.WaitGroup
		for i := range machines {
			m := newMachine(t, fmt.Sprint("m", i), address)
			m.append(events/2, journal.Record{})
			for range 2 {
				wg.Go(func() {
					s, err := dolt.Open(t.Context(), dolt.Options{Address: address, Branch: "main", Machine: m.name})
					if err != nil {
						t.Error(err)
						return
					}
					defer s.Close()
					for range 5 {
						if in, err := s.TakeIn(t.Context(), m.journal, nil); err != nil || in.Duplicates > 0 || in.Replaced {
							t.Errorf("%+v %v", in, err)
						}
					}
				})
			}
			wg.Go(func() {
				for i := range events / 2 {
					r := journal.Record{Kind: journal.KindEvent, Time: time.Now(), ID: fmt.Sprintf("ev_%s-%d", m.name, i)}
					if err := journal.Append(t.Context(), m.journal, r, journal.Options{}); err != nil {
						t.Error(err)
					}
				}
			})
			team = append(team, m)
		}
		wg.Wait()
		seen := map[string]bool{}
		for _, m := range team {
			m.takeIn(m.open())
		}
		for _, id := range all(t, team[0].open()) {
			seen[id] = true
		}
		if len(seen) != machines*events {
			t.Errorf("%d different events, want %d", len(seen), machines*events)
		}
	})
}

// TestBrokenConnection breaks the connection before and after the server sees a
// statement. After a commit, nobody knows at first whether it was done.
func TestBrokenConnection(t *testing.T) {
	each(t, func(t *testing.T, server *dolttest.Server) {
		for _, needle := range []string{"COMMIT", "INSERT INTO EVENTS", "INSERT INTO PLACES", "GET_LOCK", "SEGMENT, POSITION, LINK, AT FROM"} {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%v", needle, after), func(t *testing.T) {
					address := server.Database()
					proxy := dolttest.NewProxy(t, server)
					m := newMachine(t, "m", proxy.Through(address))
					s := m.open()
					want := m.append(20, journal.Record{})
					m.takeIn(s)
					want = append(want, m.append(30, journal.Record{})...)
					proxy.Break(dolttest.Break{Needle: needle, After: after}, 1)
					in := m.takeIn(s)
					if proxy.Broken() != 1 {
						t.Fatal("nothing was broken")
					}
					if in.Events != 30 || in.Duplicates > 0 || in.Replaced {
						t.Errorf("%+v", in)
					}
					if diff := cmp.Diff(want, all(t, s)); diff != "" {
						t.Error(diff)
					}
					if in := m.takeIn(s); in.Events+in.Duplicates > 0 {
						t.Errorf("again: %+v", in)
					}
				})
			}
		}
	})
}

// TestServerGoesAway kills the server while a machine takes in, starts it again,
// and does so several times.
func TestServerGoesAway(t *testing.T) {
	each(t, func(t *testing.T, server *dolttest.Server) {
		m := newMachine(t, "m", server.Database())
		s := m.open()
		want := m.append(100, journal.Record{})
		m.takeIn(s)
		for range 3 {
			want = append(want, m.append(2000, journal.Record{})...)
			done := make(chan error, 1)
			go func() { _, err := s.TakeIn(t.Context(), m.journal, nil); done <- err }()
			time.Sleep(time.Duration(len(want)%7) * 50 * time.Millisecond)
			server.Kill()
			if err := <-done; err != nil && !errors.Is(err, ledger.ErrAway) {
				t.Errorf("got %v", err)
			}
			if _, err := s.TakeIn(t.Context(), m.journal, nil); !errors.Is(err, ledger.ErrAway) {
				t.Errorf("while it is away: %v", err)
			}
			server.Start()
			if in := m.takeIn(s); in.Duplicates > 0 || in.Replaced {
				t.Errorf("%+v", in)
			}
		}
		if diff := cmp.Diff(want, all(t, s)); diff != "" {
			t.Error(diff)
		}
	})
}
