package judgment

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// rawJSON is JSON that stays as it is.
type rawJSON = json.RawMessage

// Answer is what the model said to one judgment. The zero value is no answer.
type Answer struct {
	Type Type
	// Noul is the probability of yes, for a noul.
	Noul float64
	// Choice is the option taken, for a choice.
	Choice string
	// Score is the expected level, for a score; it may fall between two levels.
	Score float64
	// Confidence is how concentrated a choice or a score was, from 0 to 1.
	Confidence float64
	// Probabilities are those of the options, or of the levels by their number.
	Probabilities map[string]float64
	// Model is the version that answered: thresholds mean something for one model
	// only, and the model asked may be a moving alias.
	Model string
	// Cached is true where the answer was given earlier to the same question.
	Cached bool
}

// slack is how far beyond its range a sum of probabilities may come out.
const slack = 1e-6

// ParseAnswer reads the answer to s off the wire. It is strict, since an answer
// that is read wrongly is worse than none: another type, a value that is missing,
// null, not a number or out of range, an option that was not offered are errors.
// Members that no condition looks at may be missing.
func ParseAnswer(s Spec, wire []byte) (Answer, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(wire, &m); err != nil || m == nil {
		return Answer{}, errors.New("the answer is no object")
	}
	var kind string
	if err := read(m, "type", &kind); err != nil {
		return Answer{}, err
	}
	if Type(kind) != s.Type {
		return Answer{}, fmt.Errorf("the answer is a %q, not a %s", clip(kind), s.Type)
	}
	a := Answer{Type: s.Type}
	var err error
	switch s.Type {
	case Noul:
		if a.Noul, err = readNumber(m, "noul", 1); err != nil {
			return Answer{}, err
		}
		return a, nil
	case Choice:
		if err := read(m, "choice", &a.Choice); err != nil {
			return Answer{}, err
		}
		if !slices.Contains(s.names(), a.Choice) {
			return Answer{}, fmt.Errorf("the answer %q is none of the options", clip(a.Choice))
		}
	case Score:
		if a.Score, err = readNumber(m, "score", float64(len(s.Criteria)-1)); err != nil {
			return Answer{}, err
		}
	default:
		return Answer{}, fmt.Errorf("unknown type %q", s.Type)
	}
	if a.Confidence, err = readNumber(m, "confidence", 1); err != nil {
		return Answer{}, err
	}
	if a.Probabilities, err = readProbabilities(m, s); err != nil {
		return Answer{}, err
	}
	return a, nil
}

// read takes the named member, which must be there and of v's type. Names are
// compared exactly, as encoding/json does not for structs.
func read(m map[string]json.RawMessage, name string, v any) error {
	raw, ok := m[name]
	if !ok || string(raw) == "null" {
		return fmt.Errorf("the answer has no %s", name)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("the answer's %s is %s", name, clip(string(raw)))
	}
	return nil
}

func readNumber(m map[string]json.RawMessage, name string, top float64) (float64, error) {
	var v float64
	if err := read(m, name, &v); err != nil {
		return 0, err
	}
	if v < -slack || v > top+slack {
		return 0, fmt.Errorf("the answer's %s is %v, not between 0 and %g", name, v, top)
	}
	return min(max(v, 0), top), nil
}

func readProbabilities(m map[string]json.RawMessage, s Spec) (map[string]float64, error) {
	if _, ok := m["probabilities"]; !ok {
		return nil, nil
	}
	var all map[string]json.RawMessage
	if err := read(m, "probabilities", &all); err != nil {
		return nil, err
	}
	known := s.names()
	if s.Type == Score {
		for i := range known {
			known[i] = strconv.Itoa(i)
		}
	}
	out := make(map[string]float64, len(all))
	for name := range all {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("the answer has a probability for %q, which was not offered", clip(name))
		}
		p, err := readNumber(all, name, 1)
		if err != nil {
			return nil, fmt.Errorf("probabilities: %w", err)
		}
		out[name] = p
	}
	return out, nil
}

// clip makes foreign text fit to stand in an error: short and printable.
func clip(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
}
