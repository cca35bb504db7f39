package doctor

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/install"
)

// patient is one agent under examination.
type patient struct {
	Machine
	p       agent.Provider
	version string
	path    string // of the agent's program, "" if there is none
	yield   func(Result) bool
	// vars are what its settings put into the environment of its hooks.
	vars []variable
	// trusted are the programs that may be run from a project's settings.
	trusted []string
}

// place is one of the agent's settings files with what install found there.
type place struct {
	install.Target
	name   string // e.g. "claude-user"
	status install.Status
	err    error
}

// agent examines one agent: its program, then every settings file in which
// overseer may be registered for it.
func (m Machine) agent(ctx context.Context, p agent.Provider) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		a := &patient{Machine: m, p: p, yield: yield, trusted: []string{m.Program}}
		if path, err := m.LookPath(p.Settings().Program); err == nil {
			a.path, a.version = path, m.AgentVersion(p)
		}
		a.vars = a.settingsEnv()
		places := a.find()
		if !a.used(places) {
			a.say(p.Name()+"-user", Absent, nil, "%s is not in use: there is no %s", p.Title(), filepath.Dir(places[0].Path))
			return
		}
		_ = a.program() && a.places(ctx, places)
	}
}

// say passes a result on; false means that the examination ends.
func (a *patient) say(name string, s State, hints []string, format string, args ...any) bool {
	return a.yield(result(name, s, hints, format, args...))
}

// used tells whether there is any sign of an agent that install does not always
// register.
func (a *patient) used(places []place) bool {
	st, err := os.Stat(filepath.Dir(places[0].Path))
	return a.p.Settings().Always || err == nil && st.IsDir() ||
		slices.ContainsFunc(places, func(pl place) bool { return pl.status.Installed() })
}

func (a *patient) program() bool {
	name, title := a.p.Name()+"-program", a.p.Title()
	switch least := a.p.Settings().Measured; {
	case a.path == "":
		return a.say(name, Absent, nil, "%s is not on the PATH (%s)", title, a.p.Settings().Program)
	case a.version == "":
		return a.say(name, Warning, []string{quote(a.path) + " --version"}, "%s at %s does not tell its version", title, a.path)
	case least == "":
		return a.say(name, OK, nil, "%s %s at %s; what it obeys was read, not measured", title, a.version, a.path)
	case semver.Compare("v"+a.version, "v"+least) < 0:
		return a.say(name, Warning, []string{"update " + title},
			"%s %s is older than %s, the oldest version on which it was measured what it obeys", title, a.version, least)
	}
	return a.say(name, OK, nil, "%s %s at %s", title, a.version, a.path)
}

func (a *patient) places(ctx context.Context, places []place) bool {
	installed := false
	for _, pl := range places {
		installed = installed || pl.status.Installed()
	}
	for i := range places {
		if !a.place(ctx, &places[i]) {
			return false
		}
	}
	if !installed {
		return true
	}
	switch a.p.Name() {
	case "claude":
		return a.claude(places)
	case "codex":
		return a.codex(ctx, places)
	case "cursor":
		return a.cursor(places)
	}
	return true
}

// find lists the agent's settings files: the person's own, and those of the
// project that the agent would read if it were started here.
func (a *patient) find() []place {
	user := a.userTarget()
	targets := []install.Target{user}
	for _, dir := range a.projectFolders() {
		if t := install.ProjectTarget(a.p, dir); exists(t.Path) && !sameFile(t.Path, user.Path) {
			targets = append(targets, t)
		}
	}
	if here := install.ProjectTarget(a.p, a.CWD); len(targets) == 1 && filepath.IsAbs(here.Path) && !sameFile(here.Path, user.Path) {
		targets = append(targets, here)
	}
	var out []place
	for _, t := range targets {
		pl := place{Target: t, name: a.p.Name() + "-" + t.Scope}
		o := install.Options{Binary: a.Program, Home: a.Home.Root, AgentVersion: a.version, State: a.Home.Install()}
		pl.status, pl.err = install.Inspect(t, o)
		out = append(out, pl)
		if t.Scope == install.UserScope {
			a.trust(pl.status)
		}
	}
	return out
}

// trust takes the programs that the person's own settings name as trusted.
func (a *patient) trust(s install.Status) {
	for _, e := range s.Entries {
		if path, err := a.LookPath(e.Program); err == nil && filepath.IsAbs(path) {
			a.trusted = append(a.trusted, path)
		}
	}
}

// userTarget is the person's own settings file.
func (a *patient) userTarget() install.Target {
	moved := ""
	if env := a.p.Settings().HomeEnv; env != "" {
		moved = a.Getenv(env)
	}
	return install.UserTarget(a.p, a.Home.User, moved)
}

// projectFolders are the folders whose settings the agent reads when it is
// started in CWD, that one first. Claude Code 2.1.197 reads those of that folder
// alone, Codex 0.171 also those above it up to the root of the repository (both
// measured), Cursor's SDK 1.0.18 those of the workspace (read).
func (a *patient) projectFolders() []string {
	switch {
	case !filepath.IsAbs(a.CWD): // the folder is gone
		return nil
	case a.p.Name() != "codex":
		return []string{a.CWD}
	}
	var out []string
	for dir := a.CWD; ; dir = filepath.Dir(dir) {
		out = append(out, dir)
		switch {
		case exists(filepath.Join(dir, ".git")):
			return out
		case dir == filepath.Dir(dir):
			return out[:1] // in no repository
		}
	}
}

// place examines one settings file.
func (a *patient) place(ctx context.Context, pl *place) bool {
	if pl.err != nil {
		return a.say(pl.name, Failed, hint.Of(pl.err), "%v", pl.err)
	}
	if !pl.status.Installed() {
		var hints []string
		if pl.Scope == install.UserScope {
			hints = []string{a.mend(pl)}
		}
		return a.say(pl.name, Absent, hints, "not installed in %s", pl.Path) && a.faults(pl)
	}
	return a.proof(ctx, pl) && a.faults(pl)
}

// proof tries the entries for a tool about to run until one enforces; one is
// enough, since a deny wins over all else with all agents.
func (a *patient) proof(ctx context.Context, pl *place) bool {
	prober, ok := a.p.(agent.Prober)
	if !ok {
		return a.say(pl.name, Warning, nil, "not tried: overseer does not know how %s runs the entries in %s", a.p.Title(), pl.Path)
	}
	tried := map[string]bool{}
	var faults []Result
	for _, e := range pl.status.Entries {
		if e.Event != a.preToolUse() {
			continue
		}
		key := fmt.Sprintf("%q%q", e.Command, e.Args)
		t, err := a.trial(prober, pl, e)
		if err == nil {
			if tried[key] {
				continue
			}
			tried[key] = true
			began := time.Now()
			if err = t.enforces(ctx); err == nil {
				err = a.genuine(e)
			}
			if err == nil {
				return a.yield(Result{Name: pl.name, State: OK, proof: true,
					Text: fmt.Sprintf("its command enforces: %s denied what must be denied and recorded it (%d ms)", e.At, time.Since(began).Milliseconds())}) &&
					a.disaster(ctx, pl, t)
			}
		}
		if ctx.Err() != nil {
			return false
		}
		hints := hint.Of(err)
		if len(hints) == 0 {
			hints = []string{a.mend(pl)}
		}
		faults = append(faults, result(pl.name, Failed, hints, "NOT enforcing: %s: %v", e.At, err))
	}
	if len(faults) == 0 {
		return a.say(pl.name, Failed, []string{a.mend(pl)},
			"NOT enforcing: %s has no entry for %s, so no tool call is judged", pl.Path, a.preToolUse())
	}
	for _, f := range faults {
		if !a.yield(f) {
			return false
		}
	}
	return true
}

// preToolUse is the agent's own name of the event at which a deny must hold.
func (a *patient) preToolUse() string { return agent.CapabilityOf(a.p, event.PreToolUse).Event }

// trial prepares an entry to be tried. It fails if the agent would not run it at
// every call, or if running it is not doctor's to do.
func (a *patient) trial(p agent.Prober, pl *place, e install.Entry) (trial, error) {
	h, err := handlerOf(pl.Target, e)
	if err != nil {
		return trial{}, err
	}
	if why := h.idle(); why != "" {
		return trial{}, fmt.Errorf("%s", why)
	}
	limit, err := h.timeout()
	if err != nil {
		return trial{}, err
	}
	if pl.Scope == install.ProjectScope {
		if err := a.safe(e); err != nil {
			return trial{}, err
		}
	}
	return trial{m: a.Machine, p: p, place: pl, entry: e, version: a.version, limit: limit, env: probeEnv(a.vars)}, nil
}

// safe refuses to run what a project's settings name unless it is the plain call
// of a program that the person has chosen: the folder may be a repository that
// was cloned a minute ago, and only the agent asks whether to trust it.
func (a *patient) safe(e install.Entry) error {
	refuse := hint.Wrap(fmt.Errorf("not tried: the project's settings run something else than this overseer: %s", e.Command),
		"do not start an agent here unless you know what that does")
	args := " hook " + a.preToolUse() + " --agent " + a.p.Name()
	switch {
	case e.Program == "":
		return refuse
	case len(e.Args) > 0:
		if " "+strings.Join(e.Args, " ") != args {
			return refuse
		}
	default:
		word, ok := strings.CutSuffix(e.Command, args)
		// Nothing in the word may be left for the shell to make something of.
		if !ok || word != quote(e.Program) && word != "'"+strings.ReplaceAll(e.Program, "'", `'\''`)+"'" {
			return refuse
		}
	}
	path, err := a.LookPath(e.Program)
	if err != nil {
		return fmt.Errorf("the program %s cannot be run: %w", e.Program, err)
	}
	if slices.ContainsFunc(a.trusted, func(t string) bool { return sameFile(path, t) }) {
		return nil
	}
	return refuse
}

// genuine refuses an entry that passes its trial and leaves to something else than
// overseer what happens at the next call: a wrapper may well know a trial when it
// sees one.
func (a *patient) genuine(e install.Entry) error {
	rest, isCall := strings.CutPrefix(e.Command, quote(e.Program))
	if !isCall {
		rest, isCall = strings.CutPrefix(e.Command, "'"+strings.ReplaceAll(e.Program, "'", `'\''`)+"'")
	}
	switch {
	case !filepath.IsAbs(e.Program):
		return fmt.Errorf("it denied when it was tried, but its program is not named by a fixed path: %s", e.Command)
	case len(e.Args) == 0 && (!isCall || !plainWords(rest)):
		return fmt.Errorf("it denied when it was tried, but the shell decides what runs, not overseer: %s", e.Command)
	case !a.isOverseer(e.Program):
		return fmt.Errorf("it denied when it was tried, but a wrapper decides, not overseer: %s is another program", e.Program)
	}
	return nil
}

// disaster reports what the rules say to a catastrophe.
func (a *patient) disaster(ctx context.Context, pl *place, t trial) bool {
	name := pl.name + "-rm-rf-root"
	r, rec, err := t.try(ctx, disaster)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		return a.say(name, Warning, nil, "%s: the record cannot be read: %v", disaster, err)
	case rec == nil:
		return a.say(name, Warning, nil, "%s: not recorded (%s)", disaster, r.ending(t.limit))
	case rec.Decision == event.Deny && t.denied(r) == nil:
		return a.say(name, OK, nil, "%s: %s", disaster, verdict(rec))
	}
	state := Warning
	if a.yours() == 0 {
		state = Failed
	}
	return a.say(name, state, []string{"see overseer rules list; overseer init writes the rule block-rm-rf-root where there are no rules"},
		"%s: %s", disaster, verdict(rec))
}

// faults reports what install finds wrong with the file. What concerns the file
// as a whole voids every entry; what concerns single entries does not undo what
// was proved.
func (a *patient) faults(pl *place) bool {
	name := pl.name + "-entries"
	well := true
	for _, f := range pl.status.Faults {
		state, of := Warning, ""
		switch {
		case len(f.Events) == 0 && pl.status.Installed():
			state = Failed
		case len(f.Events) > 0:
			of = " (" + several(f.Events) + ")"
		}
		well = false
		if !a.say(name, state, nonEmpty(f.Mend), "%s: %s%s", f.At, f.Text, of) {
			return false
		}
	}
	switch missing := pl.status.Missing; {
	case !pl.status.Installed():
		return true
	case len(missing) > 0:
		return a.say(name, Warning, []string{a.mend(pl)}, "not registered: %s", several(missing))
	case !well:
		return true
	}
	return a.say(name, OK, nil, "all %d events of use are registered in %s", len(pl.status.Entries), pl.Path)
}

// mend is the command that registers overseer in a place.
func (a *patient) mend(pl *place) string {
	s := "overseer install --" + a.p.Name()
	if pl.Scope == install.ProjectScope {
		s += " --scope project"
	}
	return s
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// sameFile reports whether two paths lead to the same file; paths that lead
// nowhere are compared as they are.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
