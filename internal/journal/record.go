package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/redact"
)

// Version is the version of the line format that this package writes. A reader
// refuses a newer one instead of dropping what it does not know.
const Version = 1

// The kinds of records.
const (
	KindEvent   = "event"   // a hook event and its verdict
	KindOutcome = "outcome" // what a human said of an event afterwards
	// KindCheckpoint says what was done to lines that were written before, so that
	// it can be told from tampering. Its id begins with "cp_".
	KindCheckpoint = "checkpoint"
	// KindRemoved stands where lines were, and is vouched for by a checkpoint. Its
	// id begins with "rm_".
	KindRemoved = "removed"
)

// The sources of an outcome.
const (
	SourceOutcome    = "ledger outcome" // overseer ledger outcome
	SourceApprove    = "approve"        // overseer approve
	SourceCompletion = "completion"     // an asked tool call that then ran: the person said yes
	SourceRefusal    = "refusal"        // an asked tool call that the agent reports as refused: the person said no
)

// Revealed reports whether an outcome of this source was not said to overseer but
// follows from what the agent did. What a person says weighs more.
func Revealed(source string) bool { return source == SourceCompletion || source == SourceRefusal }

// The sources of a checkpoint.
const (
	SourceKeep   = "keep"          // segments that the ledger has and that are older than [ledger] keep
	SourcePrune  = "ledger prune"  // old events
	SourceRedact = "ledger redact" // secrets in what was stored
	SourceRepair = "ledger repair" // damaged lines that were set aside
	SourceImport = "ledger import" // events of another ledger
	SourceVerify = "ledger verify" // faults that a person has taken note of
)

// None is the decision of an outcome that takes an earlier one back.
const None event.Decision = "none"

// Record is one line of the journal. Which fields are set depends on the kind;
// absent fields are empty.
type Record struct {
	V    int    `json:"v"`
	Kind string `json:"kind"`
	// ID is "ev_" or "oc_" and a ULID.
	ID string `json:"id"`
	// Time is in UTC and whole microseconds.
	Time time.Time `json:"time"`

	// What happened, from [event.Event].
	Agent     string `json:"agent,omitempty"`
	Caller    string `json:"caller,omitempty"`
	Event     string `json:"event,omitempty"`
	Session   string `json:"session,omitempty"`
	Turn      string `json:"turn,omitempty"`
	Tool      string `json:"tool,omitempty"`
	ToolUseID string `json:"tool_use_id,omitempty"`
	CWD       string `json:"cwd,omitempty"`
	Mode      string `json:"mode,omitempty"`
	// Subject is what the event is about, for people: the command line, the
	// paths, the address, the prompt, else the tool's arguments.
	Subject string `json:"subject,omitempty"`
	// Action is the event's [Fingerprint].
	Action string `json:"action,omitempty"`
	// Signature describes the action of a tool call about to run, so that others can
	// be compared with it. All of it that tells what the action is about is hashed
	// with a key, see precedent.Signature.
	Signature string `json:"signature,omitempty"`
	// Payload is the agent's own JSON, with long strings and long lists cut and
	// the cuts marked.
	Payload json.RawMessage `json:"payload,omitempty"`

	// What was said of it. Decision is also the decision of an outcome, where it
	// may be "none".
	Decision event.Decision `json:"decision,omitempty"`
	Basis    event.Basis    `json:"basis,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Reasons  []event.Reason `json:"reasons,omitempty"`
	// Judgments are the thresholds that were weighed, with what was answered.
	Judgments []event.Judgment `json:"judgments,omitempty"`
	// Precedents are the human rulings that a verdict by precedent rests on.
	Precedents []event.Precedent `json:"precedents,omitempty"`
	Guidance   []string          `json:"guidance,omitempty"`
	Faults     []string          `json:"faults,omitempty"`
	ApprovedBy string            `json:"approved_by,omitempty"`
	// Answered is what the agent was told, Degraded what that lost.
	Answered event.Decision `json:"answered,omitempty"`
	Degraded string         `json:"degraded,omitempty"`
	Timings  *Timings       `json:"timings,omitempty"`

	// Outcomes only. Target is the id of the event that was ruled on, By the
	// person, Until the end of an approval.
	Target string    `json:"target,omitempty"`
	By     string    `json:"by,omitempty"`
	Source string    `json:"source,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	Note   string    `json:"note,omitempty"`

	// Checkpoints and removed lines only; Source says what was done, By by whom. A
	// removed line's Target is the checkpoint.
	//
	// Span counts the lines that were removed, rewritten or added.
	Span *Span `json:"span,omitempty"`
	// Vouched lists the lines that now stand for others, each as the hash before,
	// a colon, and the hash after.
	Vouched []string `json:"vouched,omitempty"`
	// Known are the [Fault.Key] of faults that need no more reporting.
	Known []string `json:"known,omitempty"`

	// Imported is the checkpoint of the import that brought the record here.
	Imported string `json:"imported,omitempty"`
	// Was is the hash of the line, or of the last of the lines, in whose place this
	// one stands. The line after it goes on stating that hash as its prev.
	Was string `json:"was,omitempty"`

	// Prev is the hash of the line before this one, Hash the SHA-256 of this line
	// without its hash. [Append] sets both.
	Prev string `json:"prev,omitempty"`
	Hash string `json:"hash,omitempty"`
}

// Span counts lines and names the first and the last of them.
type Span struct {
	Lines int    `json:"lines"`
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

// add counts n more lines, of which the ids are first and last.
func (s *Span) add(n int, first, last string) {
	s.Lines += n
	if s.First == "" {
		s.First = first
	}
	if last != "" {
		s.Last = last
	}
}

// span is what the record stands for: the lines whose place it takes, else itself.
func (r *Record) span() (n int, first, last string) {
	if r.Kind == KindRemoved && r.Span != nil {
		return r.Span.Lines, r.Span.First, r.Span.Last
	}
	return 1, r.ID, r.ID
}

// Timings say where a hook's time went, in microseconds. Total ends where the
// record is written, since it is part of it.
type Timings struct {
	Read   int64 `json:"read"`
	Decode int64 `json:"decode"`
	Judge  int64 `json:"judge"`
	Total  int64 `json:"total"`
}

// FromEvent makes the record of an event: what was decided (v), what the agent
// was told (answered) and what that could not express (degraded). The payload is
// cut and its secrets taken out here, both of the texts in [Append], so that any
// event gives a line of at most 64 KiB. action is the event's [Fingerprint].
func FromEvent(e *event.Event, v *event.Verdict, answered event.Decision, degraded string, t Timings, secrets *redact.Set, action string) Record {
	return Record{
		Kind:       KindEvent,
		ID:         e.ID,
		Time:       e.Time,
		Agent:      e.Agent,
		Caller:     e.Caller,
		Event:      e.Name,
		Session:    e.Session,
		Turn:       e.Turn,
		Tool:       e.Tool.Name,
		ToolUseID:  e.Tool.UseID,
		CWD:        e.CWD,
		Mode:       e.PermissionMode,
		Subject:    subject(e, secrets),
		Action:     action,
		Signature:  v.Signature,
		Payload:    shorten(secrets, e.Raw, maxPayload),
		Decision:   v.Decision,
		Basis:      v.Basis,
		Reason:     v.Reason,
		Reasons:    v.Reasons,
		Judgments:  v.Judgments,
		Precedents: v.Precedents,
		Guidance:   v.Guidance,
		Faults:     v.Faults,
		ApprovedBy: v.ApprovedBy,
		Answered:   answered,
		Degraded:   degraded,
		Timings:    &t,
	}
}

// subject puts into one text what an event is about.
func subject(e *event.Event, secrets *redact.Set) string {
	switch {
	case e.Tool.Command != "":
		return e.Tool.Command
	case e.Tool.URL != "":
		return e.Tool.URL
	case len(e.Tool.Paths) > 0:
		return strings.Join(e.Tool.Paths, " ")
	case len(e.Tool.Input) > 0:
		return string(shorten(secrets, e.Tool.Input, maxSubject))
	}
	return e.Prompt
}

// body is the record as JSON without prev and hash and without the secrets in its
// texts, cut to what a line may hold.
func (r Record) body(secrets *redact.Set) ([]byte, error) {
	if r.ID == "" || r.Kind == "" || r.Time.IsZero() {
		return nil, fmt.Errorf("a record needs a kind, an id and a time")
	}
	r.V = Version
	r.Time = r.Time.UTC().Truncate(time.Microsecond)
	r.Prev, r.Hash = "", ""
	if len(r.Signature) > maxString {
		r.Signature = "" // half of one says nothing
	}
	if !r.Until.IsZero() {
		r.Until = r.Until.UTC().Truncate(time.Microsecond)
	}
	if y := r.Time.Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("record %s has a time in the year %d, which cannot be written", r.ID, y)
	}
	if p := r.Payload; len(p) > maxPayload || bytes.IndexByte(p, '\n') >= 0 || len(p) > 0 && !json.Valid(p) {
		r.Payload = shorten(secrets, p, maxPayload)
	}
	// The second and third cut are for hostile input: hundreds of long reasons,
	// texts of control characters, of which each takes six bytes.
	for _, c := range []struct{ list, text, subject int }{{maxList, maxString, maxSubject}, {8, 256, 2048}, {4, 64, 256}} {
		r.Subject = clipMiddle(secrets, r.Subject, c.subject)
		r.clipTexts(secrets, c.list, c.text)
		if c.list == 4 {
			r.Payload = omitted(len(r.Payload))
		}
		if line := encode(&r); len(line) <= maxLine-chainSize {
			return line, nil
		}
	}
	return nil, fmt.Errorf("record %s is larger than a line may be", r.ID)
}

// clipTexts bounds every list to n items and every text to size bytes, and takes
// the secrets out.
func (r *Record) clipTexts(secrets *redact.Set, n, size int) {
	for _, s := range []*string{&r.Kind, &r.ID, &r.Action, (*string)(&r.Decision), (*string)(&r.Basis), (*string)(&r.Answered), &r.Target, &r.ApprovedBy, &r.Source} {
		*s = clip(nil, *s, size)
	}
	if len(r.Reasons) > n {
		r.Faults = append(r.Faults[:len(r.Faults):len(r.Faults)], fmt.Sprintf("%d of %d reasons are not recorded", len(r.Reasons)-n, len(r.Reasons)))
		r.Reasons = r.Reasons[:n]
	}
	if len(r.Judgments) > n {
		r.Faults = append(r.Faults[:len(r.Faults):len(r.Faults)], fmt.Sprintf("%d of %d judgments are not recorded", len(r.Judgments)-n, len(r.Judgments)))
		r.Judgments = r.Judgments[:n]
	}
	r.Precedents = r.Precedents[:min(len(r.Precedents), n)]
	r.Guidance = clipList(r.Guidance, n)
	r.Faults = clipList(r.Faults, n)
	r.mapTexts(func(s string) string { return clip(secrets, s, size) })
	r.mapIDs(secrets)
}

// mapTexts replaces the texts that may say anything, but for the subject.
func (r *Record) mapTexts(f func(string) string) {
	for _, s := range []*string{&r.Agent, &r.Caller, &r.Event, &r.Tool, &r.CWD, &r.Mode, &r.Reason, &r.Degraded, &r.By, &r.Note} {
		*s = f(*s)
	}
	r.Reasons = slices.Clone(r.Reasons)
	for i := range r.Reasons {
		x := &r.Reasons[i]
		x.Rule, x.Do, x.Text, x.At = f(x.Rule), f(x.Do), f(x.Text), f(x.At)
	}
	r.Judgments = slices.Clone(r.Judgments)
	for i := range r.Judgments {
		x := &r.Judgments[i]
		x.Name, x.Rule, x.Condition, x.Value, x.Model = f(x.Name), f(x.Rule), f(x.Condition), mapValue(x.Value, f), f(x.Model)
	}
	r.Precedents = slices.Clone(r.Precedents)
	for i := range r.Precedents {
		x := &r.Precedents[i]
		x.Event, x.By, x.Source = f(x.Event), f(x.By), f(x.Source)
	}
	for _, list := range []*[]string{&r.Guidance, &r.Faults} {
		*list = slices.Clone(*list)
		for i, s := range *list {
			(*list)[i] = f(s)
		}
	}
}

// mapIDs replaces ids of the agent's that are too long or hold a secret so that
// different ones stay different: completions are found by them.
func (r *Record) mapIDs(secrets *redact.Set) {
	for _, id := range []*string{&r.Session, &r.Turn, &r.ToolUseID} {
		if !strings.HasPrefix(*id, hashedID) && (len(*id) > maxID || secrets.Text(*id) != *id) {
			sum := sha256.Sum256([]byte(*id))
			*id = hashedID + hex.EncodeToString(sum[:])
		}
	}
}

// Redact returns r without secrets, as [Append] would have recorded it with them:
// the payload, the subject and every text. Redacting again changes nothing.
func Redact(r Record, secrets *redact.Set) Record {
	r.Payload = secrets.JSON(r.Payload)
	r.Subject = secrets.Text(r.Subject)
	r.mapTexts(secrets.Text)
	r.mapIDs(secrets)
	return r
}

// mapValue replaces an answer. What JSON cannot hold is no answer.
func mapValue(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
	return nil
}

func clipList(list []string, n int) []string {
	if more := len(list) - n; more > 0 {
		return append(list[:n:n], fmt.Sprintf("%s[+%d]", ellipsis, more))
	}
	return list
}
