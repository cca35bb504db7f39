package upkeep

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/redact"
)

// Export writes the events that q selects as lines of JSON: each event as the
// journal has it, byte for byte, followed by what humans said of it, an outcome a
// line. It returns how many events it wrote.
func Export(ctx context.Context, s ledger.Store, q ledger.Query, to io.Writer) (int, error) {
	w := bufio.NewWriterSize(to, 64<<10)
	n := 0
	err := s.Each(ctx, q, func(r *ledger.Row, outcomes []ledger.Outcome) error {
		n++
		line, err := r.Line()
		if err != nil {
			return fmt.Errorf("%s: %w", r.ID, err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		for _, o := range outcomes {
			b, err := json.Marshal(outcomeLine{journal.Version, journal.KindOutcome, o.ID, o.Time, o.Decision, o.Event, o.By, o.Source, o.Until, o.Note})
			if err != nil {
				return err
			}
			if _, err := w.Write(append(b, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
	return n, errors.Join(err, w.Flush())
}

// outcomeLine is an outcome as it is exported, under the names of [journal.Record].
type outcomeLine struct {
	V        int            `json:"v"`
	Kind     string         `json:"kind"`
	ID       string         `json:"id"`
	Time     time.Time      `json:"time"`
	Decision event.Decision `json:"decision"`
	Target   string         `json:"target"`
	By       string         `json:"by,omitempty"`
	Source   string         `json:"source"`
	Until    time.Time      `json:"until,omitzero"`
	Note     string         `json:"note,omitempty"`
}

// columns are those of a CSV export.
var columns = []string{"time", "id", "agent", "caller", "event", "tool", "session", "cwd", "subject", "decision", "basis", "reason", "rules", "answered", "outcome", "outcome_by", "outcome_source", "outcome_time", "outcome_note"}

// ExportCSV writes the events that q selects as comma-separated values with a head
// line, one line an event, with the latest outcome. No cell can be taken for a
// formula by a spreadsheet, and none has a line break.
func ExportCSV(ctx context.Context, s ledger.Store, q ledger.Query, to io.Writer) (int, error) {
	w := csv.NewWriter(to)
	if err := w.Write(columns); err != nil {
		return 0, err
	}
	n := 0
	err := s.Each(ctx, q, func(row *ledger.Row, outcomes []ledger.Outcome) error {
		n++
		r, err := row.Record()
		if err != nil {
			return fmt.Errorf("%s: %w", row.ID, err)
		}
		var rules []string
		for _, reason := range r.Reasons {
			rules = append(rules, reason.Rule)
		}
		cells := []string{r.Time.Format(time.RFC3339Nano), r.ID, r.Agent, r.Caller, r.Event, r.Tool, r.Session, r.CWD, r.Subject, string(r.Decision), string(r.Basis), r.Reason, strings.Join(rules, " "), string(r.Answered)}
		last := []string{"", "", "", "", ""}
		if len(outcomes) > 0 {
			o := outcomes[len(outcomes)-1]
			last = []string{string(o.Decision), o.By, o.Source, o.Time.Format(time.RFC3339Nano), o.Note}
		}
		cells = append(cells, last...)
		for i, c := range cells {
			cells[i] = cell(c)
		}
		return w.Write(cells)
	})
	w.Flush()
	return n, errors.Join(err, w.Error())
}

// cell makes of a text one line that no spreadsheet takes for a formula. Source of
// the characters: owasp.org/www-community/attacks/CSV_Injection.
func cell(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '⏎'
		case r < ' ', r == 0x7f, r == 0x85, r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if t := strings.TrimLeft(s, " \u00a0\u3000\ufeff"); t != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(t)[0]) {
		return "'" + s
	}
	return s
}

// Import options and what came of it.
type (
	// ImportOptions say what is taken from a file.
	ImportOptions struct {
		Deed journal.Deed
		// Secrets are taken out of what is imported; nil keeps all as it is.
		Secrets *redact.Set
		// Rulings also takes what humans said; it then counts as if it had been said
		// here, under their names.
		Rulings bool
		// Skip leaves out lines that are no records, instead of importing nothing.
		Skip bool
		// Report is called for each line that is no record.
		Report func(error)
	}
	// Imported is what [Import] did.
	Imported struct {
		Checkpoint string `json:"checkpoint,omitempty"`
		Events     int    `json:"events"`
		Outcomes   int    `json:"outcomes"`
		// Known were here already, LeftOut are outcomes that were not asked for, Bad
		// lines that are no records.
		Known   int `json:"known"`
		LeftOut int `json:"left_out"`
		Bad     int `json:"bad"`
	}
)

// ErrBadLines means that a file was not imported, because of lines that are no
// records.
var ErrBadLines = errors.New("nothing was imported")

// maxImportLine is the longest line that a journal's reader takes.
const maxImportLine = 1 << 20

// Import adds the records of a file that [Export] wrote to the journal in dir, as
// new lines of its chain that say where they come from, and has the ledger take
// them in. What is known by its id is skipped, so that importing again changes
// nothing. Every line is looked at before anything is written.
func Import(ctx context.Context, s ledger.Store, dir, file string, o ImportOptions) (Imported, error) {
	var out Imported
	f, err := os.Open(file)
	if err != nil {
		return out, err
	}
	defer f.Close()
	i := &importer{ImportOptions: o, store: s, dir: dir, file: file, out: &out}
	if err := i.read(ctx, f, false); err != nil {
		return out, err
	}
	if out.Bad > 0 && !o.Skip {
		return Imported{Bad: out.Bad}, ErrBadLines
	}
	out = Imported{}
	i.Report = func(error) {}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return out, err
	}
	if err := i.read(ctx, f, true); err != nil {
		return out, err
	}
	if out.Events+out.Outcomes == 0 {
		return out, nil
	}
	out.Checkpoint = o.Deed.ID
	i.span.Lines = out.Events + out.Outcomes
	return out, announce(ctx, s, dir, o.Deed, i.span, nil, nil)
}

type importer struct {
	ImportOptions
	store     ledger.Store
	dir, file string
	out       *Imported
	span      journal.Span
	batch     []record
	seen      map[string]bool
}

// record is a line that is to be imported.
type record struct {
	id, kind, target string
	body             []byte
}

// read goes through the file, and adds its records if write is set.
func (i *importer) read(ctx context.Context, f io.Reader, write bool) error {
	i.seen = map[string]bool{}
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 64<<10), maxImportLine)
	n := 0
	for in.Scan() {
		if err := ctx.Err(); err != nil {
			return err
		}
		n++
		if len(strings.TrimSpace(in.Text())) == 0 {
			continue
		}
		r, wanted, err := i.parse(in.Bytes())
		if err != nil {
			i.out.Bad++
			i.Report(fmt.Errorf("%s:%d: %w", i.file, n, err))
			continue
		}
		if !wanted || !write {
			continue
		}
		if i.seen[r.id+r.target] {
			i.out.Known++
			continue
		}
		i.seen[r.id+r.target] = true
		if i.batch = append(i.batch, r); len(i.batch) == ledger.MaxKnown {
			if err := i.flush(ctx); err != nil {
				return err
			}
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", i.file, n+1, err)
	}
	return i.flush(ctx)
}

// parse judges one line.
func (i *importer) parse(line []byte) (r record, wanted bool, err error) {
	var rec journal.Record
	if err := json.Unmarshal(line, &rec); err != nil {
		return r, false, fmt.Errorf("it is no record: %w", err)
	}
	if rec.V > journal.Version {
		return r, false, fmt.Errorf("it is of version %d: %w", rec.V, journal.ErrNewer)
	}
	if rec.V < 1 {
		return r, false, fmt.Errorf("the version %d is none", rec.V)
	}
	switch rec.Kind {
	case journal.KindEvent:
		if !journal.Genuine(line) {
			return r, false, errors.New("it is not as it was exported: its hash is not its content's")
		}
	case journal.KindOutcome:
		if rec.Target == "" || rec.Decision == "" || rec.Source == "" {
			return r, false, errors.New("an outcome needs a target, a decision and a source")
		}
		if rec.Decision != event.Allow && rec.Decision != event.Deny && rec.Decision != event.Ask && rec.Decision != journal.None {
			return r, false, fmt.Errorf("the decision %q is none", rec.Decision)
		}
		if !i.Rulings {
			i.out.LeftOut++
			return r, false, nil
		}
	case journal.KindCheckpoint, journal.KindRemoved:
		return r, false, nil // they speak of another journal
	default:
		return r, false, fmt.Errorf("the kind %q is none", rec.Kind)
	}
	if rec.ID == "" || rec.Time.IsZero() || len(rec.ID) > 128 {
		return r, false, errors.New("a record needs an id and a time")
	}
	rec.Imported = i.Deed.ID
	body, err := journal.RedactedBody(&rec, i.Secrets)
	if body == nil && err == nil { // it has no secrets
		body, err = journal.Body(rec)
	}
	return record{rec.ID, rec.Kind, rec.Target, body}, true, err
}

// flush appends what is not known yet.
func (i *importer) flush(ctx context.Context) error {
	if len(i.batch) == 0 {
		return nil
	}
	ids := make([]string, len(i.batch))
	for n, r := range i.batch {
		ids[n] = r.id
	}
	known, err := i.store.Known(ctx, ids)
	if err != nil {
		return err
	}
	var bodies [][]byte
	for _, r := range i.batch {
		if _, ok := known[r.id]; ok {
			i.out.Known++
			continue
		}
		bodies = append(bodies, r.body)
		if r.kind == journal.KindEvent {
			i.out.Events++
		} else {
			i.out.Outcomes++
		}
		if i.span.First == "" {
			i.span.First = r.id
		}
		i.span.Last = r.id
	}
	i.batch = i.batch[:0]
	if err := journal.AppendBodies(ctx, i.dir, bodies); err != nil {
		return err
	}
	_, err = i.store.TakeIn(ctx, i.dir, nil)
	return err
}
