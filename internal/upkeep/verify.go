package upkeep

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// Finding is something that is not as overseer wrote it.
type Finding struct {
	// Kind says what is wrong: one of the kinds of [journal.FaultKind], or removed,
	// inserted, differs, unvouched, unfinished.
	Kind string `json:"kind"`
	// In is "journal" or "ledger", At the segment and line in the journal.
	In string `json:"in"`
	At string `json:"at,omitempty"`
	// ID is the id of the record.
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
	// Expected is what should be there, Found what is: mostly hashes.
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
	// Key identifies the finding. Settled is the checkpoint by which a person took
	// note of it; it is then no longer wrong.
	Key     string `json:"key"`
	Settled string `json:"settled,omitempty"`
}

// The kinds of findings besides those of single journals.
const (
	removed    = "removed"    // the one has it, the other does not, and no checkpoint says why
	inserted   = "inserted"   // the one has it, the other never had
	differs    = "differs"    // both have the id, with different content
	unvouched  = "unvouched"  // it stands for another line, and no checkpoint says so
	unfinished = "unfinished" // a checkpoint announced what was not done
)

// Report is what [Verify] found.
type Report struct {
	// Lines and Segments count the journal, the rest the ledger.
	Lines       int `json:"lines"`
	Segments    int `json:"segments"`
	Events      int `json:"events"`
	Outcomes    int `json:"outcomes"`
	Checkpoints int `json:"checkpoints"`
	// Removed counts the lines that checkpoints say were removed from the journal.
	Removed int `json:"removed"`
	// Head is the last line's hash: whoever notes it down can tell later whether
	// what was there before is still there.
	Head     string    `json:"head,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
}

// Wrong counts the findings that nobody has taken note of.
func (r *Report) Wrong() int {
	n := 0
	for _, f := range r.Findings {
		if f.Settled == "" {
			n++
		}
	}
	return n
}

// Verify computes the hash chain of the journal in dir and of the ledger again, and
// compares the two. The ledger must have taken in the journal up to end, which is
// as far as the journal is looked at.
func Verify(ctx context.Context, s ledger.Store, dir string, end journal.Position) (Report, error) {
	v := &verifier{
		store: s, vouched: map[string]string{}, settled: map[string]string{}, announced: map[string]string{}, seen: map[string]int{},
		order: map[[16]byte]place{}, steps: edges{},
	}
	if err := v.journal(ctx, dir, end); err != nil {
		return v.rep, fmt.Errorf("verify journal: %w", err)
	}
	if err := v.marks(ctx); err != nil {
		return v.rep, err
	}
	if err := v.ledger(ctx); err != nil {
		return v.rep, fmt.Errorf("verify ledger: %w", err)
	}
	v.finish()
	return v.rep, nil
}

type verifier struct {
	store ledger.Store
	rep   Report
	// vouched and settled are what checkpoints say, with the checkpoints. announced
	// are the links of lines that must not stand as they were any more.
	vouched, settled, announced map[string]string
	// seen are the findings by key, so that what shows twice is told once.
	seen map[string]int
	// order holds every line of the journal by the beginning of its link.
	order map[[16]byte]place
	n     int // lines so far
	// gone are the lines of the journal that stand for others, in order.
	gone []gone
	// stand are lines that stand for others, to be looked up among the vouched.
	stand []stand
	steps edges
	batch []compared
	calls calls
}

// place is a line's number in the journal.
type place struct {
	n         int
	rewritten bool
	removed   bool // the line says that those up to this link are gone
}

type gone struct{ n, lines int }

type stand struct {
	vouched string
	finding Finding
}

// compared is a line to be looked up in the ledger.
type compared struct {
	id, at, hash, link, prev string
}

// short is the beginning of a hash, which is enough to tell hashes apart.
func short(h string) (out [16]byte) {
	_, _ = hex.Decode(out[:], []byte(h[:min(len(h), 32)]))
	return out
}

func (v *verifier) find(f Finding) {
	if f.Key == "" {
		f.Key = journal.Fault{Kind: journal.FaultKind(f.Kind + "\x00" + f.In + "\x00" + f.ID), Expected: f.Expected, Link: f.Found}.Key()
	}
	if i, ok := v.seen[f.Key]; ok {
		if v.rep.Findings[i].In != f.In {
			v.rep.Findings[i].In = "journal and ledger"
		}
		return
	}
	v.seen[f.Key] = len(v.rep.Findings)
	v.rep.Findings = append(v.rep.Findings, f)
}

// checkpoint notes what a checkpoint says.
func (v *verifier) checkpoint(r *journal.Record) {
	for _, s := range r.Vouched {
		v.vouched[s] = r.ID
		if was, _, _ := strings.Cut(s, ":"); r.Source == journal.SourcePrune || r.Source == journal.SourceRedact {
			v.announced[was] = r.ID
		}
	}
	for _, k := range r.Known {
		v.settled[k] = r.ID
	}
}

// journal walks the journal's lines.
func (v *verifier) journal(ctx context.Context, dir string, end journal.Position) error {
	r := journal.NewReader(dir, journal.Position{})
	defer r.Close()
	segment, number := 0, 0
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := r.Next()
		if err == io.EOF || err == nil && !line.At.Before(end) {
			return v.compare(ctx)
		}
		if err != nil {
			return err
		}
		if line.At.Segment != segment {
			segment, number = line.At.Segment, 0
			v.rep.Segments++
		}
		number++
		if err := v.line(ctx, &line, fmt.Sprintf("%s:%d", journal.SegmentName(segment), number)); err != nil {
			return err
		}
	}
}

func (v *verifier) line(ctx context.Context, l *journal.Line, at string) error {
	v.n++
	v.rep.Lines, v.rep.Head = v.n, l.Link
	if v.n == 1 && l.Prev != "" && l.Fault == nil {
		v.find(Finding{Kind: removed, In: "journal", At: at, ID: idOf(l), Expected: "the first line of all", Found: l.Prev,
			Text: "the journal begins here, but not its chain: what was before it was removed"})
	}
	if f := l.Fault; f != nil {
		expected, found := f.Expected, l.Prev
		switch {
		case f.Content != "":
			expected, found = f.Link, f.Content
		case f.Kind != journal.Gap:
			found = f.Link
		}
		v.find(Finding{Kind: string(f.Kind), In: "journal", At: at, ID: f.ID, Expected: expected, Found: found, Key: f.Key(), Text: f.Kind.Text()})
	}
	r := l.Record
	v.order[short(l.Link)] = place{v.n, r != nil && r.Was != "", r != nil && r.Kind == journal.KindRemoved}
	if !l.Sound() || r == nil {
		v.steps.add(l.Prev, l.Link)
		return nil
	}
	if r.Was != "" {
		v.stands(r, l.Link, "journal", at)
	}
	switch r.Kind {
	case journal.KindRemoved:
		v.steps.add(l.Prev, l.Link)
		n := 1
		if r.Span != nil {
			n = r.Span.Lines
		}
		v.gone = append(v.gone, gone{v.n, n})
		v.rep.Removed += n
		return nil
	case journal.KindCheckpoint:
		v.checkpoint(r)
	}
	v.batch = append(v.batch, compared{r.ID, at, r.Hash, l.Link, l.Prev})
	if len(v.batch) < ledger.MaxKnown {
		return nil
	}
	return v.compare(ctx)
}

func idOf(l *journal.Line) string {
	if l.Record != nil {
		return l.Record.ID
	}
	return ""
}

// stands notes that a record stands for another line.
func (v *verifier) stands(r *journal.Record, link, in, at string) {
	v.stand = append(v.stand, stand{link + ":" + r.Hash, Finding{Kind: unvouched, In: in, At: at, ID: r.ID, Expected: link, Found: r.Hash,
		Text: "it stands in the place of another line, and no checkpoint says so"}})
}

// compare looks up the lines of the batch in the ledger.
func (v *verifier) compare(ctx context.Context) error {
	ids := make([]string, len(v.batch))
	for i, c := range v.batch {
		ids[i] = c.id
	}
	known, err := v.store.Known(ctx, ids)
	if err != nil {
		return err
	}
	for _, c := range v.batch {
		row, ok := known[c.id]
		hash, link := hex.EncodeToString(row.Hash), hex.EncodeToString(row.Link)
		f := Finding{In: "journal", At: c.at, ID: c.id}
		switch {
		case !ok:
			f.Kind, f.Expected = inserted, "no such record in the ledger, which has read this far"
			f.Text = "the ledger does not have it: it was inserted into the journal, or removed from the ledger"
			v.steps.add(c.prev, c.link)
		case hash == c.hash:
			continue
		case link == c.link:
			f.Kind, f.Expected, f.Found = unfinished, hash, c.hash
			f.Text = "only one of journal and ledger was rewritten: repeat the command that did it"
		default:
			f.Kind, f.Expected, f.Found = differs, hash, c.hash
			f.Text = "the ledger has another record with this id"
			v.steps.add(c.prev, c.link)
		}
		v.find(f)
	}
	v.batch = v.batch[:0]
	return nil
}

// marks reads the ledger's checkpoints and its removed lines.
func (v *verifier) marks(ctx context.Context) error {
	for r, err := range v.store.Rows(ctx, journal.KindCheckpoint, true) {
		if err != nil {
			return err
		}
		v.rep.Checkpoints++
		rec, err := r.Record()
		if errors.Is(err, ledger.ErrCorrupt) {
			continue // it is found again in its turn
		}
		if err != nil {
			return err
		}
		v.checkpoint(&rec)
	}
	for r, err := range v.store.Rows(ctx, journal.KindRemoved, true) {
		if err != nil {
			return err
		}
		rec, ok := v.genuine(&r)
		if !ok {
			continue
		}
		link := hex.EncodeToString(r.Link)
		v.stands(rec, link, "ledger", "")
		v.steps.add(hex.EncodeToString(r.Prev), link)
	}
	faults, err := v.store.Faults(ctx)
	for _, f := range faults {
		if f.Link != "" {
			v.steps.add(f.Expected, f.Link)
		}
		expected, found := f.Expected, f.Link
		if f.Kind == journal.Edited {
			expected, found = f.Link, "" // what stood there is in the journal, or gone
		}
		v.find(Finding{Kind: string(f.Kind), In: "journal", At: f.At.String(), ID: f.ID, Expected: expected, Found: found, Key: f.Key(), Text: f.Kind.Text()})
	}
	return err
}

// genuine unpacks a row and tells whether it is as it was stored.
func (v *verifier) genuine(r *ledger.Row) (*journal.Record, bool) {
	line, err := r.Line()
	rec, recErr := r.Record()
	f := Finding{Kind: string(journal.Edited), In: "ledger", ID: r.ID, Expected: hex.EncodeToString(r.Hash)}
	switch {
	case err != nil || recErr != nil:
		f.Kind, f.Found, f.Text = string(journal.Unreadable), journal.HashOf(r.Body), "it cannot be unpacked"
	case !journal.Genuine(line):
		f.Found, f.Text = journal.HashOf(line), "its content is not what its hash says"
	case journal.Link(line) != hex.EncodeToString(r.Link) || rec.ID != r.ID || rec.Kind != r.Kind || !rec.Time.Equal(r.Time):
		f.Expected, f.Found = beside(rec.Kind, rec.ID, rec.Time, journal.Link(line)), beside(r.Kind, r.ID, r.Time, hex.EncodeToString(r.Link))
		f.Text = "its id, time or place is not what its content says"
	case r.Kind == journal.KindEvent && (rec.Agent != r.Agent || rec.Decision != r.Decision):
		f.Expected, f.Found, f.Text = rec.Agent+" "+string(rec.Decision), r.Agent+" "+string(r.Decision), "it is listed under another agent or decision than its content says"
	case r.Outcome != nil && *r.Outcome != ledger.RecordOutcome(&rec):
		want := ledger.RecordOutcome(&rec)
		f.Expected, f.Found, f.Text = says(&want), says(r.Outcome), "what it counts as is not what its content says"
	default:
		v.calls.see(&rec)
		return &rec, true
	}
	v.find(f)
	return &rec, false
}

// beside is what a row says of a record beside its content.
func beside(kind, id string, at time.Time, link string) string {
	return kind + " " + id + " " + at.UTC().Format(time.RFC3339Nano) + " " + link
}
