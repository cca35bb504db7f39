package dolt

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/fireharp/overseer/internal/ledger"
)

// turnTimeout is how long a process waits for the others of its machine. The
// longest that one of them works is one batch of TakeIn.
const turnTimeout = 60 * time.Second

// locked runs do while no other process does what has the same name. The server
// ends the lock with the connection. The lock only keeps order: that nothing is
// taken in twice rests on the transactions.
func (s *Store) locked(ctx context.Context, what string, do func(*sql.Conn) error) error {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	sum := sha256.Sum256([]byte(s.config.DBName + "\x00" + what)) // a name has at most 64 characters
	lock := "overseer." + hex.EncodeToString(sum[:12])
	var got sql.NullInt64
	if err := c.QueryRowContext(ctx, `SELECT GET_LOCK(?, ?)`, lock, int(turnTimeout.Seconds())).Scan(&got); err != nil {
		return err
	}
	if got.Int64 != 1 {
		return fmt.Errorf("%w: it has worked for %v", ledger.ErrLocked, turnTimeout)
	}
	err = do(c)
	// Also after the end of ctx: the connection goes back to the pool.
	release, cancel := context.WithTimeout(context.WithoutCancel(ctx), dialTimeout)
	defer cancel()
	if _, e := c.ExecContext(release, `DO RELEASE_LOCK(?)`, lock); e != nil {
		_ = c.Raw(func(any) error { return driver.ErrBadConn }) // its end releases the lock
	}
	return err
}

// commit ends a transaction. On Dolt that is a commit in the branch's history, in
// one step with the transaction.
func (s *Store) commit(ctx context.Context, q querier, message string) error {
	if !s.versioned {
		_, err := q.ExecContext(ctx, `COMMIT`)
		return err
	}
	_, err := q.ExecContext(ctx, `CALL DOLT_COMMIT('-A', '--skip-empty', '--author', ?, '-m', ?)`, s.author(), message)
	return err
}

// author is who Dolt's history names: the person, and the machine in place of an
// address.
func (s *Store) author() string {
	name := s.options.User
	if name == "" {
		name = "overseer"
	}
	return fmt.Sprintf("%s <%s>", plain(name), plain(s.options.Machine))
}

// plain takes out of a name what has a meaning in an author's line.
func plain(s string) string {
	out := []rune(s)
	for i, r := range out {
		if r == '<' || r == '>' || r < ' ' {
			out[i] = '_'
		}
	}
	return string(out)
}
