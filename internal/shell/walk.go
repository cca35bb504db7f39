package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/fireharp/overseer/internal/effect"
)

// source reads a whole command line.
func (e *eval) source(src effect.Value, in stream) stream {
	if !e.deeper() {
		return stream{}
	}
	list := e.parse(src.Text)
	if e.depth == 0 && e.out.file == nil { // the line itself comes first
		e.out.file = &syntax.File{Stmts: list}
	}
	return e.stmts(list, in)
}

// parseShare is the part of what is left of the budget that parsing may take: what is
// parsed must be followed too.
const parseShare = 3

// parse gives the statements of a text, as far as they can be read.
func (e *eval) parse(text string) []*syntax.Stmt {
	look := survey(text, e.work.Left()/parseShare)
	if look.nested {
		e.stop()
		return nil
	}
	e.spend(look.work)
	whole := look.cut == len(text)
	if !whole {
		e.stop()
	}
	text = text[:look.cut]
	list, err := statements(syntax.LangBash, text)
	if err == nil {
		return list
	}
	// Agents run commands in the person's own shell, which may be zsh. If it is no
	// zsh either, what stands before the error is still read: the shell runs line
	// by line and may run it too.
	if whole && e.spend(look.work) {
		if zsh, err := statements(syntax.LangZsh, text); err == nil {
			return zsh
		}
	}
	e.failed = e.failed || len(e.via) == 0 && !e.out.Incomplete
	e.out.Incomplete = true
	if !e.spend(look.work) {
		return list
	}
	more, _ := statements(syntax.LangBash, text, syntax.RecoverErrors(20))
	if len(more) < len(list) {
		return list
	}
	return more
}

// statements parses a text. With an error come the statements before it.
func statements(lang syntax.LangVariant, text string, options ...syntax.ParserOption) (list []*syntax.Stmt, err error) {
	p := syntax.NewParser(append(options, syntax.Variant(lang))...)
	for s, e := range p.StmtsSeq(strings.NewReader(text)) {
		if e != nil {
			err = e
		} else {
			list = append(list, s)
		}
	}
	return list, err
}

func (e *eval) stmts(list []*syntax.Stmt, in stream) stream {
	out := output{e: e}
	for _, s := range list {
		out.add(e.stmt(s, in))
	}
	return out.stream()
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
	run.redirected(at, reads, to, out)
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
					content = e.join(stream{old, true}, content)
				}
			}
			run.write(t.path, content)
			run.dumped(at, t.path, out)
			run.emptied(s, t, out)
			run.sendTo(t.path.Text, out)
			if t.fd != "2" {
				out = stream{}
			}
		}
	}
	return out
}

// binary follows a | b and a && b. Long chains of them are deep trees on their left.
func (e *eval) binary(c *syntax.BinaryCmd, in stream) stream {
	pipe := isPipe(c)
	chain := []*syntax.BinaryCmd{c}
	first := c.X
	for {
		b, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || isPipe(b) != pipe || len(first.Redirs) > 0 || first.Background {
			break
		}
		chain, first = append(chain, b), b.X
	}
	slices.Reverse(chain)
	if pipe {
		out := e.piped().stmt(first, in)
		for _, b := range chain {
			out.fed = true
			if out.Text == "" && !out.Open {
				out = unknown(0)
			}
			out = e.piped().stmt(b.Y, out)
		}
		return out
	}
	out := output{e: e}
	out.add(e.stmt(first, in))
	for _, b := range chain {
		next := e.stmt(b.Y, in)
		if b.Op != syntax.OrStmt || !out.first.fed { // one of them: which python3 || which python
			out.add(next)
		}
	}
	return out.stream()
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

// piped is an evaluator for a part of a pipe.
func (e *eval) piped() *eval {
	s := e.sub()
	s.async = true
	return s
}

// command follows a command of any form.
func (e *eval) command(c syntax.Command, in stream, to []target) stream {
	switch c := c.(type) {
	case nil:
		return stream{}
	case *syntax.CallExpr:
		return e.simple(c, in, to)
	case *syntax.BinaryCmd:
		return e.binary(c, in)
	case *syntax.Block:
		return e.stmts(c.Stmts, in)
	case *syntax.Subshell:
		return e.sub().stmts(c.Stmts, in)
	case *syntax.IfClause:
		out := output{e: e}
		for ; c != nil; c = c.Else { // an elif is an else with an if
			out.add(e.stmts(c.Cond, in))
			out.add(e.stmts(c.Then, in))
		}
		return out.stream()
	case *syntax.WhileClause:
		return e.while(c, in)
	case *syntax.ForClause:
		return e.loop(c, in)
	case *syntax.CaseClause:
		e.word(c.Word)
		out := output{e: e}
		for _, item := range c.Items {
			out.add(e.stmts(item.Stmts, in))
		}
		return out.stream()
	case *syntax.FuncDecl:
		names := c.Names
		if c.Name != nil {
			names = append(names, c.Name)
		}
		for _, n := range names {
			e.funcs.put(n.Value, c.Body)
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
		out := output{e: e}
		for line := range strings.Lines(in.Text) {
			if !e.round() {
				break
			}
			one := known(strings.TrimSuffix(line, "\n"))
			out.add(e.stmts(c.Cond, one))
			out.add(e.stmts(c.Do, one))
		}
		return out.stream()
	}
	return e.join(e.stmts(c.Cond, in), e.stmts(c.Do, in))
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
	e.endsByNumber(c)
	if endsAll(c) {
		e.add(effect.Effect{Kind: "process.kill-all", Program: "kill"})
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
	out := output{e: e}
	for _, v := range items {
		if !e.round() {
			break
		}
		e.set(it.Name.Value, v)
		out.add(e.stmts(c.Do, in))
	}
	return out.stream()
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
			if a.Name != nil {
				v, _ := run.vars.get(a.Name.Value)
				run.export(a.Name.Value, v)
			}
		}
	}
	if len(words) == 0 {
		return stream{}
	}
	if first := c.Args[0].Lit(); first != "" {
		if body, ok := e.aliases.get(first); ok && body != first {
			e.aliases.remove(first) // an alias is not expanded in itself
			out := run.source(effect.Value{Text: body + " " + quoteAll(words[1:])}, in)
			e.aliases.put(first, body)
			return out
		}
	}
	if run != e {
		defer func() {
			e.dir = run.dir
			e.funcs.take(&run.funcs)
		}()
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
			old, _ := e.arrays.get(name)
			vs = old
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
		old, _ := e.vars.get(name)
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
			v, _ := e.vars.get(a.Name.Value)
			if c.Variant.Value == "export" {
				e.export(a.Name.Value, v)
			}
			words = append(words, effect.Value{Text: a.Name.Value + "=" + v.Text, Open: v.Open})
		case a.Name != nil:
			if v, ok := e.vars.get(a.Name.Value); ok && c.Variant.Value == "export" {
				e.export(a.Name.Value, v)
			}
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
