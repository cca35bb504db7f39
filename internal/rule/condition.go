package rule

import (
	"regexp"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// Condition is one directive of a rule's When block.
type Condition interface {
	// Holds reports whether the condition is met.
	Holds(*Subject) bool
	// String is the directive as it is written in a rule.
	String() string
}

var (
	_ Condition = Events(nil)
	_ Condition = Tools(nil)
	_ Condition = Keywords(nil)
	_ Condition = Paths{}
	_ Condition = (*Command)(nil)
)

// Events holds for the named hook events, whatever their case. An event that the
// agent has a name of its own for is found by either name.
type Events []string

// Holds implements [Condition].
func (c Events) Holds(s *Subject) bool {
	return anyFold(c, s.Event.Name) || anyFold(c, s.Event.NativeName())
}
func (c Events) String() string { return "event=" + strings.Join(c, ",") }

// Tools holds for the named tools, whatever their case, also under the names that
// other agents give them. A name may be a glob such as mcp__*.
type Tools []string

// Holds implements [Condition].
func (c Tools) Holds(s *Subject) bool {
	t := &s.Event.Tool
	if t.Name == "" {
		return false
	}
	for _, want := range c {
		if sameTool(want, t.Name) {
			return true
		}
		for _, alias := range t.Aliases {
			if sameTool(want, alias) || isGlob(alias) && mayBeSame(want, alias) {
				return true
			}
		}
	}
	return false
}
func (c Tools) String() string { return "tool=" + strings.Join(c, ",") }

// sameTool reports whether want, which may be a glob, names the tool.
func sameTool(want, name string) bool {
	return strings.EqualFold(want, name) ||
		isGlob(want) && doublestar.MatchUnvalidated(strings.ToLower(want), strings.ToLower(name))
}

// mayBeSame reports whether there can be a tool that both names stand for. The
// alias is a glob, since the agent does not tell all of the name; where want is
// one too, their fixed beginnings and ends must agree.
func mayBeSame(want, alias string) bool {
	if !isGlob(want) {
		return sameTool(alias, want)
	}
	want, alias = strings.ToLower(want), strings.ToLower(alias)
	a, b := want[:strings.IndexAny(want, globs)], alias[:strings.IndexAny(alias, globs)]
	y, z := want[strings.LastIndexAny(want, globs)+1:], alias[strings.LastIndexAny(alias, globs)+1:]
	return (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) && (strings.HasSuffix(y, z) || strings.HasSuffix(z, y))
}

// globs are the characters of a glob that stand for others.
const globs = "*?[]{}"

func isGlob(s string) bool { return strings.ContainsAny(s, "*?[{") }

func anyFold(list []string, s string) bool {
	for _, w := range list {
		if strings.EqualFold(w, s) {
			return true
		}
	}
	return false
}

// Keywords holds when the event's prompt, command or paths contain one of the
// words, which are in lower case.
type Keywords []string

// Holds implements [Condition].
func (c Keywords) Holds(s *Subject) bool {
	text := s.Content()
	for _, w := range c {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
func (c Keywords) String() string { return "keyword=" + strings.Join(c, ",") }

// Paths holds when a path that the event may touch matches one of the globs. A
// glob that is not absolute is matched from the event's working folder and from
// Root; one that begins with ~ from the home folder.
type Paths struct {
	Globs []string
	// Root is the folder of the project that the rule came with, "" if none.
	Root string
}

// Holds implements [Condition].
func (c Paths) Holds(s *Subject) bool {
	for _, p := range s.Paths() {
		if c.matchAny(p, s) {
			return true
		}
	}
	return false
}

func (c Paths) matchAny(p string, s *Subject) bool {
	for _, glob := range c.Globs {
		if !s.budget().Spend(globWork + (len(glob)+len(p))/globBytes) {
			return false // the event counts as not read whole
		}
		if c.match(glob, p, s) {
			return true
		}
	}
	return false
}

// What comparing a path with a glob costs in steps of the budget, and for so many
// bytes of both.
const (
	globWork  = 2
	globBytes = 16
)

func (c Paths) String() string { return "path=" + strings.Join(c.Globs, ",") }

// match matches one clean path. A glob that begins with ** reaches every folder of
// the machine, any other relative one those that it is taken from.
func (c Paths) match(glob, p string, s *Subject) bool {
	if rest, ok := strings.CutPrefix(glob, "~"); ok && s.Home != "" && strings.HasPrefix(rest, "/") {
		glob = s.Home + rest
	}
	if doublestar.MatchUnvalidated(glob, p) {
		return true
	}
	if strings.HasPrefix(glob, "**") {
		return doublestar.MatchUnvalidated(glob, strings.TrimPrefix(p, "/"))
	}
	for _, root := range []string{s.Event.CWD, c.Root} {
		rel, ok := strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/")
		if ok && root != "" && doublestar.MatchUnvalidated(strings.TrimPrefix(glob, "./"), rel) {
			return true
		}
	}
	return false
}

// Command holds when the event's command line matches a regular expression. It
// is compiled when it is first needed, and not at all for a command that lacks
// a text which every match contains.
type Command struct {
	source string
	needed string
	re     func() *regexp.Regexp
}

// NewCommand makes a [Command] of a Go regular expression (RE2 syntax). The
// expression must have been checked with [CheckRegexp]; a broken one never
// holds.
func NewCommand(source string) *Command {
	return &Command{
		source: source,
		needed: neededText(source),
		re: sync.OnceValue(func() *regexp.Regexp {
			re, err := regexp.Compile(source)
			if err != nil {
				return nil
			}
			return re
		}),
	}
}

// freeBytes of a command line are compared with regular expressions without spending
// of the budget.
const freeBytes = 64 << 10

// Holds implements [Condition].
func (c *Command) Holds(s *Subject) bool {
	cmd := s.Event.Tool.Command
	if cmd == "" || !strings.Contains(cmd, c.needed) {
		return false
	}
	// Go's expressions take up to 100 ns a byte. The length of everyday lines is free.
	if n := len(cmd) - freeBytes; n > 0 && !s.budget().Spend(n) {
		return false // the event counts as not read whole
	}
	re := c.re()
	return re != nil && re.MatchString(cmd)
}
func (c *Command) String() string { return "cmd=/" + c.source + "/" }
