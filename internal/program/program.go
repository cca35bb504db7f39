// Package program knows what programs do with their words. The knowledge stands
// in tables (tables/*.txt, described in docs/programs.md); this package finds the
// block of a program, tells its flags from its operands, and says which lines of
// the table fit. It is pure: nothing is read but the embedded tables.
package program

import (
	"path"
	"strings"

	"github.com/fireharp/overseer/internal/glob"
	"github.com/fireharp/overseer/internal/lazy"
)

// Name is the name under which the tables know a program: its base name in lower
// case without the ending of an executable.
func Name(word string) string {
	if i := strings.LastIndexAny(word, `/\`); i >= 0 {
		word = word[i+1:]
	}
	name := strings.ToLower(word)
	for _, ext := range []string{".exe", ".com", ".cmd", ".bat"} {
		if s, ok := strings.CutSuffix(name, ext); ok && s != "" {
			return s
		}
	}
	return name
}

// alternatives splits a|b.
func alternatives(s string) []string { return strings.Split(s, "|") }

// matchAny reports whether one of the globs matches.
func matchAny(globs []string, s string) bool {
	for _, g := range globs {
		if g == s || glob.Match(g, s) {
			return true
		}
	}
	return false
}

// Assigned gives the kinds of effect that a variable of this name and value has on
// programs that are started with it.
func Assigned(name, value string) []string {
	var out []string
	v := variables.Get(readVariables)
	for _, list := range [][]variable{v.named[name], v.globs} {
		for _, a := range list {
			if (a.name == name || glob.Match(a.name, name)) && matchAny(a.values, value) {
				out = append(out, a.kinds...)
			}
		}
	}
	return out
}

// variable is a line of the tables about variables.
type variable struct {
	name          string
	values, kinds []string
}

// variables has the tables about variables, those with a glob for a name apart.
var variables lazy.Value[variableTable]

type variableTable struct {
	named map[string][]variable
	globs []variable
}

func readVariables() variableTable {
	all := variableTable{named: map[string][]variable{}}
	for _, l := range readAssigns() {
		left, right, ok := strings.Cut(l, " => ")
		if !ok {
			continue
		}
		n, v, ok := strings.Cut(strings.TrimSpace(left), "=")
		if !ok {
			continue
		}
		a := variable{name: n, values: alternatives(v)}
		for k := range strings.SplitSeq(right, ",") {
			a.kinds = append(a.kinds, strings.TrimSpace(k))
		}
		if strings.ContainsAny(n, `*?\`) {
			all.globs = append(all.globs, a)
		} else {
			all.named[n] = append(all.named[n], a)
		}
	}
	return all
}

// base is the last part of a path or a URL's path.
func base(s string) string {
	s, _, _ = strings.Cut(s, "?")
	return path.Base(s)
}

// host is the host of a URL or of user@host:path.
func host(s string) string {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	s, _, _ = strings.Cut(s, "/")
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[i+1:]
	}
	if strings.HasPrefix(s, "[") {
		s, _, _ = strings.Cut(s[1:], "]")
		return s
	}
	s, _, _ = strings.Cut(s, ":")
	return s
}
