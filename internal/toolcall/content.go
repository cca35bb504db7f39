package toolcall

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/lazy"
	"github.com/fireharp/overseer/internal/program"
)

// What is written into most files does nothing before somebody runs it, and is
// judged then. Some files are run by others without being asked for: what package
// managers run at every install, what a shell runs in the folder, a notebook's
// cells. There the worst of what the text would do counts at once.

// written reads the texts that the call writes into such files.
func (c *call) written() {
	name := strings.ToLower(c.tool.Name)
	if fileTools(name) != effect.FileWrite && !IsMCP(c.tool) || len(c.tool.Paths) == 0 {
		return
	}
	in := c.input()
	if name == "notebookedit" {
		if t := c.argument("cell_type"); t == "" || t == "code" {
			c.cell(in.Get("new_source").Str)
		}
		return
	}
	before := strings.Join(texts(in, []string{"old_string", "old_str", "old_text"}, 4), "\n")
	for _, text := range texts(in, []string{"content", "contents", "new_string", "new_str", "new_text", "text", "file_text"}, 4) {
		c.content(c.tool.Paths[0], text, before)
	}
}

// content reads the text that is written into a file. before is what it replaces.
func (c *call) content(file, text, before string) {
	if text == "" {
		return
	}
	if reader := readerOf(file); reader != nil {
		c.read(text, reader)
	}
	c.builds(file, text)
	c.orders(file, text, before)
	c.sources(file, text, before)
	c.manifest(file, text)
}

// read looks for command lines in a text. Going through two bytes of it takes about a
// step of work.
func (c *call) read(text string, reader func(string) []string) {
	if c.work.Spend(1 + len(text)/2) {
		c.worst(reader(text))
	}
}

// readerOf gives the reader of a file that others run unasked, nil for other files:
// it finds the command lines in a text.
func readerOf(file string) func(string) []string {
	file = strings.ToLower(strings.ReplaceAll(file, `\`, "/"))
	switch base := path.Base(file); {
	case base == "package.json" || base == "composer.json":
		return lifecycle
	case base == ".pnpmfile.cjs":
		return func(text string) []string { return []string{"node -e " + quote(text)} }
	case program.RunsUnasked(file):
		return func(text string) []string { return []string{text} }
	case base == "setup.py" || base == "conftest.py" || base == "sitecustomize.py":
		return func(text string) []string { return []string{"python3 -c " + quote(text)} }
	case strings.HasPrefix(base, ".pre-commit-config.") || strings.HasPrefix(base, "lefthook.") || strings.HasPrefix(base, ".lefthook."):
		return hookEntries
	}
	return nil
}

// scripts are the entries of package.json and composer.json that installing runs,
// also where an edit shows only a part of the file.
var scripts lazy.Value[*regexp.Regexp]

func scriptsPattern() *regexp.Regexp {
	return regexp.MustCompile(`"(?:preinstall|install|postinstall|preprepare|prepare|postprepare|prepublish|prepublishOnly|prepack|postpack|dependencies|(?:pre|post)-(?:install|update|autoload-dump|root-package-install|create-project)-(?:cmd|dump)?)"\s*:\s*\[?\s*("(?:[^"\\]|\\.)*")`)
}

func lifecycle(text string) []string {
	var out []string
	for _, m := range scripts.Get(scriptsPattern).FindAllStringSubmatch(text, -1) {
		out = append(out, gjson.Parse(m[1]).Str)
	}
	return out
}

// entries are the commands of what runs git hooks.
var entries lazy.Value[*regexp.Regexp]

func entriesPattern() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t-]*(?:entry|run|args)[ \t]*:[ \t]*(?:[|>][+-]?[ \t]*\n[ \t]*)?(.+)$`)
}

func hookEntries(text string) []string {
	var out []string
	for _, m := range entries.Get(entriesPattern).FindAllStringSubmatch(text, -1) {
		out = append(out, strings.TrimSpace(m[1]))
	}
	return out
}

// cell reads a cell of a notebook: Python, with lines of shell marked by an
// exclamation mark, or all of it in the language that its first line names.
func (c *call) cell(text string) {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	switch magic := strings.Fields(first); {
	case len(magic) == 0:
		return
	case magic[0] == "%%bash" || magic[0] == "%%sh" || magic[0] == "%%script" || magic[0] == "%%!":
		c.worst([]string{rest})
		return
	}
	var code strings.Builder
	var lines []string
	for line := range strings.Lines(text) {
		switch t := strings.TrimSpace(line); {
		case strings.HasPrefix(t, "!"):
			lines = append(lines, strings.TrimLeft(t, "!"))
		case strings.HasPrefix(t, "%system ") || strings.HasPrefix(t, "%sx "):
			_, t, _ = strings.Cut(t, " ")
			lines = append(lines, t)
		case !strings.HasPrefix(t, "%"):
			code.WriteString(line)
		}
	}
	c.worst(append(lines, "python3 -c "+quote(code.String())))
}

// worst adds what command lines would do that nobody wants to have stored where it
// runs by itself.
func (c *call) worst(lines []string) {
	for _, line := range lines {
		for _, e := range c.command(line) {
			switch e.Kind {
			case effect.ExecDownloaded, effect.ExecDecoded, effect.ExecRemoteShell, effect.SecretSend, effect.DiskOverwrite, effect.ForkBomb:
				c.effects = append(c.effects, e)
			case effect.DeleteRecursive:
				if slices.ContainsFunc(e.Targets, func(t effect.Target) bool {
					return t.Scope == effect.Root || t.Scope == effect.Home || t.Scope == effect.System
				}) {
					c.effects = append(c.effects, e)
				}
			}
		}
	}
}
