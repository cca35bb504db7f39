package guard

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/lazy"
	"github.com/fireharp/overseer/internal/shell"
)

// form is how a file's text is read for what it runs.
type form int

const (
	byFirstLine form = iota // as its first line says
	makefile
	packageJSON
	settings
	shellScript
	code
)

// formOf tells the form from the file's name.
func formOf(p string) form {
	base, ext := path.Base(p), path.Ext(p)
	switch {
	case strings.HasSuffix(base, ".mk") || strings.EqualFold(base, "makefile") || base == "GNUmakefile":
		return makefile
	case base == "package.json":
		return packageJSON
	case slices.Contains([]string{".yml", ".yaml", ".toml", ".ini", ".cfg"}, ext):
		return settings
	case slices.Contains([]string{".sh", ".bash", ".zsh", ".ksh", ".fish", ".envrc"}, ext), strings.HasSuffix(strings.ToLower(base), "justfile"), ext == ".just":
		return shellScript
	case slices.Contains(scriptEnds, ext) || isBuild(p):
		return code
	}
	return byFirstLine
}

// orders reports whether a text, as the content of the file p, gives overseer a
// person's command when the file is run. "install" is none here: many a project's
// set-up has it, and it is judged when it runs.
func orders(work *budget.Budget, p, text string) bool {
	return speaks(text) && formOf(p).orders(work, text)
}

// speaks reports whether a text names overseer, which few do.
func speaks(text string) bool {
	return strings.Contains(unquoted(text[:min(len(text), maxText)]), "overseer")
}

// orders is [orders] for a text that names overseer.
func (f form) orders(work *budget.Budget, text string) bool {
	text = text[:min(len(text), maxText)]
	switch {
	case f == makefile:
		return ordersLines(work, makeText(text), false)
	case f == packageJSON && gjson.Valid(text):
		found := false
		gjson.Get(text, "scripts").ForEach(func(_, v gjson.Result) bool {
			found = ordersLine(work, v.String())
			return !found
		})
		return found
	case f == packageJSON || f == settings:
		return ordersLines(work, text, true)
	case f == shellScript:
		return ordersLines(work, text, false)
	case f == code:
		return ordersCode(text)
	case strings.HasPrefix(text, "#!"):
		line, _, _ := strings.Cut(text, "\n")
		if strings.Contains(line, "sh") {
			return ordersLines(work, text, false)
		}
		return ordersCode(text)
	}
	return false
}

// maxValue bounds the values of a makefile's variables that are put in: a text that
// uses a long one everywhere would grow without end.
const maxValue = 128

// makeText writes a makefile as lines of the shell, as far as that is simple: its own
// variables put in, the marks before a recipe's line taken off.
func makeText(text string) string {
	vars := []string{"$(shell ", "$(", "$$", "$"}
	for line := range strings.Lines(text) {
		name, v, ok := strings.Cut(line, "=")
		name = strings.TrimRight(name, " :?+")
		if ok && len(vars) < 200 && len(v) < maxValue && name != "" && !strings.ContainsAny(name, " \t$") {
			v = strings.TrimSpace(v)
			vars = append(vars, "$("+name+")", v, "${"+name+"}", v)
		}
	}
	// the longer forms first
	r := strings.NewReplacer(append(vars[4:], vars[:4]...)...)
	var out strings.Builder
	for line := range strings.Lines(r.Replace(text)) {
		if !strings.HasPrefix(line, "\t") {
			if _, recipe, ok := strings.Cut(line, ";"); ok {
				line = recipe
			}
		}
		out.WriteString(strings.TrimLeft(line, "\t @-+"))
	}
	return out.String()
}

// quotedText is a text in quotes, and label what stands before a value in a file of
// settings.
var quotedText, label lazy.Value[*regexp.Regexp]

func newQuotedText() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'`)
}

func newLabel() *regexp.Regexp {
	return regexp.MustCompile(`^[\s-]*(?:[\w.-]+\s*[:=]\s*)?`)
}

// ordersLines is orders for lines of the shell; with settings, for values that are.
func ordersLines(work *budget.Budget, text string, settings bool) bool {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || !strings.Contains(unquoted(line), "overseer") {
			continue
		}
		if settings {
			for _, q := range quotedText.Get(newQuotedText).FindAllString(line, 32) {
				if ordersLine(work, strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(q[1:len(q)-1])) {
					return true
				}
			}
			line = label.Get(newLabel).ReplaceAllString(line, "")
		}
		if ordersLine(work, line) {
			return true
		}
	}
	return false
}

// ordersLine is orders for one line of the shell.
func ordersLine(work *budget.Budget, line string) bool {
	plain := unquoted(line)
	if !strings.Contains(plain, "overseer") || !ordering(tokens(plain)) {
		return false
	}
	p := shell.Analyze(strings.TrimLeft(line, "@-+ \t"), shell.Context{Work: work})
	return p.Incomplete || slices.ContainsFunc(p.Commands, rules)
}

// ordering reports whether words hold one by which a person rules.
func ordering(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return w != "install" && slices.Contains(reserved, w) || w == "ledger"
	})
}

// starters are what a program's text starts another program with.
var starters = []string{"system", "subprocess", "popen", "Popen", "exec", "spawn", "run(", "sh(", "sh \"", "`", "%x", "$(", "& ", "call("}

// ordersCode is orders for the text of a language that is not the shell: overseer's
// name and, within a few words, a person's command, in a text that starts programs.
func ordersCode(text string) bool {
	if !slices.ContainsFunc(starters, func(w string) bool { return strings.Contains(text, w) }) {
		return false
	}
	var code strings.Builder
	for line := range strings.Lines(text) {
		if l := strings.TrimSpace(line); !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "//") && !strings.HasPrefix(l, "*") {
			code.WriteString(line)
		}
	}
	words := tokens(code.String())
	for i, w := range words {
		if w != "overseer" {
			continue
		}
		next := words[i+1 : min(i+5, len(words))]
		if slices.ContainsFunc(next, func(w string) bool { return w != "install" && slices.Contains(reserved, w) }) || slices.Contains(next, "ledger") && hasReserved(next) {
			return true
		}
	}
	return false
}
