package toolcall

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/lazy"
)

// What builds a project runs when the project is built, and is judged then. Nobody reads
// it again before, though, so that what no build does counts when it is written.

// never are the kinds that no build has. Some builds fetch an installer and run it; see
// fetches.
var never = []effect.Kind{effect.ExecDecoded, effect.ExecRemoteShell, effect.SecretSend, effect.DiskOverwrite, effect.ForkBomb}

// recipe says how a build file is read.
type recipe struct {
	names []string // base names, in lower case; those with a * in front are endings
	// lines finds the command lines in a text, for bash.
	lines func(string) []string
	// fetches is true where lines that fetch a program and run it are everyday: recipes
	// that people start by hand.
	fetches bool
}

var recipeList = []recipe{
	{names: []string{"makefile", "gnumakefile", "*.mk"}, lines: makeLines, fetches: true},
	{names: []string{"justfile", ".justfile", "*.just"}, lines: justLines, fetches: true},
	{names: []string{"dockerfile", "containerfile", "*.dockerfile"}, lines: dockerLines, fetches: true},
	{names: []string{"package.json"}, lines: scriptLines, fetches: true},
	{names: []string{"build.rs"}, lines: rustLines},
	{names: []string{"cmakelists.txt", "*.cmake"}, lines: cmakeLines},
	{names: []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "init.gradle"}, lines: gradleLines},
	{names: []string{"noxfile.py", "tasks.py", "fabfile.py", "sconstruct", "hatch_build.py", "dodo.py", "wscript"}, lines: pythonLines},
	{names: []string{"rakefile", "gemfile", "podfile", "vagrantfile", "fastfile", "guardfile", "extconf.rb", "*.gemspec", "*.rake"}, lines: rubyLines},
	{names: []string{"gruntfile.js", "gulpfile.js", ".eslintrc.js", ".eslintrc.cjs", ".prettierrc.js", ".babelrc.js", "*.config.js", "*.config.cjs", "*.config.mjs", "*.config.ts", "*.config.mts"}, lines: nodeLines},
}

// recipeOf gives how a file is read that builds a project, nil for other files.
func recipeOf(file string) *recipe {
	base := path.Base(strings.ToLower(strings.ReplaceAll(file, `\`, "/")))
	for i := range recipeList {
		for _, n := range recipeList[i].names {
			if n == base || n[0] == '*' && strings.HasSuffix(base, n[1:]) {
				return &recipeList[i]
			}
		}
	}
	return nil
}

// builds adds the worst of what a text does in a file that builds a project.
func (c *call) builds(file, text string) {
	r := recipeOf(file)
	if r == nil || !c.work.Spend(1+len(text)/2) {
		return
	}
	kinds := never
	if !r.fetches {
		kinds = append(kinds[:len(kinds):len(kinds)], effect.ExecDownloaded)
	}
	for _, line := range r.lines(text) {
		for _, e := range c.command(line) {
			if slices.Contains(kinds, e.Kind) || e.Kind == effect.DeleteRecursive && wide(e) {
				c.effects = append(c.effects, e)
			}
		}
	}
}

// wide reports whether an effect is on a whole home or on the system.
func wide(e effect.Effect) bool {
	return slices.ContainsFunc(e.Targets, func(t effect.Target) bool {
		return t.Scope == effect.Root || t.Scope == effect.Home || t.Scope == effect.System
	})
}

// Some are programs as a whole.

func pythonLines(text string) []string { return []string{"python3 -c " + quote(text)} }
func rubyLines(text string) []string   { return []string{"ruby -e " + quote(text)} }
func nodeLines(text string) []string   { return []string{"node -e " + quote(text)} }

// makeLines has the shell's own reader of makefiles read it.
func makeLines(text string) []string {
	return []string{"make -f - <<'end of makefile'\n" + strings.ReplaceAll(text, "$(HOME)", "$$HOME") + "\nend of makefile\n"}
}

func justLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if t := strings.TrimLeft(line, " \t"); t != line {
			out = append(out, strings.TrimLeft(strings.TrimSpace(t), "@-"))
		}
	}
	return out
}

// The patterns of what build files run.
var (
	runs      lazy.Value[*regexp.Regexp]
	pairs     lazy.Value[*regexp.Regexp]
	rustRuns  lazy.Value[*regexp.Regexp]
	cmakeRuns lazy.Value[*regexp.Regexp]
	gradleRun lazy.Value[*regexp.Regexp]
	literals  lazy.Value[*regexp.Regexp]
)

func runsPattern() *regexp.Regexp {
	return regexp.MustCompile(`(?mi)^[ \t]*RUN[ \t]+((?:.*\\\n)*.*)$`)
}

func dockerLines(text string) []string {
	var out []string
	for _, m := range runs.Get(runsPattern).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// maxScripts bounds how many entries of package.json are read as command lines.
const maxScripts = 64

func pairsPattern() *regexp.Regexp {
	return regexp.MustCompile(`"[\w:.-]+"\s*:\s*("(?:[^"\\]|\\.)* (?:[^"\\]|\\.)*")`)
}

// scriptLines takes any entry of package.json with a space for a script: an edit shows
// only a part of the file.
func scriptLines(text string) []string {
	var out []string
	for _, m := range pairs.Get(pairsPattern).FindAllStringSubmatch(text, maxScripts) {
		out = append(out, gjson.Parse(m[1]).Str)
	}
	return out
}

func rustPattern() *regexp.Regexp {
	return regexp.MustCompile(`Command::new\(\s*("(?:[^"\\]|\\.)*"\s*\)(?:\s*\.args?\(\s*&?(?:\[[^\]]*\]|"(?:[^"\\]|\\.)*")\s*\))*)`)
}

func rustLines(text string) []string { return words(rustRuns.Get(rustPattern), text) }

func cmakePattern() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\bCOMMAND\s+((?:"(?:[^"\\]|\\.)*"|[^\s()"]+|\s+)+)`)
}

func cmakeLines(text string) []string {
	text = strings.ReplaceAll(text, "$ENV{", "${")
	var out []string
	for _, m := range cmakeRuns.Get(cmakePattern).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func gradlePattern() *regexp.Regexp {
	return regexp.MustCompile(`(?:commandLine|args)\s*\(?\s*((?:(?:'[^']*'|"(?:[^"\\]|\\.)*")[\s,]*)+)|((?:\[(?:\s*(?:'[^']*'|"(?:[^"\\]|\\.)*")\s*,?)+\]|'[^']*'|"(?:[^"\\]|\\.)*")\s*(?:as\s+String\[\]\s*)?\.execute\()`)
}

func gradleLines(text string) []string { return words(gradleRun.Get(gradlePattern), text) }

func literalsPattern() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'`)
}

// words makes a command line of the literals in each match. One alone is a line itself.
func words(p *regexp.Regexp, text string) []string {
	var out []string
	for _, m := range p.FindAllString(text, -1) {
		var line []string
		for _, s := range literals.Get(literalsPattern).FindAllString(m, -1) {
			if t, err := strconv.Unquote(s); err == nil {
				s = t
			} else {
				s = s[1 : len(s)-1]
			}
			line = append(line, s)
		}
		if len(line) == 1 {
			out = append(out, line[0])
			continue
		}
		for i, w := range line {
			line[i] = quote(w)
		}
		out = append(out, strings.Join(line, " "))
	}
	return out
}
