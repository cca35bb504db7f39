package constitution

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/rule"
)

// minKeyword is the length below which a word of free text is no keyword
// (documented).
const minKeyword = 3

// directives are the keys of a When: block.
var directives = []string{"event", "tool", "path", "cmd", "keyword", "judge"}

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
func parseDirective(text, root string) (rule.Condition, error) {
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
		return paths(value, offset, root)
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

func paths(value string, offset int, root string) (rule.Condition, error) {
	globs := list(value)
	for i, g := range globs {
		at := func(err error) error { return at{err, offset + max(0, strings.Index(value, g))} }
		switch {
		case !doublestar.ValidatePattern(g):
			return nil, at(hint.Wrap(fmt.Errorf("path glob %q is malformed", g), "escape a literal *, ?, [ or { with a backslash"))
		case strings.HasSuffix(g, "/"):
			return nil, at(hint.Wrap(fmt.Errorf("path glob %q ends in a slash and matches no file", g), "write %q", g+"**"))
		case strings.HasPrefix(g, "$"):
			return nil, at(hint.Wrap(fmt.Errorf("path glob %q: variables are not known here", g), "write ~ for the home folder"))
		case g == ".." || strings.HasPrefix(g, "../") || strings.Contains(g, "/../"):
			return nil, at(hint.Wrap(fmt.Errorf("path glob %q contains .. and matches no file", g), "write an absolute path, or begin with **/"))
		}
		for strings.Contains(globs[i], "//") {
			globs[i] = strings.ReplaceAll(globs[i], "//", "/")
		}
	}
	if len(globs) == 0 {
		return nil, at{errors.New("path= has no value"), offset}
	}
	return rule.Paths{Globs: globs, Root: root}, nil
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
