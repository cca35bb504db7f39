package redact

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// need is what a text must have for a pattern to match: one of some words, or a
// run of bytes of a class. Looking for it is a hundred times as fast as matching.
// The zero need is met by every text.
type need struct {
	words []string // in lower case
	class *[256]bool
	min   int // length of the run
}

// meets reports whether text, with lower its lower case, can match.
func (n *need) meets(text, lower string) bool {
	if n.class != nil {
		have := 0
		for i := 0; i < len(text) && have < n.min; i++ {
			have++
			if !n.class[text[i]] {
				have = 0
			}
		}
		if have < n.min {
			return false
		}
	}
	for _, w := range n.words {
		if strings.Contains(lower, w) {
			return true
		}
	}
	// A letter can have another form outside of ASCII, such as the long s.
	return len(n.words) == 0 || strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0
}

// needOf tells what the expression needs: nothing if it is broken, so that it is
// used, and noticed, at once.
func needOf(expr string) need {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return need{}
	}
	n := need{words: wordsOf(re)}
	n.class, n.min = runOf(re)
	return n
}

// wordsOf gives words of which each match has one, nil if that cannot be said.
func wordsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if w := strings.ToLower(string(re.Rune)); len(w) > 1 && len(w) == run(w, 0, func(c byte) bool { return c < utf8.RuneSelf }) {
			return []string{w}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return wordsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return wordsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if w := wordsOf(sub); w != nil {
				return w
			}
		}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			w := wordsOf(sub)
			if w == nil {
				return nil
			}
			all = append(all, w...)
		}
		return all
	}
	return nil
}

// runOf gives a class of ASCII and how many of it each match has in a row.
func runOf(re *syntax.Regexp) (*[256]bool, int) {
	switch re.Op {
	case syntax.OpCapture:
		return runOf(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if c, n := runOf(sub); c != nil {
				return c, n
			}
		}
	case syntax.OpRepeat:
		sub := re.Sub[0]
		if re.Min < 8 || sub.Op != syntax.OpCharClass {
			return nil, 0
		}
		var c [256]bool
		for i := 0; i < len(sub.Rune); i += 2 {
			if sub.Rune[i+1] >= utf8.RuneSelf {
				return nil, 0
			}
			for r := sub.Rune[i]; r <= sub.Rune[i+1]; r++ {
				c[r] = true
			}
		}
		return &c, re.Min
	}
	return nil, 0
}
