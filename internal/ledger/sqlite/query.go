package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/precedent"
)

// Tail implements [ledger.Store].
func (s *Store) Tail(ctx context.Context, q ledger.Query) ([]ledger.Entry, error) {
	query, args := selection(q)
	n := q.N
	if n <= 0 {
		n = ledger.DefaultN
	}
	out, err := s.entries(ctx, `SELECT body, prev, hash FROM events`+query+` ORDER BY seq DESC LIMIT ?`, append(args, n)...)
	slices.Reverse(out)
	return out, s.explain(ctx, err)
}

// selection is the WHERE clause for a query, with its arguments.
func selection(q ledger.Query) (string, []any) {
	where := []string{`1`}
	var args []any
	add := func(condition string, arg any) {
		where = append(where, condition)
		args = append(args, arg)
	}
	if q.Agent != "" {
		add(`agent = ?`, q.Agent)
	}
	if q.Session != "" {
		add(`session = (SELECT seq FROM sessions WHERE name = ?)`, q.Session)
	}
	if q.Decision != "" {
		add(`decision = ?`, string(q.Decision))
		if q.Decision != event.Allow {
			where = append(where, `decision <> 'allow'`) // so that SQLite sees that its index will do
		}
	}
	if !q.Since.IsZero() {
		add(`time >= ?`, q.Since.UnixMicro())
	}
	if !q.Until.IsZero() {
		add(`time < ?`, q.Until.UnixMicro())
	}
	if q.Before != "" {
		add(`seq < (SELECT seq FROM events WHERE id = ?)`, q.Before)
	}
	return ` WHERE ` + strings.Join(where, ` AND `), args
}

// Each implements [ledger.Store].
func (s *Store) Each(ctx context.Context, q ledger.Query, do func(*ledger.Row, []ledger.Outcome) error) error {
	query, args := selection(q)
	left := q.N
	for last := int64(math.MinInt64); ; {
		n := page
		if q.N > 0 {
			n = min(n, left)
		}
		rows, next, err := s.page(ctx, journal.KindEvent, eventColumns+`body FROM events`+query+` AND seq > ? ORDER BY seq LIMIT ?`, append(slices.Clip(args), last, n)...)
		if err != nil {
			return s.explain(ctx, err)
		}
		ids := make([]string, len(rows))
		for i := range rows {
			ids[i] = rows[i].ID
		}
		outcomes, err := s.outcomes(ctx, ids)
		if err != nil {
			return s.explain(ctx, err)
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

// Search implements [ledger.Store].
func (s *Store) Search(ctx context.Context, text string, limit int) ([]ledger.Entry, error) {
	words := ledger.Words(text)
	if len(words) == 0 {
		return nil, nil
	}
	if limit <= 0 {
		limit = ledger.DefaultN
	}
	// A word has neither quotes nor spaces. The newest first, and no ranking: that
	// would have to look at every match.
	match := `"` + strings.Join(words, `" "`) + `"`
	out, err := s.entries(ctx, `SELECT body, prev, hash FROM events WHERE seq IN
		(SELECT rowid FROM event_words WHERE event_words MATCH ? ORDER BY rowid DESC LIMIT ?) ORDER BY seq DESC`, match, limit)
	return out, s.explain(ctx, err)
}

// Get implements [ledger.Store].
func (s *Store) Get(ctx context.Context, id string) (ledger.Entry, error) {
	e, err := ledger.Find(id,
		func(id string) ([]ledger.Entry, error) {
			return s.entries(ctx, `SELECT body, prev, hash FROM events WHERE id = ?`, id)
		},
		func(prefix string, n int) ([]string, error) { return s.ids(ctx, prefix, n) })
	return e, s.explain(ctx, err)
}

// ids lists the first n ids that begin with prefix.
func (s *Store) ids(ctx context.Context, prefix string, n int) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id FROM events WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`,
		prefix, prefix+"\U0010FFFF", n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

// entries unpacks the events that a query of body, prev and hash selects, and
// adds their outcomes.
func (s *Store) entries(ctx context.Context, query string, args ...any) ([]ledger.Entry, error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []ledger.Entry
	var ids []string
	for rows.Next() {
		var p ledger.Packed
		if err := rows.Scan(&p.Body, &p.Prev, &p.Hash); err != nil {
			return nil, err
		}
		r, err := p.Record()
		if err != nil {
			return nil, err
		}
		out = append(out, ledger.Entry{Record: r})
		ids = append(ids, r.ID)
	}
	if err := rows.Err(); err != nil || len(out) == 0 {
		return nil, err
	}
	outcomes, err := s.outcomes(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Outcomes = outcomes[out[i].ID]
	}
	return out, nil
}

// Outcomes implements [ledger.Store].
func (s *Store) Outcomes(ctx context.Context, eventID string) ([]ledger.Outcome, error) {
	all, err := s.outcomes(ctx, []string{eventID})
	return all[eventID], s.explain(ctx, err)
}

func (s *Store) outcomes(ctx context.Context, ids []string) (map[string][]ledger.Outcome, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT id, event_id, time, decision, by_whom, source, until, note FROM outcomes
		WHERE event_id IN (SELECT value FROM json_each(?)) ORDER BY seq`, string(list))
	return ledger.ScanOutcomes(rows, err)
}

// Approvals implements [ledger.Store].
func (s *Store) Approvals(ctx context.Context, now time.Time) ([]approval.Approval, error) {
	out, err := s.approvals(ctx, now)
	return out, s.explain(ctx, err)
}

func (s *Store) approvals(ctx context.Context, now time.Time) ([]approval.Approval, error) {
	// What is revealed is about one call. It neither extends nor ends an approval.
	rows, err := s.db.QueryContext(ctx, `SELECT o.event_id, o.until, e.body, e.prev, e.hash
		FROM outcomes o JOIN events e ON e.id = o.event_id
		WHERE o.until > ? AND o.decision = 'allow' AND o.seq =
			(SELECT max(l.seq) FROM outcomes l WHERE l.event_id = o.event_id AND l.source NOT IN ('completion', 'refusal'))
		ORDER BY o.until, o.seq`, now.UnixMicro())
	return ledger.ScanApprovals(rows, err)
}

// Rulings implements [ledger.Store].
func (s *Store) Rulings(ctx context.Context, since time.Time, limit int) ([]precedent.Ruling, error) {
	out, err := s.rulings(ctx, since, limit)
	return out, s.explain(ctx, err)
}

func (s *Store) rulings(ctx context.Context, since time.Time, limit int) ([]precedent.Ruling, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT o.event_id, o.decision, o.by_whom, o.source, o.time, e.body, e.prev, e.hash
		FROM outcomes o JOIN events e ON e.id = o.event_id
		WHERE o.time >= ? AND o.decision IN ('allow', 'deny') AND o.seq =
			(SELECT l.seq FROM outcomes l WHERE l.event_id = o.event_id ORDER BY l.source IN ('completion', 'refusal'), l.seq DESC LIMIT 1)
		ORDER BY o.time DESC, o.seq DESC`, since.UnixMicro())
	return ledger.ScanRulings(limit, rows, err)
}

// Faults implements [ledger.Store].
func (s *Store) Faults(ctx context.Context) ([]journal.Fault, error) {
	out, err := s.faults(ctx)
	return out, s.explain(ctx, err)
}

func (s *Store) faults(ctx context.Context) ([]journal.Fault, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT segment, position, length, kind, id, expected, link, fault_key FROM faults
		WHERE settled = '' ORDER BY segment, position`)
	return ledger.ScanFaults(rows, err)
}

func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, ledger.ErrNotFound) || errors.Is(err, ledger.ErrAmbiguous) {
		return err
	}
	return explain(ctx, "read", s.path, err)
}
