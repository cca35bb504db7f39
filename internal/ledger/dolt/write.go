package dolt

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// writer stores prepared lines in a transaction: some hundred at a time, since
// every statement costs a round trip.
type writer struct {
	store *Store
	tx    *sql.Tx
	unit  *unit
	// loose is for lines that are in no journal: they have no faults, and their
	// order is their time.
	loose bool
}

// row is a line that becomes a row.
type row struct {
	*ledger.Prepared
	id string
	at int64
}

func (w *writer) lines(ctx context.Context, lines []ledger.Prepared) error {
	var events, marks []row
	var outcomes []outcome
	var faults []*journal.Fault
	now := time.Now().UnixMicro()
	for i := range lines {
		p := &lines[i]
		if p.Line.Fault != nil && !w.loose {
			faults = append(faults, p.Line.Fault)
		}
		r := p.Line.Record
		if r == nil {
			continue
		}
		at := w.order(r.Time.UnixMicro(), now)
		switch r.Kind {
		case journal.KindOutcome:
			outcomes = append(outcomes, outcome{ledger.RecordOutcome(r), p, at})
		case journal.KindEvent:
			events = append(events, row{p, clip(r.ID, maxID), at})
		default:
			marks = append(marks, row{p, clip(r.ID, maxID), at})
		}
	}
	if err := w.addFaults(ctx, faults); err != nil {
		return err
	}
	fresh, err := w.addEvents(ctx, events)
	if err != nil {
		return err
	}
	n, err := w.addOutcomes(ctx, outcomes)
	if err != nil {
		return err
	}
	w.unit.Outcomes += n
	w.unit.Duplicates += len(outcomes) - n
	if err := w.complete(ctx, fresh); err != nil {
		return err
	}
	return w.addMarks(ctx, marks)
}

// order is a line's place in the order of all machines' lines: its time, but after
// the line before it in its journal, and never in the future, so that a clock that
// was wrong once does not keep its events the newest for ever.
func (w *writer) order(micro, now int64) int64 {
	at := min(micro, now)
	if w.loose {
		return at
	}
	w.unit.last.at = max(w.unit.last.at+1, at)
	return w.unit.last.at
}

// addFaults keeps damage that is not known yet.
func (w *writer) addFaults(ctx context.Context, faults []*journal.Fault) error {
	machine := w.store.options.Machine
	var keys []string
	for _, f := range faults {
		keys = append(keys, f.Key())
	}
	known, err := w.set(ctx, `SELECT fault_key FROM faults WHERE machine = ? AND fault_key IN`, keys, machine)
	if err != nil {
		return err
	}
	into := insert{into: "faults", columns: "machine, fault_key, segment, position, kind, length, id, expected, link, settled"}
	for _, f := range faults {
		if known[f.Key()] {
			continue
		}
		known[f.Key()] = true
		w.unit.Faults = append(w.unit.Faults, *f)
		into.add(machine, f.Key(), f.At.Segment, f.At.Offset, clip(string(f.Kind), maxWord), f.Length, clip(f.ID, maxID), clip(f.Expected, maxName), clip(f.Link, maxName), "")
	}
	return into.run(ctx, w.tx)
}

// addMarks keeps checkpoints and removed lines.
func (w *writer) addMarks(ctx context.Context, marks []row) error {
	into := insert{into: "marks", columns: "id, at, kind, time, machine, user, prev, hash, link, body", ignore: true}
	for _, m := range marks {
		r := m.Line.Record
		into.add(m.id, m.at, clip(r.Kind, maxWord), r.Time.UnixMicro(), w.store.options.Machine, w.store.options.User, m.Packed.Prev, m.Packed.Hash, m.Link, m.Packed.Body)
	}
	if err := into.run(ctx, w.tx); err != nil {
		return err
	}
	for _, m := range marks {
		if keys := m.Line.Record.Known; len(keys) > 0 {
			_, err := w.tx.ExecContext(ctx, `UPDATE faults SET settled = ? WHERE machine = ? AND fault_key IN `+marksFor(keys), append([]any{m.id, w.store.options.Machine}, list(keys)...)...)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// addEvents stores those events that are not there yet, and returns them.
func (w *writer) addEvents(ctx context.Context, events []row) ([]row, error) {
	ids := make([]string, len(events))
	for i := range events {
		ids[i] = events[i].id
	}
	known, err := w.stored(ctx, `SELECT id, HEX(hash), HEX(COALESCE(link, hash)) FROM events WHERE id IN`, ids)
	if err != nil {
		return nil, err
	}
	into := insert{into: "events", columns: "id, at, time, machine, user, agent, session, event, tool, decision, tool_call, completion, prev, hash, link, body"}
	words := insert{into: "event_words", columns: "at, event_id, words"}
	var fresh []row
	var repeated []*journal.Fault
	for _, e := range events {
		if k, ok := known[e.id]; ok {
			w.unit.Duplicates++
			repeated = append(repeated, w.repeated(k, e.Prepared)...)
			continue
		}
		known[e.id] = storedOf(e.Prepared)
		r := e.Line.Record
		into.add(e.id, e.at, r.Time.UnixMicro(), w.store.options.Machine, w.store.options.User,
			clip(r.Agent, maxText), clip(r.Session, maxText), clip(r.Event, maxText), clip(r.Tool, maxText), clip(string(r.Decision), maxWord),
			e.Call, e.Prepared.Ending(), e.Packed.Prev, e.Packed.Hash, e.Link, e.Packed.Body)
		words.add(e.at, e.id, indexed(e.Words))
		fresh = append(fresh, e)
	}
	w.unit.Events += len(fresh)
	if err := into.run(ctx, w.tx); err != nil {
		return nil, err
	}
	if err := words.run(ctx, w.tx); err != nil {
		return nil, err
	}
	return fresh, w.addFaults(ctx, repeated)
}

// indexed are words as the table event_words has them.
func indexed(words []string) string { return " " + strings.Join(words, " ") + " " }

// stored is what the ledger has under an id: the hash of its line and its link, as
// HEX gives them.
type stored struct{ hash, link string }

func storedOf(p *ledger.Prepared) stored {
	link := p.Link
	if link == nil {
		link = p.Packed.Hash
	}
	return stored{fmt.Sprintf("%X", p.Packed.Hash), fmt.Sprintf("%X", link)}
}

// stored reads what the ledger has under ids.
func (w *writer) stored(ctx context.Context, query string, ids []string) (map[string]stored, error) {
	out := map[string]stored{}
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := records(ctx, w.tx, query+" "+marksFor(ids), list(ids)...)
	for _, r := range rows {
		out[text(r.values[0])] = stored{text(r.values[1]), text(r.values[2])}
	}
	return out, err
}

// repeated looks at a line whose id is known: the same line may be read twice, but
// another one is damage.
func (w *writer) repeated(known stored, p *ledger.Prepared) []*journal.Fault {
	if new := storedOf(p); w.loose || new.hash == known.hash || new.link == known.link {
		return nil
	}
	line := p.Line
	line.Fail(journal.Repeated)
	return []*journal.Fault{line.Fault}
}

// complete gives asked calls the outcome that their end reveals, wherever the other
// half of the pair is.
func (w *writer) complete(ctx context.Context, fresh []row) error {
	var calls []any
	for _, e := range fresh {
		if e.Call != nil {
			calls = append(calls, e.Call)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	rows, err := w.tx.QueryContext(ctx, `SELECT id, time, tool_call, completion FROM events WHERE tool_call IN `+marksOf(len(calls)), calls...)
	if err != nil {
		return err
	}
	defer rows.Close()
	type half struct {
		id    string
		micro int64
		call  string
		how   int
	}
	var asked, done []half
	for rows.Next() {
		var h half
		if err := rows.Scan(&h.id, &h.micro, &h.call, &h.how); err != nil {
			return err
		}
		if h.how > 0 {
			done = append(done, h)
		} else {
			asked = append(asked, h)
		}
	}
	if err := rows.Err(); err != nil || len(done) == 0 {
		return err
	}
	slices.SortFunc(done, func(a, b half) int { return cmp.Or(cmp.Compare(a.micro, b.micro), cmp.Compare(a.id, b.id)) })
	var allows, denies []outcome
	latest := func(a, b half) int { return cmp.Or(cmp.Compare(b.micro, a.micro), cmp.Compare(b.id, a.id)) }
	slices.SortFunc(asked, latest)
	said := map[string]bool{}
	for _, d := range done {
		i := slices.IndexFunc(asked, func(a half) bool { return a.call == d.call && a.micro <= d.micro })
		if i < 0 || said[asked[i].id] {
			continue
		}
		said[asked[i].id] = true
		c := journal.Record{ID: d.id, Time: time.UnixMicro(d.micro).UTC()}
		if d.how == ledger.EndedRefused {
			denies = append(denies, outcome{ledger.RefusalOutcome(asked[i].id, &c), nil, d.micro})
		} else {
			allows = append(allows, outcome{ledger.CompletionOutcome(asked[i].id, &c), nil, d.micro})
		}
	}
	n, err := w.addOutcomes(ctx, allows)
	if err != nil {
		return err
	}
	w.unit.Completions += n
	n, err = w.addOutcomes(ctx, denies)
	w.unit.Refusals += n
	return err
}

// outcome is an outcome with its line, nil for one that follows from a completion.
type outcome struct {
	ledger.Outcome
	line *ledger.Prepared
	at   int64
}

// addOutcomes stores those that are not there yet, and counts them. Of what was
// revealed about an event the first counts.
func (w *writer) addOutcomes(ctx context.Context, outcomes []outcome) (int, error) {
	ids := make([]string, len(outcomes))
	for i := range outcomes {
		ids[i] = clip(outcomes[i].Event, maxID)
	}
	known, err := w.stored(ctx, `SELECT CONCAT(event_id, ' ', id), HEX(hash), HEX(COALESCE(link, hash)) FROM outcomes WHERE event_id IN`, ids)
	if err != nil {
		return 0, err
	}
	revealed, err := w.set(ctx, `SELECT CONCAT(event_id, ' ', source) FROM outcomes WHERE source IN `+revealed+` AND event_id IN`, ids)
	if err != nil {
		return 0, err
	}
	into := insert{into: "outcomes", columns: "event_id, id, at, time, machine, user, decision, by_whom, source, until, note, prev, hash, link, body"}
	var repeated []*journal.Fault
	for _, o := range outcomes {
		id, eventID := clip(o.ID, maxID), clip(o.Event, maxID)
		if k, ok := known[eventID+" "+id]; ok {
			if o.line != nil && k.hash != "" {
				repeated = append(repeated, w.repeated(k, o.line)...)
			}
			continue
		}
		if journal.Revealed(o.Source) {
			if revealed[eventID+" "+o.Source] {
				continue
			}
			revealed[eventID+" "+o.Source] = true
		}
		var until, prev, hash, link, body any
		if !o.Until.IsZero() {
			until = o.Until.UnixMicro()
		}
		known[eventID+" "+id] = stored{}
		if o.line != nil {
			known[eventID+" "+id] = storedOf(o.line)
			prev, hash, link, body = o.line.Packed.Prev, o.line.Packed.Hash, o.line.Link, o.line.Packed.Body
		}
		into.add(eventID, id, o.at, o.Time.UnixMicro(), w.store.options.Machine, w.store.options.User, clip(string(o.Decision), maxWord),
			clip(o.By, maxText), clip(o.Source, maxSrc), until, clip(o.Note, maxNote), prev, hash, link, body)
	}
	if err := into.run(ctx, w.tx); err != nil {
		return 0, err
	}
	return into.rows, w.addFaults(ctx, repeated)
}

// set runs a query that ends in IN over a list, and returns the set of its only
// column. before are the arguments of what stands before that.
func (w *writer) set(ctx context.Context, query string, of []string, before ...any) (map[string]bool, error) {
	out := map[string]bool{}
	if len(of) == 0 {
		return out, nil
	}
	found, err := column(ctx, w.tx, query+" "+marksFor(of), append(before, list(of)...)...)
	for _, s := range found {
		out[s] = true
	}
	return out, err
}
