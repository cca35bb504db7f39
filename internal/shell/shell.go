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
	maxCommands = 4096
	maxInput    = 1 << 20
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
}

// Program is a command line as far as it was understood.
type Program struct {
	// Commands are all commands in the order of their text.
	Commands []Command
	// Writes are the targets of output redirections.
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

type reader struct {
	out Program
}

// source reads a whole command line that is reached through via.
func (r *reader) source(src string, via []string, depth int) {
	if depth > maxDepth || len(src) > maxInput {
		r.out.Incomplete = true
		return
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
	if err != nil {
		// What stands before a syntax error is still read: the shell runs line by
		// line and may run it too.
		r.out.Incomplete = true
		f, _ = syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.RecoverErrors(20)).Parse(strings.NewReader(src), "")
	}
	if f == nil {
		return
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		if len(r.out.Commands) > maxCommands {
			r.out.Incomplete = true
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			r.redirects(n)
			r.heredoc(n, via, depth)
		case *syntax.CallExpr:
			r.call(words(n.Args), via, depth)
		}
		return true
	})
}

func (r *reader) redirects(s *syntax.Stmt) {
	for _, rd := range s.Redirs {
		if rd.Word == nil {
			continue
		}
		switch rd.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.AppClob,
			syntax.RdrAll, syntax.RdrAllClob, syntax.AppAll, syntax.AppAllClob:
			r.out.Writes = append(r.out.Writes, literal(rd.Word))
		case syntax.RdrIn:
			r.out.Reads = append(r.out.Reads, literal(rd.Word))
		}
	}
}

// heredoc follows a here-document or here-string that is fed to a shell.
func (r *reader) heredoc(s *syntax.Stmt, via []string, depth int) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	name := path.Base(literal(call.Args[0]))
	if !isShell(name) {
		return
	}
	for _, rd := range s.Redirs {
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if rd.Hdoc != nil {
				r.source(literal(rd.Hdoc), follow(via, name), depth+1)
			}
		case syntax.WordHdoc:
			r.source(literal(rd.Word), follow(via, name), depth+1)
		}
	}
}

// call records a command and follows it through its wrappers.
func (r *reader) call(args []string, via []string, depth int) {
	if len(args) == 0 || args[0] == "" {
		return
	}
	if depth > maxDepth {
		r.out.Incomplete = true
		return
	}
	name := path.Base(args[0])
	r.out.Commands = append(r.out.Commands, Command{Program: name, Args: args[1:], Via: via})
	inner, script := unwrap(name, args[1:])
	if script != "" {
		r.source(script, follow(via, name), depth+1)
	}
	if len(inner) > 0 {
		r.call(inner, follow(via, name), depth+1)
	}
}

func follow(via []string, name string) []string {
	return append(via[:len(via):len(via)], name)
}

func words(ws []*syntax.Word) []string {
	out := make([]string, 0, len(ws))
	for _, w := range ws {
		out = append(out, literal(w))
	}
	return out
}
