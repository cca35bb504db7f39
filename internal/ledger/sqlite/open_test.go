package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/ledgertest"
	"github.com/fireharp/overseer/internal/ledger/sqlite"
)

func TestFileModes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := journal.Append(t.Context(), journalDir(dir), record("ev_1"), journal.Options{}); err != nil {
		t.Fatal(err)
	}
	path := ledgerPath(dir)
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.TakeIn(t.Context(), journalDir(dir), nil); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", file, fi.Mode(), err, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestOddPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"with space.db", "a?b=c#d%20.db", "ü.db", "file:x.db", ":memory:", "it's.db", "new/folder/ledger.db"} {
		path := filepath.Join(t.TempDir(), name)
		s, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if fi, err := os.Stat(path); err != nil || fi.Size() == 0 {
			t.Errorf("%s was not made: %v", name, err)
		}
	}
	real := filepath.Join(t.TempDir(), "real.db")
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), link); err == nil {
		t.Error("a link to nowhere was opened")
	}
	for _, path := range []string{real, link} {
		s, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenExisting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	check := func(what string, want error) {
		t.Helper()
		if _, err := sqlite.OpenExisting(t.Context(), path); !errors.Is(err, want) || len(hint.Of(err)) == 0 {
			t.Errorf("%s: %v %v", what, err, hint.Of(err))
		}
	}
	check("nothing", ledger.ErrMissing)
	if _, err := os.Stat(path); err == nil {
		t.Error("it was created")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check("an empty file", ledger.ErrMissing)
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = sqlite.OpenExisting(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// execute changes a file behind the store's back.
func execute(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatal(err)
	}
}

func TestSchemaVersions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, path, `PRAGMA user_version=99`)
	for _, open := range []func(context.Context, string) (*sqlite.Store, error){sqlite.Open, sqlite.OpenExisting} {
		if _, err := open(t.Context(), path); !errors.Is(err, ledger.ErrNewer) || len(hint.Of(err)) == 0 {
			t.Errorf("a newer schema: %v", err)
		}
	}
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	execute(t, foreign, `CREATE TABLE bookmarks (url TEXT)`)
	before, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), foreign); !errors.Is(err, ledger.ErrCorrupt) || !strings.Contains(err.Error(), "no ledger of overseer") {
		t.Errorf("another program's database: %v", err)
	}
	if after, err := os.ReadFile(foreign); err != nil || !bytes.Equal(before, after) {
		t.Errorf("another program's database was changed: %v", err)
	}
}

// TestDamagedFile breaks the file in many ways: there is an error that says so or
// the right answer, never a wrong answer, and the way out works.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const n = 300
	sample := ledgertest.NewSample(3)
	for range n {
		if err := journal.Append(t.Context(), journalDir(dir), sample.Next(), journal.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := takeIn(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(ledgerPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	for name, breakIt := range map[string]func(b []byte) []byte{
		"garbage":     func(b []byte) []byte { return []byte("this is no database at all, but some text of a fair length") },
		"header":      func(b []byte) []byte { copy(b, "SQLite format 4"); return b },
		"cut short":   func(b []byte) []byte { return b[:len(b)/2] },
		"one page":    func(b []byte) []byte { return b[:4096] },
		"zeros":       func(b []byte) []byte { clear(b[8192:]); return b },
		"noise":       func(b []byte) []byte { copy(b[4096:], bytes.Repeat([]byte{0xa5, 0x5a}, len(b)/3)); return b },
		"schema page": func(b []byte) []byte { clear(b[100:4096]); return b },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "ledger.db")
			if err := os.WriteFile(path, breakIt(bytes.Clone(sound)), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := sqlite.Open(t.Context(), path)
			if err == nil {
				_, err = s.TakeIn(t.Context(), journalDir(dir), nil)
				if err == nil {
					_, err = s.Tail(t.Context(), ledger.Query{N: n})
				}
				if closeErr := s.Close(); closeErr != nil {
					t.Error(closeErr)
				}
			}
			if !errors.Is(err, ledger.ErrCorrupt) || len(hint.Of(err)) == 0 {
				t.Errorf("got %v, hints %v", err, hint.Of(err))
			}
			to, err := sqlite.MoveAside(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(to); err != nil {
				t.Error(err)
			}
			if s, err = sqlite.Open(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if in, err := s.TakeIn(t.Context(), journalDir(dir), nil); err != nil || in.Events != n {
				t.Errorf("rebuilt: %+v %v", in, err)
			}
		})
	}
}

func TestLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := journal.Append(t.Context(), journalDir(dir), record("ev_1"), journal.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), ledgerPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other, err := sql.Open("sqlite3", ledgerPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	// With a deadline the caller gets its answer in time.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.TakeIn(ctx, journalDir(dir), nil); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ledger.ErrLocked) {
		t.Errorf("got %v", err)
	}
	// Who only reads is not held up.
	if all, err := s.Tail(t.Context(), ledger.Query{}); err != nil || len(all) != 0 {
		t.Errorf("%v %v", all, err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if in, err := s.TakeIn(t.Context(), journalDir(dir), nil); err != nil || in.Events != 1 {
		t.Errorf("%+v %v", in, err)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err, want error
	}{
		{syscall.ENOSPC, ledger.ErrFull}, {syscall.EACCES, ledger.ErrReadOnly}, {syscall.EROFS, ledger.ErrReadOnly},
		{sqlite.BUSY, ledger.ErrLocked}, {sqlite.FULL, ledger.ErrFull}, {sqlite.CORRUPT, ledger.ErrCorrupt}, {sqlite.READONLY, ledger.ErrReadOnly},
	} {
		err := sqlite.Explain(t.Context(), "read", "/x/ledger.db", fmt.Errorf("wrapped: %w", tt.err))
		if !errors.Is(err, tt.want) || !errors.Is(err, tt.err) || len(hint.Of(err)) != 1 {
			t.Errorf("%v: %v %v", tt.err, err, hint.Of(err))
		}
	}
	if err := sqlite.Explain(t.Context(), "read", "/x", nil); err != nil {
		t.Error(err)
	}
	err := sqlite.Explain(t.Context(), "open", "/x/ledger.db", sqlite.BUSY)
	if diff := cmp.Diff("open ledger /x/ledger.db: the ledger is locked by another process: sqlite3: database is locked", err.Error()); diff != "" {
		t.Error(diff)
	}
}
