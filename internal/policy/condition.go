package policy

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/rule"
)

var (
	_ rule.Condition = onEvent("")
	_ rule.Condition = tools(nil)
	_ rule.Condition = (*paths)(nil)
	_ rule.Condition = commands(nil)
)

// onEvent holds for the hook event of exactly this name: the agents spell theirs
// differently (PreToolUse, preToolUse), and a policy means the one it names. Of an
// agent that runs another's hooks, either name will do.
type onEvent string

// Holds implements [rule.Condition].
func (c onEvent) Holds(s *rule.Subject) bool {
	return string(c) == s.Event.NativeName() || s.Event.Caller != "" && string(c) == s.Event.Name
}
func (c onEvent) String() string { return "event: " + string(c) }

// tools holds for the tools of exactly these names. Of an agent that runs
// another's hooks, the other's name of the tool will do as well.
type tools []string

// Holds implements [rule.Condition].
func (c tools) Holds(s *rule.Subject) bool {
	t := s.Event.Tool
	if s.Event.Caller != "" && slices.ContainsFunc(c, func(want string) bool { return slices.Contains(t.Aliases, want) }) {
		return true
	}
	if s.Event.Native == "beforeMCPExecution" { // where Cursor itself gives the tool's bare name
		return slices.Contains(c, t.Name) || slices.Contains(c, strings.TrimPrefix(t.Name, "MCP:"))
	}
	return t.Name != "" && slices.Contains(c, t.Name)
}
func (c tools) String() string { return "tools: " + quoted(c) }

// commands holds for a command line that contains one of the texts as it stands.
type commands []string

// Holds implements [rule.Condition].
func (c commands) Holds(s *rule.Subject) bool {
	line := s.Event.Tool.Command
	return line != "" && slices.ContainsFunc(c, func(text string) bool { return strings.Contains(line, text) })
}
func (c commands) String() string { return "commands: " + quoted(c) }

// paths holds for an event that names a file which the patterns select.
type paths struct {
	patterns []pattern
	// root is the folder of the policy file, from which a pattern with a slash
	// counts.
	root string
	// fold is set where the system's files have no capitals of their own: .ENV is
	// .env there.
	fold bool
}

// Holds implements [rule.Condition].
func (c *paths) Holds(s *rule.Subject) bool {
	_, ok := c.first(s)
	return ok
}

func (c *paths) String() string {
	var list []string
	for _, p := range c.patterns {
		list = append(list, p.source)
	}
	return "paths: " + quoted(list)
}

// first finds the first of the event's files that the patterns select, as the
// event has it.
func (c *paths) first(s *rule.Subject) (string, bool) {
	if len(s.Event.Tool.Paths) == 0 {
		return "", false
	}
	from := places{home: c.cased(s.Home), roots: []string{c.cased(c.root)}}
	if cwd := s.Event.CWD; cwd != "" && path.Clean(cwd) != c.root {
		from.roots = append(from.roots, c.cased(path.Clean(cwd)))
	}
	for _, p := range s.Event.Tool.Paths {
		if selects(c.patterns, c.cased(s.Abs(p)), from) {
			return p, true
		}
	}
	return "", false
}

func (c *paths) cased(p string) string {
	if c.fold {
		return strings.ToLower(p)
	}
	return p
}

// quoted writes a list as YAML does.
func quoted(list []string) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(s))
	}
	return "[" + b.String() + "]"
}
