package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/guard"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/hookmon"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/policy"
	"github.com/fireharp/overseer/internal/regular"
)

// input is all that the decision on an event rests on.
func (w *world) input(hm home.Home, e *event.Event, l home.Loaded, faults []string) engine.Input {
	faults = append(faults, l.Faults()...)
	precedents, fault := w.precedents(hm, e, l, true)
	if fault != "" {
		faults = append(faults, fault)
	}
	return engine.Input{
		Event:    e,
		Home:     hm.User,
		Repo:     repoOf(e.CWD, hm.User),
		Real:     remembered(realPath),
		Read:     readScript,
		There:    isThere,
		List:     listFolder,
		Rules:    append(guard.Rules(guardPlaces(hm, w)), l.Rules...),
		Policies: l.Policies,
		Ask: func(specs []judgment.Spec) (map[string]judgment.Answer, error) {
			s := w.hookmonSettings([]string{e.CWD}).TypeSafe
			s.Timeout = min(s.Timeout, deadline-2*time.Second) // the verdict must be recorded too
			return w.asker(s, e, l.Config.Privacy.Secrets())(specs)
		},
		SafeMode:     l.Config.SafeMode,
		OnFault:      l.Config.OnFault,
		DefaultAllow: l.Config.Answer.DefaultAllow,
		Faults:       faults,
		Approved: func(form string) (string, bool, error) {
			set, err := approval.Load(hm.Approvals())
			if err != nil || len(set.Approvals) == 0 {
				return "", false, err
			}
			a, ok := set.Find(w.action.of(e, l.Key), form, w.now())
			if !ok && len(l.Key) > 0 { // asked before there was a key
				a, ok = set.Find(journal.Fingerprint(e, nil), form, w.now())
			}
			return a.Event, ok, nil
		},
		Precedents: precedents,
	}
}

// action keeps the fingerprint of an event, which precedent, approvals and the record
// ask for: of a large one it is much of the work.
type action struct {
	event       *event.Event
	key         string
	fingerprint string
}

func (a *action) of(e *event.Event, key []byte) string {
	if a.event != e || a.key != string(key) {
		*a = action{e, string(key), journal.Fingerprint(e, key)}
	}
	return a.fingerprint
}

// loadFor reads settings and rules for the event's folder and for those that the
// agent was started in: one that works elsewhere for a moment is still held to its
// project's rules.
func loadFor(hm home.Home, e *event.Event, w *world) home.Loaded {
	dirs := []string{w.cwd()}
	for _, d := range []string{w.getenv("CLAUDE_PROJECT_DIR"), e.CWD} {
		if d != "" && d != dirs[0] {
			dirs = append([]string{d}, dirs...)
		}
	}
	l := hm.Load(dirs, agent.Names(), e.Agent)
	if policy.Answered(e) {
		l.LoadPolicies(knownAgents(), w.hookmonSettings(dirs).PolicyFile, dirs...)
	}
	return l
}

// hookmonSettings are the settings of the hookmon face as this one takes them
// over: which policy counts, and who answers judgments.
func (w *world) hookmonSettings(dirs []string) hookmon.Settings {
	s, _ := hookmon.Resolve(hookmon.Sources{Home: w.getenv("HOME"), Folders: dirs, Env: w.lookupEnv})
	return s
}

// guardPlaces are the files that the built-in rules watch over.
func guardPlaces(hm home.Home, w *world) guard.Places {
	g := guard.Places{Home: hm.Root, Project: []string{home.Name}}
	if p, err := w.program(); err == nil {
		g.Program = append(g.Program, p)
		if real, err := filepath.EvalSymlinks(p); err == nil && real != p {
			g.Program = append(g.Program, real)
		}
	}
	for _, p := range agent.All() {
		s := p.Settings()
		g.Settings = append(g.Settings, userTarget(p, hm, w.getenv).Path)
		g.Project = append(g.Project, s.Project)
	}
	// Codex takes hooks and their trust from its config.toml, Claude Code also from
	// the settings that are not checked in. A policy binds the agent.
	g.Project = append(g.Project, ".codex/config.toml", ".claude/settings.local.json", policy.File, hookmon.SettingsFile)
	return g
}

// repoOf finds the root folder of the project that dir is in: the nearest folder
// upward with a .git, "" if there is none. A home folder or a machine that is under
// version control is no project.
func repoOf(dir, user string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	for dir = filepath.Clean(dir); dir != user && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
	}
	return ""
}

// readScript reads a script that a command would run.
func readScript(path string) ([]byte, bool) {
	b, err := regular.Read(path, maxScript)
	return b, err == nil
}

// isThere reports whether there is something of this name that a program could read:
// no folder and no device.
func isThere(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode()&(os.ModeDir|os.ModeDevice) == 0
}

// maxFolder bounds the folders that are listed by their size on the disk in bytes, some
// thousand names: in a larger one it is cheaper to look for a few.
const maxFolder = 64 << 10

// listFolder lists the names in a folder, none for one that is not there.
func listFolder(dir string) ([]string, bool) {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil, true
	case err != nil || st.Size() > maxFolder:
		return nil, false
	case !st.IsDir():
		return nil, true
	}
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err == nil
}

// remembered is f, asked once for each path: the rules look at the same few again and
// again while they judge one event.
func remembered(f func(string) string) func(string) string {
	known := map[string]string{}
	return func(path string) string {
		real, ok := known[path]
		if !ok {
			real = f(path)
			known[path] = real
		}
		return real
	}
}

// realPath follows symbolic links in a path as far as it exists: of a file that is
// to be made, the folder counts.
func realPath(p string) string {
	if len(p) > engine.MaxPath {
		return p
	}
	for _, dir := range []string{p, filepath.Dir(p)} { // the usual cases
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, strings.TrimPrefix(p, dir))
		}
	}
	there := 0 // how much of the path exists
	for i := 1; i < len(p); i++ {
		if p[i] != filepath.Separator {
			continue
		}
		if _, err := os.Stat(p[:i]); err != nil {
			break
		}
		there = i
	}
	real, err := filepath.EvalSymlinks(p[:max(there, 1)])
	if err != nil {
		return p
	}
	return filepath.Join(real, p[max(there, 1):])
}
