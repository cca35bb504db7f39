// Package approval is the snapshot of what a human has let through for a while.
// It is a small file beside the ledger, so that a hook that is about to ask can
// see in one read, and without a database, that the person has already answered.
//
// The ledger is where approvals live; the snapshot is rewritten from it whenever
// a human rules and can be made again at any time.
package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/gofrs/flock"

	"github.com/fireharp/overseer/internal/atomicfile"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/regular"
)

// Approval lets one action through until a moment.
type Approval struct {
	// Event is the id of the event that the human ruled on.
	Event string `json:"event"`
	// Action is that event's fingerprint, see journal.Fingerprint.
	Action string `json:"action"`
	// Form sums up what the action depends on besides, such as the content of the
	// scripts that it runs, see precedent.Signature. "" if that is not known.
	Form string `json:"form,omitempty"`
	// Until is when the approval ends.
	Until time.Time `json:"until"`
}

// MaxHold is how long an approval can hold. One that claims more was not given by
// overseer and counts for nothing; what is to hold for good is a rule.
const MaxHold = 24 * time.Hour

// Set is the content of a snapshot.
type Set struct {
	Approvals []Approval `json:"approvals"`
}

// maxSize bounds the file: some thousand approvals, each of them given by hand.
const maxSize = 1 << 20

// Load reads a snapshot. A file that is not there is an empty set. Of a file that
// cannot be read or is broken nothing is believed: the set is empty and the error
// says why.
func Load(path string) (Set, error) {
	b, err := regular.Read(path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return Set{}, nil
	}
	if err != nil {
		return Set{}, fmt.Errorf("read approvals: %s: %w", path, err)
	}
	var s Set
	if err := json.Unmarshal(b, &s); err != nil {
		err = fmt.Errorf("read approvals: %s: %w", path, err)
		return Set{}, hint.Wrap(err, "remove the file; the next `overseer approve` writes it again")
	}
	return s, nil
}

// Find looks for an approval of action that holds at now, and returns the one
// that holds longest. One that was given for a form speaks for that alone. No
// approval speaks for the empty action.
func (s Set) Find(action, form string, now time.Time) (Approval, bool) {
	var best Approval
	for _, a := range s.Approvals {
		live := now.Before(a.Until) && !a.Until.After(now.Add(MaxHold))
		same := action != "" && a.Action == action && (a.Form == "" || a.Form == form)
		if same && live && a.Until.After(best.Until) {
			best = a
		}
	}
	return best, best.Action != ""
}

// Write replaces the snapshot at path, mode 0600, in one step: a reader sees the
// old one or the new one.
func Write(path string, approvals []Approval) error {
	if approvals == nil {
		approvals = []Approval{}
	}
	b, err := json.Marshal(Set{approvals})
	if err != nil {
		return fmt.Errorf("write approvals: %w", err)
	}
	if err := atomicfile.Write(path, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("write approvals: %w", err)
	}
	return nil
}

// Refresh writes what load returns. Of several processes one at a time loads and
// writes, so that the snapshot is never older than the ruling it was made for.
func Refresh(ctx context.Context, path string, load func(context.Context) ([]Approval, error)) error {
	l := flock.New(path + ".lock")
	if _, err := l.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return fmt.Errorf("write approvals: wait for other processes: %w", err)
	}
	defer l.Unlock()
	approvals, err := load(ctx)
	if err != nil {
		return err
	}
	return Write(path, approvals)
}
