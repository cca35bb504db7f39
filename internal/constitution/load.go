package constitution

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fireharp/overseer/internal/regular"
	"github.com/fireharp/overseer/internal/rule"
)

// Dir is the name of the folder with rule files, below ~/.overseer or a
// project's .overseer.
const Dir = "constitution"

// Packs is the folder below Dir with the rules that overseer ships. They are
// shared.
const Packs = "packs"

// maxFile bounds one rule file; more is a fault of that file.
const maxFile = 4 << 20

// Place is one folder with rule files.
type Place struct {
	// Root is the .overseer folder.
	Root string
	// Project is true for a folder that a project brought along.
	Project bool
	// Trusted reports whether a person has vouched for a file's present content.
	// It is asked only for files of a project; path is relative to Root.
	Trusted func(path string, content []byte) bool
	// Agents are the known agents' names: a file "<agent>.md" holds rules for it
	// alone.
	Agents []string
	// For, if set, is the one agent whose rules are wanted: the files of the others
	// are not read.
	For string
}

// Loaded is what one place holds.
type Loaded struct {
	Rules    []*rule.Rule
	Problems []*Problem
	// Skipped are the rules of a project that would loosen and that nobody has
	// vouched for.
	Skipped []*rule.Rule
}

// Load reads all rule files of a place in the order of their names, then those of
// its packs. A project need not have any; that the person has none is a problem,
// and so is a file that cannot be read.
func Load(p Place) Loaded {
	var l Loaded
	dir := filepath.Join(p.Root, Dir)
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.Project:
		return l
	case errors.Is(err, fs.ErrNotExist):
		// A person without any rule is one whose rules are gone.
		l.Problems = append(l.Problems, &Problem{File: dir, Line: 1, Col: 1, Err: errors.New(`there are no rules: run "overseer init"`)})
		return l
	case err != nil:
		l.Problems = append(l.Problems, &Problem{File: dir, Line: 1, Col: 1, Err: regular.Reason(err)})
		return l
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if scope, agent := p.scope(name); p.For == "" || agent == "" || agent == p.For {
			p.file(&l, e.Name(), Defaults{Scope: scope, Agent: agent})
		}
	}
	p.packs(&l)
	return l
}

// packs reads the folder of packs, which need not be there.
func (p Place) packs(l *Loaded) {
	dir := filepath.Join(p.Root, Dir, Packs)
	entries, err := os.ReadDir(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.Problems = append(l.Problems, &Problem{File: dir, Line: 1, Col: 1, Err: regular.Reason(err)})
		}
		return
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".md"); ok && !strings.HasPrefix(name, ".") {
			p.file(l, filepath.Join(Packs, e.Name()), Defaults{Scope: rule.Shared})
		}
	}
}

// file reads one file; name is its path below Dir.
func (p Place) file(l *Loaded, name string, d Defaults) {
	path := filepath.Join(p.Root, Dir, name)
	d.File, d.Agents = path, p.Agents
	if p.Project {
		d.Root = filepath.Dir(p.Root)
	}
	content, err := regular.Read(path, maxFile)
	if err != nil {
		l.Problems = append(l.Problems, &Problem{File: path, Line: 1, Col: 1, Err: err})
		return
	}
	rules, problems := Parse(string(content), d)
	l.Problems = append(l.Problems, problems...)
	trusted := !p.Project || p.Trusted(filepath.Join(Dir, name), content)
	for _, r := range rules {
		r.FromProject, r.Trusted = p.Project, trusted
		if Loosens(r) && !trusted {
			l.Skipped = append(l.Skipped, r)
			continue
		}
		l.Rules = append(l.Rules, r)
	}
}

// Loosens reports whether a rule needs a person's trust when it comes from a
// project: all that do more than deny or ask.
func Loosens(r *rule.Rule) bool { return r.Do != rule.Deny && r.Do != rule.Ask }

// scope is what the name of a file says of the rules in it (documented:
// shared.md, project.md, claude.md, codex.md). Other names hold shared rules.
func (p Place) scope(base string) (rule.Scope, string) {
	if base == "project" {
		return rule.Project, ""
	}
	for _, a := range p.Agents {
		if base == a {
			return rule.Agent, a
		}
	}
	if p.Project && base != "shared" {
		return rule.Project, ""
	}
	return rule.Shared, ""
}
