package shell

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/program"
)

// Files that the line writes and then has another program run: a package.json and
// "npm install", a Rakefile and "rake".

// recipes follows what a program runs of the files that the line has written.
func (e *eval) recipes(name string, words []effect.Value) {
	if len(e.files) == 0 {
		return
	}
	b := program.BuildOf(name)
	files := recipeFiles(name, b)
	if len(files) == 0 {
		return
	}
	s := e.through(name)
	if dir, ok := flagValue(words, b.FolderFlags); ok {
		s.dir = e.path(dir).Text
	}
	if file, ok := flagValue(words, b.FileFlags); ok {
		files[0] = file.Text
	}
	var given []string // the words that are no flags, nor values of those flags
	for i, w := range words {
		valued := i > 0 && (slices.Contains(b.FolderFlags, words[i-1].Text) || slices.Contains(b.FileFlags, words[i-1].Text))
		if !strings.HasPrefix(w.Text, "-") && !valued {
			given = append(given, w.Text)
		}
	}
	if name == "pip" || name == "pip3" || name == "uv" { // pip install DIR
		for _, g := range given {
			files = append(files, strings.TrimSuffix(g, "/")+"/setup.py")
		}
	}
	for _, f := range files {
		v, ok := e.files[s.abs(effect.Lit(f))]
		if !ok || !s.step() {
			continue
		}
		if v.Origin.Has(foreign) {
			s.runUnknown(v)
		}
		if !v.Open {
			s.fromDisk(func() { s.recipe(f, v, given) })
		}
	}
}

// recipeFiles are the files whose content a program runs, as far as they are read here:
// those of make are by the shell's own reader.
func recipeFiles(name string, b program.Build) []string {
	switch name {
	case "make", "gmake", "task", "tox":
		return nil
	case "pip", "pip3", "uv":
		return []string{"setup.py"}
	case "fab":
		return []string{"fabfile.py"}
	case "scons":
		return []string{"SConstruct"}
	case "cargo":
		return []string{"build.rs", "src/main.rs"}
	case "gradle", "gradlew":
		return []string{"build.gradle", "build.gradle.kts"}
	case "bundle", "gem":
		return []string{"Gemfile", "extconf.rb"}
	}
	return slices.Clone(b.Recipes)
}

// recipe follows the content of one file. given are the words of the program that are
// no flags.
func (e *eval) recipe(file string, v effect.Value, given []string) {
	switch base := path.Base(file); path.Ext(base) {
	case ".json":
		for _, line := range scriptsOf(v.Text, given) {
			e.source(effect.Lit(line), stream{})
		}
	case ".py":
		e.code("python", v)
	case ".rs":
		e.code("rust", v)
	case ".gradle", ".kts":
		e.code("java", v)
	default:
		switch strings.ToLower(base) {
		case "sconstruct":
			e.code("python", v)
		case "justfile", ".justfile":
			for line := range strings.Lines(v.Text) {
				if recipe := strings.TrimLeft(line, " \t"); len(recipe) < len(line) {
					e.source(effect.Lit(strings.TrimLeft(recipe, "@-")), stream{})
				}
			}
		default:
			e.code("ruby", v)
		}
	}
}

// scriptsOf are the scripts of a package.json or composer.json that a command runs:
// those that it names, with what stands before and after them, or those of installing.
func scriptsOf(text string, given []string) []string {
	var pkg struct {
		Scripts map[string]any
	}
	if json.Unmarshal([]byte(text), &pkg) != nil {
		return nil
	}
	sub := ""
	if len(given) > 0 {
		sub = given[0]
	}
	var names []string
	switch sub {
	case "run", "run-script", "rum", "urn":
		names = given[1:]
	case "", "i", "in", "install", "ci", "add", "update", "up", "rebuild", "link", "clean-install", "require", "dump-autoload":
		names = []string{"install", "prepare", "dependencies", "install-cmd", "update-cmd", "autoload-dump", "root-package-install", "create-project-cmd"}
	case "publish", "pack":
		names = []string{"prepare", "prepublish", "prepublishOnly", "pack", "publish"}
	default:
		names = given[:1] // npm test, yarn NAME
	}
	var out []string
	add := func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, x := range v {
				if s, ok := x.(string); ok {
					out = append(out, s)
				}
			}
		}
	}
	for _, n := range names {
		for _, before := range []string{"pre", "pre-", "", "post", "post-"} {
			add(pkg.Scripts[before+n])
		}
	}
	return out
}

// flagValue is the value of the first of these flags.
func flagValue(words []effect.Value, flags []string) (effect.Value, bool) {
	for i, w := range words {
		if slices.Contains(flags, w.Text) && i+1 < len(words) {
			return words[i+1], true
		}
		if name, value, ok := strings.Cut(w.Text, "="); ok && slices.Contains(flags, name) {
			return effect.Value{Text: value, Open: w.Open, Origin: w.Origin}, true
		}
	}
	return effect.Value{}, false
}
