package ledger

import (
	"fmt"
	"strings"
)

// candidates is how many ids an ambiguity shows.
const candidates = 5

// Find does what [Store.Get] promises with two look-ups of a store: exact returns
// the entries of an id, at most one, and beginning the first n ids that begin with
// a prefix, in order.
func Find(id string, exact func(id string) ([]Entry, error), beginning func(prefix string, n int) ([]string, error)) (Entry, error) {
	id = strings.TrimSpace(id)
	for _, id := range []string{id, normalID(id)} {
		if found, err := exact(id); err != nil {
			return Entry{}, err
		} else if len(found) == 1 {
			return found[0], nil
		}
	}
	for _, prefix := range []string{id, normalID(id)} {
		ids, err := beginning(prefix, candidates+1)
		switch {
		case err != nil:
			return Entry{}, err
		case len(ids) == 1:
			return Find(ids[0], exact, beginning)
		case len(ids) > 1:
			return Entry{}, &AmbiguousError{Prefix: prefix, Candidates: ids[:min(len(ids), candidates)]}
		}
	}
	return Entry{}, fmt.Errorf("%s: %w", id, ErrNotFound)
}

// normalID spells an id, or the beginning of one, as ids are.
func normalID(id string) string {
	id = strings.ToUpper(id)
	return "ev_" + strings.TrimPrefix(id, "EV_")
}
