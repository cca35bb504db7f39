package rule

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/shell"
)

var (
	_ Condition = Act{}
	_ Condition = Programs(nil)
	_ Condition = Agents(nil)
	_ Condition = URLs(nil)
	_ Condition = Folders(nil)
)

// Act holds when the event would do something that meets all that is asked of it:
// one effect of one of the kinds, by one of the programs, on one target of one of
// the scopes that matches all the paths. What is empty is not asked for.
type Act struct {
	// Kinds are kinds of effects, or whole groups as "group.*".
	Kinds []string
	// Programs are what has the effect, or leads to what has it.
	Programs Programs
	Scopes   []effect.Scope
	Paths    []Paths
}

// Holds implements [Condition].
func (c Act) Holds(s *Subject) bool {
	all := s.Effects()
	if len(c.Kinds) == 0 {
		return slices.ContainsFunc(all, func(e effect.Effect) bool { return c.meets(e, s) })
	}
	for k, at := range s.byKind {
		if c.kind(k) && slices.ContainsFunc(at, func(i int) bool { return c.meets(all[i], s) }) {
			return true
		}
	}
	return false
}

func (c Act) meets(e effect.Effect, s *Subject) bool {
	return c.kind(e.Kind) && c.program(e) && c.target(e, s)
}

// Sees reports whether the rule fires and is about this effect of the subject.
func (r *Rule) Sees(e effect.Effect, s *Subject) bool {
	for _, c := range r.When {
		if act, ok := c.(Act); ok && act.meets(e, s) {
			return r.Matches(s)
		}
	}
	return false
}

// String gives the directives, one a line.
func (c Act) String() string {
	var lines []string
	if len(c.Kinds) > 0 {
		lines = append(lines, "effect="+strings.Join(c.Kinds, ","))
	}
	if len(c.Programs) > 0 {
		lines = append(lines, c.Programs.String())
	}
	if len(c.Scopes) > 0 {
		var names []string
		for _, sc := range c.Scopes {
			names = append(names, string(sc))
		}
		lines = append(lines, "target="+strings.Join(names, ","))
	}
	for _, p := range c.Paths {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

func (c Act) kind(k effect.Kind) bool {
	if len(c.Kinds) == 0 {
		return true
	}
	for _, want := range c.Kinds {
		if want == string(k) {
			return true
		}
		if group, ok := strings.CutSuffix(want, "*"); ok && strings.HasPrefix(string(k), group) {
			return true
		}
	}
	return false
}

func (c Act) program(e effect.Effect) bool {
	if len(c.Programs) == 0 || c.Programs.match(strings.Fields(e.Program)) {
		return true
	}
	for _, via := range e.Via {
		if c.Programs.match([]string{via}) {
			return true
		}
	}
	return false
}

func (c Act) target(e effect.Effect, s *Subject) bool {
	if len(c.Scopes) == 0 && len(c.Paths) == 0 {
		return true
	}
	if !s.budget().Spend(1 + len(e.Targets)/16) {
		return false // the event counts as not read whole
	}
	for _, t := range e.Targets {
		if c.scope(t.Scope) && c.path(t, s) {
			return true
		}
	}
	return false
}

func (c Act) scope(sc effect.Scope) bool {
	if len(c.Scopes) == 0 {
		return true
	}
	for _, want := range c.Scopes {
		if want == sc {
			return true
		}
	}
	return false
}

func (c Act) path(t effect.Target, s *Subject) bool {
	for _, p := range c.Paths {
		if t.Scope == "" || !p.matchAny(t.Name, s) {
			return false
		}
	}
	return true
}

// Programs holds when the command line would run one of the programs. An entry is
// a program, which may be a glob, and its subcommand: "git push".
type Programs []string

// Holds implements [Condition].
func (c Programs) Holds(s *Subject) bool {
	if s.Event.Tool.Command == "" {
		return false
	}
	for _, cmd := range s.Program().Commands {
		if c.runs(cmd) {
			return true
		}
	}
	return false
}
func (c Programs) String() string { return "program=" + strings.Join(c, ",") }

// match compares with a program and its subcommand, as an effect names them.
func (c Programs) match(have []string) bool {
	for _, want := range c {
		if begins(have, strings.Fields(want)) {
			return true
		}
	}
	return false
}

func begins(have, want []string) bool {
	if len(have) < len(want) {
		return false
	}
	for i, w := range want {
		if !sameTool(w, have[i]) {
			return false
		}
	}
	return true
}

// runs compares with a command.
func (c Programs) runs(cmd shell.Command) bool {
	for _, entry := range c {
		want := strings.Fields(entry)
		if len(want) > 0 && sameTool(want[0], cmd.Program) && hasSubcommand(cmd.Args, want[1:]) {
			return true
		}
	}
	return false
}

// hasSubcommand reports whether the first operands are the wanted words. Flags are
// passed over, and so is a word behind a flag, which may be its value.
func hasSubcommand(args, want []string) bool {
	afterFlag := false
	for _, a := range args {
		switch {
		case len(want) == 0:
			return true
		case strings.HasPrefix(a, "-") && a != "-":
			afterFlag = !strings.Contains(a, "=")
			continue
		case sameTool(want[0], a):
			want = want[1:]
		case !afterFlag:
			return false
		}
		afterFlag = false
	}
	return len(want) == 0
}

// Agents holds for what one of the named agents does, also through another's
// settings.
type Agents []string

// Holds implements [Condition].
func (c Agents) Holds(s *Subject) bool {
	return anyFold(c, s.Event.Agent) || s.Event.Caller != "" && anyFold(c, s.Event.Caller)
}
func (c Agents) String() string { return "agent=" + strings.Join(c, ",") }

// URLs holds when an address that the event names matches one of the globs. A glob
// without a slash is compared with the host, any other with the address without
// its scheme, user and query, or, where the glob has a scheme, with that too.
type URLs []string

// Holds implements [Condition].
func (c URLs) Holds(s *Subject) bool {
	for _, u := range s.URLs() {
		for _, glob := range c {
			if matchURL(strings.ToLower(glob), u) {
				return true
			}
		}
	}
	return false
}
func (c URLs) String() string { return "url=" + strings.Join(c, ",") }

// matchURL compares one address. *.example.com holds for example.com too.
func matchURL(glob, u string) bool {
	scheme, rest, ok := strings.Cut(u, "://")
	if !ok {
		scheme, rest = "", u
	}
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	host, path, _ := strings.Cut(rest, "/")
	host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
	bare := host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.Trim(host[i+1:], "0123456789") == "" {
		bare = host[:i]
	}
	if !strings.Contains(glob, "/") {
		for _, h := range []string{host, bare} {
			if doublestar.MatchUnvalidated(glob, h) || strings.HasPrefix(glob, "*.") && glob[2:] == h {
				return true
			}
		}
		return false
	}
	wantScheme, glob2, hasScheme := strings.Cut(glob, "://")
	if hasScheme {
		if !doublestar.MatchUnvalidated(wantScheme, strings.ToLower(scheme)) {
			return false
		}
		glob = glob2
	}
	for _, h := range []string{host, bare} {
		if doublestar.MatchUnvalidated(glob, strings.ToLower(h+"/"+path)) || doublestar.MatchUnvalidated(glob, h) && path == "" {
			return true
		}
	}
	return false
}

// Folders holds when the folder that the agent works in matches one of the globs.
type Folders []string

// Holds implements [Condition].
func (c Folders) Holds(s *Subject) bool {
	if s.Event.CWD == "" {
		return false
	}
	p := Paths{Globs: c}
	for _, dir := range s.Ways(s.Event.CWD) {
		if p.matchAny(dir, s) {
			return true
		}
	}
	return false
}
func (c Folders) String() string { return "cwd=" + strings.Join(c, ",") }
