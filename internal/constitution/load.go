package constitution

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fireharp/overseer/internal/rule"
)

// Dir is the name of the folder with rule files, below ~/.overseer or a
// project's .overseer.
const Dir = "constitution"

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

// Load reads all rule files of a place in the order of their names. A missing
// folder holds no rules. A file that cannot be read is a problem.
func Load(p Place) Loaded {
	var l Loaded
	dir := filepath.Join(p.Root, Dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.Problems = append(l.Problems, &Problem{File: dir, Line: 1, Col: 1, Err: err})
		}
		return l
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if _, agent := p.scope(name); p.For == "" || agent == "" || agent == p.For {
			p.file(&l, e)
		}
	}
	return l
}

func (p Place) file(l *Loaded, e fs.DirEntry) {
	name := e.Name()
	path := filepath.Join(p.Root, Dir, name)
	d := Defaults{File: path}
	d.Scope, d.Agent = p.scope(strings.TrimSuffix(name, ".md"))
	content, err := readFile(path, e.Type())
	if err != nil {
		l.Problems = append(l.Problems, &Problem{File: path, Line: 1, Col: 1, Err: err})
		return
	}
	rules, problems := Parse(string(content), d)
	l.Problems = append(l.Problems, problems...)
	for _, r := range rules {
		r.FromProject = p.Project
		if p.Project && Loosens(r) && !p.Trusted(filepath.Join(Dir, name), content) {
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

// readFile reads a regular file, also behind a link. Anything else is not opened:
// a pipe would keep the hook waiting.
func readFile(path string, mode fs.FileMode) ([]byte, error) {
	if mode&fs.ModeSymlink != 0 {
		st, err := os.Stat(path)
		if err != nil {
			return nil, unwrapPath(err)
		}
		mode = st.Mode()
	}
	if !mode.IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unwrapPath(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, unwrapPath(err)
	}
	if st.Size() > maxFile {
		return nil, errors.New("larger than 4 MiB")
	}
	b := make([]byte, st.Size())
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.ErrUnexpectedEOF) { // it was cut meanwhile
		err = nil
	}
	return b[:n], unwrapPath(err)
}

// unwrapPath drops the path that os puts before an error: a problem names the
// file itself.
func unwrapPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
