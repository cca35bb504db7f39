package dolt

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// batch is how many lines one transaction takes: some seconds' work, so that other
// processes get their turn and a broken connection leaves little to do again.
const batch = 4096

// attempts is how often a batch is tried that met another's transaction, and
// breaks how many of the failures may be broken connections: a server that is away
// is not worth the wait.
const (
	attempts = 10
	breaks   = 3
)

// TakeIn implements [ledger.Store].
func (s *Store) TakeIn(ctx context.Context, dir string, progress func(done, total int64)) (ledger.Intake, error) {
	in := &intake{store: s, dir: dir, progress: progress}
	for {
		more, err := in.some(ctx)
		if err != nil {
			return in.Intake, s.explain(ctx, "take the journal into", err)
		}
		if !more {
			return in.Intake, nil
		}
	}
}

// intake is one call of TakeIn.
type intake struct {
	ledger.Intake
	store    *Store
	dir      string
	progress func(done, total int64)
	// done and total are bytes; shown is what progress was told.
	done, total, shown int64
}

// place is how far a machine's journal is taken in.
type place struct {
	journal.Position
	link string
	// at is the place of the last event in the order of all.
	at int64
}

func (p place) before(q place) bool {
	return p.Segment < q.Segment || p.Segment == q.Segment && p.Offset < q.Offset
}

// place reads how far this machine's journal is taken in.
func (s *Store) place(ctx context.Context, q querier) (p place, err error) {
	// After a merge of two branches there may be several: both have all that was
	// before them.
	err = q.QueryRowContext(ctx, `SELECT segment, position, link, at FROM places WHERE machine = ? ORDER BY segment DESC, position DESC LIMIT 1`,
		s.options.Machine).Scan(&p.Segment, &p.Offset, &p.link, &p.at)
	if errors.Is(err, sql.ErrNoRows) {
		return place{}, nil
	}
	return p, err
}

// place is where reading goes on, and whether the journal is still the same.
func (in *intake) place(ctx context.Context, q querier) (p place, replaced bool, err error) {
	if p, err = in.store.place(ctx, q); err == nil {
		p.Position, replaced, err = journal.Resume(in.dir, p.Position, p.link)
	}
	return p, replaced, err
}

// some takes in one batch in one transaction, and reports whether it may not have
// been the last.
func (in *intake) some(ctx context.Context) (more bool, err error) {
	var sent *unit
	broke := 0
	for attempt := 1; ; attempt++ {
		news, err := in.news(ctx)
		if err == nil && news || sent != nil {
			more, err = in.attempt(ctx, &sent)
		}
		if err != nil && broken(err) {
			broke++
		}
		if err == nil || attempt == attempts || broke == breaks || !again(err) || ctx.Err() != nil {
			return more, err
		}
		select { // what stood in the way needs a moment
		case <-time.After(time.Duration(attempt*attempt) * 20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// news reports whether the journal has what the ledger has not. Most often it has
// nothing, and no turn is needed to see that.
func (in *intake) news(ctx context.Context) (bool, error) {
	from, replaced, err := in.place(ctx, in.store.db)
	if err != nil {
		return false, err
	}
	in.End, in.Replaced = from.Position, in.Replaced || replaced
	r := journal.NewReader(in.dir, from.Position)
	defer r.Close()
	_, err = r.Skim()
	if err == io.EOF {
		return false, nil
	}
	return err == nil, err
}

// unit is what one transaction takes in, and what is known of it only when it is
// committed.
type unit struct {
	ledger.Intake
	last place
	size int64
	more bool
}

// attempt takes one batch in. *sent is the batch whose commit was sent, as long as
// nobody knows what became of it.
func (in *intake) attempt(ctx context.Context, sent **unit) (more bool, err error) {
	var readErr error
	err = in.store.locked(ctx, "journal "+in.store.options.Machine, func(c *sql.Conn) error {
		tx, err := c.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		from, replaced, err := in.place(ctx, tx)
		if err != nil {
			return err
		}
		if u := *sent; u != nil && from == u.last {
			in.took(u) // the commit had come through when the connection broke
			more = u.more
			return nil
		}
		*sent = nil
		u := &unit{last: from, Intake: ledger.Intake{Replaced: replaced}}
		if readErr, err = in.fill(ctx, tx, u); err != nil {
			return err
		}
		more = u.more
		if u.last == from {
			in.End = from.Position // another process was faster
			return nil
		}
		if err := in.store.advance(ctx, tx, u.last); err != nil {
			return err
		}
		*sent = u
		if err := in.store.commit(ctx, tx, u.message(in.store.options.Machine)); err != nil {
			if !broken(err) && ctx.Err() == nil {
				*sent = nil
			}
			return err
		}
		in.took(u)
		return nil
	})
	if err == nil {
		err = readErr
	}
	return more, err
}

// fill stores what the journal has from u.last on. readErr says why reading ended
// early; what was read before it counts.
func (in *intake) fill(ctx context.Context, tx *sql.Tx, u *unit) (readErr, err error) {
	if in.total == 0 && in.progress != nil {
		if in.total, err = journal.Remaining(in.dir, u.last.Position); err != nil {
			return nil, err
		}
	}
	w := &writer{store: in.store, tx: tx, unit: u}
	n := 0
	for lines, err := range ledger.Prepare(ctx, in.dir, u.last.Position, batch) {
		if err != nil {
			return err, nil
		}
		if err := w.lines(ctx, lines); err != nil {
			return nil, err
		}
		for i := range lines {
			u.size += lines[i].Line.Next.Offset - lines[i].Line.At.Offset
		}
		end := &lines[len(lines)-1].Line
		u.last.Position, u.last.link = end.Next, end.Link
		n += len(lines)
		in.show(in.done + u.size)
	}
	u.more = n == batch
	return nil, nil
}

// advance stores the place reached.
func (s *Store) advance(ctx context.Context, tx *sql.Tx, p place) error {
	machine := s.options.Machine
	if _, err := tx.ExecContext(ctx, `DELETE FROM places WHERE machine = ?`, machine); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO places (machine, segment, position, link, at) VALUES (?, ?, ?, ?, ?)`,
		machine, p.Segment, p.Offset, clip(p.link, maxName), p.at)
	return err
}

// took counts a batch that is committed.
func (in *intake) took(u *unit) {
	in.Events += u.Events
	in.Outcomes += u.Outcomes
	in.Completions += u.Completions
	in.Refusals += u.Refusals
	in.Duplicates += u.Duplicates
	in.Replaced = in.Replaced || u.Replaced
	in.Faults = append(in.Faults, u.Faults...)
	in.End = u.last.Position
	in.done += u.size
}

// show reports progress, which never goes back.
func (in *intake) show(done int64) {
	if done = min(done, in.total); in.progress != nil && done > in.shown {
		in.shown = done
		in.progress(done, in.total)
	}
}

// message is what Dolt's history says of the batch.
func (u *unit) message(machine string) string {
	text := fmt.Sprintf("%s: %d events, %d outcomes", machine, u.Events, u.Outcomes+u.Completions+u.Refusals)
	if n := len(u.Faults); n > 0 {
		text += fmt.Sprintf(", %d faults in the journal", n)
	}
	return text
}
