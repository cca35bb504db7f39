package judgment

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/fireharp/overseer/internal/hint"
)

// Bounds of System One's wire contract.
const (
	minOptions, maxOptions = 2, 255
	minLevels              = 2
)

// Spec is one declared judgment: a question with a typed answer.
type Spec struct {
	// Name keys the answer and is what conditions refer to.
	Name string
	Type Type
	// Instructions are the question.
	Instructions string
	// Criteria are, for a noul, the descriptions of "true" and "false", for a choice
	// the options, for a score the levels from the lowest; in the order of the file.
	Criteria []Criterion
}

// Criterion is one outcome of a judgment and when it is the right one.
type Criterion struct {
	// Name is "true" or "false", or the option. Levels have none.
	Name string
	// Text describes the outcome; "" leaves it to the name.
	Text string
}

// Validate reports what in the judgment a server would refuse or that no
// condition could refer to.
func (s Spec) Validate() error {
	if err := checkName(s.Name); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return fmt.Errorf("judgment %q: %w", s.Name, err)
	}
	return nil
}

func (s Spec) check() error {
	switch s.Type {
	case Noul, Choice, Score:
	case "":
		return hint.Wrap(errors.New("no type"), "the types are noul, choice and score")
	default:
		err := fmt.Errorf("unknown type %q", s.Type)
		if best := hint.Nearest(string(s.Type), []string{string(Noul), string(Choice), string(Score)}); best != "" {
			return hint.Wrap(err, "did you mean %q?", best)
		}
		return hint.Wrap(err, "the types are noul, choice and score")
	}
	if strings.TrimSpace(s.Instructions) == "" {
		return hint.Wrap(errors.New("no instructions"), "write the question that it answers")
	}
	seen := map[string]bool{}
	for i, c := range s.Criteria {
		switch {
		case s.Type == Score && c.Name != "":
			return hint.Wrap(fmt.Errorf("criterion %q has a name", c.Name), "a score's criteria are a list of descriptions, the lowest level first")
		case s.Type == Score && strings.TrimSpace(c.Text) == "":
			return fmt.Errorf("level %d has no description", i)
		case s.Type == Score:
			continue
		case s.Type == Noul && c.Name != "true" && c.Name != "false":
			return hint.Wrap(fmt.Errorf("criterion %q of a noul", c.Name), `a noul has only "true" and "false"; several options are a choice`)
		case strings.TrimSpace(c.Name) == "":
			return errors.New("an option has no name")
		case seen[c.Name]:
			return fmt.Errorf("%q stands twice among the criteria", c.Name)
		}
		seen[c.Name] = true
	}
	switch n := len(s.Criteria); {
	case s.Type == Choice && (n < minOptions || n > maxOptions):
		return fmt.Errorf("a choice has %d to %d options, this one %d", minOptions, maxOptions, n)
	case s.Type == Score && n < minLevels:
		return fmt.Errorf("a score has at least %d levels, this one %d", minLevels, n)
	}
	return nil
}

// checkName holds a name to what a condition can refer to: "destination.confidence"
// and "destroys_work>=0.85" must read one way only.
func checkName(name string) error {
	if name == "" {
		return errors.New("a judgment has no name")
	}
	for i, r := range name {
		if unicode.IsLetter(r) || r == '_' || i > 0 && (unicode.IsDigit(r) || r == '-') {
			continue
		}
		return hint.Wrap(fmt.Errorf("judgment %q: %q cannot stand there in a name", name, r), "a name has letters, digits, _ and -, and begins with a letter")
	}
	return nil
}

// MarshalJSON renders the question as it goes over the wire.
func (s Spec) MarshalJSON() ([]byte, error) {
	var o, criteria object
	err := errors.Join(o.add("type", s.Type), o.add("instructions", s.Instructions))
	switch {
	case len(s.Criteria) == 0:
	case s.Type == Score:
		levels := make([]string, len(s.Criteria))
		for i, c := range s.Criteria {
			levels[i] = c.Text
		}
		err = errors.Join(err, o.add("criteria", levels))
	default:
		for _, c := range s.Criteria {
			var text any
			if c.Text != "" {
				text = c.Text
			}
			err = errors.Join(err, criteria.add(c.Name, text))
		}
		err = errors.Join(err, o.add("criteria", rawJSON(criteria.close())))
	}
	return o.close(), err
}

// names are the options of a choice.
func (s Spec) names() []string {
	out := make([]string, len(s.Criteria))
	for i, c := range s.Criteria {
		out[i] = c.Name
	}
	return out
}
