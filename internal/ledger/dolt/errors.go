package dolt

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/ledger"
)

// Numbers of MySQL's errors. Source: the MySQL server error reference.
const (
	errUnknownDatabase = 1049
	errDatabaseExists  = 1007
	errAccessDatabase  = 1044
	errAccess          = 1045
	errAccessSocket    = 1698
	errDiskFull        = 1021
	errTableFull       = 1114
	errDuplicate       = 1062
	errTableDenied     = 1142
	errColumnDenied    = 1143
	errLockWait        = 1205
	errDeadlock        = 1213
	errReadOnlyOption  = 1290
	errReadOnlyServer  = 1836
	errNoTable         = 1146
)

// code is the server's number of an error, 0 if it is not from the server.
func code(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// broken reports whether the connection is gone, so that nobody knows what became
// of the last statement.
func broken(err error) bool {
	var op *net.OpError
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// again reports whether a transaction may succeed when it is done once more: it
// met another's (Dolt finds that out at the commit), or the connection broke.
func again(err error) bool {
	switch code(err) {
	case errDeadlock, errLockWait, errDuplicate:
		return true
	}
	return broken(err)
}

// explain gives an error of the server its name in package ledger, and the person
// a way out.
func (s *Store) explain(ctx context.Context, doing string, err error) error {
	if err == nil || errors.Is(err, ledger.ErrNotFound) || errors.Is(err, ledger.ErrAmbiguous) {
		return err
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	var name error
	var way string
	var branch *branchError
	switch c := code(err); {
	case errors.As(err, &branch):
		name, way = ledger.ErrNoBranch, fmt.Sprintf("make it with: overseer ledger branch %s, or go to another with: overseer ledger checkout <name>", branch.branch)
	case c == errAccess, c == errAccessSocket:
		way = fmt.Sprintf("create the user %q on the server (in its folder: dolt sql -q \"CREATE USER '%[1]s'@'%%' IDENTIFIED BY ''; GRANT ALL ON *.* TO '%[1]s'@'%%'\"), or put another into [ledger] path (user@tcp(…)/…) and its password into %[2]s", s.config.User, PasswordVar)
	case c == errAccessDatabase:
		way = fmt.Sprintf("let an administrator run: CREATE DATABASE IF NOT EXISTS %s; GRANT ALL ON %[1]s.* TO '%s'@'%%'", s.config.DBName, s.config.User)
	case c == errTableDenied, c == errColumnDenied, c == errReadOnlyOption, c == errReadOnlyServer:
		name, way = ledger.ErrReadOnly, fmt.Sprintf("let an administrator run: GRANT ALL ON %s.* TO '%s'@'%%'; nothing is lost meanwhile, the journal has it", s.config.DBName, s.config.User)
	case c == errDiskFull, c == errTableFull:
		name, way = ledger.ErrFull, "free some space on the server; nothing is lost meanwhile, the journal has it"
	case c == errDeadlock, c == errLockWait, errors.Is(err, ledger.ErrLocked):
		name, way = ledger.ErrLocked, "try again; nothing is lost meanwhile, the journal has it"
	case errors.Is(err, ledger.ErrNoBranches):
		way = "only a Dolt server has branches; this one is none"
	case errors.Is(err, ledger.ErrNewer):
		way = "update overseer"
	case broken(err):
		name, way = ledger.ErrAway, fmt.Sprintf("start it (%s) or mend [ledger] path in config.toml; hooks do not wait for it, and the journal keeps what they record", s.startHint())
	}
	if name != nil && !errors.Is(err, name) {
		err = fmt.Errorf("%w: %w", name, err)
	}
	err = fmt.Errorf("%s ledger %s: %w", doing, s.where(), err)
	if way != "" {
		err = hint.Wrap(err, "%s", way)
	}
	return err
}

// PasswordVar is the environment variable for the password, which then need not
// stand in a file.
const PasswordVar = "OVERSEER_DOLT_PASSWORD"

// startHint is how the documented server is started.
func (s *Store) startHint() string {
	host, port, err := net.SplitHostPort(s.config.Addr)
	if err != nil || host != "127.0.0.1" && !strings.EqualFold(host, "localhost") {
		return "it is " + s.config.Addr
	}
	return "cd ~/.overseer/ledger && dolt sql-server --host 127.0.0.1 --port " + port
}
