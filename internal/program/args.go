package program

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// args are a program's words, told apart.
type args struct {
	flags    []flag
	operands []operand
	words    []effect.Value
}

type flag struct {
	name  string
	value effect.Value
	has   bool // it has a value
	at    int  // index of its word
}

type operand struct {
	effect.Value
	at int
}

// split tells flags from operands.
func (t *table) split(words []effect.Value) args {
	a := t.scan(words, t.values)
	if t.scoped != nil {
		// Which flags take a value may depend on the subcommand.
		for i := range min(2, len(a.operands)) {
			if more := t.scoped[a.operands[i].Text]; more != nil {
				return t.scan(words, append(more, t.values...))
			}
		}
	}
	return a
}

func (t *table) scan(words []effect.Value, values []string) args {
	a := args{words: words}
	for i := 0; i < len(words); i++ {
		w := words[i]
		s := w.Text
		if t.style == slash || t.style == pwsh {
			s = strings.ToLower(s)
		}
		switch {
		case s == "--" && t.style != slash:
			if t.after == nil {
				a.flags = append(a.flags, flag{name: "--", at: i})
				for j := i + 1; j < len(words); j++ {
					a.operands = append(a.operands, operand{words[j], j})
				}
				return a
			}
		case !t.flagLike(s):
			a.operands = append(a.operands, operand{w, i})
			n := len(a.operands)
			if t.stops || n > 1 && slices.Contains(t.inner, a.operands[n-2].Text) {
				for j := i + 1; j < len(words); j++ {
					a.operands = append(a.operands, operand{words[j], j})
				}
				return a
			}
		default:
			i = t.flag(&a, w, s, i, values)
		}
	}
	return a
}

func (t *table) flagLike(s string) bool {
	if len(s) < 2 {
		return false
	}
	if t.style == slash {
		name, _, _ := strings.Cut(s[1:], ":") // /format:http://host
		return s[0] == '/' && !strings.Contains(name, "/") || s[0] == '-'
	}
	if s[0] == '+' {
		return slices.Contains(t.known, s)
	}
	return s[0] == '-'
}

// flag reads one flag word and gives the index of the last word that it took.
func (t *table) flag(a *args, w effect.Value, s string, i int, values []string) int {
	if slices.Contains(t.after, s) { // -exec … ;
		a.flags = append(a.flags, flag{name: s, at: i})
		for i++; i < len(a.words); i++ {
			if x := a.words[i].Text; x == ";" || x == `\;` || x == "+" && i > 0 && a.words[i-1].Text == "{}" {
				break
			}
		}
		return i
	}
	sep := "="
	if t.style == slash || t.style == pwsh {
		sep = ":"
	}
	name, value, joined := strings.Cut(s, sep)
	if joined { // the value as it was written
		value = w.Text[len(w.Text)-len(value):]
	}
	takes := func(n string) bool { return slices.Contains(values, n) }
	next := func(n string) int {
		f := flag{name: n, at: i}
		if takes(n) && i+1 < len(a.words) {
			i++
			f.value, f.has = a.words[i], true
		}
		a.flags = append(a.flags, f)
		return i
	}
	full := t.canonical(name)
	switch {
	case joined:
		a.flags = append(a.flags, flag{full, effect.Value{Text: value, Open: w.Open, Origin: w.Origin}, true, i})
		if t.style == clustered && name[0] == '-' && !strings.HasPrefix(name, "--") && len(name) > 2 && !slices.Contains(t.known, name) {
			return t.cluster(a, w, s, i, values) // -xk=v
		}
		return i
	case full != "" && (slices.Contains(t.known, full) || takes(full)):
		return next(full)
	case t.style != clustered || strings.HasPrefix(s, "--"):
		return next(name)
	}
	return t.cluster(a, w, s, i, values)
}

// cluster reads -rf, -n5, -ofile.
func (t *table) cluster(a *args, w effect.Value, s string, i int, values []string) int {
	var seen [256]bool // a letter that stands there again says no more
	for j := 1; j < len(s); j++ {
		if seen[s[j]] {
			continue
		}
		seen[s[j]] = true
		f := flag{name: "-" + s[j:j+1], at: i}
		if slices.Contains(values, f.name) {
			f.has = true
			if j+1 < len(s) {
				f.value = effect.Value{Text: strings.TrimPrefix(w.Text[j+1:], "="), Open: w.Open, Origin: w.Origin}
			} else if i+1 < len(a.words) {
				i++
				f.value = a.words[i]
			}
			a.flags = append(a.flags, f)
			return i
		}
		a.flags = append(a.flags, f)
	}
	return i
}

// canonical is the flag that an abbreviation stands for: --recur, -rec.
func (t *table) canonical(name string) string {
	if slices.Contains(t.known, name) {
		return name
	}
	if t.style == pwsh && len(name) > 1 || t.style == clustered && strings.HasPrefix(name, "--") && len(name) > 4 {
		found := ""
		for _, k := range t.known {
			if strings.HasPrefix(k, name) && k != found {
				if found != "" {
					return name
				}
				found = k
			}
		}
		if found != "" {
			return found
		}
	}
	return name
}
