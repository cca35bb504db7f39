// Package install writes overseer's entries into the agents' settings files
// and takes them out again. A settings file belongs to the person and to the
// agent; overseer is a guest in it. So every change is planned first (a [Plan]
// reads and never writes, its [Plan.Diff] can be shown), edits the file's own
// bytes instead of printing it anew, and can be undone to the byte.
//
// What is ours in a file is told by the marker "_overseer": "managed" or, since
// Claude Code drops unknown keys when it rewrites its settings and Cursor's entries
// have no marker, by reading the command: a simple call of overseer whose first
// argument is the word hook.
package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/hint"
)

// The scopes of a settings file.
const (
	UserScope    = "user"    // the person's own file: all their projects
	ProjectScope = "project" // the project's file, often checked in
)

// Target is one agent's settings file in one scope.
type Target struct {
	Provider agent.Provider
	// Path is the file's absolute path. It need not exist.
	Path string
	// Scope is [UserScope] or [ProjectScope].
	Scope string
}

// UserTarget is the agent's file below the home folder. moved is the value of
// the environment variable [agent.Settings.HomeEnv], which replaces the
// folder; "" if it is unset.
func UserTarget(p agent.Provider, home, moved string) Target {
	path := filepath.Join(home, filepath.FromSlash(p.Settings().User))
	if moved != "" {
		path = filepath.Join(moved, filepath.Base(path))
	}
	return Target{Provider: p, Path: path, Scope: UserScope}
}

// ProjectTarget is the agent's file in the project folder.
func ProjectTarget(p agent.Provider, folder string) Target {
	path := filepath.Join(folder, filepath.FromSlash(p.Settings().Project))
	return Target{Provider: p, Path: path, Scope: ProjectScope}
}

// Options say what to write and where to remember it.
type Options struct {
	// Binary is overseer's absolute path as it is to stand in the entries.
	// Removing and inspecting need it only to recognise a binary of another
	// name than overseer.
	Binary string
	// Home, if set, is overseer's own folder as it is to stand in the entries of
	// the person's own files, so that no variable that an agent or a project sets
	// leads the hook elsewhere.
	Home string
	// AgentVersion is the agent's version, e.g. "2.1.332"; "" if unknown.
	// Events that only newer agents know are registered only for those.
	AgentVersion string
	// State is the absolute path of the file in which overseer remembers what
	// it wrote, so that removal can give a file back byte for byte.
	State string
}

// PlanInstall reads the target and works out what registers overseer for every
// event that the agent has and overseer can use. A file that is installed
// already yields a plan without changes. It fails, and names the place, when
// the file is not strict JSON or its hooks are not of the documented form.
func PlanInstall(t Target, o Options) (Plan, error) {
	p, err := newPlan(t, o)
	if err != nil {
		return Plan{}, err
	}
	command, err := commandPrefix(o.Binary)
	if err != nil {
		return Plan{}, err
	}
	doc, err := parse(t.Path, p.Before, t.Provider.Settings())
	if err != nil {
		return Plan{}, err
	}
	if err := doc.check(); err != nil {
		return Plan{}, err
	}
	suffix, err := commandSuffix(t, o)
	if err != nil {
		return Plan{}, err
	}
	own := p.ours(o)
	fresh := !doc.has(own)
	e := editor{doc: doc, own: own, settings: t.Provider.Settings(), suffix: suffix}
	e.install(t.Provider, o.AgentVersion, command)
	p.Changes, p.Warnings = e.changes, append(p.Warnings, e.warnings...)
	// What makes the entries useless is better said now than by doctor.
	i := inspector{Status: &Status{Target: t}, doc: doc}
	i.file()
	for _, f := range i.Faults {
		p.Warnings = append(p.Warnings, f.Text+"; "+f.Mend)
	}
	if len(e.changes) == 0 {
		return p, nil
	}
	p.After = doc.bytes()
	if err := p.rememberInstall(fresh); err != nil {
		return Plan{}, err
	}
	return p, nil
}

// PlanRemove reads the target and works out what takes overseer out of it. If
// nothing else changed since the install, the file becomes what it was before
// to the byte, or goes if there was none; else only overseer's own entries go,
// with the groups and keys that install had added for them. It works without
// the state file too.
func PlanRemove(t Target, o Options) (Plan, error) {
	p, err := newPlan(t, o)
	if err != nil {
		return Plan{}, err
	}
	own := p.ours(o)
	backup, err := p.readBackup()
	if err != nil {
		return Plan{}, err
	}
	if !p.Exists {
		p.rememberRemoval(backup, nil)
		return p, nil
	}
	doc, err := parse(t.Path, p.Before, t.Provider.Settings())
	if err != nil {
		return Plan{}, err
	}
	// The backup says which empty containers were there before. It holds our
	// own entries where the state was lost and install ran again.
	var base *document
	if backup != nil {
		if base, err = parse(p.backupPath(), backup, t.Provider.Settings()); err != nil {
			base = nil
		} else {
			(&editor{doc: base, own: own}).remove(nil)
		}
	}
	e := editor{doc: doc, own: own, settings: t.Provider.Settings()}
	e.remove(base)
	p.Changes, p.Warnings = e.changes, append(p.Warnings, e.warnings...)
	if len(e.changes) > 0 {
		p.After = doc.bytes()
		untouched := p.old != nil && p.old.Written == sum(p.Before)
		switch {
		case p.old != nil && !p.old.Existed && (untouched || doc.empty()):
			p.Delete, p.After = true, nil
		case untouched && backup != nil:
			p.After = backup
		}
	}
	p.rememberRemoval(backup, base)
	return p, nil
}

// keepInside refuses a project's settings file that leads out of the project
// through a symlink: a cloned repo must not pick the file that is written, nor
// have another file's content backed up into it.
func (t Target) keepInside(f file) error {
	inner := filepath.FromSlash(t.Provider.Settings().Project)
	if t.Scope != ProjectScope || !strings.HasSuffix(t.Path, string(filepath.Separator)+inner) {
		return nil
	}
	project, err := filepath.EvalSymlinks(strings.TrimSuffix(t.Path, inner))
	if err != nil {
		return nil // nothing is there yet
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(f.real))
	if err != nil {
		return nil
	}
	if rel, err := filepath.Rel(project, dir); err != nil || !filepath.IsLocal(rel) {
		return hint.Wrap(fmt.Errorf("%s leads out of the project, to %s", t.Path, filepath.Join(dir, filepath.Base(f.real))),
			"replace the symlink by a file, or install with --scope user")
	}
	return nil
}

// ours recognises the entries of the binary that is to be written and of the one
// that was written last.
func (p *Plan) ours(o Options) ours {
	own := ours{binaries: []string{o.Binary}}
	if p.old != nil {
		own.binaries = append(own.binaries, p.old.Binary)
	}
	p.binary = o.Binary
	return own
}

// newPlan reads the target's file and what is remembered of it.
func newPlan(t Target, o Options) (Plan, error) {
	for _, path := range []struct{ what, path string }{{"settings file", t.Path}, {"state file", o.State}} {
		if !filepath.IsAbs(path.path) {
			return Plan{}, fmt.Errorf("the path of the %s is not absolute: %q", path.what, path.path)
		}
	}
	t.Path = filepath.Clean(t.Path)
	f, err := readFile(t.Path)
	if err != nil {
		return Plan{}, err
	}
	if err := t.keepInside(f); err != nil {
		return Plan{}, err
	}
	p := Plan{Target: t, Exists: f.exists, Before: f.data, After: f.data, file: f, statePath: o.State}
	s, err := loadState(o.State)
	if err != nil {
		return Plan{}, err
	}
	if p.damaged = s.damage != nil; p.damaged {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%v; what it remembered of earlier installs is lost", s.damage))
	}
	if r, ok := s.Files[t.Path]; ok {
		p.old = &r
	}
	p.next = p.old
	return p, nil
}

// rememberInstall fills in what Apply records. fresh is true when the file
// held no entry of ours, so that its content is the one to give back.
func (p *Plan) rememberInstall(fresh bool) error {
	r := record{Existed: true}
	if p.old != nil {
		r = *p.old
	}
	r.Binary = p.binary
	switch {
	case fresh:
		r.Existed, r.Backup = p.Exists, ""
		r.Written = sum(p.After)
		p.makeBackup = p.Exists
	case p.old != nil && p.old.Written == sum(p.Before):
		r.Written = sum(p.After)
	default:
		// Someone else changed the file since, or the state was lost: the
		// backup is no longer what the person would have had.
		r.Written = ""
	}
	if p.old == nil && !fresh {
		backup, err := p.readBackup()
		if err != nil {
			return err
		}
		if p.makeBackup = backup == nil; !p.makeBackup {
			r.Backup = sum(backup)
		}
	}
	if p.makeBackup {
		r.Backup = sum(p.Before)
	}
	if !p.Exists {
		p.newFolders = missingFolders(filepath.Dir(p.file.real))
		for _, f := range p.newFolders {
			if !slices.Contains(r.Folders, f) {
				r.Folders = append(r.Folders, f)
			}
		}
	}
	p.next = &r
	return nil
}

// rememberRemoval drops the record and, where the backup has served its turn,
// the backup. base is the backup without entries of ours.
func (p *Plan) rememberRemoval(backup []byte, base *document) {
	p.next = nil
	if p.old != nil && (p.Delete || !p.Exists) {
		p.oldFolders = p.old.Folders
	}
	if backup == nil || p.old == nil && len(p.Changes) == 0 {
		return
	}
	restored := p.Exists && !p.Delete && string(p.After) == string(backup)
	stripped := p.Exists && base != nil && string(p.After) == string(base.bytes())
	if restored || stripped {
		p.dropBackup = true
		return
	}
	p.Warnings = append(p.Warnings, fmt.Sprintf("the file as it was before the install stays in %s", p.backupPath()))
}

// changedMeanwhile is the refusal to write over somebody else's change.
func changedMeanwhile(path string) error {
	return hint.Wrap(fmt.Errorf("%s changed while the change to it was being worked out; nothing is written", path),
		"run the command again")
}
