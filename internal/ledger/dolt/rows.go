package dolt

import (
	"context"
	"database/sql"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// page is how many rows are read at once: no statement stays open while somebody
// works on them.
const page = 500

// The columns of a row, of which the last, the body, may be left out.
const (
	eventColumns   = `SELECT e.at, e.id, e.time, e.prev, e.hash, COALESCE(e.link, e.hash), e.agent, e.decision, `
	outcomeColumns = `SELECT e.at, e.id, e.time, e.prev, e.hash, COALESCE(e.link, e.hash), e.event_id, e.decision, e.by_whom, e.source, e.until, e.note, `
	markColumns    = `SELECT e.at, e.id, e.time, e.prev, e.hash, COALESCE(e.link, e.hash), `
)

// cursor is the last row of a page.
type cursor struct {
	at        int64
	id, event string
}

// after selects what comes after a cursor, in order.
func (c cursor) after(kind string) (string, []any) {
	if kind == journal.KindOutcome {
		return ` AND (e.at > ? OR e.at = ? AND (e.id > ? OR e.id = ? AND e.event_id > ?)) ORDER BY e.at, e.id, e.event_id LIMIT ?`,
			[]any{c.at, c.at, c.id, c.id, c.event}
	}
	return ` AND (e.at > ? OR e.at = ? AND e.id > ?) ORDER BY e.at, e.id LIMIT ?`, []any{c.at, c.at, c.id}
}

// Rows implements [ledger.Upkeep]: those of this machine, whose journal they are
// compared with.
func (s *Store) Rows(ctx context.Context, kind string, bodies bool) iter.Seq2[ledger.Row, error] {
	body := `NULL`
	if bodies {
		body = `e.body`
	}
	query := markColumns + body + ` FROM marks e WHERE e.kind = '` + journal.KindRemoved + `'`
	switch kind {
	case journal.KindEvent:
		query = eventColumns + body + ` FROM events e WHERE 1 = 1`
	case journal.KindOutcome:
		query = outcomeColumns + body + ` FROM outcomes e WHERE 1 = 1`
	case journal.KindCheckpoint:
		query = markColumns + body + ` FROM marks e WHERE e.kind = '` + journal.KindCheckpoint + `'`
	}
	query += ` AND e.machine = ?`
	return func(yield func(ledger.Row, error) bool) {
		for last := (cursor{at: math.MinInt64}); ; {
			after, args := last.after(kind)
			rows, next, err := s.page(ctx, kind, query+after, slices.Concat([]any{s.options.Machine}, args, []any{page})...)
			for i := range rows {
				if !yield(rows[i], nil) {
					return
				}
			}
			if err != nil {
				yield(ledger.Row{Kind: kind}, s.explain(ctx, "read", err))
				return
			}
			if len(rows) < page {
				return
			}
			last = next
		}
	}
}

// page reads rows of a kind, and the last of them as a cursor.
func (s *Store) page(ctx context.Context, kind, query string, args ...any) (out []ledger.Row, last cursor, err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, last, err
	}
	defer rows.Close()
	for rows.Next() {
		r := ledger.Row{Kind: kind}
		var micro int64
		var until sql.NullInt64
		dst := []any{&last.at, &r.ID, &micro, &r.Prev, &r.Hash, &r.Link}
		switch kind {
		case journal.KindEvent:
			dst = append(dst, &r.Agent, &r.Decision)
		case journal.KindOutcome:
			r.Outcome = &ledger.Outcome{}
			dst = append(dst, &r.Outcome.Event, &r.Outcome.Decision, &r.Outcome.By, &r.Outcome.Source, &until, &r.Outcome.Note)
		}
		if err := rows.Scan(append(dst, &r.Body)...); err != nil {
			return out, last, err
		}
		r.Time = time.UnixMicro(micro).UTC()
		last.id = r.ID
		if o := r.Outcome; o != nil {
			o.ID, o.Time, last.event = r.ID, r.Time, o.Event
			if until.Valid {
				o.Until = time.UnixMicro(until.Int64).UTC()
			}
		}
		out = append(out, r)
	}
	return out, last, rows.Err()
}

// Each implements [ledger.Store].
func (s *Store) Each(ctx context.Context, q ledger.Query, do func(*ledger.Row, []ledger.Outcome) error) error {
	where, whereArgs, err := s.selection(ctx, q)
	if err != nil || where == "" {
		return s.explain(ctx, "read", err)
	}
	left := q.N
	for last := (cursor{at: math.MinInt64}); ; {
		n := page
		if q.N > 0 {
			n = min(n, left)
		}
		after, args := last.after(journal.KindEvent)
		rows, next, err := s.page(ctx, journal.KindEvent, eventColumns+`e.body FROM events e`+where+after, slices.Concat(whereArgs, args, []any{n})...)
		if err != nil {
			return s.explain(ctx, "read", err)
		}
		if len(rows) == 0 {
			return nil
		}
		ids := make([]string, len(rows))
		for i := range rows {
			ids[i] = rows[i].ID
		}
		outcomes, err := s.outcomes(ctx, ids...)
		if err != nil {
			return s.explain(ctx, "read", err)
		}
		for i := range rows {
			if err := do(&rows[i], outcomes[rows[i].ID]); err != nil {
				return err
			}
		}
		if left -= len(rows); len(rows) < n || q.N > 0 && left == 0 {
			return nil
		}
		last = next
	}
}

// Known implements [ledger.Upkeep].
func (s *Store) Known(ctx context.Context, ids []string) (map[string]ledger.Row, error) {
	out := map[string]ledger.Row{}
	if len(ids) == 0 {
		return out, nil
	}
	in := ` e.id IN ` + marksFor(ids)
	for kind, query := range map[string]string{
		journal.KindOutcome:    outcomeColumns + `NULL FROM outcomes e WHERE e.hash IS NOT NULL AND` + in,
		journal.KindEvent:      eventColumns + `NULL FROM events e WHERE` + in,
		journal.KindCheckpoint: markColumns + `NULL FROM marks e WHERE e.kind = '` + journal.KindCheckpoint + `' AND` + in,
		journal.KindRemoved:    markColumns + `NULL FROM marks e WHERE e.kind = '` + journal.KindRemoved + `' AND` + in,
	} {
		rows, _, err := s.page(ctx, kind, query, list(ids)...)
		if err != nil {
			return nil, s.explain(ctx, "read", err)
		}
		for _, r := range rows {
			out[r.ID] = r
		}
	}
	return out, nil
}
