// Package ledger is what people and rules look things up in: every event, its
// verdict, and what humans said of it afterwards. It is an index of the journal.
// A hook writes the journal only; whoever reads the ledger takes in what is new
// first ([Store.TakeIn]), exactly once.
//
// The package holds what all backends share: the [Store] interface, whose method
// comments are the contract that the suite in ledgertest checks, the words that
// search works on, the packing of records and the migrations. A backend is a
// package of its own below this one.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/precedent"
)

// Store is a ledger. It is safe for concurrent use, also by several processes.
type Store interface {
	// TakeIn takes in what the journal in dir has that the ledger has not. Every
	// record becomes one entry or one outcome, whoever else takes in at the same
	// time and whenever a process is killed: the place reached is stored in the
	// transaction that stores the rows. Damaged lines are set aside and listed in
	// the result of the call that met them, and in Faults from then on.
	//
	// A tool call that was answered with ask, and whose completion the journal
	// reports with the same agent, session and tool-use id, gets the outcome
	// allow from [journal.SourceCompletion]: the human said yes. One that the agent
	// reports as refused gets deny from [journal.SourceRefusal].
	//
	// progress, if not nil, is called now and then with the bytes done and to do.
	// After an error or the end of ctx all that was done so far is kept.
	TakeIn(ctx context.Context, dir string, progress func(done, total int64)) (Intake, error)
	// Tail returns the newest entries that match q, the oldest of them first.
	Tail(ctx context.Context, q Query) ([]Entry, error)
	// Search returns the newest entries, at most limit, that have every word of
	// text in their tool, subject, folder, reason or rules; the newest first. A
	// text is never a syntax error; one without any word finds nothing.
	Search(ctx context.Context, text string, limit int) ([]Entry, error)
	// Get finds an entry by its id or the beginning of it; "ev_" may be left out,
	// and case does not matter. It returns [ErrNotFound], or an [AmbiguousError]
	// for a beginning that several ids share.
	Get(ctx context.Context, id string) (Entry, error)
	// Outcomes lists what was said of an event, the oldest first. An event that is
	// not there has none.
	Outcomes(ctx context.Context, eventID string) ([]Outcome, error)
	// Approvals lists the approvals that hold at now: events whose latest outcome
	// is an allow with an end that is still to come.
	Approvals(ctx context.Context, now time.Time) ([]approval.Approval, error)
	// Rulings lists what humans ruled since then, at most limit, the newest first.
	// Of several outcomes of an event one counts: the latest that a person gave, or
	// else the latest that was revealed ([journal.Revealed]). Events for which that is
	// no allow and no deny, or which have no signature, are left out.
	Rulings(ctx context.Context, since time.Time, limit int) ([]precedent.Ruling, error)
	// Faults lists the damage that was met in the journal so far and that no
	// checkpoint has settled ([journal.Record.Known]).
	Faults(ctx context.Context) ([]journal.Fault, error)
	// Each calls do with the entries that match q, the oldest first, and stops at its
	// first error, which it returns. q's N limits nothing if it is 0. Entries that
	// come meanwhile may be among them or not. do may call the store.
	Each(ctx context.Context, q Query, do func(*Row, []Outcome) error) error
	Upkeep
	// Close releases the store.
	Close() error
}

// Upkeep is the part of a [Store] that checks, repairs and empties it. What it
// changes must have been announced by a checkpoint in the journal before, which the
// store has taken in: see [Prune] and [Redact], which do that.
type Upkeep interface {
	// Rows lists what the ledger has of one kind of record
	// ([journal.KindEvent], [journal.KindOutcome], [journal.KindCheckpoint],
	// [journal.KindRemoved]), in the order in which it was taken in. Without bodies
	// the rows' bodies are left out, which is faster. Of a row that cannot be read
	// there is an error; the rows after it may still come. Rows come as they are
	// stored, right or not.
	Rows(ctx context.Context, kind string, bodies bool) iter.Seq2[Row, error]
	// Known finds which of the records with these ids, at most [MaxKnown], the ledger
	// has, of whatever kind, and gives their rows without bodies by id.
	Known(ctx context.Context, ids []string) (map[string]Row, error)
	// Put stores sound lines of a journal as TakeIn would, but leaves the place in
	// the journal alone, and then outcomes that no line holds. What is known already
	// is skipped and counted.
	Put(ctx context.Context, lines [][]byte, outcomes []Outcome) (Intake, error)
	// Remove deletes, in one transaction, the events and outcomes with these ids and
	// every outcome that no journal line holds of these events, and stores marks:
	// sealed lines of the kind [journal.KindRemoved] that stand for them. An id that
	// is not there is no error. It returns how many events and outcomes are gone.
	Remove(ctx context.Context, ids []string, marks [][]byte) (events, outcomes int, err error)
	// Rewrite replaces, in one transaction, the stored events and outcomes by the
	// sealed lines with the same ids, so that search finds the new words only. Columns
	// that say nothing in clear stay. A line whose id is not there is skipped. It
	// returns how many were replaced.
	Rewrite(ctx context.Context, lines [][]byte) (int, error)
	// Check looks for damage within the ledger's own storage and says what it finds,
	// nothing if it is sound. An error means that it could not look.
	Check(ctx context.Context) ([]string, error)
	// Size is the space that the ledger takes, in bytes.
	Size(ctx context.Context) (int64, error)
	// Compact gives the space of what was removed back to the system and leaves no
	// copy of it behind in the ledger's files.
	Compact(ctx context.Context) error
	// Sync returns when all that was taken in is safe from a power failure.
	Sync(ctx context.Context) error
}

// MaxKnown is how many ids [Upkeep.Known] takes.
const MaxKnown = 500

// Row is a record as a store keeps it.
type Row struct {
	Kind, ID string
	Time     time.Time
	// Packed is the journal line. An outcome that no line holds has none of it.
	Packed
	// Link is what the next line of the chain states as its prev, mostly the hash.
	Link []byte
	// Agent and Decision are what events are selected by.
	Agent    string
	Decision event.Decision
	// Outcome is set for outcomes: what the store answers from.
	Outcome *Outcome
}

// Entry is an event with what humans said of it.
type Entry struct {
	journal.Record
	// Machine and User are whose event it is, in a ledger that a team shares.
	Machine  string    `json:"machine,omitempty"`
	User     string    `json:"user,omitempty"`
	Outcomes []Outcome `json:"outcomes,omitempty"`
}

// Outcome is what a human said of an event: directly, or by letting an asked tool
// call run.
type Outcome struct {
	ID string `json:"id"`
	// Event is the id of the event that is meant; it need not be in this ledger.
	Event    string         `json:"event"`
	Time     time.Time      `json:"time"`
	Decision event.Decision `json:"decision"`
	// By is the person, if known, Source how they said it.
	By     string `json:"by,omitempty"`
	Source string `json:"source"`
	// Until is the end of an approval, zero for a ruling without an end.
	Until time.Time `json:"until,omitzero"`
	Note  string    `json:"note,omitempty"`
}

// Query selects entries. Empty fields select all.
type Query struct {
	// N is how many entries are wanted at most; 0 means 20.
	N int
	// Agent, Decision and Session are compared as they are.
	Agent    string
	Decision event.Decision
	Session  string
	// Since selects events from then on, Until those before then.
	Since, Until time.Time
	// Before is the id of an entry and selects those older than it, as Tail orders
	// them: so all can be read page by page. An id that is not there selects none.
	Before string
}

// Selects reports whether the query selects an event. Before and N are the caller's.
func (q Query) Selects(r *journal.Record) bool {
	return (q.Agent == "" || q.Agent == r.Agent) && (q.Decision == "" || q.Decision == r.Decision) && (q.Session == "" || q.Session == r.Session) &&
		!r.Time.Before(q.Since) && (q.Until.IsZero() || r.Time.Before(q.Until))
}

// DefaultN is the number of entries that a person looks at.
const DefaultN = 20

// Intake is what one TakeIn did.
type Intake struct {
	// Events and Outcomes were new. Completions are the outcomes that follow from
	// completed tool calls, Refusals those from refused ones. Duplicates were in the
	// ledger already.
	Events      int `json:"events"`
	Outcomes    int `json:"outcomes"`
	Completions int `json:"completions"`
	Refusals    int `json:"refusals,omitempty"`
	Duplicates  int `json:"duplicates"`
	// Replaced is true if the journal is not the one that was read before, so that
	// it was read from its beginning.
	Replaced bool `json:"replaced,omitempty"`
	// Faults are the damaged lines and gaps met on the way.
	Faults []journal.Fault `json:"faults,omitempty"`
	// End is the place in the journal up to which the ledger knows it.
	End journal.Position `json:"end"`
	// Unread is why what the journal has beyond End could not be taken in, for those
	// who can do without it.
	Unread error `json:"-"`
}

// Ruled reports whether the intake brought anything that a person ruled.
func (in Intake) Ruled() bool { return in.Outcomes+in.Completions+in.Refusals > 0 }

// Ahead reports whether the ledger knows the journal in dir further than it goes:
// lines at its end were removed or replaced since they were taken in. The journal
// may have grown after the intake. An intake that finds new lines is the last that
// can tell.
func (in Intake) Ahead(dir string) (bool, error) {
	if in.Replaced {
		return true, nil
	}
	end, err := journal.End(dir)
	if err != nil {
		return false, err
	}
	return in.End.Segment > end.Segment || in.End.Segment == end.Segment && in.End.Offset > end.Offset, nil
}

// Errors of all stores, for errors.Is.
var (
	// ErrNotFound means that there is no such event.
	ErrNotFound = errors.New("no such event")
	// ErrAmbiguous is what an [AmbiguousError] is.
	ErrAmbiguous = errors.New("several events begin with it")
	// ErrMissing means that the ledger was not created yet.
	ErrMissing = errors.New("there is no ledger yet")
	// ErrNewer means that a newer overseer has changed the ledger's form.
	ErrNewer = errors.New("the ledger was made by a newer overseer")
	// ErrOlder means that the ledger has to be migrated, which a hook does not do.
	ErrOlder = errors.New("the ledger was made by an older overseer")
	// ErrLocked means that another process kept the ledger locked for too long.
	ErrLocked = errors.New("the ledger is locked by another process")
	// ErrCorrupt means that the ledger's file is damaged or is no ledger.
	ErrCorrupt = errors.New("the ledger is damaged")
	// ErrReadOnly means that the ledger may not be written.
	ErrReadOnly = errors.New("the ledger may not be written")
	// ErrFull means that the disk is full.
	ErrFull = errors.New("no space left for the ledger")
	// ErrAway means that the ledger's server does not answer.
	ErrAway = errors.New("the server does not answer")
	// ErrNoBranch means that the ledger has no such branch, and ErrNoBranches that
	// it has none at all.
	ErrNoBranch   = errors.New("there is no such branch")
	ErrNoBranches = errors.New("this ledger has no branches")
)

// AmbiguousError lists the first ids that begin with what was given.
type AmbiguousError struct {
	Prefix     string
	Candidates []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("several events begin with %s: %s …", e.Prefix, strings.Join(e.Candidates, ", "))
}

// Is makes an AmbiguousError an [ErrAmbiguous].
func (e *AmbiguousError) Is(target error) bool { return target == ErrAmbiguous }
