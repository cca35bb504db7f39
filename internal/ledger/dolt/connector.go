package dolt

import (
	"context"
	"database/sql/driver"
	"strings"
	"unicode/utf8"
)

// connector makes connections that work on one branch of Dolt.
type connector struct {
	driver.Connector
	branch string
}

// Connect implements [driver.Connector].
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil || c.branch == "" {
		return conn, err
	}
	args := []driver.NamedValue{{Ordinal: 1, Value: c.branch}}
	// The driver of MySQL executes without preparing.
	if _, err := conn.(driver.ExecerContext).ExecContext(ctx, `CALL DOLT_CHECKOUT(?)`, args); err != nil {
		_ = conn.Close()
		return nil, &branchError{c.branch, err}
	}
	return conn, nil
}

// branchError is the server's refusal to work on a branch.
type branchError struct {
	branch string
	err    error
}

func (e *branchError) Error() string { return "branch " + e.branch + ": " + e.err.Error() }
func (e *branchError) Unwrap() error { return e.err }

// The sizes of the columns, in characters.
const (
	maxID   = 64
	maxName = 128
	maxText = 255
	maxWord = 32 // decisions and kinds
	maxSrc  = 64
	maxNote = 16_000 // 65,535 bytes
)

// clip makes a text fit into a column: valid UTF-8 of at most n characters.
// Overseer's own records fit as they are, but a crafted line must not keep people
// from the lines after it. What is looked for is clipped in the same way.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}
