package ledger

import (
	"context"
	"fmt"
	"strings"
)

// Server is a [Store] that several machines share.
type Server interface {
	// Describe says in one line what server it is, which branch is worked on and
	// which schema it has, and under which name this machine stands there.
	Describe(ctx context.Context) (string, error)
	// Key is the team's key for signatures of actions. If the team has none yet, own
	// becomes it.
	Key(ctx context.Context, own []byte) ([]byte, error)
}

// Brancher is a [Store] that may have branches. On one that has none all methods
// return [ErrNoBranches].
type Brancher interface {
	// Branches lists the names of all branches, sorted.
	Branches(ctx context.Context) ([]string, error)
	// Branch makes a branch of what the present one has.
	Branch(ctx context.Context, name string) error
	// Checkout lets this machine's journal go on on another branch: what is recorded
	// from the place on that the present branch has reached goes there. It is for the
	// caller to open that branch from then on.
	Checkout(ctx context.Context, name string) error
	// Merge brings what the branch from has into the branch into. If both have
	// changed the same row in different ways it changes nothing and returns a
	// [ConflictError]. A branch that is not there gives [ErrNoBranch].
	Merge(ctx context.Context, from, into string) (Merged, error)
}

// Merged is what a merge did.
type Merged struct {
	// Commit is the commit that into is at now.
	Commit string `json:"commit"`
	// Nothing is true if into had all of from already.
	Nothing bool `json:"nothing,omitempty"`
}

// ConflictError lists the rows that keep two branches from being merged.
type ConflictError struct {
	From, Into string
	Conflicts  []Conflict
}

// Conflict is one row that both branches have changed.
type Conflict struct {
	Table string `json:"table"`
	// ID is the row's key.
	ID string `json:"id"`
	// Columns are those that differ.
	Columns []ConflictColumn `json:"columns,omitempty"`
	// Note says what is wrong where it is not two values of one row.
	Note string `json:"note,omitempty"`
}

// ConflictColumn has a column's values: before the branches parted, on the branch
// that was to be changed, and on the one that was to be merged into it. nil is for
// a row that is not there.
type ConflictColumn struct {
	Name   string  `json:"name"`
	Base   *string `json:"base"`
	Ours   *string `json:"ours"`
	Theirs *string `json:"theirs"`
}

func (e *ConflictError) Error() string {
	tables := map[string]int{}
	var names []string
	for _, c := range e.Conflicts {
		if tables[c.Table]++; tables[c.Table] == 1 {
			names = append(names, c.Table)
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%d in %s", tables[name], name)
	}
	return fmt.Sprintf("%s and %s conflict: rows that both changed: %s; nothing was merged", e.From, e.Into, strings.Join(names, ", "))
}
