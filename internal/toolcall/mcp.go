package toolcall

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/glob"
	"github.com/fireharp/overseer/internal/lazy"
	"github.com/fireharp/overseer/internal/sql"
)

// maxNesting bounds how deep arguments are looked for.
const maxNesting = 6

//go:embed mcp.txt
var mcpTable string

// section is a part of the table; the first of its lines that fits a call counts.
type section []line

// line is one line of the table.
type line struct {
	tools, servers []string // globs
	conditions     []condition
	verb           string   // a kind, or one of the words that the table explains
	with           string   // the program of shell, the language of code
	args           []string // names of arguments; "path" is any that names files
}

// condition is what an argument must be: one of the names has a value that one of the
// globs has.
type condition struct{ args, globs []string }

// table is mcp.txt, read when the first MCP tool is called.
var table lazy.Value[[]section]

func readTable() []section {
	var out []section
	for text := range strings.Lines(mcpTable) {
		text = strings.TrimSpace(text)
		switch {
		case text == "" || text[0] == '#':
		case text[0] == '[':
			out = append(out, nil)
		default:
			out[len(out)-1] = append(out[len(out)-1], readLine(text))
		}
	}
	return out
}

func readLine(text string) line {
	left, right, _ := strings.Cut(text, "=>")
	var l line
	for _, f := range strings.Fields(left) {
		switch f[0] {
		case '@':
			l.servers = strings.Split(f[1:], "|")
		case '?':
			names, globs, _ := strings.Cut(f[1:], "=")
			l.conditions = append(l.conditions, condition{strings.Split(names, "|"), strings.Split(globs, "|")})
		default:
			l.tools = strings.Split(f, "|")
		}
	}
	words := strings.Fields(right)
	l.verb, l.with, _ = strings.Cut(words[0], ":")
	l.with = strings.ReplaceAll(l.with, "+", " ")
	if len(words) > 1 {
		l.args = strings.Split(words[1], "|")
	}
	return l
}

// fits reports whether a call of the tool is one of the line's.
func (l line) fits(server, tool string, in gjson.Result) bool {
	if !anyGlob(l.tools, tool) || l.servers != nil && !anyGlob(l.servers, server) {
		return false
	}
	for _, c := range l.conditions {
		if !c.holds(in, maxNesting, false) {
			return false
		}
	}
	return true
}

// holds looks for the value among the arguments; named says that v is the value of an
// argument of one of the names.
func (c condition) holds(v gjson.Result, depth int, named bool) bool {
	if !v.IsObject() && !v.IsArray() || len(v.Raw) < 3 { // {} and [] are values of their own
		return named && anyGlob(c.globs, strings.ToLower(v.String()))
	}
	if depth == 0 {
		return false
	}
	if named && v.IsObject() && slices.Contains(c.globs, "?*") {
		return true // there is one, whatever it holds
	}
	found := false
	v.ForEach(func(key, member gjson.Result) bool {
		found = c.holds(member, depth-1, named && v.IsArray() || slices.Contains(c.args, snake(key.Str)))
		return !found
	})
	return found
}

func anyGlob(globs []string, s string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return glob.Match(g, s) })
}

// IsMCP reports whether a tool is one of an MCP server, as Claude Code and Codex
// name them or as Cursor does.
func IsMCP(t *event.Tool) bool {
	_, _, ok := mcpName(t)
	return ok
}

// mcpName gives an MCP tool's server and its own name, in lower case and with _
// between words. The server is "*" where the agent does not tell it.
func mcpName(t *event.Tool) (server, tool string, ok bool) {
	for _, name := range append([]string{t.Name}, t.Aliases...) {
		if rest, found := strings.CutPrefix(name, "mcp__"); found {
			server, tool, _ = strings.Cut(rest, "__")
			return snake(server), snake(tool), true
		}
	}
	if rest, found := strings.CutPrefix(t.Name, "MCP:"); found {
		return "*", snake(rest), true
	}
	return "", "", false
}

// snake writes camelCase, kebab-case and dots as snake_case.
func snake(s string) string {
	var b strings.Builder
	last := rune('_')
	for _, r := range s {
		switch {
		case r == '-' || r == '.' || r == ' ' || r == '/':
			r = '_'
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte('_')
		}
		last = r
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// mcp adds what a tool of an MCP server does, as far as its name and its arguments
// say.
func (c *call) mcp() {
	server, tool, _ := mcpName(c.tool)
	in := c.input()
	for _, sec := range table.Get(readTable) {
		for _, l := range sec {
			if l.fits(server, tool, in) {
				c.line(l, in)
				break
			}
		}
	}
}

func (c *call) line(l line, in gjson.Result) {
	var values []string
	switch {
	case len(l.args) == 1 && l.args[0] == "path":
		values = c.tool.Paths
	case l.verb == "shell":
		values = commandLines(in, l.args, maxNesting)
	case len(l.args) > 0:
		values = texts(in, l.args, maxNesting)
	}
	switch l.verb {
	case "none":
	case "secret":
		if slices.ContainsFunc(texts(in, l.args, 2*maxNesting), holdsSecret) {
			c.on(effect.SecretSend, strings.TrimPrefix(c.tool.Name, "mcp__"))
		}
	case "shell":
		c.shell(l.with, values, in)
	case "code":
		c.code(l.with, values, in)
	case "sql":
		c.database(sql.Effects, values)
	case "mongo":
		c.database(sql.Mongo, values)
	case "redis":
		c.database(sql.RedisScript, values)
	default:
		k := effect.Kind(l.verb)
		switch {
		case !strings.HasPrefix(l.verb, "file.") && k != effect.DeleteRecursive:
			c.on(k, values...)
		case len(values) > 0:
			c.add(k, values...)
		}
	}
}

// database adds what texts have a database do.
func (c *call) database(read func(string) []sql.Effect, values []string) {
	for _, v := range values {
		n := c.work.Take((len(v) + 1) * sql.Work)
		for _, e := range read(v[:min(n/sql.Work, len(v))]) {
			switch {
			case strings.HasPrefix(string(e.Kind), "file."):
				c.add(e.Kind, e.Target)
			case e.Target == "":
				c.on(e.Kind)
			default:
				c.on(e.Kind, e.Target)
			}
			if e.Kind == shellEscape && e.Target != "" {
				c.run(e.Target)
			}
		}
	}
}

// shell adds what command lines do. with is the program that they are the words of,
// which some callers put before them and others do not.
func (c *call) shell(with string, values []string, in gjson.Result) {
	if c.tool.Command != "" && len(values) > 0 {
		values = append([]string{c.tool.Command}, others(values, in)...)
	}
	for _, v := range values {
		if first, _, _ := strings.Cut(strings.TrimSpace(v), " "); with != "" && first != strings.Fields(with)[0] {
			v = with + " " + v
		}
		c.run(v)
	}
}

// others leaves out the values that the event's command line holds already.
func others(values []string, in gjson.Result) []string {
	var out []string
	named := commandLines(in, []string{"command", "cmd", "commands", "args"}, 1)
	for _, v := range values {
		known := false
		for _, n := range named {
			known = known || n == v
		}
		if !known {
			out = append(out, v)
		}
	}
	return out
}

// interpreters are the commands that run code of a language.
func interpreters(language string) string {
	switch language {
	case "python", "py", "python3", "ipython":
		return "python3 -c"
	case "javascript", "js", "node", "nodejs", "typescript", "ts":
		return "node -e"
	case "bash", "sh", "shell", "zsh":
		return "bash -c"
	case "powershell":
		return "pwsh -Command"
	case "applescript":
		return "osascript -e"
	case "ruby":
		return "ruby -e"
	case "perl":
		return "perl -e"
	case "php":
		return "php -r"
	}
	return ""
}

// code adds what programs do, in the language that an argument names, else in the
// given one.
func (c *call) code(language string, values []string, in gjson.Result) {
	for _, l := range texts(in, []string{"language", "lang", "runtime", "kernel"}, 2) {
		if interpreters(strings.ToLower(l)) != "" {
			language = strings.ToLower(l)
		}
	}
	for _, v := range values {
		c.run(interpreters(language) + " " + quote(v))
	}
}

// texts are the texts among the arguments that have one of the names, at any depth
// up to the given one. An array of words is one text with spaces.
func texts(in gjson.Result, names []string, depth int) []string {
	return arguments(in, names, depth, func(_ string, words []string) string { return strings.Join(words, " ") })
}

// commandLines are such texts where they are lines for a shell: an array holds the
// words of one, or several lines if it is named so.
func commandLines(in gjson.Result, names []string, depth int) []string {
	return arguments(in, names, depth, func(name string, words []string) string {
		if name == "commands" {
			return strings.Join(words, "\n")
		}
		line := slices.Clone(words)
		for i, w := range line {
			if len(line) > 1 && strings.ContainsAny(w, " \t\n'\"\\;|&<>()$`*?#") {
				line[i] = quote(w)
			}
		}
		return strings.Join(line, " ")
	})
}

// arguments are the texts among the arguments that have one of the names; join makes
// one of an array.
func arguments(in gjson.Result, names []string, depth int, join func(name string, words []string) string) []string {
	if depth == 0 || !in.IsObject() && !in.IsArray() {
		return nil
	}
	var out []string
	in.ForEach(func(key, v gjson.Result) bool {
		if name := snake(key.Str); slices.Contains(names, name) {
			if s := text(name, v, join); s != "" {
				out = append(out, s)
			}
		}
		out = append(out, arguments(v, names, depth-1, join)...)
		return true
	})
	return out
}

func text(name string, v gjson.Result, join func(string, []string) string) string {
	if v.Type == gjson.String {
		return v.Str
	}
	if !v.IsArray() {
		return ""
	}
	var words []string
	v.ForEach(func(_, w gjson.Result) bool {
		if w.Type == gjson.String {
			words = append(words, w.Str)
		}
		return true
	})
	return join(name, words)
}
