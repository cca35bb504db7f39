// Package home knows what lies where in an .overseer folder and loads what a
// decision needs from the person's own folder and from the project's.
package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/constitution"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/trust"
)

// Name is the folder's name, in the person's home and in a project.
const Name = ".overseer"

// Home is the person's own .overseer folder.
type Home struct {
	// Root is the folder itself, absolute.
	Root string
	// User is the person's home folder, absolute.
	User string
}

// New finds the folder: root if it is given (OVERSEER_HOME), else ~/.overseer.
func New(user, root string) (Home, error) {
	if root == "" {
		if user == "" {
			return Home{}, hint.Wrap(errors.New("the home folder is not known"), "set HOME or OVERSEER_HOME")
		}
		root = filepath.Join(user, Name)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return Home{}, fmt.Errorf("find the overseer folder: %w", err)
	}
	return Home{Root: root, User: user}, nil
}

// Exists reports whether the folder was made by overseer init.
func (h Home) Exists() bool {
	st, err := os.Stat(h.Root)
	return err == nil && st.IsDir()
}

// Journal is the folder of the hook's own record.
func (h Home) Journal() string { return filepath.Join(h.Root, "journal") }

// Approvals is the snapshot of what a person has approved lately.
func (h Home) Approvals() string { return filepath.Join(h.Root, "approvals.json") }

// Trust is the file with the hashes of project files a person has vouched for.
func (h Home) Trust() string { return filepath.Join(h.Root, "trust.json") }

// Install is the file with what install has written where.
func (h Home) Install() string { return filepath.Join(h.Root, "install.json") }

// Ledger is the file of the SQLite ledger.
func (h Home) Ledger(c config.Config) string {
	dir := h.Expand(c.Ledger.Path)
	if c.Ledger.Path == config.Default().Ledger.Path {
		dir = filepath.Join(h.Root, "ledger") // also where OVERSEER_HOME is set
	}
	return filepath.Join(dir, "ledger.db")
}

// Expand replaces a leading ~ by the home folder.
func (h Home) Expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') && h.User != "" {
		return h.User + rest
	}
	return path
}

// Project finds the .overseer folder of the project that cwd is in, upward from
// cwd; "" if there is none. The person's own folder is no project's.
func (h Home) Project(cwd string) string {
	if !filepath.IsAbs(cwd) {
		return ""
	}
	for dir := filepath.Clean(cwd); ; dir = filepath.Dir(dir) {
		root := filepath.Join(dir, Name)
		if root != h.Root && dir != h.User {
			if st, err := os.Stat(root); err == nil && st.IsDir() {
				return root
			}
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// Loaded is what a decision needs, with all that went wrong in loading it.
type Loaded struct {
	Config  config.Config
	Rules   []*rule.Rule
	Project string // the project's .overseer folder, "" if none
	// Problems are faults: a verdict must not pretend that all is well.
	Problems []error
	// Skipped says what a project's files would loosen and may not yet.
	Skipped []string
}

// Load reads settings and rules for an event of one agent in the folder cwd.
// agents are the known agents' names; only, if it is not "", leaves out the rules
// that are another agent's alone.
func (h Home) Load(cwd string, agents []string, only string) Loaded {
	l := Loaded{Project: h.Project(cwd)}
	var err error
	l.Config, err = config.Load(config.Default(), h.Root)
	l.fault(err)
	l.place(constitution.Place{Root: h.Root, Agents: agents, For: only})
	if l.Project == "" {
		return l
	}
	pins, err := trust.Open(h.Trust())
	l.fault(err)
	l.projectConfig(pins)
	l.place(constitution.Place{Root: l.Project, Project: true, Agents: agents, For: only, Trusted: func(file string, content []byte) bool {
		return pins.Trusted(l.Project, file, content)
	}})
	return l
}

func (l *Loaded) projectConfig(pins *trust.Store) {
	c, err := config.Load(l.Config, l.Project)
	l.fault(err)
	if err != nil || equal(c, l.Config) {
		return
	}
	content, err := os.ReadFile(filepath.Join(l.Project, config.File))
	if err == nil && pins.Trusted(l.Project, config.File, content) {
		// Where the ledger is stays the person's own choice: it is one for all projects.
		c.Ledger = l.Config.Ledger
		l.Config = c
		return
	}
	tight, skipped := config.Tighten(l.Config, c)
	l.Config = tight
	for _, s := range skipped {
		l.Skipped = append(l.Skipped, filepath.Join(l.Project, config.File)+": "+s)
	}
}

func equal(a, b config.Config) bool {
	_, skipped := config.Tighten(a, b)
	return len(skipped) == 0 && a.SafeMode == b.SafeMode && a.OnFault == b.OnFault && a.Answer == b.Answer
}

func (l *Loaded) place(p constitution.Place) {
	got := constitution.Load(p)
	l.Rules = append(l.Rules, got.Rules...)
	for _, pr := range got.Problems {
		l.fault(pr)
	}
	for _, r := range got.Skipped {
		l.Skipped = append(l.Skipped, fmt.Sprintf("%s: rule %s (Do: %s)", r.At(), r.ID, r.Do))
	}
}

func (l *Loaded) fault(err error) {
	if err != nil {
		l.Problems = append(l.Problems, err)
	}
}

// Faults are the problems as text.
func (l *Loaded) Faults() []string {
	var out []string
	for _, p := range l.Problems {
		out = append(out, p.Error())
	}
	return out
}
