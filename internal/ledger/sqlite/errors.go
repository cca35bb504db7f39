package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/ncruces/go-sqlite3"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/ledger"
)

// explain gives an error of SQLite its name in package ledger, and the person a
// way out.
func explain(ctx context.Context, doing, path string, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err) // SQLite says busy, or interrupted
	}
	var name error
	var way string
	var code sqlite3.ErrorCode
	_ = errors.As(err, &code)
	switch {
	case errors.Is(err, errForeign):
		name, way = ledger.ErrCorrupt, "set another path in config.toml: [ledger] path"
	case code == sqlite3.CORRUPT, code == sqlite3.NOTADB, errors.Is(err, ledger.ErrCorrupt):
		name, way = ledger.ErrCorrupt, "make it anew of what can be saved and of the journal: overseer ledger repair"
	case code == sqlite3.BUSY, code == sqlite3.LOCKED:
		name, way = ledger.ErrLocked, "try again when the other process has ended; nothing is lost meanwhile, the journal has it"
	case code == sqlite3.FULL, noSpace(err), errors.Is(err, ledger.ErrFull), code == sqlite3.IOERR && full(filepath.Dir(path)):
		name, way = ledger.ErrFull, "free some space; nothing is lost meanwhile, the journal has it"
	case code == sqlite3.IOERR:
		way = "look at the disk, it may be full; nothing is lost meanwhile, the journal has it"
	case code == sqlite3.READONLY, code == sqlite3.PERM, code == sqlite3.CANTOPEN, errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, ledger.ErrReadOnly):
		name, way = ledger.ErrReadOnly, fmt.Sprintf("make %s and its folder writable for you", path)
	case errors.Is(err, ledger.ErrMissing):
		way = "run: overseer init"
	case errors.Is(err, ledger.ErrOlder):
		way = "any command that reads the ledger migrates it, such as: overseer ledger tail"
	case errors.Is(err, ledger.ErrNewer):
		way = "update overseer"
	}
	if name != nil && !errors.Is(err, name) {
		err = fmt.Errorf("%w: %w", name, err)
	}
	err = fmt.Errorf("%s ledger %s: %w", doing, path, err)
	if way != "" {
		err = hint.Wrap(err, "%s", way)
	}
	return err
}
