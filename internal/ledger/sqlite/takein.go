package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// batch is how many lines one transaction takes: less than a second's work, so
// that others get their turn and a killed process has little to do again.
const batch = 10_000

// name is the journal's in the table journals; a file has one.
const name = "local"

// TakeIn implements [ledger.Store].
func (s *Store) TakeIn(ctx context.Context, dir string, progress func(done, total int64)) (ledger.Intake, error) {
	in := &intake{dir: dir, progress: progress}
	for {
		more, err := in.some(ctx, s)
		if err != nil {
			return in.Intake, explain(ctx, "take the journal into", s.path, err)
		}
		if !more {
			return in.Intake, nil
		}
	}
}

// intake is one call of TakeIn.
type intake struct {
	ledger.Intake
	dir         string
	progress    func(done, total int64)
	done, total int64
}

// place is where reading goes on. cut is set if the journal is not the one that
// was read.
func (in *intake) place(ctx context.Context, q querier) (from journal.Position, cut *journal.Fault, err error) {
	var link string
	err = q.QueryRowContext(ctx, `SELECT segment, position, link FROM journals WHERE name = ?`, name).Scan(&from.Segment, &from.Offset, &link)
	if errors.Is(err, sql.ErrNoRows) {
		return journal.Position{}, nil, nil
	}
	if err != nil {
		return from, nil, err
	}
	stood := from
	from, replaced, err := journal.Resume(in.dir, from, link)
	if replaced {
		cut = &journal.Fault{At: stood, Kind: journal.Cut, Expected: link}
	}
	return from, cut, err
}

// some takes in one batch in one transaction, and reports whether it may not have
// been the last.
func (in *intake) some(ctx context.Context, s *Store) (more bool, err error) {
	// Most often there is nothing new, and no lock is needed to see that.
	from, cut, err := in.place(ctx, s.db)
	if err != nil {
		return false, err
	}
	in.End, in.Replaced = from, in.Replaced || cut != nil
	r := journal.NewReader(in.dir, from)
	_, err = r.Skim()
	_ = r.Close()
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if s.unwritable != nil {
		return false, s.unwritable
	}
	tx, err := s.db.BeginTx(ctx, nil) // takes the write lock: the place cannot move any more
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	from, cut, err = in.place(ctx, tx)
	if err != nil {
		return false, err
	}
	in.Replaced = in.Replaced || cut != nil
	if in.total == 0 && in.progress != nil {
		if in.total, err = journal.Remaining(in.dir, from); err != nil {
			return false, err
		}
	}
	w, err := newWriter(ctx, tx, &in.Intake)
	if err != nil {
		return false, err
	}
	if cut != nil {
		if err := w.addFault(ctx, cut); err != nil {
			return false, err
		}
	}
	n, last := 0, from
	var link string
	var readErr error
	for lines, err := range ledger.Prepare(ctx, in.dir, from, batch) {
		if err != nil {
			readErr = err // what was read before it counts
			break
		}
		for i := range lines {
			if err := w.line(ctx, &lines[i]); err != nil {
				return false, err
			}
			at, next := lines[i].Line.At, lines[i].Line.Next
			in.done += next.Offset - at.Offset
			last, link = next, lines[i].Line.Link
			n++
		}
		if in.progress != nil {
			in.progress(min(in.done, in.total), in.total)
		}
	}
	if n == 0 {
		return false, readErr
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO journals (name, segment, position, link) VALUES (?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET segment = excluded.segment, position = excluded.position, link = excluded.link`,
		name, last.Segment, last.Offset, link)
	if err != nil {
		return false, err
	}
	if err := tx.Commit(); err != nil {
		return false, err
	}
	in.End = last
	return n == batch && readErr == nil, readErr
}

// writer stores prepared lines in a transaction.
type writer struct {
	in       *ledger.Intake
	sessions map[string]int64 // those met so far
	loose    bool             // the lines have no place in the journal

	newSession, session, event, words, outcome, mark, settle, fault, stored, asked, completions *sql.Stmt
}

func newWriter(ctx context.Context, tx *sql.Tx, in *ledger.Intake) (*writer, error) {
	w := &writer{in: in, sessions: map[string]int64{}}
	for stmt, query := range map[**sql.Stmt]string{
		&w.newSession: `INSERT INTO sessions (name) VALUES (?) ON CONFLICT (name) DO NOTHING`,
		&w.session:    `SELECT seq FROM sessions WHERE name = ?`,
		&w.event: `INSERT INTO events (id, time, agent, session, event, tool, decision, call, completion, prev, hash, body, link)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		&w.words: `INSERT INTO event_words (rowid, words) VALUES (?, ?)`,
		&w.outcome: `INSERT OR IGNORE INTO outcomes (id, event_id, time, decision, by_whom, source, until, note, prev, hash, body, link)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&w.mark:   `INSERT OR IGNORE INTO marks (id, kind, time, prev, hash, link, body) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		&w.settle: `UPDATE faults SET settled = ? WHERE fault_key IN (SELECT value FROM json_each(?))`,
		// What was found in a place before is not there any more.
		&w.fault: `INSERT INTO faults (segment, position, length, kind, id, expected, link, fault_key)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (fault_key) WHERE fault_key <> '' DO NOTHING
			ON CONFLICT (segment, position, kind) DO UPDATE SET length = excluded.length, id = excluded.id,
				expected = excluded.expected, link = excluded.link, fault_key = excluded.fault_key, settled = ''`,
		&w.stored: `SELECT hash, coalesce(link, hash) FROM events WHERE id = ?1
			UNION ALL SELECT hash, coalesce(link, hash) FROM outcomes WHERE id = ?1 AND hash IS NOT NULL`,
		&w.asked:       `SELECT id FROM events WHERE call = ? AND completion = 0 AND time <= ? ORDER BY time DESC, seq DESC LIMIT 1`,
		&w.completions: `SELECT id, time, completion FROM events WHERE call = ? AND completion > 0 AND time >= ? ORDER BY time LIMIT 1`,
	} {
		var err error
		if *stmt, err = tx.PrepareContext(ctx, query); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *writer) line(ctx context.Context, p *ledger.Prepared) error {
	r := p.Line.Record
	if f := p.Line.Fault; f != nil && !w.loose {
		if err := w.addFault(ctx, f); err != nil {
			return err
		}
	}
	if r == nil {
		return nil
	}
	switch r.Kind {
	case journal.KindOutcome:
		n, err := w.addOutcome(ctx, ledger.RecordOutcome(r), p)
		w.in.Outcomes += n
		if n == 0 && err == nil {
			err = w.again(ctx, p)
		}
		return err
	case journal.KindEvent:
		return w.addEvent(ctx, p)
	}
	return w.addMark(ctx, p)
}

// addFault keeps damage that is not known yet.
func (w *writer) addFault(ctx context.Context, f *journal.Fault) error {
	res, err := w.fault.ExecContext(ctx, f.At.Segment, f.At.Offset, f.Length, string(f.Kind), f.ID, f.Expected, f.Link, f.Key())
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if n > 0 {
		w.in.Faults = append(w.in.Faults, *f)
	}
	return err
}

// again looks at a line whose id is known: the same line may be read twice, but
// another one is damage.
func (w *writer) again(ctx context.Context, p *ledger.Prepared) error {
	w.in.Duplicates++
	var hash, link []byte
	err := w.stored.QueryRowContext(ctx, p.Line.Record.ID).Scan(&hash, &link)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (bytes.Equal(hash, p.Packed.Hash) || hex.EncodeToString(link) == p.Line.Link) || w.loose {
		return nil
	}
	if err != nil {
		return err
	}
	repeated := p.Line
	repeated.Fail(journal.Repeated)
	return w.addFault(ctx, repeated.Fault)
}

// addMark keeps a checkpoint or a removed line.
func (w *writer) addMark(ctx context.Context, p *ledger.Prepared) error {
	r := p.Line.Record
	_, err := w.mark.ExecContext(ctx, r.ID, r.Kind, r.Time.UnixMicro(), p.Packed.Prev, p.Packed.Hash, p.Link, p.Packed.Body)
	if err != nil || len(r.Known) == 0 {
		return err
	}
	keys, err := json.Marshal(r.Known)
	if err != nil {
		return err
	}
	_, err = w.settle.ExecContext(ctx, r.ID, string(keys))
	return err
}

func (w *writer) addEvent(ctx context.Context, p *ledger.Prepared) error {
	r := p.Line.Record
	session, err := w.sessionOf(ctx, r.Session)
	if err != nil {
		return err
	}
	res, err := w.event.ExecContext(ctx, r.ID, r.Time.UnixMicro(), r.Agent, session, r.Event, r.Tool, string(r.Decision), p.Call, p.Ending(),
		p.Packed.Prev, p.Packed.Hash, p.Packed.Body, p.Link)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return w.again(ctx, p)
	}
	w.in.Events++
	seq, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if _, err := w.words.ExecContext(ctx, seq, strings.Join(p.Words, " ")); err != nil {
		return err
	}
	switch {
	case p.Call == nil:
		return nil
	case p.Ending() != ledger.EndedNot:
		return w.ended(ctx, p)
	}
	var c journal.Record
	var micro int64
	var how int
	err = w.completions.QueryRowContext(ctx, p.Call, r.Time.UnixMicro()).Scan(&c.ID, &micro, &how)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	c.Time = time.UnixMicro(micro).UTC()
	return w.reveal(ctx, r.ID, &c, how)
}

// reveal gives an asked event the outcome that its end reveals.
func (w *writer) reveal(ctx context.Context, asked string, end *journal.Record, how int) error {
	o, count := ledger.CompletionOutcome(asked, end), &w.in.Completions
	if how == ledger.EndedRefused {
		o, count = ledger.RefusalOutcome(asked, end), &w.in.Refusals
	}
	n, err := w.addOutcome(ctx, o, nil)
	*count += n
	return err
}

// sessionOf is the number of a session, which is made if it is new.
func (w *writer) sessionOf(ctx context.Context, name string) (int64, error) {
	if seq, ok := w.sessions[name]; ok {
		return seq, nil
	}
	if _, err := w.newSession.ExecContext(ctx, name); err != nil {
		return 0, err
	}
	var seq int64
	if err := w.session.QueryRowContext(ctx, name).Scan(&seq); err != nil {
		return 0, err
	}
	w.sessions[name] = seq
	return seq, nil
}

// ended gives the asked event that p ends the outcome that this reveals: of several
// with the same call, the latest before it.
func (w *writer) ended(ctx context.Context, p *ledger.Prepared) error {
	var id string
	err := w.asked.QueryRowContext(ctx, p.Call, p.Line.Record.Time.UnixMicro()).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return w.reveal(ctx, id, p.Line.Record, p.Ending())
}

// addOutcome stores an outcome; p is nil for one that no journal line holds. It
// returns how many are new.
func (w *writer) addOutcome(ctx context.Context, o ledger.Outcome, p *ledger.Prepared) (int, error) {
	var until, prev, hash, body, link any
	if !o.Until.IsZero() {
		until = o.Until.UnixMicro()
	}
	if p != nil {
		prev, hash, body, link = p.Packed.Prev, p.Packed.Hash, p.Packed.Body, p.Link
	}
	res, err := w.outcome.ExecContext(ctx, o.ID, o.Event, o.Time.UnixMicro(), string(o.Decision), o.By, o.Source, until, o.Note, prev, hash, body, link)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}
