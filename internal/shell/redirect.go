package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/fireharp/overseer/internal/effect"
)

// target is a file that output goes to.
type target struct {
	path effect.Value
	fd   string
	add  bool
}

// redirects reads where a statement's input comes from and where its output goes.
func (e *eval) redirects(s *syntax.Stmt, in stream) (_ stream, to []target, reads []effect.Value) {
	for _, r := range s.Redirs {
		fd := ""
		if r.N != nil {
			fd = r.N.Value
		}
		if connects(r.Word.Lit()) {
			e.socket = e.socket || r.Op == syntax.RdrInOut || r.Op == syntax.RdrOut && fd != "" && fd != "1" && fd != "2"
		} else if (r.Op == syntax.DplIn || r.Op == syntax.DplOut) && e.socket {
			to = append(to, target{effect.Lit("/dev/tcp/"), "dup", false})
			continue
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			in = stream{e.document(r), true}
		case syntax.WordHdoc:
			in = stream{e.word(r.Word), true}
			in.Text += "\n"
		case syntax.RdrIn:
			v := e.word(r.Word)
			e.out.Reads = append(e.out.Reads, In(e.dir, v.Text))
			reads = append(reads, v)
			if in = e.content(v); v.Text == "/dev/null" || v.Text == "/dev/tty" {
				in = stream{}
			} else if in.Open && in.Text == "$()" && in.Origin == effect.Local {
				in.Text = "$(<" + v.Text + ")" // a file that a person named
			}
		case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.AppClob,
			syntax.RdrAll, syntax.RdrAllClob, syntax.AppAll, syntax.AppAllClob, syntax.DplOut:
			v := e.word(r.Word)
			if r.Op == syntax.DplOut && strings.Trim(v.Text, "0123456789-") == "" {
				continue // 2>&1 names no file
			}
			e.out.Writes = append(e.out.Writes, In(e.dir, v.Text))
			to = append(to, target{v, fd, r.Op == syntax.AppOut || r.Op == syntax.AppAll})
		}
	}
	return in, to, reads
}

// document is the text of a here-document. Where its delimiter is quoted, all of it stands
// as it is; else a backslash is one before most characters.
func (e *eval) document(r *syntax.Redirect) effect.Value {
	if r.Hdoc == nil {
		return effect.Value{}
	}
	var v effect.Value
	if plain := r.Word.Lit(); plain == "" || strings.Contains(plain, `\`) {
		for _, p := range r.Hdoc.Parts {
			if l, ok := p.(*syntax.Lit); ok {
				v.Text += l.Value
			}
		}
	} else {
		v = concat(e.pieces(r.Hdoc.Parts, true))
	}
	if !e.copied(len(v.Text)) {
		return effect.Value{Text: hidden, Open: true, Origin: v.Origin}
	}
	return v
}

// redirected notes what redirections do, for the command that they belong to.
func (e *eval) redirected(at int, reads []effect.Value, to []target, out stream) {
	e.owner = at
	for _, v := range reads {
		e.effects("", effect.FileRead, []effect.Value{v})
	}
	for _, t := range to {
		if t.fd == "dup" {
			continue
		}
		e.change = &change{text: out, add: t.add, whole: !t.add}
		e.effects("", effect.FileWrite, []effect.Value{t.path})
		e.change = nil
	}
	e.owner = -1
}

// emptied notes a file that nothing is written to: > x, : > x, cat /dev/null > x.
func (e *eval) emptied(s *syntax.Stmt, t target, out stream) {
	if t.add || t.fd == "2" || out.fed && (out.Open || out.Text != "") {
		return
	}
	if c, ok := s.Cmd.(*syntax.CallExpr); s.Cmd != nil && (!ok || len(c.Args) > 0 && !silent(c.Args[0].Lit())) {
		return
	}
	e.effects("", effect.FileEmpty, []effect.Value{t.path})
}

// silent reports whether what a program prints is known: where it is nothing, it is
// certain to be.
func silent(program string) bool {
	switch program {
	case ":", "true", "false", "cat", "echo", "printf":
		return true
	}
	return false
}

// dumped notes an environment that is written to a file as a whole: env > x. A part of
// it, env | grep GO > x, is judged by what was looked for.
func (e *eval) dumped(at int, to effect.Value, out stream) {
	if !out.Origin.Has(effect.Secret) || at >= len(e.out.Commands) || searches(e.out.Commands[at].Program) || strings.HasPrefix(to.Text, "/dev/") {
		return
	}
	e.add(effect.Effect{Kind: effect.SecretRead, Program: e.out.Commands[at].Program, Targets: []effect.Target{{Name: to.Text}}})
}

// sendTo notes output that goes to a host by bash's /dev/tcp.
func (e *eval) sendTo(path string, out stream) {
	if !connects(path) {
		return
	}
	host, _, _ := strings.Cut(path[len("/dev/tcp/"):], "/")
	if local(host) || !out.fed {
		return
	}
	e.send("", []effect.Value{out.Value}, host)
}

// connects reports whether a path stands for a connection (bash manual, "Redirections").
func connects(path string) bool {
	return strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/")
}

// network reports whether one of the targets is a host.
func network(to []target) bool {
	for _, t := range to {
		if connects(t.path.Text) {
			return true
		}
	}
	return false
}

// local reports whether a host is this machine.
func local(host string) bool {
	return host != "" && host[0] != '/' && effect.ThisMachine(host)
}
