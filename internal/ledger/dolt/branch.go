package dolt

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// Branches implements [ledger.Brancher].
func (s *Store) Branches(ctx context.Context) ([]string, error) {
	out, err := s.branches(ctx)
	return out, s.explain(ctx, "read the branches of", err)
}

func (s *Store) branches(ctx context.Context) ([]string, error) {
	if !s.versioned {
		return nil, ledger.ErrNoBranches
	}
	return column(ctx, s.db, `SELECT name FROM dolt_branches ORDER BY name`)
}

// need returns [ledger.ErrNoBranch] for a branch that is not there.
func (s *Store) need(ctx context.Context, names ...string) error {
	all, err := s.branches(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			err := fmt.Errorf("%s: %w", name, ledger.ErrNoBranch)
			return hint.Wrap(err, "the branches are %s", strings.Join(all, ", "))
		}
	}
	return nil
}

// Branch implements [ledger.Brancher].
func (s *Store) Branch(ctx context.Context, name string) error {
	all, err := s.branches(ctx)
	if err == nil && slices.Contains(all, name) {
		return fmt.Errorf("there is a branch %s already", name)
	}
	if err == nil {
		_, err = s.db.ExecContext(ctx, `CALL DOLT_BRANCH(?)`, name)
	}
	return s.explain(ctx, "make a branch of", err)
}

// Checkout implements [ledger.Brancher].
func (s *Store) Checkout(ctx context.Context, name string) error {
	return s.explain(ctx, "check out a branch of", s.checkout(ctx, name))
}

func (s *Store) checkout(ctx context.Context, name string) error {
	if err := s.need(ctx, name); err != nil {
		return err
	}
	here, err := s.place(ctx, s.db)
	if err != nil {
		return err
	}
	o := s.options
	o.Branch = name
	to, err := Open(ctx, o) // with a schema
	if err != nil {
		return err
	}
	defer to.Close()
	return to.change(ctx, "check out a branch of", func(tx *sql.Tx) (string, error) {
		there, err := to.place(ctx, tx)
		if err == nil && there.before(here) {
			err = to.advance(ctx, tx, here)
		}
		return "goes on here", err
	})
}

// Merge implements [ledger.Brancher].
func (s *Store) Merge(ctx context.Context, from, into string) (ledger.Merged, error) {
	m, err := s.merge(ctx, from, into)
	var conflicts *ledger.ConflictError
	if errors.As(err, &conflicts) {
		return m, hint.Wrap(err, "make the rows the same on one of the branches and merge again")
	}
	return m, s.explain(ctx, "merge in", err)
}

func (s *Store) merge(ctx context.Context, from, into string) (ledger.Merged, error) {
	if err := s.need(ctx, from, into); err != nil {
		return ledger.Merged{}, err
	}
	db, err := s.open(into)
	if err != nil {
		return ledger.Merged{}, err
	}
	defer db.Close()
	// In a transaction Dolt shows the conflicts instead of refusing them, and the
	// end of the transaction without a commit undoes the merge.
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return ledger.Merged{}, err
	}
	defer tx.Rollback()
	for _, set := range []string{`SET @@dolt_allow_commit_conflicts = 0`, `SET @@dolt_force_transaction_commit = 0`} {
		if _, err := tx.ExecContext(ctx, set); err != nil {
			return ledger.Merged{}, err
		}
	}
	var head string
	if err := tx.QueryRowContext(ctx, `SELECT HASHOF('HEAD')`).Scan(&head); err != nil {
		return ledger.Merged{}, err
	}
	var hash, text sql.NullString
	var fastForward, conflicts int
	err = tx.QueryRowContext(ctx, `CALL DOLT_MERGE(?, '--author', ?, '-m', ?)`, from, s.author(), "merge "+from+" into "+into).Scan(&hash, &fastForward, &conflicts, &text)
	if err != nil {
		return ledger.Merged{}, err
	}
	if conflicts > 0 {
		list, err := conflictsOf(ctx, tx)
		if err != nil {
			return ledger.Merged{}, err
		}
		return ledger.Merged{}, &ledger.ConflictError{From: from, Into: into, Conflicts: list}
	}
	if err := tx.Commit(); err != nil {
		return ledger.Merged{}, err
	}
	out := ledger.Merged{}
	err = db.QueryRowContext(ctx, `SELECT HASHOF('HEAD')`).Scan(&out.Commit)
	out.Nothing = out.Commit == head
	return out, err
}

// conflictsOf reads the conflicts of the merge that is under way.
func conflictsOf(ctx context.Context, tx *sql.Tx) ([]ledger.Conflict, error) {
	var out []ledger.Conflict
	tables, err := column(ctx, tx, "SELECT `table` FROM dolt_conflicts ORDER BY `table`")
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		rows, err := records(ctx, tx, `SELECT * FROM `+quote("dolt_conflicts_"+table))
		if err != nil {
			return nil, err
		}
		keys, err := column(ctx, tx, `SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? AND column_key = 'PRI' ORDER BY ordinal_position`, table)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out = append(out, conflict(table, keys, r))
		}
	}
	violated, err := column(ctx, tx, "SELECT `table` FROM dolt_constraint_violations ORDER BY `table`")
	if err != nil {
		return nil, err
	}
	for _, table := range violated {
		rows, err := records(ctx, tx, `SELECT * FROM `+quote("dolt_constraint_violations_"+table))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out = append(out, ledger.Conflict{Table: table, ID: text(r.value("id")), Note: text(r.value("violation_type")) + " " + text(r.value("violation_info"))})
		}
	}
	return out, nil
}

// conflict is one row of a table dolt_conflicts_…, which has every column three
// times.
func conflict(table string, keys []string, r record) ledger.Conflict {
	c := ledger.Conflict{Table: table}
	var id []string
	for _, k := range keys {
		for _, side := range []string{"our_", "their_", "base_"} {
			if v := r.value(side + k); v != nil {
				id = append(id, *v)
				break
			}
		}
	}
	c.ID = strings.Join(id, " ")
	for _, name := range r.columns {
		name, ok := strings.CutPrefix(name, "base_")
		if !ok {
			continue
		}
		base, ours, theirs := r.value("base_"+name), r.value("our_"+name), r.value("their_"+name)
		if text(base) != text(ours) || text(base) != text(theirs) || (base == nil) != (ours == nil) || (base == nil) != (theirs == nil) {
			c.Columns = append(c.Columns, ledger.ConflictColumn{Name: name, Base: legible(name, base), Ours: legible(name, ours), Theirs: legible(name, theirs)})
		}
	}
	return c
}

// legible makes text out of the columns that hold bytes.
func legible(column string, value *string) *string {
	if value == nil {
		return nil
	}
	out := *value
	switch column {
	case "body":
		line, err := ledger.Packed{Body: []byte(out)}.Line()
		if err != nil {
			out = err.Error()
			break
		}
		body, _, _, _ := journal.Split(line)
		out = string(body)
	case "prev", "hash", "tool_call":
		out = hex.EncodeToString([]byte(out))
	}
	return &out
}

// record is a row whose columns are not known beforehand; nil is NULL.
type record struct {
	columns []string
	values  []*string
}

func (r record) value(column string) *string {
	if i := slices.Index(r.columns, column); i >= 0 {
		return r.values[i]
	}
	return nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// records reads any rows.
func records(ctx context.Context, q querier, query string, args ...any) ([]record, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []record
	for rows.Next() {
		r := record{columns, make([]*string, len(columns))}
		into := make([]any, len(columns))
		for i := range into {
			into[i] = &r.values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// column reads rows of one column.
func column(ctx context.Context, q querier, query string, args ...any) ([]string, error) {
	rows, err := records(ctx, q, query, args...)
	var out []string
	for _, r := range rows {
		out = append(out, text(r.values[0]))
	}
	return out, err
}
