package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

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
	out    *Program
	tables program.Tables
	files  map[string]effect.Value // what the line itself has put into files, by absolute path

	steps, rounds, expanded, scripts, assigns int
	running                                   map[string]bool // functions that are being followed
	traps                                     []effect.Value  // what trap has run at the end
	failed                                    bool            // bash could not read the line itself
	fromFile                                  bool            // the text comes from a script on the disk
	pipes                                     int             // process substitutions so far
	fetched                                   bool            // something has come from another machine
	owner                                     int             // the command that effects belong to, -1 for the last one
}

// scope is what a subshell has for itself.
type scope struct {
	vars      map[string]effect.Value
	arrays    map[string][]effect.Value
	funcs     map[string]*syntax.Stmt
	aliases   map[string]string
	args      []effect.Value // $1 …
	dir       string         // where cd led to
	async     bool           // in a pipe or in the background
	mounts    [][2]string    // container path, host path
	socket    bool           // a file descriptor is a connection
	container string         // the folder that stands for a container's root
}

func newEval(ctx Context) *eval {
	return &eval{shared: &shared{ctx: ctx, out: &Program{}, files: map[string]effect.Value{}, running: map[string]bool{}, tables: program.Tables{Home: ctx.Places.Home}, owner: -1}}
}

// sub is an evaluator for a subshell.
func (e *eval) sub() *eval {
	s := *e
	s.vars = clone(e.vars)
	s.arrays = clone(e.arrays)
	s.funcs = clone(e.funcs)
	s.aliases = clone(e.aliases)
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

func clone[V any](m map[string]V) map[string]V {
	if m == nil {
		return nil
	}
	out := make(map[string]V, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func (e *eval) set(name string, v effect.Value) {
	if e.vars == nil {
		e.vars = map[string]effect.Value{}
	}
	if e.expanded += len(v.Text); e.expanded > maxText {
		e.stop()
		v = effect.Value{Text: "$" + name, Open: true, Origin: v.Origin}
	}
	e.vars[name] = v
	delete(e.arrays, name)
}

func (e *eval) setArray(name string, vs []effect.Value) {
	if e.arrays == nil {
		e.arrays = map[string][]effect.Value{}
	}
	e.arrays[name] = vs
	delete(e.vars, name)
}

// stop notes that a limit was reached.
func (e *eval) stop() { e.out.Incomplete = true }

// step counts work and says whether more may be done.
func (e *eval) step() bool {
	e.steps++
	if e.steps > maxSteps || len(e.out.Commands) > maxCommands || e.depth > maxDepth {
		e.stop()
		return false
	}
	return true
}

// stream is what flows through a pipe, into a program or out of one.
type stream struct {
	effect.Value
	fed bool // there is something
}

func known(s string) stream { return stream{effect.Lit(s), true} }

func unknown(o effect.Origin) stream {
	return stream{effect.Value{Text: "$()", Open: true, Origin: o}, true}
}

// join is what two commands print one after the other.
func join(a, b stream) stream {
	switch {
	case !a.fed:
		return b
	case !b.fed:
		return a
	}
	return stream{effect.Value{Text: a.Text + b.Text, Open: a.Open || b.Open, Origin: a.Origin | b.Origin}, true}
}

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
	e.files[e.abs(to)] = content.Value
	if webShell(to.Text, content.Text) {
		e.add(effect.Effect{Kind: "persist.access", Targets: []effect.Target{{Name: to.Text}}})
	}
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
