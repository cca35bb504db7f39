package constitution

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/rule"
)

// minKeyword is the length below which a word of free text is no keyword
// (documented).
const minKeyword = 3

// directives are the keys of a When: block.
var directives = []string{"event", "tool", "effect", "program", "target", "path", "cmd", "url", "cwd", "agent", "keyword", "judge"}

// at is an error at an offset within a directive.
type at struct {
	error
	offset int
}

func (e at) Unwrap() error { return e.error }

func directiveOffset(err error) int {
	var a at
	if errors.As(err, &a) {
		return a.offset
	}
	return 0
}

// parseDirective reads one line of a When: block: key=value, or free text whose
// words become keywords.
func parseDirective(text string, d Defaults) (rule.Condition, error) {
	key, value, ok := strings.Cut(text, "=")
	key = strings.TrimSpace(key)
	if !ok || !isKey(key) {
		if name, rest, ok := strings.Cut(text, ":"); ok && slices.Contains(directives, strings.ToLower(strings.TrimSpace(name))) {
			return nil, hint.Wrap(fmt.Errorf("%q looks like a directive", text), "write %s=%s", strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(rest))
		}
		return freeText(text)
	}
	offset := strings.IndexByte(text, '=') + 1
	value = strings.TrimSpace(value)
	if value == "" {
		return nil, at{fmt.Errorf("%s= has no value", key), offset}
	}
	switch strings.ToLower(key) {
	case "event":
		list, err := names(key, value, offset)
		return rule.Events(list), err
	case "tool":
		list, err := names(key, value, offset)
		return rule.Tools(list), err
	case "path":
		globs, err := pathGlobs(key, value, offset)
		return rule.Paths{Globs: globs, Root: d.Root}, err
	case "cwd":
		globs, err := pathGlobs(key, value, offset)
		return rule.Folders(globs), err
	case "effect":
		kinds, err := kinds(value, offset)
		return rule.Act{Kinds: kinds}, err
	case "program":
		programs, err := programs(value, offset)
		return rule.Act{Programs: programs}, err
	case "target":
		scopes, err := scopes(value, offset)
		return rule.Act{Scopes: scopes}, err
	case "url":
		list, err := names(key, value, offset)
		return rule.URLs(list), err
	case "agent":
		list, err := agents(value, offset, d.Agents)
		return rule.Agents(list), err
	case "cmd":
		return command(value, offset)
	case "keyword":
		return keywords(value, offset)
	}
	err := fmt.Errorf("unknown directive %q", key+"=")
	if best := hint.Nearest(key, directives); best != "" {
		return nil, hint.Wrap(err, "did you mean %q?", best+"=")
	}
	return nil, hint.Wrap(err, "the directives are %s=; free text is written without \"=\"", strings.Join(directives, "=, "))
}

// isKey tells a directive from free text that happens to contain "=".
func isKey(s string) bool {
	for _, c := range s {
		if c != '_' && c != '-' && !unicode.IsLetter(c) {
			return false
		}
	}
	return s != ""
}

func list(value string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i <= len(value); i++ {
		if i < len(value) {
			switch value[i] {
			case '{':
				depth++
			case '}':
				depth--
			}
			if value[i] != ',' || depth > 0 {
				continue
			}
		}
		if item := unquote(strings.TrimSpace(value[start:i])); item != "" {
			out = append(out, item)
		}
		start = i + 1
	}
	return out
}

// unquote removes quotes around a value: they are never part of it.
func unquote(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'' || s[0] == '`') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

func names(key, value string, offset int) ([]string, error) {
	out := list(value)
	for _, n := range out {
		if strings.ContainsAny(n, " \t") {
			return nil, at{hint.Wrap(fmt.Errorf("%s=%s: a name has no spaces", key, n), "one directive a line; separate names by commas"), offset}
		}
		if strings.ContainsAny(n, "*?[{") && !doublestar.ValidatePattern(n) {
			return nil, at{fmt.Errorf("%s=%s: the glob is malformed", key, n), offset}
		}
	}
	if len(out) == 0 {
		return nil, at{fmt.Errorf("%s= has no value", key), offset}
	}
	return out, nil
}

// pathGlobs reads the globs of path= and cwd=.
func pathGlobs(key, value string, offset int) ([]string, error) {
	globs := list(value)
	for i, g := range globs {
		at := func(err error) error { return within(err, value, g, offset) }
		switch {
		case !doublestar.ValidatePattern(g):
			return nil, at(hint.Wrap(fmt.Errorf("%s glob %q is malformed", key, g), "escape a literal *, ?, [ or { with a backslash"))
		case strings.HasSuffix(g, "/") && (g != "/" || key == "cwd"):
			return nil, at(hint.Wrap(fmt.Errorf("%s glob %q ends in a slash and matches no file", key, g), "write %q", g+"**"))
		case strings.HasPrefix(g, "$"):
			return nil, at(hint.Wrap(fmt.Errorf("%s glob %q: variables are not known here", key, g), "write ~ for the home folder"))
		case g == ".." || strings.HasPrefix(g, "../") || strings.Contains(g, "/../"):
			return nil, at(hint.Wrap(fmt.Errorf("%s glob %q contains .. and matches no file", key, g), "write an absolute path, or begin with **/"))
		}
		for strings.Contains(globs[i], "//") {
			globs[i] = strings.ReplaceAll(globs[i], "//", "/")
		}
	}
	if len(globs) == 0 {
		return nil, at{fmt.Errorf("%s= has no value", key), offset}
	}
	return globs, nil
}

// within places an error at one item of a list.
func within(err error, value, item string, offset int) error {
	return at{err, offset + max(0, strings.Index(value, item))}
}

// kinds reads kinds of effects and groups of them.
func kinds(value string, offset int) ([]string, error) {
	out := list(strings.ToLower(value))
	for _, k := range out {
		if knownKind(k) {
			continue
		}
		err := fmt.Errorf("unknown effect %q", k)
		if best := hint.Nearest(k, kindNames()); best != "" {
			err = hint.Wrap(err, "did you mean %q?", best)
		} else {
			err = hint.Wrap(err, "docs/constitution.md lists the effects; a whole group is written %q", "delete.*")
		}
		return nil, within(err, strings.ToLower(value), k, offset)
	}
	if len(out) == 0 {
		return nil, at{errors.New("effect= has no value"), offset}
	}
	return out, nil
}

func knownKind(k string) bool {
	group, ok := strings.CutSuffix(k, "*")
	if !ok {
		return effect.Known(effect.Kind(k))
	}
	return strings.HasSuffix(group, ".") && slices.ContainsFunc(effect.Kinds(), func(i effect.Info) bool {
		return strings.HasPrefix(string(i.Kind), group)
	})
}

// kindNames are all that effect= knows.
func kindNames() []string {
	var out []string
	for _, i := range effect.Kinds() {
		group, _, _ := strings.Cut(string(i.Kind), ".")
		if g := group + ".*"; !slices.Contains(out, g) {
			out = append(out, g)
		}
		out = append(out, string(i.Kind))
	}
	return out
}

// programs reads programs with their subcommands.
func programs(value string, offset int) (rule.Programs, error) {
	out := list(value)
	for i, p := range out {
		words := strings.Fields(p)
		for _, w := range words {
			if strings.HasPrefix(w, "-") {
				return nil, within(hint.Wrap(fmt.Errorf("program=%s: flags are not looked at", p), "name the program and its subcommand, and use effect= or cmd= for the rest"), value, p, offset)
			}
			if strings.ContainsAny(w, "*?[{") && !doublestar.ValidatePattern(w) {
				return nil, within(fmt.Errorf("program=%s: the glob is malformed", p), value, p, offset)
			}
		}
		if strings.Contains(words[0], "/") {
			return nil, within(hint.Wrap(fmt.Errorf("program=%s: a program is named without its folder", p), "write program=%s", p[strings.LastIndexByte(words[0], '/')+1:]), value, p, offset)
		}
		out[i] = strings.Join(words, " ")
	}
	if len(out) == 0 {
		return nil, at{errors.New("program= has no value"), offset}
	}
	return out, nil
}

// scopes reads where a target lies.
func scopes(value string, offset int) ([]effect.Scope, error) {
	var out []effect.Scope
	var known []string
	for _, sc := range effect.Scopes() {
		known = append(known, string(sc))
	}
	for _, name := range list(strings.ToLower(value)) {
		if !slices.Contains(known, name) {
			err := fmt.Errorf("unknown target %q", name)
			if best := hint.Nearest(name, known); best != "" {
				err = hint.Wrap(err, "did you mean %q?", best)
			} else {
				err = hint.Wrap(err, "the targets are %s; a path is written path=", strings.Join(known, ", "))
			}
			return nil, within(err, strings.ToLower(value), name, offset)
		}
		out = append(out, effect.Scope(name))
	}
	if len(out) == 0 {
		return nil, at{errors.New("target= has no value"), offset}
	}
	return out, nil
}

// agents reads names of agents; known are those that there are, nil if that is not
// known.
func agents(value string, offset int, known []string) ([]string, error) {
	out, err := names("agent", strings.ToLower(value), offset)
	for _, a := range out {
		if known == nil || slices.Contains(known, a) {
			continue
		}
		err := fmt.Errorf("unknown agent %q", a)
		if best := hint.Nearest(a, known); best != "" {
			err = hint.Wrap(err, "did you mean %q?", best)
		} else {
			err = hint.Wrap(err, "the agents are %s", strings.Join(known, ", "))
		}
		return nil, within(err, strings.ToLower(value), a, offset)
	}
	return out, err
}

// command reads /regex/ with the one flag that the format knows, i.
func command(value string, offset int) (rule.Condition, error) {
	end := strings.LastIndexByte(value, '/')
	if value[0] != '/' || end == 0 {
		return nil, at{hint.Wrap(fmt.Errorf("cmd=%s is not a regular expression between slashes", value), "write cmd=/%s/", strings.Trim(value, "/")), offset}
	}
	source := value[1:end]
	switch flags := value[end+1:]; flags {
	case "":
	case "i":
		source = "(?i)" + source
	default:
		return nil, at{hint.Wrap(fmt.Errorf("unknown text %q after the closing slash", flags), "only \"i\" (ignore case) may follow"), offset + end + 1}
	}
	if source == "" {
		return nil, at{errors.New("cmd=// is empty"), offset}
	}
	if err := rule.CheckRegexp(source); err != nil {
		return nil, at{err, offset + 1}
	}
	return rule.NewCommand(source), nil
}

func keywords(value string, offset int) (rule.Condition, error) {
	words := list(strings.ToLower(value))
	if len(words) == 0 {
		return nil, at{errors.New("keyword= has no value"), offset}
	}
	return rule.Keywords(words), nil
}

// freeText turns the words of a line into keywords, any of which is enough.
func freeText(text string) (rule.Condition, error) {
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		if len([]rune(w)) >= minKeyword {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return nil, hint.Wrap(fmt.Errorf("%q has no word of %d letters or more", text, minKeyword), "write key=value (%s=) or words to look for", strings.Join(directives, "=, "))
	}
	return rule.Keywords(words), nil
}

// splitExamples reads a comma-separated list. A comma inside quotes, brackets or
// backquotes belongs to the example.
func splitExamples(text string) []string {
	var out []string
	var quote rune
	depth, start := 0, 0
	keep := func(s string) {
		s = strings.TrimSpace(s)
		if len(s) > 1 && s[0] == '`' && s[len(s)-1] == '`' {
			s = s[1 : len(s)-1]
		}
		if s != "" {
			out = append(out, s)
		}
	}
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			if strings.ContainsRune(text[i+1:], c) {
				quote = c
			}
		case c == '(' || c == '{' || c == '[':
			depth++
		case c == ')' || c == '}' || c == ']':
			depth = max(0, depth-1)
		case c == ',' && depth == 0:
			keep(text[start:i])
			start = i + 1
		}
	}
	keep(text[start:])
	return out
}
