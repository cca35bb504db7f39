package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/program"
)

// eval follows a command line. What a subshell may change is its own; the rest is
// shared by all of a line.
type eval struct {
	*shared
	scope

	via   []string
	depth int
}

// shared is what all parts of a line have in common.
type shared struct {
	ctx    Context
	work   *budget.Budget
	out    *Program
	tables program.Tables
	files  map[string]effect.Value // what the line itself has put into files, by absolute path

	built map[string]string // the language of the source of what the line has compiled, by absolute path

	fetchedTo map[string][]string // those in folders of programs, by their names
	made      map[string]bool     // clusters and containers that the line has made itself

	key  []byte          // of isNew
	seen map[string]bool // the effects so far

	rounds, expanded, scripts int
	running                   map[string]bool // functions that are being followed
	fifos                     []string        // named pipes that the line makes
	traps                     []effect.Value  // what trap has run at the end
	failed                    bool            // bash could not read the line itself
	fromFile                  bool            // the text comes from a script on the disk
	pipes                     int             // process substitutions so far
	fetched                   bool            // something has come from another machine
	owner                     int             // the command that effects belong to, -1 for the last one
}

// scope is what a subshell has for itself.
type scope struct {
	vars      layer[effect.Value]
	env       layer[effect.Value] // those that programs are started with
	arrays    layer[[]effect.Value]
	funcs     layer[*syntax.Stmt]
	aliases   layer[string]
	args      []effect.Value  // $1 …
	dir       string          // where cd led to
	async     bool            // in a pipe or in the background
	mounts    [][2]string     // container path, host path
	socket    bool            // a file descriptor is a connection
	container string          // the folder that stands for a container's root
	change    *change         // what is put into the files that are written
	bench     bench           // what a text for a database works on
	around    effect.Standing // what the words of the programs around say about it
}

func newEval(ctx Context) *eval {
	work := ctx.Work
	if work == nil {
		work = budget.New()
	}
	return &eval{shared: &shared{ctx: ctx, work: work, out: &Program{}, files: map[string]effect.Value{}, running: map[string]bool{}, made: map[string]bool{}, seen: map[string]bool{}, tables: program.Tables{Home: ctx.Places.Home}, owner: -1}}
}

// sub is an evaluator for a subshell.
func (e *eval) sub() *eval {
	s := *e
	s.vars = e.vars.above()
	s.env = e.env.above()
	s.arrays = e.arrays.above()
	s.funcs = e.funcs.above()
	s.aliases = e.aliases.above()
	return &s
}

// through is the evaluator for what is reached through another program. Variables
// do not reach it unless they are the same shell's.
func (e *eval) through(name string) *eval {
	s := e.sub()
	s.via = append(e.via[:len(e.via):len(e.via)], name)
	s.depth++
	return s
}

// within is the evaluator for what runs in the same shell through one of its builtins:
// what it sets stays set, see [eval.adopt].
func (e *eval) within(name string) *eval {
	s := *e
	s.via = append(e.via[:len(e.via):len(e.via)], name)
	s.depth++
	return &s
}

func (e *eval) set(name string, v effect.Value) {
	if e.expanded += len(v.Text); e.expanded > maxText {
		e.stop()
		v = effect.Value{Text: "$" + name, Open: true, Origin: v.Origin}
	}
	e.vars.put(name, v)
	if _, ok := e.env.get(name); ok {
		e.export(name, v)
	}
	e.arrays.remove(name)
}

func (e *eval) setArray(name string, vs []effect.Value) {
	e.arrays.put(name, vs)
	e.vars.remove(name)
}

// stop notes that a limit was reached.
func (e *eval) stop() { e.out.Incomplete, e.out.Cut = true, true }

// step spends what following one statement costs and says whether it may be followed.
func (e *eval) step() bool {
	return e.deeper() && e.spend(stepWork)
}

// deeper reports whether the nesting allows for one thing more.
func (e *eval) deeper() bool {
	if e.depth > maxDepth {
		e.stop()
		return false
	}
	return true
}

// spend takes steps of the budget and says whether they were left.
func (e *eval) spend(n int) bool {
	if !e.work.Spend(n) {
		e.stop()
		return false
	}
	return true
}

// copied spends what copying so many bytes costs.
func (e *eval) copied(n int) bool { return e.spend(n / copyBytes) }

// In gives a path as seen from the folder that cd led to.
func In(dir, p string) string {
	if dir == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.HasPrefix(p, "$") {
		return p
	}
	return dir + "/" + p
}

// path gives a word as a path from where the line begins; container paths become
// the host's.
func (e *eval) path(v effect.Value) effect.Value {
	if e.container != "" && !strings.HasPrefix(v.Text, "/") {
		v.Text = In(e.container+"/work", v.Text)
		return v
	}
	if e.container == "$container" && (strings.HasPrefix(v.Text, "/run/secrets/") || strings.HasPrefix(v.Text, "/var/run/secrets/")) {
		return v // secrets are where they are in any container
	}
	if len(e.mounts) > 0 && !e.spend(len(e.mounts)/8) {
		return v
	}
	for _, m := range e.mounts {
		if rest, ok := strings.CutPrefix(v.Text, m[0]); ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(m[0], "/")) {
			v.Text = strings.TrimSuffix(m[1], "/") + "/" + strings.TrimPrefix(rest, "/")
			return v
		}
	}
	dir := e.dir
	v.Text = In(dir, v.Text)
	if strings.HasPrefix(dir, "$") && strings.HasPrefix(v.Text, "$") {
		v.Open = true
	}
	return v
}

// abs is the absolute path under which the line's own files are kept.
func (e *eval) abs(v effect.Value) string { return e.ctx.Places.Abs(e.path(v).Text) }

// write notes what a file holds from now on.
func (e *eval) write(to effect.Value, content stream) {
	if to.Text == "" || to.Text == "/dev/null" {
		return
	}
	abs := e.abs(to)
	if _, known := e.files[abs]; !known && strings.Contains(abs, "bin/") {
		if e.fetchedTo == nil {
			e.fetchedTo = map[string][]string{}
		}
		e.fetchedTo[path.Base(abs)] = append(e.fetchedTo[path.Base(abs)], abs)
	}
	e.files[abs] = content.Value
	delete(e.built, abs)
	e.runsLater(to, content.Value)
	if webShell(to.Text, content.Text) {
		e.add(effect.Effect{Kind: "persist.access", Targets: []effect.Target{{Name: to.Text}}})
	}
}

// runsLater follows what is written to a file that a project has run by itself: a hook of
// husky, the variables of direnv.
func (e *eval) runsLater(to effect.Value, content effect.Value) {
	if content.Open || !program.RunsUnasked(e.abs(to)) {
		return
	}
	s := e.sub()
	s.fromDisk(func() { s.script(to.Text, content, nil, stream{}) })
}

// webShell reports whether a page for a web server runs what a visitor sends.
func webShell(name, text string) bool {
	switch path.Ext(name) {
	case ".php", ".phtml":
		if !strings.Contains(text, "$_GET") && !strings.Contains(text, "$_POST") && !strings.Contains(text, "$_REQUEST") && !strings.Contains(text, "$_COOKIE") {
			return false
		}
		for _, run := range []string{"system(", "eval(", "exec(", "passthru(", "assert(", "popen("} {
			if strings.Contains(text, run+"$_") || strings.Contains(text, run+"base64_decode($_") {
				return true
			}
		}
	case ".jsp", ".jspx":
		return strings.Contains(text, "getRuntime().exec(request.getParameter")
	case ".aspx", ".asp":
		return strings.Contains(text, "Process.Start(Request") || strings.Contains(text, "eval(Request") || strings.Contains(text, "eval request")
	}
	return false
}

// content is what a file holds, as far as it is known.
func (e *eval) content(name effect.Value) stream {
	abs := e.abs(name)
	if v, ok := e.files[abs]; ok {
		return stream{v, true}
	}
	if connects(name.Text) {
		return unknown(effect.Downloaded)
	}
	if strings.Contains(name.Text, "/dev/null") {
		return known("")
	}
	origin := effect.Local
	if !e.spend(effect.Work(abs) / 2) {
		return unknown(origin)
	}
	for _, c := range effect.Classes(abs, e.ctx.Places) {
		if c == "secret" || c == "history" {
			origin |= effect.Secret
		}
	}
	if name.Open {
		origin |= name.Origin
	}
	return unknown(origin)
}
