package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/fireharp/overseer/internal/effect"
)

// source reads a whole command line.
func (e *eval) source(src effect.Value, in stream) stream {
	if e.depth > maxDepth || len(src.Text) > maxInput {
		e.stop()
		return stream{}
	}
	if tooNested(src.Text) { // the parser recurses and takes 13 KiB for each level
		e.stop()
		return stream{}
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src.Text), "")
	if err != nil {
		// Agents run commands in the person's own shell, which may be zsh. If it is no
		// zsh either, what stands before the error is still read: the shell runs line
		// by line and may run it too.
		f, err = syntax.NewParser(syntax.Variant(syntax.LangZsh)).Parse(strings.NewReader(src.Text), "")
	}
	if err != nil {
		e.failed = e.failed || len(e.via) == 0 && !e.out.Incomplete
		e.out.Incomplete = true
		f, _ = syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.RecoverErrors(20)).Parse(strings.NewReader(src.Text), "")
	}
	if f == nil {
		return stream{}
	}
	if e.depth == 0 && e.out.file == nil { // the line itself comes first
		e.out.file = f
	}
	return e.stmts(f.Stmts, in)
}

func (e *eval) stmts(list []*syntax.Stmt, in stream) stream {
	var out stream
	for _, s := range list {
		out = join(out, e.stmt(s, in))
	}
	return out
}

// stmt follows one statement and gives what it prints.
func (e *eval) stmt(s *syntax.Stmt, in stream) stream {
	if s == nil || !e.step() {
		return stream{}
	}
	run := e
	if s.Background {
		run = e.sub()
		run.async = true
	}
	in, to, reads := run.redirects(s, in)
	at := len(e.out.Commands)
	e.depth++
	out := run.command(s.Cmd, in, to)
	e.depth--
	run.redirected(at, reads, to)
	for _, t := range to {
		if t.fd == "dup" {
			run.sendTo("/dev/tcp/peer/0", out)
		}
		if t.fd == "" || t.fd == "1" || t.fd == "2" {
			content := out
			if !content.fed {
				content = stream{effect.Lit(""), true}
			}
			if t.add {
				if old, ok := e.files[e.abs(t.path)]; ok {
					content = join(stream{old, true}, content)
				}
			}
			run.write(t.path, content)
			run.sendTo(t.path.Text, out)
			if t.fd != "2" {
				out = stream{}
			}
		}
	}
	return out
}

// command follows a command of any form.
func (e *eval) command(c syntax.Command, in stream, to []target) stream {
	switch c := c.(type) {
	case nil:
		return stream{}
	case *syntax.CallExpr:
		return e.simple(c, in, to)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			left, right := e.sub(), e.sub()
			left.async, right.async = true, true
			out := left.stmt(c.X, in)
			out.fed = true
			if out.Text == "" && !out.Open {
				out = unknown(0)
			}
			return right.stmt(c.Y, out)
		}
		out := e.stmt(c.X, in)
		next := e.stmt(c.Y, in)
		if c.Op == syntax.OrStmt && out.fed { // one of them: which python3 || which python
			return out
		}
		return join(out, next)
	case *syntax.Block:
		return e.stmts(c.Stmts, in)
	case *syntax.Subshell:
		return e.sub().stmts(c.Stmts, in)
	case *syntax.IfClause:
		out := e.stmts(c.Cond, in)
		out = join(out, e.stmts(c.Then, in))
		if c.Else != nil {
			out = join(out, e.command(c.Else, in, nil))
		}
		return out
	case *syntax.WhileClause:
		return e.while(c, in)
	case *syntax.ForClause:
		return e.loop(c, in)
	case *syntax.CaseClause:
		e.word(c.Word)
		var out stream
		for _, item := range c.Items {
			out = join(out, e.stmts(item.Stmts, in))
		}
		return out
	case *syntax.FuncDecl:
		names := c.Names
		if c.Name != nil {
			names = append(names, c.Name)
		}
		for _, n := range names {
			if e.funcs == nil {
				e.funcs = map[string]*syntax.Stmt{}
			}
			e.funcs[n.Value] = c.Body
		}
		return stream{}
	case *syntax.DeclClause:
		return e.declare(c)
	case *syntax.TimeClause:
		return e.stmt(c.Stmt, in)
	case *syntax.CoprocClause:
		return e.stmt(c.Stmt, in)
	}
	e.inside(c) // tests and arithmetic
	return stream{}
}

// inside follows the substitutions in a node that runs nothing by itself.
func (e *eval) inside(n syntax.Node) {
	if n == nil {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			e.sub().stmts(n.Stmts, stream{})
			return false
		case *syntax.ProcSubst:
			e.sub().stmts(n.Stmts, stream{})
			return false
		}
		return true
	})
}

// while follows "while cmd; do …": read takes the lines of what it is fed, as far
// as they are known.
func (e *eval) while(c *syntax.WhileClause, in stream) stream {
	if endless(c) {
		e.add(effect.Effect{Kind: effect.ForkBomb})
	}
	if in.fed && !in.Open {
		var out stream
		for line := range strings.Lines(in.Text) {
			if !e.round() {
				return out
			}
			one := known(strings.TrimSuffix(line, "\n"))
			out = join(out, e.stmts(c.Cond, one))
			out = join(out, e.stmts(c.Do, one))
		}
		return out
	}
	out := e.stmts(c.Cond, in)
	return join(out, e.stmts(c.Do, in))
}

func (e *eval) round() bool {
	if e.rounds++; e.rounds > maxRounds {
		e.stop()
		return false
	}
	return true
}

// loop reads the body of "for x in words" once for each word, so that $x is known
// in it.
func (e *eval) loop(c *syntax.ForClause, in stream) stream {
	if sweeps(c) {
		e.add(effect.Effect{Kind: "network.scan"})
	}
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		e.inside(c.Loop)
		return e.stmts(c.Do, in)
	}
	items := e.fields(it.Items)
	if !it.InPos.IsValid() {
		items = e.args
	}
	if len(items) == 0 {
		items = []effect.Value{{Text: "$" + it.Name.Value, Open: true}}
	}
	var out stream
	for _, v := range items {
		if !e.round() {
			break
		}
		e.set(it.Name.Value, v)
		out = join(out, e.stmts(c.Do, in))
	}
	return out
}

// simple follows a simple command with its assignments.
func (e *eval) simple(c *syntax.CallExpr, in stream, to []target) stream {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			e.assign(a)
		}
		return stream{}
	}
	words := e.fields(c.Args)
	run := e
	if len(c.Assigns) > 0 {
		run = e.sub() // they hold for this command only
		for _, a := range c.Assigns {
			run.assign(a)
		}
	}
	if len(words) == 0 {
		return stream{}
	}
	if first := c.Args[0].Lit(); first != "" {
		if body, ok := e.aliases[first]; ok && body != first {
			delete(e.aliases, first) // an alias is not expanded in itself
			out := run.source(effect.Value{Text: body + " " + quoteAll(words[1:])}, in)
			e.aliases[first] = body
			return out
		}
	}
	if run != e {
		defer func() { e.dir, e.funcs = run.dir, run.funcs }()
	}
	return run.call(words, in, to)
}

func quoteAll(words []effect.Value) string {
	var b strings.Builder
	for _, w := range words {
		if w.Open {
			b.WriteString(w.Text)
		} else {
			b.WriteString(Quote(w.Text))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// assign remembers a variable.
func (e *eval) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	if a.Array != nil {
		var vs []effect.Value
		if a.Append {
			vs = append(vs, e.arrays[name]...)
		}
		for _, el := range a.Array.Elems {
			if el.Value != nil {
				vs = append(vs, e.fields([]*syntax.Word{el.Value})...)
			}
		}
		e.setArray(name, vs)
		return
	}
	v := e.word(a.Value)
	if a.Append {
		old := e.vars[name]
		v = effect.Value{Text: old.Text + v.Text, Open: old.Open || v.Open, Origin: old.Origin | v.Origin}
	}
	e.set(name, v)
	e.assigned(name, v)
}

// declare follows export, declare, local, readonly.
func (e *eval) declare(c *syntax.DeclClause) stream {
	words := []effect.Value{effect.Lit(c.Variant.Value)}
	for _, a := range c.Args {
		switch {
		case a.Name != nil && !a.Naked:
			e.assign(a)
			words = append(words, effect.Value{Text: a.Name.Value + "=" + e.vars[a.Name.Value].Text, Open: e.vars[a.Name.Value].Open})
		case a.Name != nil:
			words = append(words, effect.Lit(a.Name.Value))
		case a.Value != nil:
			words = append(words, e.fields([]*syntax.Word{a.Value})...)
		}
	}
	return e.call(words, stream{}, nil)
}

// Quote writes a word so that a shell reads it as it is.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// endless reports whether a loop starts programs in the background for ever.
func endless(c *syntax.WhileClause) bool {
	if len(c.Cond) != 1 || len(c.Do) != 1 {
		return false
	}
	body := c.Do[0]
	if sub, ok := body.Cmd.(*syntax.Subshell); ok && len(sub.Stmts) == 1 {
		body = sub.Stmts[0]
	}
	if !body.Background {
		return false
	}
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	name := call.Args[0].Lit()
	return name == "true" || name == ":" || name == "1"
}
