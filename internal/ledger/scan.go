package ledger

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/precedent"
)

// What the backends that speak SQL read alike: their questions differ, the columns of
// the answers do not. The functions take what a query returns, and close it.

// ScanOutcomes reads id, event, time, decision, by, source, until and note, and gives
// the outcomes of each event in the order of the rows.
func ScanOutcomes(rows *sql.Rows, err error) (map[string][]Outcome, error) {
	out := map[string][]Outcome{}
	err = each(rows, err, func() (bool, error) {
		var o Outcome
		var at int64
		var until sql.NullInt64
		if err := rows.Scan(&o.ID, &o.Event, &at, &o.Decision, &o.By, &o.Source, &until, &o.Note); err != nil {
			return false, err
		}
		o.Time = time.UnixMicro(at).UTC()
		if until.Valid {
			o.Until = time.UnixMicro(until.Int64).UTC()
		}
		out[o.Event] = append(out[o.Event], o)
		return true, nil
	})
	return out, err
}

// ScanApprovals reads event and until of approvals, and the event's body, prev and
// hash. An event without an action has nothing to let through and is left out.
func ScanApprovals(rows *sql.Rows, err error) (out []approval.Approval, _ error) {
	err = each(rows, err, func() (bool, error) {
		var a approval.Approval
		var until int64
		var p Packed
		if err := rows.Scan(&a.Event, &until, &p.Body, &p.Prev, &p.Hash); err != nil {
			return false, err
		}
		r, err := p.Record()
		if err != nil {
			return false, err
		}
		if a.Action = r.Action; a.Action != "" {
			a.Until = time.UnixMicro(until).UTC()
			if s, err := precedent.Parse(r.Signature); err == nil {
				a.Form = s.Form
			}
			out = append(out, a)
		}
		return true, nil
	})
	return out, err
}

// ScanRulings reads event, decision, by, source and time of rulings, and the event's
// body, prev and hash, until it has limit of them. An event without a signature is
// left out.
func ScanRulings(limit int, rows *sql.Rows, err error) (out []precedent.Ruling, _ error) {
	if err == nil && limit <= 0 {
		return nil, rows.Close()
	}
	err = each(rows, err, func() (bool, error) {
		var r precedent.Ruling
		var at int64
		var p Packed
		if err := rows.Scan(&r.Event, &r.Decision, &r.By, &r.Source, &at, &p.Body, &p.Prev, &p.Hash); err != nil {
			return false, err
		}
		var err error
		if r.Signature, err = p.Signature(); err != nil {
			return false, err
		}
		if r.Signature != "" {
			r.Time = time.UnixMicro(at).UTC()
			out = append(out, r)
		}
		return len(out) < limit, nil
	})
	return out, err
}

// ScanFaults reads segment, position, length, kind, id, expected, link and key.
func ScanFaults(rows *sql.Rows, err error) (out []journal.Fault, _ error) {
	err = each(rows, err, func() (bool, error) {
		var f journal.Fault
		if err := rows.Scan(&f.At.Segment, &f.At.Offset, &f.Length, &f.Kind, &f.ID, &f.Expected, &f.Link, &f.Stored); err != nil {
			return false, err
		}
		out = append(out, f)
		return true, nil
	})
	return out, err
}

// each calls one for every row until it has enough.
func each(rows *sql.Rows, err error, one func() (more bool, err error)) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for more := true; more && rows.Next(); {
		if more, err = one(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// PrepareSound is [PrepareLine] for a line that must not be damaged.
func PrepareSound(line []byte) (Prepared, error) {
	p, err := PrepareLine(line)
	if err == nil && !p.Line.Sound() {
		err = fmt.Errorf("%s is no sound line", p.Line.Fault.ID)
	}
	return p, err
}

// How a tool call ended, as the backends store it.
const (
	EndedNot     = 0 // it is no end of a call
	EndedRan     = 1
	EndedRefused = 2
)

// Ending says how a call ended.
func (p *Prepared) Ending() int {
	switch {
	case p.Completion:
		return EndedRan
	case p.Refusal:
		return EndedRefused
	}
	return EndedNot
}
