package dolt

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/precedent"
)

// Tail implements [ledger.Store].
func (s *Store) Tail(ctx context.Context, q ledger.Query) ([]ledger.Entry, error) {
	where, args, err := s.selection(ctx, q)
	if err != nil || where == "" {
		return nil, s.explain(ctx, "read", err)
	}
	n := q.N
	if n <= 0 {
		n = ledger.DefaultN
	}
	out, err := s.entries(ctx, where+` ORDER BY e.at DESC, e.id DESC LIMIT ?`, append(args, n)...)
	slices.Reverse(out)
	return out, s.explain(ctx, "read", err)
}

// selection is the WHERE clause for a query on events e, with its arguments; "" if
// nothing can match.
func (s *Store) selection(ctx context.Context, q ledger.Query) (string, []any, error) {
	where := []string{`1 = 1`}
	var args []any
	add := func(condition string, arg ...any) {
		where = append(where, condition)
		args = append(args, arg...)
	}
	if q.Agent != "" {
		add(`e.agent = ?`, clip(q.Agent, maxText))
	}
	if q.Session != "" {
		add(`e.session = ?`, clip(q.Session, maxText))
	}
	if q.Decision != "" {
		add(`e.decision = ?`, clip(string(q.Decision), maxWord))
	}
	if !q.Since.IsZero() {
		add(`e.time >= ?`, q.Since.UnixMicro())
	}
	if !q.Until.IsZero() {
		add(`e.time < ?`, q.Until.UnixMicro())
	}
	if q.Before != "" {
		var at int64
		id := clip(q.Before, maxID)
		err := s.db.QueryRowContext(ctx, `SELECT at FROM events WHERE id = ?`, id).Scan(&at)
		if errors.Is(err, sql.ErrNoRows) {
			return "", nil, nil
		}
		if err != nil {
			return "", nil, err
		}
		add(`(e.at < ? OR e.at = ? AND e.id < ?)`, at, at, id)
	}
	return ` WHERE ` + strings.Join(where, ` AND `), args, nil
}

// Search implements [ledger.Store]. A word has no character that LIKE knows.
func (s *Store) Search(ctx context.Context, text string, limit int) ([]ledger.Entry, error) {
	words := ledger.Words(text)
	if len(words) == 0 {
		return nil, nil
	}
	if limit <= 0 {
		limit = ledger.DefaultN
	}
	// Of long words the most is gained first.
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	var args []any
	for _, w := range words {
		args = append(args, "% "+w+" %")
	}
	query := `SELECT event_id FROM event_words WHERE words LIKE ?` + strings.Repeat(` AND words LIKE ?`, len(words)-1) + ` ORDER BY at DESC, event_id DESC LIMIT ?`
	ids, err := column(ctx, s.db, query, append(args, limit)...)
	if err != nil || len(ids) == 0 {
		return nil, s.explain(ctx, "read", err)
	}
	out, err := s.entries(ctx, ` WHERE e.id IN `+marksFor(ids)+` ORDER BY e.at DESC, e.id DESC`, list(ids)...)
	return out, s.explain(ctx, "read", err)
}

// Get implements [ledger.Store].
func (s *Store) Get(ctx context.Context, id string) (ledger.Entry, error) {
	e, err := ledger.Find(id,
		func(id string) ([]ledger.Entry, error) { return s.entries(ctx, ` WHERE e.id = ?`, clip(id, maxID)) },
		func(prefix string, n int) ([]string, error) {
			prefix = clip(prefix, maxID)
			return column(ctx, s.db, `SELECT id FROM events WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`, prefix, prefix+"\U0010FFFF", n)
		})
	return e, s.explain(ctx, "read", err)
}

// entries unpacks the events that the rest of a query selects, and adds their
// outcomes.
func (s *Store) entries(ctx context.Context, rest string, args ...any) ([]ledger.Entry, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT e.id, e.machine, e.user, e.body, e.prev, e.hash FROM events e`+rest, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []ledger.Entry
	var ids []string
	for rows.Next() {
		var id string
		var e ledger.Entry
		var p ledger.Packed
		if err := rows.Scan(&id, &e.Machine, &e.User, &p.Body, &p.Prev, &p.Hash); err != nil {
			return nil, err
		}
		if e.Record, err = p.Record(); err != nil {
			return nil, err
		}
		out = append(out, e)
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil || len(out) == 0 {
		return nil, err
	}
	outcomes, err := s.outcomes(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Outcomes = outcomes[ids[i]]
	}
	return out, nil
}

// Outcomes implements [ledger.Store].
func (s *Store) Outcomes(ctx context.Context, eventID string) ([]ledger.Outcome, error) {
	eventID = clip(eventID, maxID)
	all, err := s.outcomes(ctx, eventID)
	return all[eventID], s.explain(ctx, "read", err)
}

func (s *Store) outcomes(ctx context.Context, ids ...string) (map[string][]ledger.Outcome, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, event_id, time, decision, by_whom, source, until, note FROM outcomes
		WHERE event_id IN `+marksFor(ids)+` ORDER BY at, id`, list(ids)...)
	return ledger.ScanOutcomes(rows, err)
}

// Approvals implements [ledger.Store]: of this machine's own events, whoever in
// the team gave them. What a person lets through, they let through where it was
// asked.
func (s *Store) Approvals(ctx context.Context, now time.Time) ([]approval.Approval, error) {
	out, err := s.approvals(ctx, now)
	return out, s.explain(ctx, "read", err)
}

func (s *Store) approvals(ctx context.Context, now time.Time) ([]approval.Approval, error) {
	// What is revealed is about one call. It neither extends nor ends an approval.
	rows, err := s.db.QueryContext(ctx, `SELECT o.event_id, o.until, e.body, e.prev, e.hash
		FROM outcomes o JOIN events e ON e.id = o.event_id
		WHERE o.until > ? AND o.decision = 'allow' AND e.machine = ? AND NOT EXISTS
			(SELECT 1 FROM outcomes l WHERE l.event_id = o.event_id AND l.source NOT IN `+revealed+`
				AND (l.at > o.at OR l.at = o.at AND l.id > o.id))
		ORDER BY o.until, o.at, o.id`, now.UnixMicro(), s.options.Machine)
	return ledger.ScanApprovals(rows, err)
}

// revealed are the sources for which journal.Revealed holds.
const revealed = `('` + journal.SourceCompletion + `', '` + journal.SourceRefusal + `')`

// Rulings implements [ledger.Store]: those of the whole team.
func (s *Store) Rulings(ctx context.Context, since time.Time, limit int) ([]precedent.Ruling, error) {
	out, err := s.rulings(ctx, since, limit)
	return out, s.explain(ctx, "read", err)
}

func (s *Store) rulings(ctx context.Context, since time.Time, limit int) ([]precedent.Ruling, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT o.event_id, o.decision, o.by_whom, o.source, o.time, e.body, e.prev, e.hash
		FROM outcomes o JOIN events e ON e.id = o.event_id
		WHERE o.time >= ? AND o.decision IN ('allow', 'deny') AND NOT EXISTS
			(SELECT 1 FROM outcomes l WHERE l.event_id = o.event_id AND (
				o.source IN `+revealed+` AND l.source NOT IN `+revealed+`
				OR (o.source IN `+revealed+`) = (l.source IN `+revealed+`) AND (l.at > o.at OR l.at = o.at AND l.id > o.id)))
		ORDER BY o.time DESC, o.at DESC, o.id DESC`, since.UnixMicro())
	return ledger.ScanRulings(limit, rows, err)
}

// Faults implements [ledger.Store]: those of this machine's journal.
func (s *Store) Faults(ctx context.Context) ([]journal.Fault, error) {
	out, err := s.faults(ctx)
	return out, s.explain(ctx, "read", err)
}

func (s *Store) faults(ctx context.Context) ([]journal.Fault, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT segment, position, length, kind, id, expected, link, fault_key FROM faults WHERE machine = ? AND settled = '' ORDER BY segment, position`, s.options.Machine)
	return ledger.ScanFaults(rows, err)
}
