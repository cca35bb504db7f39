package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/fireharp/overseer/internal/effect"
)

// piece is a part of a word after expansion.
type piece struct {
	effect.Value
	split bool           // unquoted: it is split at spaces
	list  []effect.Value // "$@": a word each
	many  bool
}

// fields expands words as the shell does, without looking at the disk: globs stay
// as they are.
func (e *eval) fields(ws []*syntax.Word) []effect.Value {
	out := make([]effect.Value, 0, len(ws))
	for _, w := range ws {
		if w == nil {
			continue
		}
		words := []*syntax.Word{w}
		if hasBrace(w) {
			words = e.braces(w)
		}
		for _, b := range words {
			more := e.split(e.pieces(b.Parts, false))
			if len(more) > 1 && !e.spend(len(more)) { // "${a[@]}" can double an array
				return out
			}
			out = append(out, more...)
		}
	}
	return out
}

func hasBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") {
			return true
		}
	}
	return false
}

// maxBraces bounds what {a,b}{c,d}… may grow to.
const maxBraces = 256

// braces expands {a,b} and {1..3}.
func (e *eval) braces(w *syntax.Word) []*syntax.Word {
	copied := &syntax.Word{Parts: append([]syntax.WordPart{}, w.Parts...)}
	if !syntax.SplitBraces(copied) {
		return []*syntax.Word{w}
	}
	out := []*syntax.Word{{}}
	for _, p := range copied.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			for _, o := range out {
				o.Parts = append(o.Parts, p)
			}
			continue
		}
		var next []*syntax.Word
		for _, o := range out {
			for _, elem := range b.Elems { // of a sequence its two ends
				for _, x := range e.braces(elem) {
					if len(next) >= maxBraces {
						e.stop()
						return next
					}
					next = append(next, &syntax.Word{Parts: append(append([]syntax.WordPart{}, o.Parts...), x.Parts...)})
				}
			}
		}
		out = next
	}
	return out
}

// split makes fields of pieces.
func (e *eval) split(ps []piece) []effect.Value {
	var out []effect.Value
	var cur effect.Value
	has := false
	flush := func() {
		if has && e.copied(len(cur.Text)) {
			out = append(out, cur)
		}
		cur, has = effect.Value{}, false
	}
	ifs := " \t\n"
	if v, ok := e.vars.get("IFS"); ok && !v.Open {
		ifs = v.Text
	}
	for _, p := range ps {
		switch {
		case p.many:
			for i, v := range p.list {
				if i > 0 {
					flush()
				}
				cur.Text += v.Text
				cur.Open, cur.Origin, has = cur.Open || v.Open, cur.Origin|v.Origin, true
			}
		case p.split && !p.Open && ifs != "" && strings.ContainsAny(p.Text, ifs):
			text := p.Text
			for {
				i := strings.IndexAny(text, ifs)
				if i < 0 {
					break
				}
				if i > 0 {
					cur.Text, cur.Origin, has = cur.Text+text[:i], cur.Origin|p.Origin, true
				}
				flush()
				text = text[i+1:]
			}
			if text != "" {
				cur.Text, cur.Origin, has = cur.Text+text, cur.Origin|p.Origin, true
			}
		default:
			cur.Text += p.Text
			cur.Open, cur.Origin = cur.Open || p.Open, cur.Origin|p.Origin
			has = has || !p.split || p.Text != ""
		}
	}
	flush()
	return out
}

// word expands a word to one text, as in an assignment or a here-document.
func (e *eval) word(w *syntax.Word) effect.Value {
	if w == nil {
		return effect.Value{}
	}
	v := concat(e.pieces(w.Parts, false))
	if !e.copied(len(v.Text)) {
		return effect.Value{Text: hidden, Open: true, Origin: v.Origin}
	}
	return v
}

func concat(ps []piece) effect.Value {
	var b strings.Builder
	var v effect.Value
	for _, p := range ps {
		b.WriteString(p.Text)
		for i, x := range p.list {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(x.Text)
			v.Open, v.Origin = v.Open || x.Open, v.Origin|x.Origin
		}
		v.Open, v.Origin = v.Open || p.Open, v.Origin|p.Origin
	}
	v.Text = b.String()
	return v
}

func (e *eval) pieces(parts []syntax.WordPart, quoted bool) []piece {
	out := make([]piece, 0, len(parts))
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text := unescape(p.Value, quoted)
			if i == 0 && !quoted && strings.HasPrefix(p.Value, "~") {
				text = e.tilde(text)
			}
			out = append(out, piece{Value: effect.Lit(text)})
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				text = ansiC(text)
			}
			out = append(out, piece{Value: effect.Lit(text)})
		case *syntax.DblQuoted:
			inner := e.pieces(p.Parts, true)
			if len(inner) == 0 {
				inner = []piece{{}}
			}
			out = append(out, inner...)
		case *syntax.ParamExp:
			x := e.param(p)
			x.split = !quoted
			if !quoted && x.many {
				x = piece{Value: concat([]piece{x}), split: true}
			}
			out = append(out, x)
		case *syntax.CmdSubst:
			out = append(out, piece{Value: e.substitute(p), split: !quoted})
		case *syntax.ProcSubst:
			out = append(out, piece{Value: e.process(p)})
		case *syntax.ArithmExp:
			e.inside(p.X)
			out = append(out, piece{Value: effect.Value{Text: "$((…))", Open: true}, split: !quoted})
		case *syntax.BraceExp:
			out = append(out, piece{Value: effect.Lit("{}")})
		case *syntax.ExtGlob:
			out = append(out, piece{Value: effect.Lit("*")})
		default:
			out = append(out, piece{Value: effect.Value{Text: "$()", Open: true}, split: !quoted})
		}
	}
	return out
}

// tilde expands ~ and ~user at the beginning of a word.
func (e *eval) tilde(s string) string {
	name, rest, _ := strings.Cut(s[1:], "/")
	if rest != "" || strings.HasSuffix(s, "/") {
		rest = "/" + rest
	}
	switch {
	case name == "":
		return e.home() + rest
	case name == "+":
		return e.cwd() + rest
	case name == "root":
		return "/root" + rest
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "":
		return "/home/" + name + rest
	}
	return s
}

func (e *eval) home() string {
	if e.ctx.Places.Home != "" {
		return e.ctx.Places.Home
	}
	return "~"
}

func (e *eval) cwd() string {
	if e.dir == "" {
		if e.ctx.Places.CWD != "" {
			return e.ctx.Places.CWD
		}
		return "."
	}
	return e.dir
}

// substitute is the text of $(…).
func (e *eval) substitute(c *syntax.CmdSubst) effect.Value {
	if len(c.Stmts) == 0 {
		return effect.Value{}
	}
	s := e.sub()
	s.depth++
	out := s.stmts(c.Stmts, stream{})
	if len(c.Stmts) == 1 && c.Stmts[0].Cmd == nil { // $(<file)
		if in, _, _ := s.redirects(c.Stmts[0], stream{}); in.fed {
			out = in
		}
	}
	if !out.fed {
		return effect.Value{Text: "$()", Open: true}
	}
	out.Text = strings.TrimRight(out.Text, "\n")
	return out.Value
}

// pipeName begins the name of what a process substitution prints to.
const pipeName = "/dev/fd/"

// process is the name of the file that <(…) stands for.
func (e *eval) process(p *syntax.ProcSubst) effect.Value {
	s := e.sub()
	s.depth++
	out := s.stmts(p.Stmts, unknown(effect.Local))
	e.pipes++
	name := pipeName + string(rune('0'+e.pipes%10)) + strings.Repeat("0", e.pipes/10%8)
	if p.Op == syntax.CmdIn {
		if !out.fed {
			out = unknown(0)
		}
		e.files[name] = out.Value
	}
	return effect.Lit(name)
}

// unescape removes the backslashes of a literal. Within double quotes only some
// characters can be escaped.
func unescape(s string, quoted bool) string {
	if !strings.ContainsRune(s, '\\') {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		next := s[i+1]
		if quoted && !strings.ContainsRune("$`\"\\\n", rune(next)) {
			b.WriteByte('\\')
			continue
		}
		i++
		if next != '\n' {
			b.WriteByte(next)
		}
	}
	return b.String()
}
