package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// page is how many rows are read at once: no statement stays open while somebody
// works on them.
const page = 500

// The columns of a row, of which the last, the body, may be left out.
const (
	eventColumns   = `SELECT seq, id, time, prev, hash, coalesce(link, hash), agent, decision, `
	outcomeColumns = `SELECT seq, id, time, prev, hash, coalesce(link, hash), event_id, decision, by_whom, source, until, note, `
	markColumns    = `SELECT seq, id, time, prev, hash, coalesce(link, hash), `
)

// Rows implements [ledger.Upkeep].
func (s *Store) Rows(ctx context.Context, kind string, bodies bool) iter.Seq2[ledger.Row, error] {
	body := `NULL`
	if bodies {
		body = `body`
	}
	query := markColumns + body + ` FROM marks WHERE seq > ? AND kind = '` + journal.KindRemoved + `'`
	switch kind {
	case journal.KindEvent:
		query = eventColumns + body + ` FROM events WHERE seq > ?`
	case journal.KindOutcome:
		query = outcomeColumns + body + ` FROM outcomes WHERE seq > ?`
	case journal.KindCheckpoint:
		query = markColumns + body + ` FROM marks WHERE seq > ? AND kind = '` + journal.KindCheckpoint + `'`
	}
	return func(yield func(ledger.Row, error) bool) {
		for last := int64(math.MinInt64); ; {
			rows, next, err := s.page(ctx, kind, query+` ORDER BY seq LIMIT ?`, last, page)
			for i := range rows {
				if !yield(rows[i], nil) {
					return
				}
			}
			if err != nil {
				yield(ledger.Row{Kind: kind}, s.explain(ctx, err))
				return
			}
			if len(rows) < page {
				return
			}
			last = next
		}
	}
}

// page reads rows of a kind and the number of the last of them.
func (s *Store) page(ctx context.Context, kind, query string, args ...any) (out []ledger.Row, last int64, err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		r := ledger.Row{Kind: kind}
		var micro int64
		var until sql.NullInt64
		dst := []any{&last, &r.ID, &micro, &r.Prev, &r.Hash, &r.Link}
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
		if o := r.Outcome; o != nil {
			o.ID, o.Time = r.ID, r.Time
			if until.Valid {
				o.Until = time.UnixMicro(until.Int64).UTC()
			}
		}
		out = append(out, r)
	}
	return out, last, rows.Err()
}

// list is ids as SQLite's json_each reads them.
func list(ids []string) (string, error) {
	b, err := json.Marshal(ids)
	return string(b), err
}

// Known implements [ledger.Upkeep].
func (s *Store) Known(ctx context.Context, ids []string) (map[string]ledger.Row, error) {
	out := map[string]ledger.Row{}
	in, err := list(ids)
	if err != nil {
		return nil, err
	}
	for kind, query := range map[string]string{
		journal.KindOutcome:    outcomeColumns + `NULL FROM outcomes WHERE id IN (SELECT value FROM json_each(?))`,
		journal.KindEvent:      eventColumns + `NULL FROM events WHERE id IN (SELECT value FROM json_each(?))`,
		journal.KindCheckpoint: markColumns + `NULL FROM marks WHERE kind = 'checkpoint' AND id IN (SELECT value FROM json_each(?))`,
		journal.KindRemoved:    markColumns + `NULL FROM marks WHERE kind = 'removed' AND id IN (SELECT value FROM json_each(?))`,
	} {
		rows, _, err := s.page(ctx, kind, query, in)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		for _, r := range rows {
			out[r.ID] = r
		}
	}
	return out, nil
}

// change runs do in a transaction.
func (s *Store) change(ctx context.Context, doing string, do func(*sql.Tx) error) error {
	if s.unwritable != nil {
		return explain(ctx, doing, s.path, s.unwritable)
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return explain(ctx, doing, s.path, err)
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return explain(ctx, doing, s.path, err)
	}
	return explain(ctx, doing, s.path, tx.Commit())
}

// Put implements [ledger.Upkeep].
func (s *Store) Put(ctx context.Context, lines [][]byte, outcomes []ledger.Outcome) (in ledger.Intake, err error) {
	err = s.change(ctx, "store lines in", func(tx *sql.Tx) error {
		w, err := newWriter(ctx, tx, &in)
		if err != nil {
			return err
		}
		w.loose = true
		for _, line := range lines {
			p, err := ledger.PrepareSound(line)
			if err != nil {
				return err
			}
			if err := w.line(ctx, &p); err != nil {
				return err
			}
		}
		for _, o := range outcomes {
			n, err := w.addOutcome(ctx, o, nil)
			if err != nil {
				return err
			}
			in.Outcomes += n
			in.Duplicates += 1 - n
		}
		return nil
	})
	return in, err
}

// Remove implements [ledger.Upkeep].
func (s *Store) Remove(ctx context.Context, ids []string, marks [][]byte) (events, outcomes int, err error) {
	in, err := list(ids)
	if err != nil {
		return 0, 0, err
	}
	err = s.change(ctx, "remove from", func(tx *sql.Tx) error {
		for _, step := range []struct {
			count *int
			query string
		}{
			{nil, `DELETE FROM event_words WHERE rowid IN (SELECT seq FROM events WHERE id IN (SELECT value FROM json_each(?)))`},
			{&outcomes, `DELETE FROM outcomes WHERE hash IS NULL AND event_id IN (SELECT value FROM json_each(?))`},
			{&outcomes, `DELETE FROM outcomes WHERE hash IS NOT NULL AND id IN (SELECT value FROM json_each(?))`},
			{&events, `DELETE FROM events WHERE id IN (SELECT value FROM json_each(?))`},
		} {
			res, err := tx.ExecContext(ctx, step.query, in)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			if step.count != nil {
				*step.count += int(n)
			}
		}
		w, err := newWriter(ctx, tx, &ledger.Intake{})
		if err != nil {
			return err
		}
		for _, line := range marks {
			p, err := ledger.PrepareSound(line)
			if err != nil {
				return err
			}
			if err := w.addMark(ctx, &p); err != nil {
				return err
			}
		}
		return nil
	})
	return events, outcomes, err
}

// Rewrite implements [ledger.Upkeep].
func (s *Store) Rewrite(ctx context.Context, lines [][]byte) (n int, err error) {
	err = s.change(ctx, "rewrite", func(tx *sql.Tx) error {
		for _, line := range lines {
			p, err := ledger.PrepareSound(line)
			if err != nil {
				return err
			}
			changed, err := rewrite(ctx, tx, &p)
			if err != nil {
				return err
			}
			n += changed
		}
		return nil
	})
	return n, err
}

func rewrite(ctx context.Context, tx *sql.Tx, p *ledger.Prepared) (int, error) {
	r := p.Line.Record
	if r.Kind == journal.KindOutcome {
		res, err := tx.ExecContext(ctx, `UPDATE outcomes SET note = ?, prev = ?, hash = ?, body = ?, link = ? WHERE id = ? AND event_id = ? AND hash IS NOT NULL`,
			r.Note, p.Packed.Prev, p.Packed.Hash, p.Packed.Body, p.Link, r.ID, r.Target)
		if err != nil {
			return 0, err
		}
		n, err := res.RowsAffected()
		return int(n), err
	}
	var seq int64
	err := tx.QueryRowContext(ctx, `UPDATE events SET prev = ?, hash = ?, body = ?, link = ? WHERE id = ? RETURNING seq`,
		p.Packed.Prev, p.Packed.Hash, p.Packed.Body, p.Link, r.ID).Scan(&seq)
	if err == sql.ErrNoRows {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM event_words WHERE rowid = ?`, seq); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO event_words (rowid, words) VALUES (?, ?)`, seq, strings.Join(p.Words, " "))
	return 1, err
}
