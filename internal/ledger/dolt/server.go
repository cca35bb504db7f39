package dolt

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Describe implements [ledger.Server].
func (s *Store) Describe(ctx context.Context) (string, error) {
	text, err := s.describe(ctx)
	return text, s.explain(ctx, "describe", err)
}

func (s *Store) describe(ctx context.Context) (string, error) {
	kind, which := "version()", "no branches"
	if s.versioned {
		kind, which = "CONCAT('Dolt ', dolt_version())", "branch "
	}
	var name string
	if err := s.db.QueryRowContext(ctx, `SELECT `+kind).Scan(&name); err != nil {
		return "", err
	}
	if s.versioned {
		var branch string
		if err := s.db.QueryRowContext(ctx, `SELECT active_branch()`).Scan(&branch); err != nil {
			return "", err
		}
		which += branch
	}
	v, err := version(ctx, s.db)
	if err != nil {
		return "", err
	}
	var machines int
	if err := s.db.QueryRowContext(ctx, `SELECT COUNT(DISTINCT machine) FROM places`).Scan(&machines); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, %s, %s, schema %d; %d of the team's machines write here, this one is %s", s.where(), name, which, v, machines, s.options.Machine), nil
}

// Key implements [ledger.Server].
func (s *Store) Key(ctx context.Context, own []byte) ([]byte, error) {
	key, err := teamKey(ctx, s.db)
	if err == nil && key == nil {
		// Of several machines one is the first.
		err = s.locked(ctx, "key", func(c *sql.Conn) error {
			tx, err := c.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer tx.Rollback()
			if key, err = teamKey(ctx, tx); err != nil || key != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO team (name, value) VALUES ('key', ?)`, own); err != nil {
				return err
			}
			key = own
			return s.commit(ctx, tx, s.options.Machine+": the team's key")
		})
	}
	return key, s.explain(ctx, "read the key of", err)
}

func teamKey(ctx context.Context, q querier) (key []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT value FROM team WHERE name = 'key'`).Scan(&key)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return key, err
}
