// Package sqlite keeps the ledger in one SQLite file, without cgo. It is the
// default backend.
//
// The file is an index of the journal and can be made again from it as long as
// the journal's segments are kept: that is why a commit waits for no disk
// (synchronous=normal in WAL mode; after a power failure the last commits may be
// missing, rows and position alike, and are read from the journal again).
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/fireharp/overseer/internal/ledger"
)

// Store is a ledger in an SQLite file.
type Store struct {
	path string
	db   *sql.DB
	// unwritable is why the folder cannot be written, nil if it can: the store then
	// answers from what was taken in before.
	unwritable error
}

var _ ledger.Store = (*Store)(nil)

// busyTimeout is how long a process waits for the others. The longest that one of
// them holds the file is one batch of TakeIn, half a second.
const busyTimeout = 15 * time.Second

// Open opens the ledger at path and creates or migrates it where needed: the file
// with mode 0600, its folder with 0700. Errors: [ledger.ErrNewer],
// [ledger.ErrCorrupt], [ledger.ErrLocked], [ledger.ErrReadOnly], [ledger.ErrFull].
func Open(ctx context.Context, path string) (*Store, error) {
	s, err := open(ctx, path, true)
	if err != nil {
		return nil, explain(ctx, "open", path, err)
	}
	return s, nil
}

// OpenExisting is Open for a hook: it neither creates nor migrates, and returns
// [ledger.ErrMissing] or [ledger.ErrOlder] instead.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	s, err := open(ctx, path, false)
	if err != nil {
		return nil, explain(ctx, "open", path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string, create bool) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if create {
		if err := createFile(path); err != nil {
			return nil, err
		}
	}
	// The driver does not follow a link in the last place, and people do link
	// their ledgers to where their backups are.
	path, err = filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) && !create {
		return nil, ledger.ErrMissing
	}
	if err != nil {
		return nil, err // also of a link to nowhere
	}
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, errors.New("that is no file")
	}
	s := &Store{path: path}
	if err = s.connect(ctx, create, ""); err == nil {
		return s, nil
	}
	s.restrict() // those that could be made
	if s.unwritable = s.why(err); s.unwritable == nil {
		return nil, err
	}
	if s.connect(ctx, false, "immutable=1") != nil {
		return nil, err
	}
	return s, nil
}

// why tells why SQLite cannot make its companion files, where it can read without
// them: nothing may change while we do.
func (s *Store) why(err error) error {
	var code sqlite3.ErrorCode
	_ = errors.As(err, &code)
	switch {
	case (code == sqlite3.FULL || code == sqlite3.IOERR) && full(filepath.Dir(s.path)):
		// Another process may have left a WAL. The file stands where it was written back
		// last, its place in the journal too.
		return ledger.ErrFull
	case code == sqlite3.CANTOPEN || code == sqlite3.READONLY:
		// If no other process has them either.
		if _, err := os.Stat(s.path + "-wal"); err != nil {
			return ledger.ErrReadOnly
		}
	}
	return nil
}

// full reports whether the disk of a folder is. SQLite says no more than that
// something did not work.
func full(dir string) bool {
	f, err := os.CreateTemp(dir, "full.*")
	if err == nil {
		_, err = f.Write(make([]byte, 64<<10)) // what the companion files take
		f.Close()
		os.Remove(f.Name())
	}
	return noSpace(err)
}

// noSpace reports whether the disk, the quota or the file size limit is used up.
func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// createFile makes an empty file if there is none.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func (s *Store) connect(ctx context.Context, create bool, query string) error {
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(s.path), RawQuery: query}
	db, err := driver.Open(dsn.String(), s.configure)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(4) // one that takes in, and some that read
	db.SetConnMaxIdleTime(time.Minute)
	if err := migrate(ctx, db, create); err != nil {
		return errors.Join(err, db.Close())
	}
	s.db = db
	s.restrict() // of a new ledger the companions are there only now
	return nil
}

// restrict takes from others the right to read the companion files, which the
// driver makes as the umask has it. The folder is closed to others anyway.
func (s *Store) restrict() {
	if s.unwritable == nil {
		_ = os.Chmod(s.path+"-wal", 0o600)
		_ = os.Chmod(s.path+"-shm", 0o600)
	}
}

// configure is called for each connection.
func (s *Store) configure(c *sqlite3.Conn) error {
	// The timeout comes first: every statement may meet a lock.
	if err := c.BusyTimeout(busyTimeout); err != nil {
		return err
	}
	if err := fts5.Register(c); err != nil {
		return err
	}
	if err := c.Exec(`PRAGMA synchronous=normal; PRAGMA user_version`); err != nil { // the read opens the companions
		return err
	}
	s.restrict()
	return nil
}

// Close closes the file; the last process to do so writes back the WAL.
func (s *Store) Close() error {
	return explain(context.Background(), "close", s.path, s.db.Close())
}

// ReadOnly reports whether the ledger can be read only, because its folder cannot
// be written or its disk is full.
func (s *Store) ReadOnly() bool { return s.unwritable != nil }

// MoveAside renames a ledger that is damaged, with its companion files, to a free
// name, which it returns. The next Open makes a new one, and its TakeIn reads all
// that the journal still has.
func MoveAside(path string) (string, error) {
	for i := 1; ; i++ {
		to := fmt.Sprintf("%s.damaged-%d", path, i)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(path, to); err != nil {
			return "", fmt.Errorf("move the ledger aside: %w", err)
		}
		for _, companion := range []string{"-wal", "-shm"} {
			if err := os.Rename(path+companion, to+companion); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return to, fmt.Errorf("move the ledger aside: %w", err)
			}
		}
		return to, nil
	}
}
