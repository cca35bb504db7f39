package constitution

import (
	"errors"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/rule"
)

// once refuses a second directive of a kind that asks about one effect.
func once(when []rule.Condition, c rule.Condition) error {
	more, ok := c.(rule.Act)
	if !ok {
		return nil
	}
	for _, have := range when {
		have, ok := have.(rule.Act)
		if !ok {
			continue
		}
		name := ""
		switch {
		case more.Kinds != nil && have.Kinds != nil:
			name = "effect"
		case more.Programs != nil && have.Programs != nil:
			name = "program"
		case more.Scopes != nil && have.Scopes != nil:
			name = "target"
		default:
			continue
		}
		return hint.Wrap(errors.New(name+"= is given twice"), "all of a rule is about one effect; separate what is enough by commas")
	}
	return nil
}

// jointly makes one condition of all directives about an effect: effect=, program=
// and target=, and path= in a rule with effect=. Only so does a rule speak of one
// act; apart, each could hold for another command of the same line. program= alone
// is about commands, whatever they do.
func jointly(when []rule.Condition) []rule.Condition {
	var act rule.Act
	first := -1
	for i, c := range when {
		c, ok := c.(rule.Act)
		if !ok {
			continue
		}
		if first < 0 {
			first = i
		}
		act.Kinds = append(act.Kinds, c.Kinds...)
		act.Programs = append(act.Programs, c.Programs...)
		act.Scopes = append(act.Scopes, c.Scopes...)
	}
	if first < 0 {
		return when
	}
	var out []rule.Condition
	for i, c := range when {
		switch c := c.(type) {
		case rule.Act:
			if i == first {
				out = append(out, act)
			}
			continue
		case rule.Paths:
			if act.Kinds != nil {
				act.Paths = append(act.Paths, c)
				continue
			}
		}
		out = append(out, c)
	}
	for i, c := range out {
		if _, ok := c.(rule.Act); !ok {
			continue
		}
		out[i] = act
		if act.Kinds == nil && act.Scopes == nil {
			out[i] = act.Programs
		}
	}
	return out
}
