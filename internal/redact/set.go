package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Set is what is taken for a secret: the built-in shapes, names and places, and a
// person's own patterns. A nil Set takes nothing out. It is safe for concurrent
// use.
type Set struct {
	user []*user
}

// Builtin are the built-in shapes, names and places alone.
var Builtin = &Set{}

// New gives the built-in set and the patterns in addition. A broken pattern is
// left out; [Set.Faults] tells.
func New(patterns ...Pattern) *Set {
	s := &Set{}
	for _, p := range patterns {
		s.user = append(s.user, newUser(p))
	}
	return s
}

// Text returns text without the secrets in it. Redacting the result again changes
// nothing.
func (s *Set) Text(text string) string { return s.Part(text, 0, len(text)) }

// Margin is how far around a part of a text is searched: a secret is known by what
// stands before it, and by its length. The longest that has to be seen whole is
// the first third of a JSON web token, or a password in an address.
const Margin = 1 << 10

// Part returns text[from:to] without secrets, and without the parts of those that
// reach over its ends. It takes the time to search from to to and a margin,
// however long text is.
func (s *Set) Part(text string, from, to int) string {
	if s == nil {
		return text[from:to]
	}
	begin, end := max(0, from-Margin), min(len(text), to+Margin)
	for begin > 0 && begin < len(text) && !utf8.RuneStart(text[begin]) {
		begin--
	}
	window := text[begin:end]
	return replace(window, s.find(window), from-begin, to-begin)
}

// span is a secret: text[from:to].
type span struct{ from, to int }

// find gives the secrets in text, in order and apart.
func (s *Set) find(text string) []span {
	found := builtin(text)
	if len(s.user) > 0 {
		lower := strings.ToLower(text)
		for _, u := range s.user {
			found = u.find(text, lower, found)
		}
	}
	return join(found)
}

// join sorts spans and unites those that touch.
func join(all []span) []span {
	if len(all) < 2 {
		return all
	}
	slices.SortFunc(all, func(a, b span) int { return a.from - b.from })
	out := all[:1]
	for _, x := range all[1:] {
		if last := &out[len(out)-1]; x.from <= last.to {
			last.to = max(last.to, x.to)
			continue
		}
		out = append(out, x)
	}
	return out
}

// replace gives text[from:to] with [Mark] for every secret.
func replace(text string, secrets []span, from, to int) string {
	if len(secrets) == 0 {
		return text[from:to]
	}
	var b strings.Builder
	for _, x := range secrets {
		if x.to <= from {
			continue
		}
		if x.from >= to {
			break
		}
		if x.from > from {
			b.WriteString(text[from:x.from])
		}
		b.WriteString(Mark)
		from = min(x.to, to)
	}
	b.WriteString(text[from:to])
	return b.String()
}
