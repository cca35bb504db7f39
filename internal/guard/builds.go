package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/lazy"
	"github.com/fireharp/overseer/internal/patch"
	"github.com/fireharp/overseer/internal/program"
	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/shell"
)

// recipes holds for an event that writes a person's command to overseer into a file
// that is there to be run, or that runs a build file which holds one.
type recipes struct{}

func (recipes) String() string { return "file that gives overseer a person's command" }

// maxBuilds bounds the build files that are read for one line, and maxText the bytes
// looked at in each text.
const (
	maxBuilds = 8
	maxText   = 256 << 10
)

// Holds implements [rule.Condition].
func (recipes) Holds(s *rule.Subject) bool {
	t := s.Event.Tool
	if t.Command == "" {
		if slices.Contains(readTools, t.Name) || !slices.ContainsFunc(t.Paths, func(p string) bool { return isBuild(p) || mayRun(p) }) {
			return false
		}
		texts := inputTexts(gjson.ParseBytes(t.Input), maxNesting, nil)
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "*** Begin Patch") && patched(s.Work(), text) }) ||
			anyOrders(s.Work(), t.Paths, slices.DeleteFunc(texts, func(text string) bool { return strings.Contains(text, "*** Begin Patch") }))
	}
	prog := s.Program()
	if written(s.Work(), prog) {
		return true
	}
	if s.Read == nil {
		return false
	}
	read := 0
	for _, c := range prog.Commands {
		for _, f := range runs(c) {
			if read++; read > maxBuilds {
				return false
			}
			if b, ok := s.Read(s.Abs(f.path)); ok && orders(s.Work(), f.as, string(b)) {
				return true
			}
		}
	}
	return false
}

// maxNesting is how deep into a tool's arguments texts are looked for, as deep as the
// agents' codecs look for paths.
const maxNesting = 8

// inputTexts are the texts that a file tool's call would put into a file: all of its
// arguments but what is replaced.
func inputTexts(v gjson.Result, depth int, out []string) []string {
	switch {
	case v.Type == gjson.String:
		return append(out, v.String())
	case depth == 0 || v.Type != gjson.JSON: // a number's ForEach gives the number itself
		return out
	}
	v.ForEach(func(k, w gjson.Result) bool {
		if !strings.HasPrefix(k.String(), "old") {
			out = inputTexts(w, depth-1, out)
		}
		return true
	})
	return out
}

// patched is orders for each file of a patch in the form of apply_patch.
func patched(work *budget.Budget, text string) bool {
	return slices.ContainsFunc(patch.Changes(text), func(c patch.Change) bool { return orders(work, c.File, c.Added) })
}

// written reports whether a line writes such a text into a file that is run.
func written(work *budget.Budget, p shell.Program) bool {
	to := slices.Clone(p.Writes)
	var texts []string
	for _, c := range p.Commands {
		switch c.Program {
		case "apply_patch", "applypatch":
			if patched(work, c.Input) || patched(work, strings.Join(c.Args, "\n")) {
				return true
			}
			continue
		case "tee", "sponge":
			to = append(to, c.Files()...)
		case "echo", "printf":
			texts = append(texts, strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(strings.Join(c.Args, " ")), strings.Join(c.Args, "\n"))
		}
		texts = append(texts, c.Input)
	}
	return anyOrders(work, slices.DeleteFunc(to, func(f string) bool { return !isBuild(f) && !mayRun(f) }), texts)
}

// buildFile is a file that is read as if it had the name as.
type buildFile struct{ path, as string }

// runs lists the build files that a command runs.
func runs(c shell.Command) []buildFile {
	name, args := c.Program, c.Args
	if strings.HasPrefix(name, "python") && len(args) > 1 && args[0] == "-m" {
		name, args = args[1], args[2:]
	}
	b := program.BuildOf(name)
	if b.Recipes == nil {
		return nil
	}
	dir, files := c.Dir, []buildFile(nil)
	for i, a := range args {
		flag, v, glued := strings.Cut(a, "=")
		switch {
		case glued:
		case len(a) > 2 && a[0] == '-' && a[1] != '-' && (slices.Contains(b.FileFlags, a[:2]) || slices.Contains(b.FolderFlags, a[:2])):
			flag, v = a[:2], a[2:]
		case i+1 < len(args):
			v = args[i+1]
		}
		switch {
		case v == "" || !strings.HasPrefix(flag, "-"):
			if strings.HasSuffix(a, ".py") {
				files = append(files, buildFile{shell.In(dir, a), a})
			}
		case slices.Contains(b.FolderFlags, flag):
			dir = shell.In(dir, v)
		case slices.Contains(b.FileFlags, flag):
			files = append(files, buildFile{shell.In(dir, v), b.Recipes[0]})
		}
	}
	for _, f := range b.Recipes {
		files = append(files, buildFile{shell.In(dir, f), f})
	}
	return files
}

// anyOrders is orders for any of the texts as the content of any of the files. There
// can be thousands of both, but few sorts of files.
func anyOrders(work *budget.Budget, files, texts []string) bool {
	if texts = slices.DeleteFunc(texts, func(t string) bool { return !speaks(t) }); len(texts) == 0 {
		return false
	}
	var forms [code + 1]bool
	for _, f := range files {
		forms[formOf(f)] = true
	}
	for f, is := range forms {
		if is && slices.ContainsFunc(texts, func(t string) bool { return form(f).orders(work, t) }) {
			return true
		}
	}
	return false
}

// isBuild reports whether a file is a build file by its name.
func isBuild(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, ".mk") || strings.HasSuffix(base, ".just") || buildNames.Get(readBuildNames)[base]
}

var buildNames lazy.Value[map[string]bool]

func readBuildNames() map[string]bool {
	names := map[string]bool{"conftest.py": true, ".envrc": true}
	for _, b := range program.Builds {
		for _, r := range b.Recipes {
			names[r] = true
		}
	}
	return names
}

// scriptEnds are the endings of files that an interpreter runs.
var scriptEnds = []string{
	".sh", ".bash", ".zsh", ".ksh", ".fish", ".py", ".rb", ".pl", ".php", ".lua",
	".js", ".mjs", ".cjs", ".ts", ".ps1", ".bat", ".cmd",
}

// mayRun reports whether a file is a script by its name, or may be one by its first
// line.
func mayRun(p string) bool {
	return slices.Contains(scriptEnds, path.Ext(p)) || path.Ext(path.Base(p)) == ""
}
