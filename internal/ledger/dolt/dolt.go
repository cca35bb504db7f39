// Package dolt keeps the ledger of a team on a server that speaks MySQL's
// protocol: Dolt, which has branches, and MariaDB or MySQL, which have not.
//
// Every machine takes its own journal in; the place it has reached is stored on
// the server in the transaction that stores the rows. No hook opens this store.
// The program has it only when it is built with -tags dolt, since linking a
// driver costs every hook its start.
package dolt

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/ledger"
)

// Options say which ledger is meant and who opens it.
type Options struct {
	// Address is [ledger] path: "[user[:password]@]tcp(host:port)/database", with
	// the parameters of github.com/go-sql-driver/mysql after a "?".
	Address string
	// Password is used where the address has none.
	Password string
	// Branch is the branch to work on; "" means the server's own choice. A server
	// that is no Dolt has none.
	Branch string
	// Machine names this machine among those that share the ledger, User the
	// person who works on it.
	Machine, User string
}

// What is used where the address does not say: the user of the documented
// command line, and the database of the documented path.
const (
	defaultUser     = "overseer"
	defaultDatabase = "overseer"
)

// The longest that a person waits for a server that does not answer: for a
// connection, and for one statement. A batch of TakeIn takes some seconds on a
// slow server.
const (
	dialTimeout      = 5 * time.Second
	statementTimeout = 2 * time.Minute
)

// Store is a ledger on a server.
type Store struct {
	db      *sql.DB
	config  *mysql.Config
	options Options
	// versioned is true for Dolt.
	versioned bool
}

var (
	_ ledger.Store    = (*Store)(nil)
	_ ledger.Brancher = (*Store)(nil)
	_ ledger.Server   = (*Store)(nil)
)

// Open connects, and makes the database and its tables where they are missing.
// Errors: [ledger.ErrAway], [ledger.ErrNewer], [ledger.ErrReadOnly],
// [ledger.ErrNoBranch].
func Open(ctx context.Context, o Options) (*Store, error) {
	config, err := parse(o)
	if err != nil {
		return nil, err
	}
	o.Machine, o.User = clip(o.Machine, maxName), clip(o.User, maxName)
	s := &Store{config: config, options: o}
	if err := s.connect(ctx); err != nil {
		return nil, s.explain(ctx, "open", err)
	}
	return s, nil
}

// parse reads the address. No error of it shows a password.
func parse(o Options) (*mysql.Config, error) {
	c, err := mysql.ParseDSN(o.Address)
	if err != nil {
		err := fmt.Errorf("[ledger] path is no address of a server (%s)", strings.TrimPrefix(err.Error(), "invalid DSN: "))
		return nil, hint.Wrap(err, `write it like this: path = "tcp(127.0.0.1:3306)/overseer"`)
	}
	if c.User == "" {
		c.User = defaultUser
	}
	if c.Passwd == "" {
		c.Passwd = o.Password
	}
	if c.DBName == "" {
		c.DBName = defaultDatabase
	}
	if strings.Contains(c.DBName, "/") {
		err := fmt.Errorf("[ledger] path: the database %q has a slash in its name", c.DBName)
		return nil, hint.Wrap(err, "a branch is set as [ledger.dolt] branch, or with: overseer ledger checkout")
	}
	if c.Timeout == 0 {
		c.Timeout = dialTimeout
	}
	if c.ReadTimeout == 0 {
		c.ReadTimeout = statementTimeout
	}
	if c.WriteTimeout == 0 {
		c.WriteTimeout = statementTimeout
	}
	c.InterpolateParams = true // one round trip a statement
	c.ParseTime, c.MultiStatements, c.ClientFoundRows = false, false, false
	c.Logger = &mysql.NopLogger{}
	return c, nil
}

// connect finds out what the server is and prepares the database.
func (s *Store) connect(ctx context.Context) error {
	probe, err := s.open("")
	if err != nil {
		return err
	}
	defer probe.Close()
	err = probe.PingContext(ctx)
	if code(err) == errUnknownDatabase {
		err = s.createDatabase(ctx)
	}
	if err != nil {
		return err
	}
	var comment string
	if err := probe.QueryRowContext(ctx, `SELECT @@version_comment`).Scan(&comment); err != nil {
		return err
	}
	s.versioned = strings.Contains(strings.ToLower(comment), "dolt")
	branch := ""
	if s.versioned {
		branch = s.options.Branch
	}
	if s.db, err = s.open(branch); err != nil {
		return err
	}
	s.db.SetMaxOpenConns(4)
	s.db.SetConnMaxIdleTime(time.Minute)
	if err := s.migrate(ctx); err != nil {
		return errors.Join(err, s.db.Close())
	}
	return nil
}

// open makes a pool of connections that work on a branch.
func (s *Store) open(branch string) (*sql.DB, error) {
	c, err := mysql.NewConnector(s.config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(&connector{Connector: c, branch: branch}), nil
}

func (s *Store) createDatabase(ctx context.Context) error {
	config := s.config.Clone()
	config.DBName = ""
	c, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	db := sql.OpenDB(c)
	defer db.Close()
	_, err = db.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+quote(s.config.DBName)+" CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
	if err != nil && code(err) != errDatabaseExists { // Dolt says so where two make it at once
		return fmt.Errorf("create the database: %w", err)
	}
	return nil
}

// quote makes a name out of any text.
func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Close ends the connections.
func (s *Store) Close() error { return s.db.Close() }

// where is the ledger's address as it may be shown: without a password.
func (s *Store) where() string {
	return fmt.Sprintf("%s@%s/%s", s.config.User, s.config.Addr, s.config.DBName)
}
