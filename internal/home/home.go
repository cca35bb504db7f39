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
	"github.com/fireharp/overseer/internal/policy"
	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/team"
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

// Precedents is the snapshot of what humans have ruled.
func (h Home) Precedents() string { return filepath.Join(h.Root, "precedents") }

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

// Team are the files about the ledger that the machine shares with others.
func (h Home) Team() team.Files { return team.In(h.Root) }

// Expand replaces a leading ~ by the home folder.
func (h Home) Expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') && h.User != "" {
		return h.User + rest
	}
	return path
}

// Projects finds the .overseer folders of the projects that dirs are in: all of
// them upward from each folder and, where that is reached by a link, from the
// folder behind it. The nearest comes first. The person's own folder is no
// project's.
//
// All count, and not the nearest alone: the agent chooses where it works, and a
// folder of its making must not switch off the rules of the one around it.
func (h Home) Projects(dirs ...string) []string {
	var out []string
	seen := map[string]bool{h.Root: true}
	if h.User != "" {
		seen[filepath.Join(h.User, Name)] = true
	}
	walk := func(dir string) {
		for ; ; dir = filepath.Dir(dir) {
			root := filepath.Join(dir, Name)
			if !seen[root] {
				seen[root] = true
				if st, err := os.Stat(root); err == nil && st.IsDir() {
					out = append(out, root)
				}
			}
			if dir == filepath.Dir(dir) {
				return
			}
		}
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		walk(filepath.Clean(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != filepath.Clean(dir) {
			walk(real)
		}
	}
	return out
}

// Loaded is what a decision needs, with all that went wrong in loading it.
type Loaded struct {
	Config config.Config
	Rules  []*rule.Rule
	// Projects are the projects' .overseer folders that count, the nearest first.
	Projects []string
	// Policies are the policy files that count here; see [Loaded.LoadPolicies].
	Policies []*policy.Policy
	// Problems are faults: a verdict must not pretend that all is well.
	Problems []error
	// Skipped says what a project's files would loosen and may not yet.
	Skipped []string
	// Key is what signatures and fingerprints are made with, and KeyError says why
	// there is none; see [Home.Key].
	Key      []byte
	KeyError error
}

// Load reads settings and rules for an event of one agent that works in dirs: its
// folder, and those that it was started in. agents are the known agents' names;
// only, if it is not "", leaves out the rules that are another agent's alone.
func (h Home) Load(dirs []string, agents []string, only string) Loaded {
	l := Loaded{Projects: h.Projects(dirs...)}
	l.Key, l.KeyError = h.Key()
	var err error
	l.Config, _, err = config.Load(config.Default(), h.Root)
	l.fault(err)
	l.place(constitution.Place{Root: h.Root, Agents: agents, For: only})
	if len(l.Projects) == 0 {
		return l
	}
	pins, err := trust.Open(h.Trust())
	l.fault(err)
	for _, root := range l.Projects {
		l.projectConfig(root, pins)
		l.place(constitution.Place{Root: root, Project: true, Agents: agents, For: only, Trusted: func(file string, content []byte) bool {
			return pins.Trusted(root, file, content)
		}})
	}
	return l
}

// projectConfig takes over a project's settings: those of a trusted file, of
// another only what is stricter.
func (l *Loaded) projectConfig(root string, pins *trust.Store) {
	c, src, err := config.Load(l.Config, root)
	l.fault(err)
	if src == nil {
		return
	}
	if err == nil && pins.Trusted(root, config.File, src) {
		// Where the ledger is stays the person's own choice: it is one for all projects.
		// So does what is recorded there.
		c.Ledger = l.Config.Ledger
		c.Privacy.Redact = c.Privacy.Redact || l.Config.Privacy.Redact
		l.Config = c
		return
	}
	tight, skipped := config.Tighten(l.Config, c)
	l.Config = tight
	for _, s := range skipped {
		l.Skipped = append(l.Skipped, filepath.Join(root, config.File)+": "+s)
	}
}

func (l *Loaded) place(p constitution.Place) {
	got := constitution.Load(p)
	l.Rules = append(l.Rules, got.Rules...)
	for _, r := range got.Rules {
		if p.Project && !r.Trusted {
			// A stranger's sentence is no instruction for the model.
			r.Reason = "a rule of this project"
		}
	}
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
