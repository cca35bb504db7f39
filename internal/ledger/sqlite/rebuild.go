package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3/driver"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// Rebuilt is what [Rebuild] could save.
type Rebuilt struct {
	// Backup is the old file, as it was.
	Backup string `json:"backup,omitempty"`
	// Saved counts what only the old ledger had, Journal what the journal has.
	SavedEvents     int `json:"saved_events"`
	SavedOutcomes   int `json:"saved_outcomes"`
	JournalEvents   int `json:"journal_events"`
	JournalOutcomes int `json:"journal_outcomes"`
	// Lost are ids, as far as they can be read, of what is in neither.
	Lost []string `json:"lost,omitempty"`
	// Unreadable counts the places of the old file that could not be read.
	Unreadable int `json:"unreadable"`
}

// Rebuild makes the ledger at path anew, of what can still be read of the old file
// and of the journal in dir, and moves the old one aside. A process that is killed
// leaves the old one in place. Records whose content is not what their hash says are
// not taken over from the old file, but may be in the journal.
func Rebuild(ctx context.Context, path, dir string, progress func(done, total int64)) (Rebuilt, error) {
	out, err := rebuild(ctx, path, dir, progress)
	return out, explain(ctx, "rebuild", path, err)
}

func rebuild(ctx context.Context, path, dir string, progress func(done, total int64)) (out Rebuilt, err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	fresh := path + ".new"
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(fresh + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return out, err
		}
	}
	s, err := Open(ctx, fresh)
	if err != nil {
		return out, err
	}
	defer s.Close()
	salvaged := &salvage{to: s, out: &out, doubtful: map[string]bool{}}
	if err := salvaged.readJournal(ctx, dir); err != nil {
		return out, err
	}
	if err := salvaged.all(ctx, path); err != nil {
		return out, err
	}
	in, err := s.TakeIn(ctx, dir, progress)
	if err != nil {
		return out, err
	}
	out.JournalEvents, out.JournalOutcomes = in.Events, in.Outcomes
	if err := salvaged.lost(ctx); err != nil {
		return out, err
	}
	if err := errors.Join(s.Sync(ctx), s.Close()); err != nil {
		return out, err
	}
	if _, err := os.Stat(path); err == nil {
		if out.Backup, err = MoveAside(path); err != nil {
			return out, err
		}
	}
	return out, os.Rename(fresh, path)
}

// salvage copies what can be read of an old file.
type salvage struct {
	old *sql.DB
	to  *Store
	out *Rebuilt
	// inJournal are the ids of records that come from the journal, in its order.
	inJournal map[string]bool
	// doubtful are the ids of records that could not be taken over.
	doubtful map[string]bool
}

// readJournal lists what the journal has.
func (v *salvage) readJournal(ctx context.Context, dir string) error {
	v.inJournal = map[string]bool{}
	r := journal.NewReader(dir, journal.Position{})
	defer r.Close()
	for {
		line, err := r.Next()
		if err == io.EOF {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		if line.Record != nil {
			v.inJournal[line.Record.ID] = true
		}
	}
}

func (v *salvage) all(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	// It is read in a copy: SQLite changes what it reads, and the backup shall be
	// what was found.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".repair-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "ledger.db")
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(copied+suffix, path+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(copied)}
	db, err := driver.Open(dsn.String())
	if err != nil {
		v.out.Unreadable++
		return ctx.Err()
	}
	defer db.Close()
	v.old = db
	link := "coalesce(link, hash)"
	if _, err := db.ExecContext(ctx, `SELECT link FROM events LIMIT 1`); err != nil {
		link = "hash" // of before the third migration
	}
	for _, t := range []struct{ table, kind, columns string }{
		{"events", journal.KindEvent, `seq, id, time, prev, hash, ` + link + `, agent, decision, body`},
		{"outcomes", journal.KindOutcome, `seq, id, time, prev, hash, ` + link + `, event_id, decision, by_whom, source, until, note, body`},
		{"marks", "", `seq, id, time, prev, hash, ` + link + `, body`},
	} {
		if err := v.table(ctx, t.table, t.kind, `SELECT `+t.columns+` FROM `+t.table); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// maxBlind is how many numbers in a row may have no row before a table of unknown
// size is taken to be over.
const maxBlind = 20 * page

// table reads a table page by page, and row by row where a page cannot be read.
func (v *salvage) table(ctx context.Context, table, kind, query string) error {
	reader := &Store{db: v.old}
	least, most := int64(1), int64(math.MaxInt64)
	if err := v.old.QueryRowContext(ctx, `SELECT coalesce(min(seq), 1), coalesce(max(seq), 0) FROM `+table).Scan(&least, &most); err != nil {
		least, most = 1, math.MaxInt64
		v.out.Unreadable++
	}
	blind := int64(0)
	for from := least; from <= most && blind < maxBlind; from += page {
		rows, _, err := reader.page(ctx, kind, query+` WHERE seq BETWEEN ? AND ? ORDER BY seq`, from, min(from+page-1, most))
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			rows = rows[:0]
			for seq := from; seq < from+page && seq <= most; seq++ {
				row, _, err := reader.page(ctx, kind, query+` WHERE seq = ?`, seq)
				if err != nil {
					v.out.Unreadable++
					var id string
					if v.old.QueryRowContext(ctx, `SELECT id FROM `+table+` WHERE seq = ?`, seq).Scan(&id) == nil {
						v.doubtful[id] = true
					}
					continue
				}
				rows = append(rows, row...)
			}
		}
		if blind += page; len(rows) > 0 {
			blind = 0
		}
		if err := v.put(ctx, rows); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// put stores rows whose content is what their hash says. Outcomes that no line holds
// follow from them.
func (v *salvage) put(ctx context.Context, rows []ledger.Row) error {
	var lines [][]byte
	for i := range rows {
		r := &rows[i]
		if v.inJournal[r.ID] {
			continue
		}
		if r.Outcome != nil && len(r.Hash) == 0 && journal.Revealed(r.Outcome.Source) {
			continue // it follows again from the events, and may be forged
		}
		line, err := r.Line()
		if err != nil || !journal.Genuine(line) {
			v.doubtful[r.ID] = true
			continue
		}
		if p, err := ledger.PrepareLine(line); err != nil || !p.Line.Sound() || p.Line.Record.ID != r.ID {
			v.doubtful[r.ID] = true
			continue
		}
		lines = append(lines, line)
	}
	in, err := v.to.Put(ctx, lines, nil)
	if err != nil {
		return fmt.Errorf("store what was saved: %w", err)
	}
	v.out.SavedEvents += in.Events
	v.out.SavedOutcomes += in.Outcomes + in.Completions + in.Refusals
	return nil
}

// lost lists the doubtful records that the journal did not have either.
func (v *salvage) lost(ctx context.Context) error {
	for id := range v.doubtful {
		known, err := v.to.Known(ctx, []string{id})
		if err != nil {
			return err
		}
		if len(known) == 0 {
			v.out.Lost = append(v.out.Lost, id)
		}
	}
	return nil
}
