package redact

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fireharp/overseer/internal/hint"
)

// Pattern is a person's own regular expression, in Go's syntax. All that it
// matches is secret, or its group named "secret" if that took part.
type Pattern struct {
	Expr string
	// At is where it is written, as file:line:col.
	At string
}

// user is a pattern that is read when it is first used, and compiled when a text
// could match it.
type user struct {
	Pattern
	need     func() need
	compiled func() (*regexp.Regexp, error)
	used     atomic.Bool // so it is compiled
}

func newUser(p Pattern) *user {
	return &user{
		Pattern:  p,
		need:     sync.OnceValue(func() need { return needOf(p.Expr) }),
		compiled: sync.OnceValues(func() (*regexp.Regexp, error) { return compile(p) }),
	}
}

// group is the name of the group that is the secret.
const group = "secret"

// compile reads a pattern. The error begins with its place. A pattern that comes
// with an error is in force nevertheless.
func compile(p Pattern) (*regexp.Regexp, error) {
	re, err := regexp.Compile(p.Expr)
	if err != nil {
		why := err
		var se *syntax.Error
		if errors.As(err, &se) {
			why = fmt.Errorf("%s: %q", se.Code, se.Expr)
		}
		return nil, broken(p, why, advice(se))
	}
	// What the pattern would do to these is no redaction of secrets.
	for _, s := range []string{"", "a", "the quick brown fox", "ls -la /usr/share/doc"} {
		if m := re.FindStringIndex(s); m == nil {
			continue
		} else if m[0] == m[1] {
			return nil, broken(p, errors.New("it matches the empty text"), "say how much it has to match at least, such as {8,} instead of *")
		} else if m[0] == 0 && m[1] == len(s) {
			return nil, broken(p, fmt.Errorf("it matches everything, even %q", s), "say what comes before the secret, or how long it is")
		}
	}
	if emptyGroup(p.Expr) {
		return re, hint.Wrap(fmt.Errorf("%s: the pattern %q hides nothing where its group %q is empty", p.At, p.Expr, group),
			"say in the group how much it has to match at least, such as + instead of *")
	}
	return re, nil
}

// emptyGroup reports whether the group that is the secret can match the empty text.
func emptyGroup(expr string) bool {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return false
	}
	for todo := []*syntax.Regexp{re}; len(todo) > 0; {
		x := todo[0]
		if x.Op == syntax.OpCapture && x.Name == group {
			inner, err := regexp.Compile(`\A(?:` + x.Sub[0].String() + `)\z`)
			return err == nil && inner.MatchString("")
		}
		todo = append(todo[1:], x.Sub...)
	}
	return false
}

func broken(p Pattern, err error, advice string) error {
	return hint.Wrap(fmt.Errorf("%s: the pattern %q is not in force: %w", p.At, p.Expr, err), "%s", advice)
}

// advice says what to write instead.
func advice(err *syntax.Error) string {
	if err == nil {
		return "write a regular expression in Go's syntax (RE2)"
	}
	switch err.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		return `a bracket is one by \( and \); pairs of ( and ) group`
	case syntax.ErrMissingBracket, syntax.ErrInvalidCharRange, syntax.ErrInvalidCharClass:
		return `a set is closed by ]; a [ that stands for itself is \[, and a - comes last in its set`
	case syntax.ErrMissingRepeatArgument, syntax.ErrInvalidRepeatOp:
		return `*, + and ? follow what they repeat; to stand for themselves they are \*, \+ and \?`
	case syntax.ErrInvalidRepeatSize:
		return "a count is at most 1000"
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidNamedCapture:
		return "Go has no look-around: write what stands before the secret, and the secret as (?P<secret>…)"
	case syntax.ErrInvalidEscape:
		if strings.ContainsAny(err.Expr, "123456789") {
			return "Go has no back-references"
		}
		return `a backslash is \\; in config.toml write patterns in single quotes`
	}
	return "write a regular expression in Go's syntax (RE2)"
}

// Faults are the errors of the patterns that are broken and so not in force, with
// their places. Each has a hint.
func (s *Set) Faults() []error { return s.faults(func(*user) bool { return true }) }

// Met are the faults that the set has met with so far. It compiles nothing: a
// pattern that could not have matched is not looked at. One that is no expression
// is met with the first text.
func (s *Set) Met() []error { return s.faults(func(u *user) bool { return u.used.Load() }) }

func (s *Set) faults(of func(*user) bool) []error {
	if s == nil {
		return nil
	}
	var out []error
	for _, u := range s.user {
		if !of(u) {
			continue
		}
		if _, err := u.compiled(); err != nil {
			out = append(out, err)
		}
	}
	return out
}

// find adds the pattern's secrets in text to found. lower is text in lower case.
func (u *user) find(text, lower string, found []span) []span {
	if n := u.need(); !n.meets(text, lower) {
		return found
	}
	u.used.Store(true)
	re, _ := u.compiled()
	if re == nil {
		return found
	}
	at := 2 * max(0, re.SubexpIndex(group))
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		x := span{m[at], m[at+1]}
		if x.from < 0 { // the group is in another alternative: all is secret
			x = span{m[0], m[1]}
		}
		if x.from < x.to && !withinMark(text, x) {
			found = append(found, x)
		}
	}
	return found
}

// withinMark reports whether x is part of what was redacted before.
func withinMark(text string, x span) bool {
	if x.to-x.from > len(Mark) {
		return false
	}
	near := max(0, x.from-len(Mark))
	i := strings.Index(text[near:min(len(text), x.to+len(Mark))], Mark)
	return i >= 0 && near+i <= x.from && x.to <= near+i+len(Mark)
}
