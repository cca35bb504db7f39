package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// probes are the programs with which a loop asks one host or port after the other.
var probes = []string{"ping", "ping6", "arping", "nc", "ncat", "netcat", "telnet", "nmap", "hping3", "nbtscan", "smbclient", "socat"}

// sweeps reports whether a loop counts through the hosts of a network or the ports of
// a host: for i in {1..254}; do ping 10.0.0.$i; done.
func sweeps(c *syntax.ForClause) bool {
	name, ok := counts(c.Loop)
	if !ok {
		return false
	}
	found := false
	for _, s := range c.Do {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CallExpr:
				for i, w := range n.Args {
					found = found || toSocket(w) && uses(w, name) && !here(w) // bash -c "echo >/dev/tcp/h/$p"
					if !slices.Contains(probes, w.Lit()) {
						continue
					}
					local, used := false, false
					for _, a := range n.Args[i+1:] {
						local = local || here(a)
						used = used || uses(a, name)
					}
					found = found || used && !local
					break
				}
			case *syntax.Redirect:
				if n.Word != nil && len(n.Word.Parts) > 1 && uses(n.Word, name) && !here(n.Word) {
					first, ok := n.Word.Parts[0].(*syntax.Lit)
					found = found || ok && connects(first.Value)
				}
			}
			return !found
		})
	}
	return found
}

// endsAll reports whether a loop counts through the numbers of processes and ends each:
// for p in {2..32768}; do kill -9 $p; done.
func endsAll(c *syntax.ForClause) bool {
	name, ok := counts(c.Loop)
	if !ok {
		return false
	}
	found := false
	for _, s := range c.Do {
		syntax.Walk(s, func(n syntax.Node) bool {
			if call, is := n.(*syntax.CallExpr); is && len(call.Args) > 1 && call.Args[0].Lit() == "kill" {
				for _, a := range call.Args[1:] {
					found = found || uses(a, name) && !job(a)
				}
			}
			_, conditional := n.(*syntax.IfClause)
			return !found && !conditional // it chooses some
		})
	}
	return found
}

// job reports whether a word is one of the shell's own jobs: %$i.
func job(w *syntax.Word) bool {
	l, ok := w.Parts[0].(*syntax.Lit)
	return ok && strings.HasPrefix(l.Value, "%")
}

// counts gives the variable of a loop that counts: for i in {1..9}, for i in $(seq 9),
// for ((i=1; …)).
func counts(l syntax.Loop) (string, bool) {
	switch l := l.(type) {
	case *syntax.CStyleLoop:
		if b, ok := l.Init.(*syntax.BinaryArithm); ok {
			if w, ok := b.X.(*syntax.Word); ok {
				return w.Lit(), w.Lit() != ""
			}
		}
	case *syntax.WordIter:
		for _, w := range l.Items {
			if len(w.Parts) != 1 {
				continue
			}
			switch p := w.Parts[0].(type) {
			case *syntax.Lit:
				if split := (&syntax.Word{Parts: []syntax.WordPart{p}}); syntax.SplitBraces(split) {
					for _, part := range split.Parts {
						if b, ok := part.(*syntax.BraceExp); ok && b.Sequence {
							return l.Name.Value, true
						}
					}
				}
			case *syntax.CmdSubst:
				if len(p.Stmts) == 1 {
					if call, ok := p.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Args) > 1 && call.Args[0].Lit() == "seq" {
						return l.Name.Value, true
					}
				}
			}
		}
	}
	return "", false
}

// uses reports whether a variable stands in a word.
func uses(w *syntax.Word, name string) bool {
	return has(w, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		return ok && p.Param != nil && p.Param.Value == name
	})
}

// toSocket reports whether a text of the shell speaks to a port.
func toSocket(w *syntax.Word) bool {
	return has(w, func(n syntax.Node) bool {
		l, ok := n.(*syntax.Lit)
		return ok && strings.Contains(l.Value, "/dev/tcp/")
	})
}

// here reports whether a word names this machine.
func here(w *syntax.Word) bool {
	return has(w, func(n syntax.Node) bool {
		l, ok := n.(*syntax.Lit)
		return ok && slices.ContainsFunc([]string{"localhost", "127.0.0.1", "0.0.0.0", "::1"}, func(h string) bool { return strings.Contains(l.Value, h) })
	})
}

// has reports whether a part of a word is what is looked for.
func has(w *syntax.Word, is func(syntax.Node) bool) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		found = found || n != nil && is(n)
		return !found
	})
	return found
}
