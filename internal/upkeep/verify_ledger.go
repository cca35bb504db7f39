package upkeep

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/fireharp/overseer/internal/journal"
)

// ledger walks the ledger's rows in the order of the chain.
func (v *verifier) ledger(ctx context.Context) error {
	miss := missing{after: 0}
	for r, err := range chain(ctx, v.store, true, v.steps) {
		if err != nil {
			return err
		}
		switch r.Kind {
		case journal.KindEvent:
			v.rep.Events++
		case journal.KindOutcome:
			v.rep.Outcomes++
		}
		rec, ok := v.genuine(&r.Row)
		link := hex.EncodeToString(r.Link)
		if ok && rec.Was != "" {
			v.stands(rec, link, "ledger", "")
		}
		if by := v.announced[link]; ok && rec.Was == "" && by != "" {
			v.unfinished("ledger", r.ID, by)
		}
		if !r.follows {
			f := journal.Fault{Kind: journal.Gap, Expected: r.expected, Link: link}
			v.find(Finding{Kind: string(f.Kind), In: "ledger", ID: r.ID, Expected: r.expected, Found: hex.EncodeToString(r.Prev), Key: f.Key(),
				Text: "it does not follow the record before it: records were removed, inserted or moved"})
		}
		if at, ok := v.order[short(link)]; ok && !at.removed {
			v.missed(&miss, at.n)
			miss = missing{after: at.n}
		} else {
			miss.add(r.ID, link)
		}
	}
	v.missed(&miss, v.n+1)
	return v.revealed(ctx)
}

// missing is a row of records that the ledger has and the journal has not, after
// the line with a number.
type missing struct {
	after       int
	n           int
	first, last string
	link        string
}

func (m *missing) add(id, link string) {
	if m.n == 0 {
		m.first, m.link = id, link
	}
	m.n++
	m.last = id
}

// missed reports records that are missing from the journal before the line with a
// number, unless lines there say that so many were removed.
func (v *verifier) missed(m *missing, before int) {
	if m.n == 0 {
		return
	}
	said := 0
	for _, g := range v.gone {
		if m.after < g.n && g.n < before {
			said += g.lines
		}
	}
	if m.n <= said {
		return
	}
	text := "the ledger has it, the journal does not: it was removed from the journal, or inserted into the ledger"
	id := m.first
	if m.n > 1 {
		text = fmt.Sprintf("the ledger has these %d, the journal does not: they were removed from the journal, or inserted into the ledger", m.n)
		id += " to " + m.last
	}
	v.find(Finding{Kind: removed, In: "journal", ID: id, Expected: m.link, Text: text})
}

// finish looks up what the checkpoints say.
func (v *verifier) finish() {
	for _, s := range v.stand {
		if v.vouched[s.vouched] == "" {
			v.find(s.finding)
		}
	}
	for was, by := range v.announced {
		if at, ok := v.order[short(was)]; ok && !at.rewritten {
			v.unfinished("journal", "", by)
		}
	}
	for i := range v.rep.Findings {
		v.rep.Findings[i].Settled = v.settled[v.rep.Findings[i].Key]
	}
}

func (v *verifier) unfinished(in, id, by string) {
	v.find(Finding{Kind: unfinished, In: in, ID: id, Expected: by, Text: "checkpoint " + by + " announced a change that was not made: repeat the command"})
}
