package program

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/glob"
)

// Result is what the tables say about one call of a program.
type Result struct {
	// Label is the program with its subcommand, as far as a line names it.
	Label string
	// Dir is the folder that relative paths are taken from, "" for the current one.
	Dir effect.Value
	// Acts are the effects and verbs of all lines that fit.
	Acts []Act
	// Network is true for a program that can send its words to another machine.
	Network bool
	// Talks is true for one that posts its words where others read them.
	Talks bool
	// Tests says where to look whether all that it works on is there for tests.
	Tests Tests
}

// Tests is what a program's block and words say about what it works on.
type Tests struct {
	// Known is true for a program whose block says where such names stand.
	Known bool
	// Names are the names of databases, clusters and the like among the words, Hosts
	// those of the machines.
	Names, Hosts []effect.Value
	// Env is true where variables and flags name the environment, Targets where the
	// targets of an effect are the names.
	Env, Targets bool
}

// Act is an effect, or a verb that says what words are for.
type Act struct {
	// Verb is a kind of effect, or run, shell, code, file, compile, fetch, copy, out.
	Verb string
	// Arg is the language of code, file and compile, the source of out.
	Arg string
	// Targets are what it is done to; Named is true where the table names some,
	// even if the command has none.
	Targets []effect.Value
	Named   bool
	// To is where copy and compile lead to.
	To []effect.Value
}

// Match looks a program up. name is as [Name] gives it, fed is true where something
// is fed to its standard input, cwd stands for the folder it runs in. ok is false
// for a program that the tables do not have.
func (x *Tables) Match(name string, words []effect.Value, fed bool, cwd string) (r Result, ok bool) {
	t := x.table(name, words)
	if t == nil {
		return r, false
	}
	return t.match(name, words, fed, cwd, nil), true
}

func (t *table) match(name string, words []effect.Value, fed bool, cwd string, fired func(*line)) (r Result) {
	r.Label, r.Network, r.Talks = name, t.network(), t.talks
	a := t.split(words)
	for _, f := range a.flags {
		if slices.Contains(t.none, f.name) && !(f.has && (f.value.Text == "false" || f.value.Text == "none")) ||
			f.has && slices.Contains(t.none, f.name+"="+f.value.Text) {
			return r
		}
		if f.has && slices.Contains(t.dirs, f.name) {
			r.Dir = f.value
		}
	}
	r.Tests = t.standing(a)
	for _, l := range t.lines {
		rest, ok := l.fits(t, a, fed)
		if !ok {
			continue
		}
		if fired != nil {
			fired(l)
		}
		if n := len(l.words); n > 0 {
			label := name
			for _, o := range a.operands[:n] {
				label += " " + o.Text
			}
			if len(label) > len(r.Label) {
				r.Label = label
			}
		}
		for _, s := range l.acts {
			r.Acts = append(r.Acts, l.act(s, a, rest, cwd))
		}
	}
	return r
}

// standing collects what says whether all is there for tests.
func (t *table) standing(a args) Tests {
	out := Tests{Known: len(t.tests) > 0}
	if !out.Known {
		return out
	}
	var l line
	for _, where := range t.tests {
		switch where {
		case "env":
			out.Env = true
		case "targets":
			out.Targets = true
		default:
			where, perhaps := strings.CutPrefix(where, "?")
			for _, v := range l.pick(where, a, a.operands, "") {
				if !perhaps || effect.StandingOf(v) != effect.Unsaid {
					out.Names = append(out.Names, v)
				}
			}
		}
	}
	for _, f := range a.flags {
		if f.has && slices.Contains(t.hosts, f.name) {
			out.Hosts = append(out.Hosts, f.value)
		}
	}
	return out
}

// fits reports whether the line's pattern holds, and gives the operands that are
// left after its words.
func (l *line) fits(t *table, a args, fed bool) ([]operand, bool) {
	if len(a.operands) < len(l.words) || l.fed > 0 && !fed || l.fed < 0 && fed {
		return nil, false
	}
	for i, w := range l.words {
		s := a.operands[i].Text
		if t.style == slash || t.style == pwsh {
			s = strings.ToLower(s)
		}
		if !matchAny(w, s) {
			return nil, false
		}
	}
	for _, f := range l.flags {
		if f.in(t, a) == f.not {
			return nil, false
		}
	}
	rest := a.operands[len(l.words):]
	for _, o := range l.ops {
		if o.in(t, rest) == o.not {
			return nil, false
		}
	}
	return rest, true
}

func (f flagToken) in(t *table, a args) bool {
	for _, have := range a.flags {
		for _, alt := range f.alts {
			if have.name == alt.name && (!alt.valued || have.has && glob.Match(alt.value, t.fold(have.value.Text))) {
				return true
			}
		}
	}
	return false
}

func (t *table) fold(s string) string {
	if t.style == slash || t.style == pwsh {
		return strings.ToLower(s)
	}
	return s
}

func (o opToken) in(t *table, rest []operand) bool {
	if o.at > 0 {
		return o.at <= len(rest) && o.matches(t, rest[o.at-1].Text)
	}
	return slices.ContainsFunc(rest, func(w operand) bool { return o.matches(t, w.Text) })
}

// matches reports whether an operand is what is asked for; what lies in the person's home
// may also be written with ~.
func (o opToken) matches(t *table, s string) bool {
	s = t.fold(s)
	if matchAny(o.globs, s) {
		return true
	}
	rest, ok := strings.CutPrefix(s, t.home)
	return ok && t.home != "" && (rest == "" || rest[0] == '/') && matchAny(o.globs, "~"+rest)
}

func (l *line) act(s actSpec, a args, rest []operand, cwd string) Act {
	out := Act{Verb: s.verb, Arg: s.arg, Named: len(s.targets) > 0}
	switch {
	case s.verb == "run" && len(s.targets) > 0 && s.targets[0] == "after":
		for _, names := range s.targets[1:] {
			for _, f := range a.flags {
				if slices.Contains(alternatives(names), f.name) {
					if len(out.Targets) > 0 {
						out.Targets = append(out.Targets, effect.Lit(";")) // several commands
					}
					out.Targets = append(out.Targets, command(a.words[f.at+1:])...)
				}
			}
		}
	case s.verb == "run" && len(s.targets) == 1 && isPosition(s.targets[0]):
		if ops := l.pick(s.targets[0], a, rest, cwd); len(ops) > 0 {
			from := rest[len(rest)-len(ops)].at
			out.Targets = a.words[from:]
		}
	case (s.verb == "copy" || s.verb == "compile") && len(s.targets) == 2:
		out.Targets, out.To = l.pick(s.targets[0], a, rest, cwd), l.pick(s.targets[1], a, rest, cwd)
	default:
		for _, t := range s.targets {
			out.Targets = append(out.Targets, l.pick(t, a, rest, cwd)...)
		}
	}
	return out
}

// isPosition reports whether a target of run is one from which all words are taken.
func isPosition(t string) bool {
	return t == "operands" || t == "first" || strings.HasSuffix(t, "-") && !isFlag(t)
}

// command is a command up to the ; or + that ends it.
func command(words []effect.Value) []effect.Value {
	for i, w := range words {
		if w.Text == ";" || w.Text == `\;` || w.Text == "+" && i > 0 && words[i-1].Text == "{}" {
			return words[:i]
		}
	}
	return words
}

// pick gives the values of one target.
func (l *line) pick(target string, a args, rest []operand, cwd string) []effect.Value {
	var out []effect.Value
	add := func(ops []operand, f func(string) string) {
		for _, o := range ops {
			v := o.Value
			if f != nil {
				v.Text = f(v.Text)
			}
			out = append(out, v)
		}
	}
	n := len(rest)
	switch {
	case target == "operands":
		add(rest, nil)
	case target == "first" && n > 0:
		add(rest[:1], nil)
	case target == "last" && n > 0:
		add(rest[n-1:], nil)
	case target == "rest" && n > 0:
		add(rest[:n-1], nil)
	case target == "urls":
		add(rest, host)
	case target == "names":
		add(rest, base)
	case target == "cwd":
		return []effect.Value{effect.Lit(cwd)}
	case target == "stdin":
		return []effect.Value{{Text: Stdin, Open: true}}
	case strings.HasPrefix(target, "="):
		return []effect.Value{effect.Lit(target[1:])}
	case isFlag(target):
		return l.flagValues(alternatives(target), a)
	case target[0] >= '1' && target[0] <= '9':
		i := int(target[0] - '0')
		switch {
		case i > n:
		case strings.HasSuffix(target, "-"):
			add(rest[i-1:], nil)
		default:
			add(rest[i-1:i], nil)
		}
	}
	return out
}

// Stdin is the text of a target that stands for what is fed to the program.
const Stdin = "<stdin>"

// flagValues gives the values of flags. Where the pattern asks for a value of a
// certain shape, only such values.
func (l *line) flagValues(names []string, a args) []effect.Value {
	var out []effect.Value
	for _, f := range a.flags {
		if !f.has || !slices.Contains(names, f.name) || !l.wanted(f) {
			continue
		}
		v := f.value
		if i := strings.IndexByte(v.Text, '@'); i == 0 || i > 0 && v.Text[i-1] == '=' {
			v.Text = v.Text[i+1:]
		}
		if i := strings.Index(v.Text, "=<"); i >= 0 { // a field of curl's form
			v.Text = v.Text[i+2:]
		}
		for _, scheme := range []string{"fileb://", "file://"} {
			v.Text = strings.TrimPrefix(v.Text, scheme)
		}
		out = append(out, v)
	}
	return out
}

func (l *line) wanted(f flag) bool {
	asked := false
	for _, tok := range l.flags {
		if tok.not {
			continue
		}
		for _, alt := range tok.alts {
			if alt.name == f.name && alt.valued {
				asked = true
				if glob.Match(alt.value, f.value.Text) || glob.Match(alt.value, strings.ToLower(f.value.Text)) {
					return true
				}
			}
		}
	}
	return !asked
}

func knownKind(s string) bool { return effect.Known(effect.Kind(s)) }

func knownTarget(s string) bool {
	switch s {
	case "operands", "first", "last", "rest", "stdin", "cwd", "urls", "names", "after":
		return true
	}
	return isFlag(s) || s[0] == '=' || s[0] >= '1' && s[0] <= '9'
}

// network reports whether a line of the table speaks of other machines.
func (t *table) network() bool {
	for _, l := range t.lines {
		for _, a := range l.acts {
			if a.verb == "data.send" || a.verb == "fetch" || a.verb == "out" && a.arg == "download" {
				return true
			}
		}
	}
	return false
}
