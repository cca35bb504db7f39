package dolt

import (
	"context"
	"database/sql"
	"strings"
)

// insert collects rows for one table.
type insert struct {
	into, columns string
	// ignore skips rows whose key is there already.
	ignore bool
	rows   int
	args   []any
}

func (n *insert) add(values ...any) {
	n.rows++
	n.args = append(n.args, values...)
}

// statement is how many bytes of values one statement carries, far below what
// servers accept (16 MiB by default) even where each byte is escaped.
const statement = 1 << 20

// run stores the rows.
func (n *insert) run(ctx context.Context, tx *sql.Tx) error {
	if n.rows == 0 {
		return nil
	}
	width := len(n.args) / n.rows
	head := "INSERT INTO "
	if n.ignore {
		head = "INSERT IGNORE INTO "
	}
	head += n.into + " (" + n.columns + ") VALUES "
	for args := n.args; len(args) > 0; {
		rows, size := 0, 0
		for ; rows*width < len(args) && size < statement; rows++ {
			for _, a := range args[rows*width : (rows+1)*width] {
				size += 8 + length(a)
			}
		}
		query := head + marksOf(width) + strings.Repeat(","+marksOf(width), rows-1)
		if _, err := tx.ExecContext(ctx, query, args[:rows*width]...); err != nil {
			return err
		}
		args = args[rows*width:]
	}
	return nil
}

func length(a any) int {
	switch a := a.(type) {
	case string:
		return len(a)
	case []byte:
		return len(a)
	}
	return 0
}

// marksOf is a list of n placeholders in parentheses.
func marksOf(n int) string { return "(?" + strings.Repeat(",?", n-1) + ")" }

// marksFor is a list of placeholders for texts.
func marksFor(texts []string) string { return marksOf(len(texts)) }

// list makes arguments out of texts.
func list(texts []string) []any {
	out := make([]any, len(texts))
	for i := range texts {
		out[i] = texts[i]
	}
	return out
}
