package judgment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
)

// Confidence is the field of a condition that looks at how concentrated a choice
// or a score was, instead of at the answer itself.
const Confidence = "confidence"

// Condition is one threshold on one judgment, an entry of a rule's "when:".
type Condition struct {
	// Judgment is the name of the judgment.
	Judgment string
	// Field is "" for the answer itself, or [Confidence].
	Field string
	// Op is one of >=, >, <=, <, ==, !=.
	Op string
	// Value is a number, or the name of an option.
	Value string
}

// operators, the longer first.
var operators = []string{">=", "<=", "==", "!=", ">", "<"}

// ParseCondition reads an entry of "when:". key is a judgment's name, with
// ".confidence" behind it or not; value is what YAML makes of the rest: a string
// with an operator, a bare number, which means >=, or a bare word, which means ==.
// Whether it fits the judgment is for [Condition.Check] to say.
func ParseCondition(key string, value any) (Condition, error) {
	c, err := parseKey(key)
	if err != nil {
		return Condition{}, err
	}
	var text string
	switch v := value.(type) {
	case string:
		text = strings.TrimSpace(v)
	case bool, int, int64, uint64:
		text = fmt.Sprint(v)
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case nil:
	default:
		return Condition{}, hint.Wrap(fmt.Errorf("condition on %q is not a number or a word", key), `write it as in %s: ">= 0.85"`, key)
	}
	if text == "" {
		return Condition{}, hint.Wrap(fmt.Errorf("condition on %q is empty", key), `write it as in %s: ">= 0.85"`, key)
	}
	if strings.ContainsRune("<>=!", rune(text[0])) {
		return c.withTest(text)
	}
	if _, ok := number(text); ok {
		c.Op = ">="
	} else {
		c.Op = "=="
	}
	c.Value = text
	return c, nil
}

// ParseDirective reads a condition written in one word, as the constitution's
// judge= has it: "destroys_work>=0.85", "destination.confidence>0.6".
func ParseDirective(text string) (Condition, error) {
	i := strings.IndexAny(text, "<>=!")
	if i < 0 {
		return Condition{}, hint.Wrap(fmt.Errorf("%q compares nothing", text), `write it as in judge=destroys_work>=0.85`)
	}
	c, err := parseKey(text[:i])
	if err != nil {
		return Condition{}, err
	}
	return c.withTest(text[i:])
}

func parseKey(key string) (Condition, error) {
	name, field, dotted := strings.Cut(strings.TrimSpace(key), ".")
	if err := checkName(name); err != nil {
		return Condition{}, err
	}
	if dotted && field != Confidence {
		return Condition{}, hint.Wrap(fmt.Errorf("judgment %q has no field %q", name, field), "the only field is .%s", Confidence)
	}
	return Condition{Judgment: name, Field: field}, nil
}

// withTest reads the operator and the value.
func (c Condition) withTest(text string) (Condition, error) {
	for _, op := range operators {
		rest, ok := strings.CutPrefix(text, op)
		if !ok {
			continue
		}
		c.Op, c.Value = op, strings.TrimSpace(rest)
		switch {
		case c.Value == "":
			return Condition{}, fmt.Errorf("condition on %q: nothing follows %s", c.subject(), op)
		case strings.ContainsRune("<>=!", rune(c.Value[0])):
			return Condition{}, c.unknownOperator(text)
		}
		return c, nil
	}
	return Condition{}, c.unknownOperator(text)
}

func (c Condition) unknownOperator(text string) error {
	end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("<>=!~", r) })
	if end < 0 {
		end = len(text)
	}
	return hint.Wrap(fmt.Errorf("condition on %q: unknown operator %q", c.subject(), text[:end]), "the operators are >=, >, <=, <, == and !=")
}

// Check reports what in the condition does not fit the judgments that are
// declared: it could only ever be wrong, so it is found when the rules are loaded.
func (c Condition) Check(specs []Spec) error {
	i := slices.IndexFunc(specs, func(s Spec) bool { return s.Name == c.Judgment })
	if i < 0 {
		return c.unknown(specs)
	}
	if err := c.checkType(specs[i]); err != nil {
		return fmt.Errorf("condition %q: %w", c, err)
	}
	return nil
}

func (c Condition) unknown(specs []Spec) error {
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	err := fmt.Errorf("unknown judgment %q", c.Judgment)
	if best := hint.Nearest(c.Judgment, names); best != "" {
		return hint.Wrap(err, "did you mean %q?", best)
	}
	if len(names) == 0 {
		return hint.Wrap(err, "no judgments are declared")
	}
	return hint.Wrap(err, "declared are %s", strings.Join(names, ", "))
}

func (c Condition) checkType(s Spec) error {
	top := 1.0
	switch {
	case c.Field == Confidence && s.Type == Noul:
		return hint.Wrap(errors.New("a noul has no confidence"), "the probability is the signal: write %s %s %s", c.Judgment, c.Op, c.Value)
	case c.Field == Confidence:
	case s.Type == Choice:
		return c.checkOption(s)
	case s.Type == Score:
		top = float64(len(s.Criteria) - 1)
	}
	v, ok := number(c.Value)
	switch {
	case !ok && s.Type == Noul:
		return hint.Wrap(fmt.Errorf("%q is no number", c.Value), `a noul is a probability: write it as in ">= 0.85"`)
	case !ok && s.Type == Score && c.Field == "":
		return hint.Wrap(fmt.Errorf("%q is no number", c.Value), "the levels count from 0 to %g", top)
	case !ok:
		return fmt.Errorf("%q is no number", c.Value)
	case (v < 0 || v > top) && s.Type == Score && c.Field == "":
		return fmt.Errorf("level %s is out of range, the levels count from 0 to %g", c.Value, top)
	case v < 0 || v > top:
		return fmt.Errorf("%s is not between 0 and 1", c.Value)
	case c.Op == ">" && v == top, c.Op == "<" && v == 0:
		return fmt.Errorf("it can never hold, the range is 0 to %g", top)
	}
	return nil
}

func (c Condition) checkOption(s Spec) error {
	if c.Op != "==" && c.Op != "!=" {
		return hint.Wrap(fmt.Errorf("the options of a choice have no order, %s cannot compare them", c.Op), `write "== %s", or ask for %s.confidence`, c.Value, c.Judgment)
	}
	if slices.Contains(s.names(), c.Value) {
		return nil
	}
	err := fmt.Errorf("%q is no option of the judgment", c.Value)
	if best := hint.Nearest(c.Value, s.names()); best != "" {
		return hint.Wrap(err, "did you mean %q?", best)
	}
	return hint.Wrap(err, "the options are %s", strings.Join(s.names(), ", "))
}

// Of is the value that the condition looks at: a float64, or for a choice the
// option as a string. It is nil where the answer has no such value.
func (c Condition) Of(a Answer) any {
	switch {
	case c.Field == Confidence && (a.Type == Choice || a.Type == Score):
		return a.Confidence
	case c.Field != "":
		return nil
	case a.Type == Noul:
		return a.Noul
	case a.Type == Choice:
		return a.Choice
	case a.Type == Score:
		return a.Score
	}
	return nil
}

// Holds reports whether the answer meets the condition. No answer (the zero
// Answer) meets none, not even a "!=". Numbers are compared as they are: a score
// between two levels equals neither.
func (c Condition) Holds(a Answer) bool {
	switch got := c.Of(a).(type) {
	case string:
		switch c.Op {
		case "==":
			return got == c.Value
		case "!=":
			return got != c.Value
		}
	case float64:
		want, ok := number(c.Value)
		if !ok || math.IsNaN(got) {
			return false
		}
		switch c.Op {
		case ">=":
			return got >= want
		case ">":
			return got > want
		case "<=":
			return got <= want
		case "<":
			return got < want
		case "==":
			return got == want
		case "!=":
			return got != want
		}
	}
	return false
}

// String is the condition as a rule has it: "destroys_work >= 0.85".
func (c Condition) String() string { return c.subject() + " " + c.Test() }

// Test is the condition without its subject: ">= 0.85".
func (c Condition) Test() string { return c.Op + " " + c.Value }

func (c Condition) subject() string {
	if c.Field != "" {
		return c.Judgment + "." + c.Field
	}
	return c.Judgment
}

// number reads a decimal number. Unlike [strconv.ParseFloat] it knows no "nan",
// "inf", hexadecimal or "1_000".
func number(s string) (float64, bool) {
	if strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune("+-.0123456789eE", r) }) {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}
