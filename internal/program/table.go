package program

import (
	"fmt"
	"slices"
	"strings"
)

// style is how a program reads its flags.
type style int

const (
	clustered style = iota // -rf is -r -f
	long                   // -auto-approve is one flag
	slash                  // /s, as in cmd.exe
	pwsh                   // -Recurse, any case, abbreviated
)

// table is all that the blocks of one program say.
type table struct {
	style  style
	stops  bool
	talks  bool     // its words are posted where others read them
	inner  []string // subcommands behind which flags end at the next operand
	values []string // flags with a value
	scoped map[string][]string
	none   []string
	dirs   []string
	tests  []string // where names stand that may say that all is for tests
	hosts  []string // flags that name the machine it works on
	lines  []*line
	after  []string // flags that a command follows, up to ; or +
	known  []string // all flags that the block names
	home   string   // the person's home folder
}

// line is one line of a table: a pattern and its effects.
type line struct {
	at    place
	words [][]string // alternatives of each leading word
	flags []flagToken
	ops   []opToken
	fed   int // 1: must be fed, -1: must not
	acts  []actSpec
	yes   []string // examples that must fire
	no    []string
}

// place is where a line stands.
type place struct {
	file   string
	offset int // of the end of the line
}

func (p place) String() string {
	data, err := files.ReadFile("tables/" + p.file)
	if err != nil {
		return p.file
	}
	return fmt.Sprintf("%s:%d", p.file, 1+strings.Count(string(data[:min(p.offset, len(data))]), "\n"))
}

type flagToken struct {
	not  bool
	alts []flagAlt
}

// flagAlt is one flag, with the glob of its value if it has one.
type flagAlt struct {
	name, value string
	valued      bool
}

type opToken struct {
	not   bool
	at    int // 1-based, 0: any
	globs []string
}

type actSpec struct {
	verb, arg string   // "out", "download"
	targets   []string // as written
}

// verbs are what may stand for a kind.
var verbs = []string{"run", "shell", "fetch", "copy", "out", "made"}

// load reads blocks of a program, without the lines of subcommands that are not among
// the words. Without words it reads all lines. Faults of the tables are for the test.
func load(blocks []block, words []string, faults func(error)) *table {
	t := &table{none: []string{"--help", "--version"}}
	for _, b := range blocks {
		n := b.at
		for l := range strings.Lines(b.body) {
			n += len(l)
			if l = strings.TrimSpace(l); words != nil && !concerns(l, words) {
				continue
			}
			if err := t.read(b, l, n, faults != nil); err != nil && faults != nil {
				faults(err)
			}
		}
	}
	return t
}

// concerns reports whether a line can fit a command of these words, which are in
// lower case: an example cannot, nor can a line of another subcommand.
func concerns(l string, words []string) bool {
	if l == "" || l[0] == '#' || l[0] == '+' || l[0] == '-' {
		return false
	}
	sub := subcommand(l)
	if sub == "" {
		return true
	}
	for alt := range strings.SplitSeq(sub, "|") {
		if strings.ContainsAny(alt, "*?") || slices.Contains(words, strings.ToLower(alt)) {
			return true
		}
	}
	return false
}

// subcommand is the word that a line's pattern begins with behind the program, "" if it
// begins with none or the line is no pattern.
func subcommand(l string) string {
	pattern, _, ok := strings.Cut(l, "=>")
	if !ok {
		return ""
	}
	_, rest, _ := strings.Cut(pattern, " ")
	sub, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	if sub == "" || strings.IndexByte("-/+!{<", sub[0]) >= 0 {
		return ""
	}
	return sub
}

func (t *table) read(b block, l string, n int, examples bool) error {
	at := place{b.file, n}
	if l == "" || l[0] == '#' {
		return nil
	}
	if l[0] == '+' || l[0] == '-' {
		if !examples {
			return nil
		}
		if len(t.lines) == 0 {
			return fmt.Errorf("%s: example without a line", at)
		}
		last := t.lines[len(t.lines)-1]
		if l[0] == '+' {
			last.yes = append(last.yes, strings.TrimSpace(l[1:]))
		} else {
			last.no = append(last.no, strings.TrimSpace(l[1:]))
		}
		return nil
	}
	word, rest, _ := strings.Cut(l, " ")
	if word == "assign" {
		return nil
	}
	if !strings.Contains(l, "=>") {
		args := strings.Fields(rest)
		switch word {
		case "values":
			if len(args) > 0 && !isFlag(args[0]) {
				if t.scoped == nil {
					t.scoped = map[string][]string{}
				}
				for _, sub := range alternatives(args[0]) {
					t.scoped[sub] = append(t.scoped[sub], args[1:]...)
				}
				args = args[1:]
			} else {
				t.values = append(t.values, args...)
			}
			t.known = append(t.known, args...)
		case "none":
			t.none = append(t.none, args...)
			t.known = append(t.known, args...)
		case "dir":
			t.dirs = append(t.dirs, args...)
			t.values = append(t.values, args...)
		case "talks":
			t.talks = true
		case "tests":
			for _, a := range args {
				if examples && a != "env" && a != "targets" && !knownTarget(strings.TrimPrefix(a, "?")) {
					return fmt.Errorf("%s: %q is no place of a name", at, a)
				}
			}
			t.tests = append(t.tests, args...)
		case "host":
			t.hosts = append(t.hosts, args...)
			t.values = append(t.values, args...)
			t.known = append(t.known, args...)
		case "stops":
			t.stops = t.stops || len(args) == 0
			t.inner = append(t.inner, args...)
		case "style":
			i := slices.Index([]string{"cluster", "long", "slash", "pwsh"}, strings.TrimSpace(rest))
			if i < 0 {
				return fmt.Errorf("%s: unknown style %q", at, rest)
			}
			t.style = style(i)
		default:
			return fmt.Errorf("%s: a line without => or an unknown setting: %q", at, l)
		}
		return nil
	}
	ln, err := t.parse(l, at, examples)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	t.lines = append(t.lines, ln)
	return nil
}

func isFlag(s string) bool { return len(s) > 1 && (s[0] == '-' || s[0] == '/' || s[0] == '+') }

// parse reads one line: pattern => effects.
func (t *table) parse(l string, at place, check bool) (*line, error) {
	left, right, _ := strings.Cut(l, "=>")
	out := &line{at: at}
	for i, tok := range tokens(left) {
		if i == 0 {
			continue // the program
		}
		if err := t.token(out, tok); err != nil {
			return nil, err
		}
	}
	for part := range strings.SplitSeq(right, ",") {
		f := strings.Fields(part)
		if len(f) == 0 {
			return nil, fmt.Errorf("an effect is missing")
		}
		a := actSpec{verb: f[0], targets: f[1:]}
		if v, arg, ok := strings.Cut(f[0], ":"); ok && (v == "code" || v == "file" || v == "compile") {
			a.verb, a.arg = v, arg
		} else if f[0] == "out" {
			if len(f) < 2 {
				return nil, fmt.Errorf("out of what?")
			}
			a.arg, a.targets = f[1], f[2:]
		} else if check && !slices.Contains(verbs, f[0]) && !knownKind(f[0]) {
			return nil, fmt.Errorf("%q is no kind of effect", f[0])
		}
		for _, target := range a.targets {
			if check && !knownTarget(target) {
				return nil, fmt.Errorf("%q is no target", target)
			}
		}
		if a.verb == "run" && len(a.targets) > 0 && a.targets[0] == "after" {
			for _, f := range a.targets[1:] {
				t.after = append(t.after, alternatives(f)...)
			}
		}
		for _, target := range a.targets {
			if isFlag(target) {
				t.known = append(t.known, alternatives(target)...)
			}
		}
		out.acts = append(out.acts, a)
	}
	return out, nil
}

// tokens splits a pattern at spaces that are not within braces.
func tokens(s string) []string {
	var out []string
	start, depth := -1, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' && depth == 0:
			if start >= 0 {
				out = append(out, s[start:i])
				start = -1
			}
			continue
		case c == '{':
			depth++
		case c == '}':
			depth = max(0, depth-1)
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		out = append(out, s[start:])
	}
	return out
}

func (t *table) token(out *line, tok string) error {
	body, not := strings.CutPrefix(tok, "!")
	switch {
	case body == "<":
		out.fed = 1
		if not {
			out.fed = -1
		}
	case strings.HasPrefix(body, "{"):
		if !strings.HasSuffix(body, "}") {
			return fmt.Errorf("%q lacks its }", tok)
		}
		o := opToken{not: not}
		in := body[1 : len(body)-1]
		if len(in) > 1 && in[0] >= '1' && in[0] <= '9' && in[1] == ':' {
			o.at, in = int(in[0]-'0'), in[2:]
		}
		if in == "" {
			in = "*"
		}
		o.globs = alternatives(in)
		out.ops = append(out.ops, o)
	case isFlag(body) && (body[0] != '/' || t.style == slash):
		f := flagToken{not: not}
		for _, a := range alternatives(body) {
			name, value, valued := strings.Cut(a, "=")
			f.alts = append(f.alts, flagAlt{name, value, valued})
			t.known = append(t.known, name)
		}
		out.flags = append(out.flags, f)
	case not:
		return fmt.Errorf("%q: only flags, {…} and < can be negated", tok)
	default:
		out.words = append(out.words, alternatives(body))
	}
	return nil
}
