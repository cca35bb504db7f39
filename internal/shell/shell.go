// Package shell reads a command line and says which programs it would run and
// with which words. It never runs anything and reads no files. It is built on
// mvdan.cc/sh/v3/syntax and looks through quoting, lists, pipes, substitutions
// and the wrappers that people and agents put before a program (sudo, env,
// bash -c, xargs …).
package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits keep the time linear in the input: a command line that nests deeper or
// runs more programs is reported as not understood.
const (
	maxDepth    = 12
	maxCommands = 20_000
	maxInput    = 1 << 20
	maxRounds   = 256 // of all loops together
)

// Command is one program that a command line would start.
type Command struct {
	// Program is the base name of the program, without its folder.
	Program string
	// Args are the words after the program, quotes removed. A word that only the
	// shell can know while it runs is kept as far as it is literal.
	Args []string
	// Via names the wrappers that lead to this command, the outermost first.
	Via []string
	// Dir is the folder that the command runs in: "" for the one that the line
	// starts in, else as cd named it.
	Dir string
	// Input is what a pipe or a here-string feeds the command, as far as it is
	// literal.
	Input string
}

// Program is a command line as far as it was understood.
type Program struct {
	// Commands are all commands in the order of their text.
	Commands []Command
	// Writes are the targets of output redirections, below the folder that cd led
	// to.
	Writes []string
	// Reads are the sources of input redirections.
	Reads []string
	// Incomplete is true when a part could not be read: a syntax error, or more
	// than the limits allow.
	Incomplete bool
}

// Analyze reads a command line for bash. It always returns what it understood,
// also of a line with a syntax error.
func Analyze(src string) Program {
	r := &reader{}
	r.source(src, nil, 0)
	return r.out
}

// reader walks a command line in the order of its text, which is near enough to
// the order in which the shell runs it.
type reader struct {
	out  Program
	vars map[string]string // variables that were set to a literal
	dir  string            // where cd led to
	feed map[*syntax.Stmt]string

	expanded int // bytes that variables have added
	rounds   int // rounds of loops that were read
}

// source reads a whole command line that is reached through via.
func (r *reader) source(src string, via []string, depth int) {
	if depth > maxDepth || len(src) > maxInput {
		r.out.Incomplete = true
		return
	}
	if tooNested(src) { // the parser recurses and takes 13 KiB for each level
		r.out.Incomplete = true
		return
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
	if err != nil {
		// Agents run commands in the person's own shell, which may be zsh. If it is no
		// zsh either, what stands before the error is still read: the shell runs line
		// by line and may run it too.
		f, err = syntax.NewParser(syntax.Variant(syntax.LangZsh)).Parse(strings.NewReader(src), "")
	}
	if err != nil {
		r.out.Incomplete = true
		f, _ = syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.RecoverErrors(20)).Parse(strings.NewReader(src), "")
	}
	if f != nil {
		r.walk(f, via, depth)
	}
}

func (r *reader) walk(n syntax.Node, via []string, depth int) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if len(r.out.Commands) > maxCommands {
			r.out.Incomplete = true
			return false
		}
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				r.pipe(n)
			}
		case *syntax.Subshell:
			dir := r.dir // cd does not reach beyond it
			r.stmts(n.Stmts, via, depth)
			r.dir = dir
			return false
		case *syntax.ForClause:
			return !r.loop(n, via, depth)
		case *syntax.Stmt:
			r.redirects(n)
			if call, ok := n.Cmd.(*syntax.CallExpr); ok {
				r.stmt(n, call, via, depth)
			}
		}
		return true
	})
}

func (r *reader) stmts(list []*syntax.Stmt, via []string, depth int) {
	for _, s := range list {
		r.walk(s, via, depth)
	}
}

// loop reads the body of "for x in words" once for each word, so that $x is known
// in it. It reports whether it has read the loop.
func (r *reader) loop(f *syntax.ForClause, via []string, depth int) bool {
	it, ok := f.Loop.(*syntax.WordIter)
	if !ok || len(it.Items) == 0 {
		return false
	}
	for _, w := range it.Items {
		r.walk(w, via, depth) // substitutions in the words
		if r.rounds++; r.rounds > maxRounds {
			r.out.Incomplete = true
			return true
		}
		r.assign(it.Name, w)
		r.stmts(f.Do, via, depth)
	}
	return true
}

// stmt reads one simple command with its assignments.
func (r *reader) stmt(s *syntax.Stmt, c *syntax.CallExpr, via []string, depth int) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a.Name, a.Value)
		}
		return
	}
	r.call(r.words(c.Args), r.input(s), via, depth)
}

// assign remembers a variable that is set to a literal, so that $name can be read
// later in the line.
func (r *reader) assign(name *syntax.Lit, value *syntax.Word) {
	if name == nil {
		return
	}
	if r.vars == nil {
		r.vars = map[string]string{}
	}
	v := r.literal(value)
	if known := strings.NewReplacer("$HOME", "", "$PWD", "").Replace(v); strings.Contains(known, "$") {
		delete(r.vars, name.Value)
		return
	}
	r.vars[name.Value] = v
}

// input is what is literally fed to a command: a here-document, a here-string, or
// the words that echo or printf writes into a pipe.
func (r *reader) input(s *syntax.Stmt) string {
	for _, rd := range s.Redirs {
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			return r.literal(rd.Hdoc)
		case syntax.WordHdoc:
			return r.literal(rd.Word)
		}
	}
	return r.feed[s]
}

// pipe notes what the left side of a pipe writes, where that is literal.
func (r *reader) pipe(b *syntax.BinaryCmd) {
	call, ok := b.X.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 {
		return
	}
	words := r.words(call.Args)
	if name := path.Base(words[0]); name != "echo" && name != "printf" {
		return
	}
	if r.feed == nil {
		r.feed = map[*syntax.Stmt]string{}
	}
	r.feed[b.Y] = strings.Join(words[1:], " ")
}

func (r *reader) redirects(s *syntax.Stmt) {
	for _, rd := range s.Redirs {
		if rd.Word == nil {
			continue
		}
		switch rd.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.AppClob,
			syntax.RdrAll, syntax.RdrAllClob, syntax.AppAll, syntax.AppAllClob, syntax.DplOut:
			if to := r.literal(rd.Word); rd.Op != syntax.DplOut || strings.Trim(to, "0123456789-") != "" { // 2>&1 names no file
				r.out.Writes = append(r.out.Writes, In(r.dir, to))
			}
		case syntax.RdrIn:
			r.out.Reads = append(r.out.Reads, In(r.dir, r.literal(rd.Word)))
		}
	}
}

// In gives a path as seen from the folder that cd led to.
func In(dir, p string) string {
	if dir == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.HasPrefix(p, "$") {
		return p
	}
	return dir + "/" + p
}

// call records a command and follows it through its wrappers.
func (r *reader) call(args []string, input string, via []string, depth int) {
	if len(args) == 0 || args[0] == "" {
		return
	}
	if depth > maxDepth {
		r.out.Incomplete = true
		return
	}
	name := path.Base(args[0])
	r.out.Commands = append(r.out.Commands, Command{Program: name, Args: args[1:], Via: via, Dir: r.dir, Input: input})
	if (name == "cd" || name == "pushd") && len(args) > 1 {
		r.dir = In(r.dir, args[len(args)-1])
	}
	inner, script := unwrap(name, args[1:], input)
	if script != "" {
		r.source(script, follow(via, name), depth+1)
	}
	if len(inner) > 0 {
		r.call(inner, input, follow(via, name), depth+1)
	}
}

func follow(via []string, name string) []string {
	return append(via[:len(via):len(via)], name)
}

func (r *reader) words(ws []*syntax.Word) []string {
	out := make([]string, 0, len(ws))
	for _, w := range ws {
		out = append(out, r.literal(w))
	}
	return out
}
