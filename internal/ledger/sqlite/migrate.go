package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/migrations"
)

// applicationID marks a file as ours; it spells "ovsr".
const applicationID = 0x6f767372

// errForeign means that the file is a database of something else.
var errForeign = errors.New("the file is a database, but no ledger of overseer")

// querier is what *sql.DB and *sql.Tx share.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// version reads the number of the schema, 0 for an empty file.
func version(ctx context.Context, q querier) (int, error) {
	var v, id, tables int
	err := q.QueryRowContext(ctx, `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_user_version, pragma_application_id`).Scan(&v, &id, &tables)
	if err == nil && id != applicationID && tables > 0 {
		err = errForeign
	}
	return v, err
}

// migrate brings the schema up to date, or tells why it may not.
func migrate(ctx context.Context, db *sql.DB, allowed bool) error {
	all, err := migrations.For("sqlite")
	if err != nil {
		return err
	}
	v, err := version(ctx, db)
	switch {
	case err != nil:
		return err
	case v > len(all):
		return fmt.Errorf("%w: its schema is %d, this overseer knows %d", ledger.ErrNewer, v, len(all))
	case v == len(all):
		return nil
	case !allowed && v == 0:
		return ledger.ErrMissing
	case !allowed:
		return fmt.Errorf("%w: its schema is %d of %d", ledger.ErrOlder, v, len(all))
	}
	if err := enableWAL(ctx, db); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil) // waits for others that migrate
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if v, err = version(ctx, tx); err != nil {
		return err
	}
	for _, m := range all[min(v, len(all)):] {
		if _, err := tx.ExecContext(ctx, m.SQL); err != nil {
			return fmt.Errorf("migrate to %d (%s): %w", m.Version, m.Name, err)
		}
	}
	if v < len(all) {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version=%d; PRAGMA application_id=%d`, len(all), applicationID)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// enableWAL switches the file over, for good. SQLite does not wait for other
// processes here, whatever the timeout.
func enableWAL(ctx context.Context, db *sql.DB) error {
	deadline := time.Now().Add(busyTimeout)
	for {
		_, err := db.ExecContext(ctx, `PRAGMA journal_mode=wal`)
		if !errors.Is(err, sqlite3.BUSY) || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}
