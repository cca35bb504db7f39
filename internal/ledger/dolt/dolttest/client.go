package dolttest

import (
	"database/sql"
	"fmt"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"
)

const terminate = syscall.SIGTERM

// connect opens a connection that does not go through the code under test.
func (s *Server) connect(user, database string) *sql.DB {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName, c.Logger = user, "tcp", s.Addr, database, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		s.tb.Fatal(err)
	}
	return sql.OpenDB(connector)
}

func (s *Server) ping() error {
	db := s.connect("root", "")
	defer db.Close()
	return db.Ping()
}

func (s *Server) run(user, statements string) {
	s.tb.Helper()
	db := s.connect(user, "")
	defer db.Close()
	for _, q := range strings.Split(statements, ";") {
		if _, err := db.Exec(q); err != nil {
			s.tb.Fatalf("%s: %v", q, err)
		}
	}
}

// SQL runs statements as overseer in the database of an address, and returns the
// rows of the last one, their values joined by spaces.
func (s *Server) SQL(address string, statements ...string) []string {
	s.tb.Helper()
	out, err := s.Try(address, statements...)
	if err != nil {
		s.tb.Fatal(err)
	}
	return out
}

// Try is SQL for what may fail.
func (s *Server) Try(address string, statements ...string) ([]string, error) {
	db := s.connect("overseer", address[strings.Index(address, ")/")+2:])
	defer db.Close()
	db.SetMaxOpenConns(1) // one session
	var out []string
	for _, q := range statements {
		rows, err := db.Query(q)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q, err)
		}
		columns, _ := rows.Columns()
		out = nil
		for rows.Next() {
			values := make([]sql.NullString, len(columns))
			into := make([]any, len(columns))
			for i := range into {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				return nil, err
			}
			var texts []string
			for _, v := range values {
				texts = append(texts, v.String)
			}
			out = append(out, strings.Join(texts, " "))
		}
		if err := rows.Close(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
