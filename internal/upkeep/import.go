package upkeep

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/redact"
)

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
		// Skip leaves out lines that cannot be taken, instead of importing nothing.
		Skip bool
		// Report is called for each line that cannot be taken, with the reason.
		Report func(error)
	}
	// Imported is what [Import] did.
	Imported struct {
		Checkpoint string `json:"checkpoint,omitempty"`
		Events     int    `json:"events"`
		Outcomes   int    `json:"outcomes"`
		// Known were here already, LeftOut are outcomes that were not asked for, Bad
		// lines that could not be taken.
		Known   int `json:"known"`
		LeftOut int `json:"left_out"`
		Bad     int `json:"bad"`
	}
)

// ErrBadLines means that a file was not imported, because of lines that are no
// records.
var ErrBadLines = errors.New("nothing was imported")

// maxImportLine is the longest line that a journal's reader takes, in bytes.
const maxImportLine = 1 << 20

// maxAhead is how far another machine's clock may be ahead of this one's. A ruling
// with a time to come would count for longer than max_age.
const maxAhead = 24 * time.Hour

// firstYear is before any overseer.
const firstYear = 2020

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
	in := bufio.NewReaderSize(f, 64<<10)
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := readLine(in)
		if err == io.EOF {
			return i.flush(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", i.file, n, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r, wanted, err := i.parse(line)
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
}

// readLine reads to the next newline, and returns at most a byte more than
// maxImportLine. A last line may have no newline. After it, it returns io.EOF.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		chunk, err := in.ReadSlice('\n')
		line = append(line, chunk[:min(maxImportLine+1-len(line), len(chunk))]...)
		switch {
		case err == bufio.ErrBufferFull:
		case err == io.EOF && len(line) > 0:
			return line, nil
		default:
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// parse judges one line.
func (i *importer) parse(line []byte) (r record, wanted bool, err error) {
	if len(line) > maxImportLine {
		return r, false, fmt.Errorf("it is longer than %d KiB, which no record is", maxImportLine>>10)
	}
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
	case journal.KindEvent, journal.KindOutcome:
	case journal.KindCheckpoint, journal.KindRemoved:
		return r, false, nil // they speak of another journal
	default:
		return r, false, fmt.Errorf("the kind %q is none", rec.Kind)
	}
	if err := i.sound(&rec); err != nil {
		return r, false, err
	}
	switch rec.Kind {
	case journal.KindEvent:
		if !journal.Genuine(line) {
			return r, false, errors.New("it is not as it was exported: its hash is not its content's")
		}
	case journal.KindOutcome:
		if !i.Rulings {
			i.out.LeftOut++
			return r, false, nil
		}
	}
	rec.Imported = i.Deed.ID
	body, err := journal.RedactedBody(&rec, i.Secrets)
	if body == nil && err == nil { // it has no secrets
		body, err = journal.Body(rec)
	}
	return record{rec.ID, rec.Kind, rec.Target, body}, true, err
}

// sources are those of the outcomes that overseer records.
var sources = []string{journal.SourceOutcome, journal.SourceApprove, journal.SourceCompletion, journal.SourceRefusal}

// sound checks what a hash does not: anybody can compute one.
func (i *importer) sound(r *journal.Record) error {
	prefix := "ev"
	if r.Kind == journal.KindOutcome {
		prefix = "oc"
	}
	switch now := i.Deed.Time; {
	case !journal.IsID(prefix, r.ID):
		return fmt.Errorf("the id %.100q is none", r.ID)
	case r.Time.Year() < firstYear:
		return fmt.Errorf("the time %s is none", r.Time.Format(time.RFC3339))
	case r.Time.After(now.Add(maxAhead)):
		return fmt.Errorf("its time, %s, is still to come", r.Time.Format(time.RFC3339))
	case r.Kind == journal.KindEvent:
		return nil
	case !journal.IsID("ev", r.Target):
		return fmt.Errorf("an outcome needs an event, and the id %.100q is none", r.Target)
	case r.Decision != event.Allow && r.Decision != event.Deny && r.Decision != event.Ask && r.Decision != journal.None:
		return fmt.Errorf("the decision %.100q is none", r.Decision)
	case !slices.Contains(sources, r.Source):
		return fmt.Errorf("the source %.100q is none", r.Source)
	}
	return nil
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
