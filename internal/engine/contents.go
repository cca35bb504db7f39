package engine

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/internal/program"
	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/shell"
)

// Bounds of what is looked at for one action. Beyond them nobody can tell whether it
// is still the same, and no ruling speaks for it.
const (
	maxNamed    = 32      // files
	maxContents = 2 << 20 // bytes of them
	maxLookups  = 1500    // names that may be files
)

// contents collects the files that an action depends on: each that its words name,
// and each that the text of such a file names.
type contents struct {
	in      *Input
	files   map[string]string
	bytes   int
	asked   map[string]bool
	listed  map[string]map[string]bool // names in lower case by folder, nil if not known
	unknown bool                       // there is one that was not read, or may be
}

// add takes in a file, if there is one of this name.
func (c *contents) add(at string) {
	if c.unknown || c.asked[at] || c.in.Read == nil {
		return
	}
	if c.asked[at] = true; len(c.asked) > maxLookups {
		c.unknown = true
		return
	}
	if slices.ContainsFunc(installed, func(dir string) bool { return strings.HasPrefix(at, dir) }) {
		return
	}
	if c.absent(path.Clean(at)) {
		return
	}
	b, ok := c.in.Read(at)
	if !ok {
		c.unknown = c.in.There != nil && c.in.There(at)
		return
	}
	if c.bytes += len(b); len(c.files) >= maxNamed || c.bytes > maxContents {
		c.unknown = true
		return
	}
	text := string(b)
	if path.Base(at) == "package.json" {
		text = gjson.Get(text, "scripts").Raw
	}
	c.files[at] = text
	c.words(text, path.Ext(at), path.Dir(at), c.in.Event.CWD)
}

// absent reports whether a folder's listing shows that it has no such file. Systems
// differ in which spellings they take for the same name: where that is in doubt, the
// file is looked for.
func (c *contents) absent(at string) bool {
	if c.in.List == nil {
		return false
	}
	dir, name := path.Split(at)
	names, ok := c.listed[dir]
	if !ok {
		if list, ok := c.in.List(dir); ok {
			names = make(map[string]bool, len(list))
			for _, n := range list {
				names[strings.ToLower(n)] = true
			}
		}
		c.listed[dir] = names
	}
	doubt := strings.ContainsFunc(name, func(r rune) bool { return r == '~' || r > unicode.MaxASCII })
	return names != nil && !doubt && !names[strings.ToLower(name)]
}

// word takes in what a word names, seen from each of the folders.
func (c *contents) word(w string, dirs ...string) {
	if w == "" || len(w) > 512 || strings.Trim(w, "./-0123456789") == "" {
		return
	}
	for _, dir := range dirs {
		if path.IsAbs(w) {
			c.add(path.Clean(w))
		}
		c.add(path.Join(dir, w))
	}
}

// imports are what the names of modules lack, by the ending of the file that they
// stand in.
func imports(ext string) []string {
	switch ext {
	case ".py":
		return []string{".py", "/__init__.py"}
	case ".rb":
		return []string{".rb"}
	case ".pl":
		return []string{".pl", ".pm"}
	case ".js":
		return []string{".js", ".json", "/index.js"}
	case ".cjs":
		return []string{".cjs", ".js"}
	case ".mjs":
		return []string{".mjs", ".js"}
	case ".ts":
		return []string{".ts", "/index.ts"}
	}
	return nil
}

// words takes in what the words of a text name. A word after a variable counts too:
// "$DIR/lib.sh" is most likely beside the script.
func (c *contents) words(text, ext string, dirs ...string) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_./~+-", r)
	}) {
		if c.unknown {
			return
		}
		c.variants(w, dirs...)
		for _, more := range imports(ext) {
			name := w
			if ext == ".py" {
				name = strings.ReplaceAll(strings.TrimLeft(w, "."), ".", "/")
			} else if ext == ".js" && !strings.HasPrefix(w, ".") {
				continue
			}
			c.word(name+more, dirs[0])
		}
		if _, rest, ok := strings.Cut(w, "/"); ok && strings.HasPrefix(w, "/") || ok && strings.Contains(text, "$"+w) {
			c.word(rest, dirs...)
		}
	}
}

// variants takes in a word, the value of --flag=value and of -fvalue.
func (c *contents) variants(w string, dirs ...string) {
	c.word(w, dirs...)
	if !strings.HasPrefix(w, "-") {
		return
	}
	if len(w) > 2 && w[1] != '-' {
		c.word(w[2:], dirs...)
	}
}

// line takes in what a command line names; text is it without messages.
func (c *contents) line(s *rule.Subject, p shell.Program, text string) {
	c.words(text, "", path.Clean(s.Event.CWD))
	for _, r := range p.Reads {
		c.add(s.Abs(r))
	}
	for _, cmd := range p.Commands {
		dir := s.Abs(shell.In(cmd.Dir, "."))
		if cmd.Path != "" {
			c.add(cmd.Path)
		}
		for _, a := range cmd.Args {
			if strings.HasPrefix(a, "~/") {
				c.add(s.Abs(a))
			}
			c.variants(strings.TrimPrefix(a, "@"), dir)
			if _, v, ok := strings.Cut(a, "="); ok {
				c.word(v, dir)
			}
		}
		b := program.BuildOf(program.Name(cmd.Program))
		for _, name := range slices.Concat(b.Recipes, b.Besides) {
			c.add(path.Join(dir, name))
			for _, a := range cmd.Args { // make -C sub
				if _, v, ok := strings.Cut(a, "="); ok {
					a = v
				} else if strings.HasPrefix(a, "-") && len(a) > 2 {
					a = a[2:]
				}
				c.word(path.Join(a, name), dir)
			}
		}
	}
}
