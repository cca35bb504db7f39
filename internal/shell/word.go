package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// literal gives a word as the program would receive it, as far as the text
// alone tells: quotes and backslashes are removed, $'…' is decoded, a variable that
// the line itself set is filled in. Any other expansion contributes its source text
// ($HOME stays "$HOME"), so that a reader can still see what it hangs on.
func (r *reader) literal(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	r.parts(&b, w.Parts, false)
	return b.String()
}

func (r *reader) parts(b *strings.Builder, ps []syntax.WordPart, quoted bool) {
	for _, p := range ps {
		switch p := p.(type) {
		case *syntax.Lit:
			unescape(b, p.Value, quoted)
		case *syntax.SglQuoted:
			if p.Dollar {
				ansiC(b, p.Value)
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			r.parts(b, p.Parts, true)
		default:
			b.WriteString(r.expansion(p))
		}
	}
}

// unescape removes the backslashes of a literal. Within double quotes only some
// characters can be escaped.
func unescape(b *strings.Builder, s string, quoted bool) {
	if !strings.ContainsRune(s, '\\') {
		b.WriteString(s)
		return
	}
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
}

// ansiC decodes the escapes of $'…' (bash manual, "ANSI-C Quoting").
func ansiC(b *strings.Builder, s string) {
	simple := map[byte]byte{'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		c := s[i]
		if v, ok := simple[c]; ok {
			b.WriteByte(v)
			continue
		}
		digits, base, max := 0, 16, 2
		switch {
		case c == 'u':
			max = 4
		case c == 'U':
			max = 8
		case c == 'x':
		case c >= '0' && c <= '7':
			base, max, i = 8, 3, i-1
		default:
			b.WriteByte(c)
			continue
		}
		for digits < max && i+1+digits < len(s) && isDigit(s[i+1+digits], base) {
			digits++
		}
		if digits == 0 {
			b.WriteByte(c)
			continue
		}
		n, _ := strconv.ParseUint(s[i+1:i+1+digits], base, 32)
		i += digits
		if c == 'u' || c == 'U' {
			b.WriteRune(rune(n))
		} else {
			b.WriteByte(byte(n))
		}
	}
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// maxExpansion bounds what filled-in variables can add to a line, so that one that
// doubles itself again and again stays small.
const maxExpansion = 1 << 20

func (r *reader) expansion(p syntax.WordPart) string {
	if c, ok := p.(*syntax.CmdSubst); ok && isPwd(c) {
		return "$PWD"
	}
	pe, ok := p.(*syntax.ParamExp)
	if !ok || pe.Param == nil {
		return "$()"
	}
	plain := pe.Index == nil && pe.Slice == nil && pe.Repl == nil && pe.Exp == nil && !pe.Length && !pe.Excl && !pe.Width
	v, known := r.vars[pe.Param.Value]
	if !known || !plain {
		return "$" + pe.Param.Value
	}
	if r.expanded += len(v); r.expanded > maxExpansion {
		r.out.Incomplete = true
		return "$" + pe.Param.Value
	}
	return v
}

// isPwd recognises $(pwd).
func isPwd(c *syntax.CmdSubst) bool {
	if len(c.Stmts) != 1 {
		return false
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) == 1 && call.Args[0].Lit() == "pwd"
}
