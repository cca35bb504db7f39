// Package migrations holds the numbered changes that make a ledger's schema, as
// SQL, one folder a dialect.
package migrations

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
)

//go:embed sqlite/*.sql mysql/*.sql
var files embed.FS

// Migration is one change of the schema.
type Migration struct {
	// Version is the number of the schema that the change leads to.
	Version int
	Name    string
	SQL     string
}

// For lists the migrations of a dialect from version 1 on, in order. It fails if
// there are none, or a number is missing.
func For(dialect string) ([]Migration, error) {
	entries, err := files.ReadDir(dialect)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	var out []Migration
	for i, e := range entries { // sorted by name
		number, name, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".sql"), "_")
		v, err := strconv.Atoi(number)
		if err != nil || v != i+1 {
			return nil, fmt.Errorf("migrations: %s/%s should have the number %d", dialect, e.Name(), i+1)
		}
		sql, err := files.ReadFile(path.Join(dialect, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("migrations: %w", err)
		}
		out = append(out, Migration{v, name, string(sql)})
	}
	return out, nil
}
