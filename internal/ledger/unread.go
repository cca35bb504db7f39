package ledger

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/journal"
)

// maxUnread is how many of the journal's lines [WithUnread] holds: more than people
// look through, and some ten MB.
const maxUnread = 10_000

// WithUnread is a store that cannot take in the journal in dir from a place on, with
// the newest events and outcomes that stand there: Tail, Search, Get and Outcomes
// know of them. What follows from how calls ended is not among it. The place is
// [Intake.End]. Of a store that is nil, which cannot be reached, Get and Close alone work.
func WithUnread(s Store, dir string, from journal.Position) (Store, error) {
	r := journal.NewReader(dir, from)
	defer r.Close()
	var lines []journal.Line
	for {
		line, err := r.Skim()
		if err == io.EOF {
			break
		}
		if err != nil {
			return s, err
		}
		if lines = append(lines, line); len(lines) == 2*maxUnread {
			lines = slices.Delete(lines, 0, maxUnread)
		}
	}
	u := &unread{Store: s, said: map[string][]Outcome{}}
	lines = lines[max(0, len(lines)-maxUnread):]
	for i := range lines {
		l := &lines[i]
		switch l.Decode(); {
		case l.Record == nil:
		case l.Record.Kind == journal.KindEvent:
			u.events = append(u.events, Entry{Record: *l.Record})
		case l.Record.Kind == journal.KindOutcome:
			o := RecordOutcome(l.Record)
			u.said[o.Event] = append(u.said[o.Event], o)
		}
	}
	return u, nil
}

type unread struct {
	Store
	events []Entry // the oldest first
	said   map[string][]Outcome
}

// Close implements [Store].
func (u *unread) Close() error {
	if u.Store == nil {
		return nil
	}
	return u.Store.Close()
}

// Tail implements [Store].
func (u *unread) Tail(ctx context.Context, q Query) ([]Entry, error) {
	out, err := u.Store.Tail(ctx, q)
	if err != nil {
		return nil, err
	}
	for i := range u.events {
		if q.Before == "" && q.Selects(&u.events[i].Record) {
			out = append(out, u.events[i])
		}
	}
	n := q.N
	if n <= 0 {
		n = DefaultN
	}
	return u.ruled(out[max(0, len(out)-n):]), nil
}

// Search implements [Store].
func (u *unread) Search(ctx context.Context, text string, limit int) ([]Entry, error) {
	words := Words(text)
	if limit <= 0 {
		limit = DefaultN
	}
	var out []Entry
	for _, e := range slices.Backward(u.events) {
		has := RecordWords(&e.Record)
		lacks := func(w string) bool { return !slices.Contains(has, w) }
		if len(words) > 0 && !slices.ContainsFunc(words, lacks) {
			out = append(out, e)
		}
	}
	more, err := u.Store.Search(ctx, text, limit)
	out = append(out, more...)
	return u.ruled(out[:min(len(out), limit)]), err
}

// Get implements [Store].
func (u *unread) Get(ctx context.Context, id string) (Entry, error) {
	e, err := Entry{}, error(ErrNotFound)
	if u.Store != nil {
		e, err = u.Store.Get(ctx, id)
	}
	if errors.Is(err, ErrNotFound) {
		e, err = Find(id, func(id string) ([]Entry, error) {
			i := slices.IndexFunc(u.events, func(e Entry) bool { return e.ID == id })
			if i < 0 {
				return nil, nil
			}
			return u.events[i : i+1], nil
		}, func(prefix string, n int) (ids []string, _ error) {
			for _, e := range u.events {
				if strings.HasPrefix(e.ID, prefix) && len(ids) < n {
					ids = append(ids, e.ID)
				}
			}
			return ids, nil
		})
	}
	if err != nil {
		return e, err
	}
	return u.ruled([]Entry{e})[0], nil
}

// Outcomes implements [Store].
func (u *unread) Outcomes(ctx context.Context, eventID string) ([]Outcome, error) {
	out, err := u.Store.Outcomes(ctx, eventID)
	return append(out, u.said[eventID]...), err
}

// ruled adds what people said since.
func (u *unread) ruled(list []Entry) []Entry {
	for i := range list {
		list[i].Outcomes = slices.Concat(list[i].Outcomes, u.said[list[i].ID])
	}
	return list
}
