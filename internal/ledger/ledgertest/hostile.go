package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

func testHostileRecords(t *testing.T, f *fixture) {
	long := strings.Repeat("ä\x00'\"\\", 100000)
	id := f.append(
		journal.Record{Agent: long, Caller: long, Event: long, Session: long, Tool: long, ToolUseID: long, CWD: long, Subject: long, Reason: long, Answered: event.Ask},
		journal.Record{Agent: "'; DROP TABLE events; --", Decision: "perhaps", Subject: "\x00\x01\u202e"},
		journal.Record{Time: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Second)},
		journal.Record{Time: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)},
		journal.Record{Payload: []byte(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`)},
		journal.Record{Payload: []byte("not\nJSON")},
		journal.Record{Subject: strings.Repeat("many different words ", 10000)},
	)
	f.append(journal.Record{Kind: "unheard of", ID: "x"}, journal.Record{Kind: journal.KindOutcome, ID: "oc_aimless"})
	in := f.takeIn()
	if in.Events != len(id) || in.Outcomes != 0 || len(in.Faults) != 2 {
		t.Errorf("%+v", in)
	}
	f.same("entries", id, ids(f.tail(ledger.Query{})))
	if e, err := f.s.Get(t.Context(), id[3]); err != nil || e.Time.Year() != 9999 {
		t.Errorf("%v %v", e.Time, err)
	}
}

func testCancelled(t *testing.T, f *fixture) {
	f.append(journal.Record{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.s.TakeIn(ctx, f.dir, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := f.s.Tail(ctx, ledger.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if in := f.takeIn(); in.Events != 1 {
		t.Errorf("%+v", in)
	}
}

func testProgress(t *testing.T, f *fixture) {
	for range 600 {
		f.append(journal.Record{})
	}
	var last, total int64
	in, err := f.s.TakeIn(t.Context(), f.dir, func(done, all int64) {
		if done <= last || done > all {
			t.Errorf("%d of %d after %d", done, all, last)
		}
		last, total = done, all
	})
	if err != nil || in.Events != 600 || last == 0 || last != total {
		t.Errorf("%+v %v: %d of %d", in, err, last, total)
	}
}

func testManyReaders(t *testing.T, f *fixture) {
	const n = 500
	for range n {
		f.append(journal.Record{})
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for range 6 {
		s := f.open()
		wg.Go(func() {
			in, err := s.TakeIn(t.Context(), f.dir, nil)
			if err != nil || in.Duplicates > 0 {
				t.Errorf("%+v %v", in, err)
			}
			if got, err := s.Tail(t.Context(), ledger.Query{N: 2 * n}); err != nil || len(got) != n {
				t.Errorf("%d entries, %v", len(got), err)
			}
			mu.Lock()
			defer mu.Unlock()
			sum += in.Events
		})
	}
	wg.Wait()
	if sum != n {
		t.Errorf("%d events were taken in, want %d", sum, n)
	}
}

func testReadersAndWriters(t *testing.T, f *fixture) {
	const writers, each = 4, 100
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				r := journal.Record{Kind: journal.KindEvent, ID: fmt.Sprintf("ev_%d-%d", w, i), Time: epoch}
				if err := journal.Append(t.Context(), f.dir, r, journal.Options{SegmentSize: 10000}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	for range 3 {
		s := f.open()
		reading.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if in, err := s.TakeIn(t.Context(), f.dir, nil); err != nil || len(in.Faults)+in.Duplicates > 0 {
					t.Errorf("%+v %v", in, err)
					return
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	f.takeIn()
	if got := f.tail(ledger.Query{N: 2 * writers * each}); len(got) != writers*each {
		t.Errorf("%d entries", len(got))
	}
}
