package dolt

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/migrations"
)

// querier is what *sql.DB, *sql.Conn and *sql.Tx share.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// version reads the number of the schema, 0 where there is none.
func version(ctx context.Context, q querier) (int, error) {
	var v int
	err := q.QueryRowContext(ctx, `SELECT COALESCE(MAX(version), 0) FROM overseer_schema`).Scan(&v)
	if code(err) == errNoTable {
		return 0, nil
	}
	return v, err
}

// migrate brings the schema of the branch up to date. MySQL commits each change of
// a schema by itself, so every migration can be repeated.
func (s *Store) migrate(ctx context.Context) error {
	all, err := migrations.For("mysql")
	if err != nil {
		return err
	}
	check := func(v int) error {
		if v > len(all) {
			return fmt.Errorf("%w: its schema is %d, this overseer knows %d", ledger.ErrNewer, v, len(all))
		}
		return nil
	}
	v, err := version(ctx, s.db)
	if err != nil || v == len(all) {
		return err
	}
	if err := check(v); err != nil {
		return err
	}
	return s.locked(ctx, "migrate", func(c *sql.Conn) error {
		v, err := version(ctx, c)
		if err == nil {
			err = check(v)
		}
		if err != nil || v == len(all) {
			return err
		}
		for _, m := range all[v:] {
			for _, statement := range strings.SplitAfter(m.SQL, ";\n") {
				if strings.TrimSpace(statement) == "" {
					continue
				}
				if _, err := c.ExecContext(ctx, statement); err != nil {
					return fmt.Errorf("migrate to %d (%s): %w", m.Version, m.Name, err)
				}
			}
		}
		for _, statement := range []string{
			`CREATE TABLE IF NOT EXISTS overseer_schema (version INT NOT NULL PRIMARY KEY)`,
			fmt.Sprintf(`REPLACE INTO overseer_schema (version) VALUES (%d)`, len(all)),
			fmt.Sprintf(`DELETE FROM overseer_schema WHERE version <> %d`, len(all)),
		} {
			if _, err := c.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return s.commit(ctx, c, fmt.Sprintf("schema %d of the ledger", len(all)))
	})
}
