package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"iter"
	"runtime"
	"sync"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
)

// Prepared is a journal line that is ready to be stored. Of a damaged line only
// Line is set.
type Prepared struct {
	Line   journal.Line
	Packed Packed
	Words  []string
	// Call ties an asked tool call to its completion: both have the same, all
	// other events have none.
	Call []byte
	// Completion is true for the second of the two.
	Completion bool
}

// chunk is how many lines are made ready at once: enough to keep every processor
// busy, few enough to hold in memory at 64 KiB a line.
const chunk = 256

// Prepare reads up to limit lines of a journal from a position on and makes them
// ready on all processors, ahead of the store that consumes them.
func Prepare(ctx context.Context, dir string, from journal.Position, limit int) iter.Seq2[[]Prepared, error] {
	return func(yield func([]Prepared, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r := journal.NewReader(dir, from)
		defer r.Close()
		type result struct {
			lines []Prepared
			err   error
		}
		next := func() (out result) {
			for len(out.lines) < min(chunk, limit) && out.err == nil {
				if out.err = ctx.Err(); out.err != nil {
					break
				}
				var line journal.Line
				if line, out.err = r.Skim(); out.err == nil {
					out.lines = append(out.lines, Prepared{Line: line})
				}
			}
			limit -= len(out.lines)
			if err := prepareAll(out.lines); err != nil {
				out.err = err
			}
			return out
		}
		// One chunk is made ready while the one before it is stored.
		ahead := make(chan result, 1)
		var wg sync.WaitGroup
		defer wg.Wait()
		fetch := func() { wg.Go(func() { ahead <- next() }) }
		now := next()
		for {
			more := now.err == nil && limit > 0
			if more {
				fetch()
			}
			if len(now.lines) > 0 && !yield(now.lines, nil) {
				cancel()
				return
			}
			if now.err != nil && now.err != io.EOF {
				yield(nil, now.err)
				return
			}
			if !more {
				return
			}
			now = <-ahead
		}
	}
}

func prepareAll(lines []Prepared) error {
	workers := min(runtime.GOMAXPROCS(0), (len(lines)+15)/16)
	errs := make([]error, len(lines))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(lines); i += workers {
				errs[i] = lines[i].prepare()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Prepared) prepare() error {
	p.Line.Decode()
	r := p.Line.Record
	if r == nil {
		return nil
	}
	var err error
	if p.Packed, err = Pack(p.Line.Raw); err != nil {
		return err
	}
	if r.Kind != journal.KindEvent {
		return nil
	}
	p.Words = RecordWords(r)
	p.Completion = completes(r)
	if r.Session != "" && r.ToolUseID != "" && (p.Completion || r.Answered == event.Ask) {
		h := sha256.New()
		for _, s := range []string{r.Agent, r.Session, r.ToolUseID} {
			h.Write([]byte(s))
			h.Write([]byte{0})
		}
		p.Call = h.Sum(nil)[:16]
	}
	return nil
}

// completes reports whether the event proves that a tool call ran. An interrupted
// call proves nothing: the person may have stopped it instead of approving it.
func completes(r *journal.Record) bool {
	switch r.Event {
	case event.PostToolUse:
		return true
	case event.PostToolUseFailure:
		var payload struct {
			Interrupt bool `json:"is_interrupt"`
		}
		return json.Unmarshal(r.Payload, &payload) == nil && !payload.Interrupt
	}
	return false
}

// CompletionOutcome is the outcome that a completion gives to the asked event.
func CompletionOutcome(asked string, completion *journal.Record) Outcome {
	return Outcome{
		ID:       "oc" + completion.ID[min(2, len(completion.ID)):],
		Event:    asked,
		Time:     completion.Time,
		Decision: event.Allow,
		Source:   journal.SourceCompletion,
	}
}

// RecordOutcome is the outcome that a record of a human ruling holds.
func RecordOutcome(r *journal.Record) Outcome {
	return Outcome{ID: r.ID, Event: r.Target, Time: r.Time, Decision: r.Decision, By: r.By, Source: r.Source, Until: r.Until, Note: r.Note}
}
