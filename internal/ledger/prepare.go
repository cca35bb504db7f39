package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
)

// Prepared is a journal line that is ready to be stored. Of a damaged line only
// Line is set.
type Prepared struct {
	// Line's record has what a store needs beside the packed whole: no payload, no
	// timings, and of the reasons only the rules.
	Line   journal.Line
	Packed Packed
	// Link is the line's link as bytes where it is not the hash, else nil.
	Link  []byte
	Words []string
	// Call ties an asked tool call to its completion: both have the same, all
	// other events have none. It is told from the agent, the session and the call's id,
	// and from the tool and what is done, so that no other call answers for it.
	Call []byte
	// Completion is true for the second of the two: the call ran. Refusal is true if it
	// did not, because the person said no.
	Completion, Refusal bool
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
	if !p.Line.Sound() {
		return nil
	}
	r, ok := head(p.Line.Raw)
	if !ok {
		p.Line.Fail(journal.Unreadable)
		return nil
	}
	var err error
	if p.Packed, err = Pack(p.Line.Raw); err != nil {
		return err
	}
	p.Line.Record = &r
	if r.Was != "" {
		if p.Link, err = hex.DecodeString(p.Line.Link); err != nil {
			return err
		}
	}
	if r.Kind != journal.KindEvent {
		return nil
	}
	p.Words = RecordWords(&r)
	if r.Imported != "" {
		return nil // its outcomes, if they are wanted, come as records
	}
	p.Completion, p.Refusal = completes(&r, p.Line.Raw)
	ends := p.Completion || p.Refusal
	if r.Session != "" && r.ToolUseID != "" && (ends || r.Answered == event.Ask && slices.Contains(asks, r.Mode)) {
		h := sha256.New()
		for _, s := range []string{r.Agent, r.Session, r.ToolUseID, r.Tool, r.Subject} {
			h.Write([]byte(s))
			h.Write([]byte{0})
		}
		p.Call = h.Sum(nil)[:16]
	}
	return nil
}

// PrepareLine makes a sealed line ready that is in no journal.
func PrepareLine(line []byte) (Prepared, error) {
	p := Prepared{Line: journal.Line{Raw: line, Link: journal.Link(line)}}
	if !journal.Genuine(line) {
		p.Line.Fail(journal.Edited)
		return p, nil
	}
	return p, p.prepare()
}

// head reads from a line what a store needs beside the packed whole. It takes a
// quarter of the time of decoding everything, and a journal may have a million
// lines. ok is false for a line that is no event and no outcome.
func head(raw []byte) (r journal.Record, ok bool) {
	if !gjson.ValidBytes(raw) {
		return r, false
	}
	ok = true
	at := func(v gjson.Result) time.Time {
		t, err := time.Parse(time.RFC3339, v.Str)
		ok = ok && err == nil
		return t
	}
	gjson.ParseBytes(raw).ForEach(func(key, v gjson.Result) bool {
		switch key.Str { // Str is empty for what is no string
		case "kind":
			r.Kind = v.Str
		case "id":
			r.ID = v.Str
		case "time":
			r.Time = at(v)
		case "agent":
			r.Agent = v.Str
		case "event":
			r.Event = v.Str
		case "session":
			r.Session = v.Str
		case "tool":
			r.Tool = v.Str
		case "tool_use_id":
			r.ToolUseID = v.Str
		case "cwd":
			r.CWD = v.Str
		case "mode":
			r.Mode = v.Str
		case "subject":
			r.Subject = v.Str
		case "decision":
			r.Decision = event.Decision(v.Str)
		case "reason":
			r.Reason = v.Str
		case "reasons":
			v.ForEach(func(_, reason gjson.Result) bool {
				r.Reasons = append(r.Reasons, event.Reason{Rule: reason.Get("rule").Str})
				return true
			})
		case "answered":
			r.Answered = event.Decision(v.Str)
		case "target":
			r.Target = v.Str
		case "by":
			r.By = v.Str
		case "source":
			r.Source = v.Str
		case "until":
			r.Until = at(v)
		case "note":
			r.Note = v.Str
		case "imported":
			r.Imported = v.Str
		case "was":
			r.Was = v.Str
		case "known":
			v.ForEach(func(_, key gjson.Result) bool {
				r.Known = append(r.Known, key.Str)
				return true
			})
		}
		return true
	})
	switch {
	case r.ID == "", r.Time.IsZero():
		return r, false
	case r.Kind == journal.KindOutcome:
		return r, ok && r.Target != ""
	case r.Kind == journal.KindCheckpoint, r.Kind == journal.KindRemoved:
		return r, ok
	}
	return r, ok && r.Kind == journal.KindEvent
}

// asks are the agents' modes in which an ask surely reaches a person. In
// bypassPermissions, auto and dontAsk most versions of Claude Code ask nevertheless,
// but some have let the call run unasked, and Codex runs it: a call that ran there says
// nothing. Neither does one in a mode that nobody has heard of yet.
var asks = []string{"", "default", "acceptEdits", "plan"}

// completes reports whether the event proves that a tool call ran, or that the
// person refused it. An interrupted call proves neither: the person may have stopped
// it instead of approving it. Only what the agent's own program says counts, never
// the texts of results: the model decides what a command prints. Claude Code's
// PermissionDenied is the word of its classifier and no person's.
func completes(r *journal.Record, raw []byte) (ran, refused bool) {
	switch r.Event {
	case event.PostToolUse:
		return slices.Contains(asks, r.Mode), false
	case event.PostToolUseFailure:
		if gjson.GetBytes(raw, "payload.is_interrupt").Type == gjson.True {
			return false, false
		}
		refused = gjson.GetBytes(raw, "payload.failure_type").Str == "permission_denied" // Cursor's
		return !refused && slices.Contains(asks, r.Mode), refused
	}
	return false, false
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

// RefusalOutcome is the outcome that a refusal gives to the asked event.
func RefusalOutcome(asked string, refusal *journal.Record) Outcome {
	o := CompletionOutcome(asked, refusal)
	o.Decision, o.Source = event.Deny, journal.SourceRefusal
	return o
}

// RecordOutcome is the outcome that a record of a human ruling holds.
// An approval that was given elsewhere has ended.
func RecordOutcome(r *journal.Record) Outcome {
	if r.Imported != "" {
		r.Until = time.Time{}
	}
	return Outcome{ID: r.ID, Event: r.Target, Time: r.Time, Decision: r.Decision, By: r.By, Source: r.Source, Until: r.Until, Note: r.Note}
}
