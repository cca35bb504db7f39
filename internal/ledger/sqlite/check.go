package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/ncruces/go-sqlite3"

	"github.com/fireharp/overseer/internal/ledger"
)

// maxProblems is how many lines of SQLite's own check are worth reading.
const maxProblems = 20

// Check implements [ledger.Upkeep].
func (s *Store) Check(ctx context.Context) ([]string, error) {
	var out []string
	rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`PRAGMA integrity_check(%d)`, maxProblems))
	if err != nil {
		return damage(out, s.explain(ctx, err))
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return damage(out, s.explain(ctx, err))
		}
		if text != "ok" {
			out = append(out, text)
		}
	}
	if err := rows.Err(); err != nil {
		return damage(out, s.explain(ctx, err))
	}
	for _, c := range []struct{ query, text string }{
		{`SELECT count(*) FROM events WHERE seq NOT IN (SELECT id FROM event_words_docsize)`, "%d events cannot be found by their words"},
		{`SELECT count(*) FROM event_words_docsize WHERE id NOT IN (SELECT seq FROM events)`, "%d entries of the index of words belong to no event"},
		{`SELECT count(*) FROM events WHERE session NOT IN (SELECT seq FROM sessions)`, "%d events are of a session that is not there"},
		{`SELECT count(*) FROM journals WHERE segment < 0 OR position < 0 OR length(link) <> 64`, "the place in the journal is none"},
	} {
		var n int
		if err := s.db.QueryRowContext(ctx, c.query).Scan(&n); err != nil {
			return damage(out, s.explain(ctx, err))
		}
		if n > 0 {
			text := c.text
			if c.text[0] == '%' {
				text = fmt.Sprintf(c.text, n)
			}
			out = append(out, text)
		}
	}
	if s.unwritable != nil {
		return out, nil
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO event_words (event_words) VALUES ('integrity-check')`)
	if err != nil {
		return damage(append(out, "the index of words is damaged"), s.explain(ctx, err))
	}
	return out, nil
}

// damage makes of an error that means damage one more finding.
func damage(found []string, err error) ([]string, error) {
	if errors.Is(err, ledger.ErrCorrupt) {
		return append(found, err.Error()), nil
	}
	return found, err
}

// Size implements [ledger.Upkeep].
func (s *Store) Size(context.Context) (int64, error) {
	var sum int64
	for _, name := range []string{s.path, s.path + "-wal"} {
		fi, err := os.Stat(name)
		if err == nil {
			sum += fi.Size()
		} else if name == s.path {
			return 0, err
		}
	}
	return sum, nil
}

// Compact implements [ledger.Upkeep].
func (s *Store) Compact(ctx context.Context) error {
	err := s.change(ctx, "compact", func(tx *sql.Tx) error {
		// Deleted words stay in the index until its parts are merged.
		for _, query := range []string{
			`DELETE FROM sessions WHERE seq NOT IN (SELECT session FROM events)`,
			`INSERT INTO event_words (event_words) VALUES ('optimize')`,
		} {
			if _, err := tx.ExecContext(ctx, query); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `VACUUM`); err != nil {
		return explain(ctx, "compact", s.path, err)
	}
	return s.writeBack(ctx, "compact")
}

// Sync implements [ledger.Upkeep].
func (s *Store) Sync(ctx context.Context) error { return s.writeBack(ctx, "sync") }

// writeBack moves the WAL into the file, syncs that, and empties the WAL.
func (s *Store) writeBack(ctx context.Context, doing string) error {
	if s.unwritable != nil {
		return explain(ctx, doing, s.path, s.unwritable)
	}
	var busy, log, done int
	err := s.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(truncate)`).Scan(&busy, &log, &done)
	if err == nil && busy != 0 {
		err = sqlite3.BUSY
	}
	return explain(ctx, doing, s.path, err)
}
