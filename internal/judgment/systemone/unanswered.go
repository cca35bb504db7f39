package systemone

import (
	"strings"

	"github.com/fireharp/overseer/internal/judgment"
)

// Unanswered says which judgments have no answer, and why.
type Unanswered struct {
	// Names are the judgments, in the order they were asked in.
	Names []string
	// Why has the reason for each.
	Why map[string]error
}

// Error names every judgment with its reason; those that share one stand together.
func (u *Unanswered) Error() string {
	var reasons []string
	names := map[string][]string{}
	for _, n := range u.Names {
		why := u.Why[n].Error()
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], n)
	}
	for i, why := range reasons {
		reasons[i] = strings.Join(names[why], ", ") + ": " + why
	}
	return "judgments not answered: " + strings.Join(reasons, "; ")
}

// Unwrap gives the reasons, for [errors.Is], [errors.As] and hints.
func (u *Unanswered) Unwrap() []error {
	out := make([]error, len(u.Names))
	for i, n := range u.Names {
		out[i] = u.Why[n]
	}
	return out
}

func (u *Unanswered) add(name string, why error) {
	if u.Why == nil {
		u.Why = map[string]error{}
	}
	u.Names = append(u.Names, name)
	u.Why[name] = why
}

// unanswered gives one reason for all.
func unanswered(specs []judgment.Spec, why error) error {
	u := &Unanswered{}
	for _, s := range specs {
		u.add(s.Name, why)
	}
	return u
}
