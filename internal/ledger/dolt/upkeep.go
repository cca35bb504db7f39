package dolt

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// change runs do in a transaction, once more where it met another one.
func (s *Store) change(ctx context.Context, doing string, do func(*sql.Tx) (message string, err error)) error {
	var err error
	for attempt := 0; attempt < attempts; attempt++ {
		err = s.locked(ctx, "journal "+s.options.Machine, func(c *sql.Conn) error {
			tx, err := c.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer tx.Rollback()
			message, err := do(tx)
			if err != nil {
				return err
			}
			return s.commit(ctx, tx, s.options.Machine+": "+message)
		})
		// Of a broken connection nobody knows what was done.
		if err == nil || !again(err) || broken(err) || ctx.Err() != nil {
			break
		}
	}
	return s.explain(ctx, doing, err)
}

// sound makes lines ready that are in no journal.
func sound(lines [][]byte) ([]ledger.Prepared, error) {
	out := make([]ledger.Prepared, len(lines))
	for i, line := range lines {
		p, err := ledger.PrepareSound(line)
		if err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

// Put implements [ledger.Upkeep].
func (s *Store) Put(ctx context.Context, lines [][]byte, outcomes []ledger.Outcome) (ledger.Intake, error) {
	prepared, err := sound(lines)
	if err != nil {
		return ledger.Intake{}, s.explain(ctx, "store lines in", err)
	}
	var u *unit
	err = s.change(ctx, "store lines in", func(tx *sql.Tx) (string, error) {
		u = &unit{}
		w := &writer{store: s, tx: tx, unit: u, loose: true}
		for at := 0; at < len(prepared); at += page {
			if err := w.lines(ctx, prepared[at:min(at+page, len(prepared))]); err != nil {
				return "", err
			}
		}
		var bare []outcome
		for _, o := range outcomes {
			bare = append(bare, outcome{o, nil, o.Time.UnixMicro()})
		}
		n, err := w.addOutcomes(ctx, bare)
		u.Outcomes += n
		u.Duplicates += len(bare) - n
		return fmt.Sprintf("put %d events, %d outcomes", u.Events, u.Outcomes), err
	})
	if err != nil {
		return ledger.Intake{}, err
	}
	return u.Intake, nil
}

// Remove implements [ledger.Upkeep]. On Dolt the history of the branch keeps what
// is removed.
func (s *Store) Remove(ctx context.Context, ids []string, marks [][]byte) (events, outcomes int, err error) {
	prepared, err := sound(marks)
	if err != nil {
		return 0, 0, s.explain(ctx, "remove from", err)
	}
	err = s.change(ctx, "remove from", func(tx *sql.Tx) (string, error) {
		events, outcomes = 0, 0
		for at := 0; at < len(ids); at += page {
			some := ids[at:min(at+page, len(ids))]
			in := marksFor(some)
			places, err := column(ctx, tx, `SELECT at FROM events WHERE id IN `+in, list(some)...)
			if err != nil {
				return "", err
			}
			steps := []struct {
				count *int
				query string
				args  []any
			}{
				{&outcomes, `DELETE FROM outcomes WHERE hash IS NULL AND event_id IN ` + in, list(some)},
				{&outcomes, `DELETE FROM outcomes WHERE hash IS NOT NULL AND id IN ` + in, list(some)},
				{&events, `DELETE FROM events WHERE id IN ` + in, list(some)},
			}
			if len(places) > 0 { // their key begins with it
				steps = append(steps, steps[0])
				steps[3].count, steps[3].query = nil, `DELETE FROM event_words WHERE at IN `+marksFor(places)+` AND event_id IN `+in
				steps[3].args = append(list(places), list(some)...)
			}
			for _, step := range steps {
				res, err := tx.ExecContext(ctx, step.query, step.args...)
				if err != nil {
					return "", err
				}
				n, err := res.RowsAffected()
				if err != nil {
					return "", err
				}
				if step.count != nil {
					*step.count += int(n)
				}
			}
		}
		w := &writer{store: s, tx: tx, unit: &unit{}, loose: true}
		return fmt.Sprintf("removed %d events, %d outcomes", events, outcomes), w.lines(ctx, prepared)
	})
	return events, outcomes, err
}

// Rewrite implements [ledger.Upkeep]. On Dolt the history of the branch keeps what
// was there.
func (s *Store) Rewrite(ctx context.Context, lines [][]byte) (n int, err error) {
	prepared, err := sound(lines)
	if err != nil {
		return 0, s.explain(ctx, "rewrite", err)
	}
	err = s.change(ctx, "rewrite", func(tx *sql.Tx) (string, error) {
		n = 0
		for i := range prepared {
			changed, err := rewrite(ctx, tx, &prepared[i])
			if err != nil {
				return "", err
			}
			n += changed
		}
		return fmt.Sprintf("rewrote %d records", n), nil
	})
	return n, err
}

func rewrite(ctx context.Context, tx *sql.Tx, p *ledger.Prepared) (int, error) {
	r := p.Line.Record
	if r.Kind == journal.KindOutcome {
		res, err := tx.ExecContext(ctx, `UPDATE outcomes SET note = ?, prev = ?, hash = ?, body = ?, link = ? WHERE id = ? AND event_id = ? AND hash IS NOT NULL`,
			clip(r.Note, maxNote), p.Packed.Prev, p.Packed.Hash, p.Packed.Body, p.Link, clip(r.ID, maxID), clip(r.Target, maxID))
		if err != nil {
			return 0, err
		}
		n, err := res.RowsAffected()
		return int(n), err
	}
	id := clip(r.ID, maxID)
	var at int64
	err := tx.QueryRowContext(ctx, `SELECT at FROM events WHERE id = ?`, id).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE events SET prev = ?, hash = ?, body = ?, link = ? WHERE id = ?`, p.Packed.Prev, p.Packed.Hash, p.Packed.Body, p.Link, id)
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE event_words SET words = ? WHERE at = ? AND event_id = ?`, indexed(p.Words), at, id)
	return 1, err
}

// Check implements [ledger.Upkeep]. The server looks after its files itself.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	var out []string
	for _, c := range []struct{ query, text string }{
		{`SELECT COUNT(*) FROM events e LEFT JOIN event_words w ON w.at = e.at AND w.event_id = e.id WHERE w.at IS NULL`, "%s events cannot be found by their words"},
		{`SELECT COUNT(*) FROM event_words w LEFT JOIN events e ON e.id = w.event_id WHERE e.id IS NULL`, "%s entries of the index of words belong to no event"},
		{`SELECT COUNT(*) FROM places WHERE segment < 0 OR position < 0 OR LENGTH(link) <> 64`, "%s places in the journals are none"},
	} {
		n, err := column(ctx, s.db, c.query)
		if err != nil {
			return out, s.explain(ctx, "check", err)
		}
		if n[0] != "0" {
			out = append(out, fmt.Sprintf(c.text, n[0]))
		}
	}
	return out, nil
}

// Size implements [ledger.Upkeep]: of what the tables hold now, without Dolt's
// history.
func (s *Store) Size(ctx context.Context) (int64, error) {
	var sum int64
	for _, query := range []string{
		`SELECT COALESCE(SUM(LENGTH(body) + 200), 0) FROM events`,
		`SELECT COALESCE(SUM(LENGTH(words)), 0) FROM event_words`,
		`SELECT COALESCE(SUM(COALESCE(LENGTH(body), 0) + 200), 0) FROM outcomes`,
	} {
		var n float64 // a sum is a DECIMAL
		if err := s.db.QueryRowContext(ctx, query).Scan(&n); err != nil {
			return 0, s.explain(ctx, "measure", err)
		}
		sum += int64(n)
	}
	return sum, nil
}

// Compact implements [ledger.Upkeep]. On Dolt the history of the branches keeps
// what was removed; what no branch has any more goes.
func (s *Store) Compact(ctx context.Context) error {
	if !s.versioned {
		_, err := s.db.ExecContext(ctx, `OPTIMIZE TABLE events, event_words, outcomes`)
		return s.explain(ctx, "compact", err)
	}
	_, err := s.db.ExecContext(ctx, `CALL DOLT_GC()`)
	// The server refuses connections that were there before.
	s.db.SetMaxIdleConns(0)
	s.db.SetMaxIdleConns(2)
	return s.explain(ctx, "compact", err)
}

// Sync implements [ledger.Upkeep]: a commit is on the server's disk.
func (s *Store) Sync(context.Context) error { return nil }
