package script

import (
	"strings"
)

// quoted reads a text in quotes; prefix is what Python writes before it.
func (l *lexer) quoted(q byte, prefix string) {
	raw := strings.Contains(prefix, "r")
	width := 1
	if l.triple && strings.HasPrefix(l.src[l.i:], strings.Repeat(string(q), 3)) {
		width = 3
	}
	n := l.i + width
	stop := l.closing(n, strings.Repeat(string(q), width), false)
	body := l.src[n:stop]
	l.i = min(len(l.src), stop+width)
	t := token{sort: str}
	switch {
	case strings.Contains(prefix, "f"):
		t.text, t.parts = l.interpolate(body, "{", !raw)
	case raw:
		t.text = body
	case q == '\'' && l.oneEscape:
		t.text = strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(body)
	case l.doubled && q == '"':
		t.text, t.parts = l.interpolate(body, l.interp, true)
	default:
		t.text = l.unescape(body, strings.Contains(prefix, "b"))
	}
	l.add(t)
	l.line += strings.Count(body, "\n")
}

// quotedRaw reads R's r"(…)".
func (l *lexer) quotedRaw(q byte) {
	n := l.i
	stop := len(l.src)
	if j := strings.Index(l.src[n:], `)`+string(q)); j >= 0 {
		stop = n + j
	}
	l.i = min(len(l.src), stop+2)
	l.add(token{sort: str, text: strings.TrimPrefix(l.src[min(n, stop):stop], "(")})
}

// closing finds the end of a text from n on, or the end of the script.
func (l *lexer) closing(n int, mark string, raw bool) int {
	for j := n; j < len(l.src); j++ {
		if l.src[j] == '\\' && !raw {
			j++
			continue
		}
		if strings.HasPrefix(l.src[j:], mark) {
			return j
		}
		if l.doubled && l.interp == "#" && mark == `"` && strings.HasPrefix(l.src[j:], "#{") {
			j = l.braces(j+1) - 1
		}
	}
	return len(l.src)
}

// braces gives the index behind the brace that closes the one at j. It looks only
// so far, to stay linear.
func (l *lexer) braces(j int) int { return l.closeBrace(l.src, j) }

func (l *lexer) closeBrace(s string, j int) int {
	if l.fails > maxFails {
		return j + 1
	}
	depth := 0
	for k := j; k < len(s) && k < j+4096; k++ {
		switch s[k] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	l.fails++
	return j + 1
}

func (l *lexer) backticks() {
	n := l.i + 1
	if l.backtick == 't' {
		l.template(n)
		return
	}
	stop := l.closing(n, "`", l.backtick == 'r')
	body := l.src[n:stop]
	l.i = min(len(l.src), stop+1)
	t := token{sort: str}
	switch l.backtick {
	case 's':
		t.mode = 's'
		t.text, t.parts = l.interpolate(body, l.interp, true)
	case 'r':
		t.text = body
		if l.lang == "r" {
			t.sort = ident
		}
	}
	l.add(t)
	l.line += strings.Count(body, "\n")
}

// template reads a template literal, in whose ${…} others may stand.
func (l *lexer) template(n int) {
	j, depth := n, 0
	for j < len(l.src) {
		switch {
		case l.src[j] == '\\':
			j++
		case depth == 0 && l.src[j] == '`':
			body := l.src[n:j]
			l.i = j + 1
			t := token{sort: str}
			t.text, t.parts = l.interpolate(body, "$", true)
			t.mode = 't'
			l.add(t)
			l.line += strings.Count(body, "\n")
			return
		case strings.HasPrefix(l.src[j:], "${"):
			depth++
			j++
		case depth > 0 && l.src[j] == '{':
			depth++
		case depth > 0 && l.src[j] == '}':
			depth--
		}
		j++
	}
	l.add(token{sort: str, text: l.src[min(n, len(l.src)):]})
	l.i = len(l.src)
}

// delimited reads a text between the delimiter at l.i and its partner.
func (l *lexer) delimited() (string, byte, bool) {
	if l.i >= len(l.src) || l.fails > maxFails {
		return "", 0, false
	}
	open := l.src[l.i]
	if isWord(open) || isSpace(open) {
		return "", 0, false
	}
	shut := open
	switch open {
	case '(':
		shut = ')'
	case '[':
		shut = ']'
	case '{':
		shut = '}'
	case '<':
		shut = '>'
	}
	depth := 1
	for j := l.i + 1; j < len(l.src); j++ {
		switch c := l.src[j]; {
		case c == '\\':
			j++
		case c == shut:
			if depth--; depth == 0 {
				body := l.src[l.i+1 : j]
				l.i = j + 1
				l.line += strings.Count(body, "\n")
				return body, open, true
			}
		case c == open:
			depth++
		}
	}
	l.fails++
	return "", 0, false
}

// quoteLike reads Perl's q(), qq(), qw(), qx(), qr(), m(), s(), tr(), y().
func (l *lexer) quoteLike(w string) bool {
	switch w {
	case "q", "qq", "qw", "qx", "qr", "m", "s", "tr", "y":
	default:
		return false
	}
	save, line := l.i, l.line
	for l.i < len(l.src) && isSpace(l.src[l.i]) {
		l.i++
	}
	if l.i < len(l.src) && (l.src[l.i] == ',' || l.src[l.i] == ';' || l.src[l.i] == ')' || l.src[l.i] == '=' && l.i > save || l.src[l.i] == '#' && l.i > save) {
		l.i = save
		return false
	}
	body, open, ok := l.delimited()
	if !ok {
		l.i, l.line = save, line
		return false
	}
	t := token{sort: str}
	switch w {
	case "q":
		t.text = body
	case "qq", "qx":
		if w == "qx" {
			t.mode = 's'
		}
		if open == '\'' {
			t.text = body
		} else {
			t.text, t.parts = l.interpolate(body, l.interp, true)
		}
	case "qw":
		t.text, t.mode = body, 'w'
	default:
		t.mode = 'x'
		if w == "s" || w == "tr" || w == "y" {
			if open == '(' || open == '[' || open == '{' || open == '<' {
				for l.i < len(l.src) && (isSpace(l.src[l.i]) || l.src[l.i] == '\n') {
					l.i++
				}
			} else {
				l.i--
			}
			second, _, ok := l.delimited()
			if !ok {
				l.i, l.line = save, line
				return false
			}
			n := l.i
			for l.i < len(l.src) && isLetter(l.src[l.i]) && l.src[l.i] < 0x80 {
				l.i++
			}
			if w == "s" && strings.Contains(l.src[n:l.i], "e") {
				t.mode = 'e'
				t.parts = []part{{text: second, code: true}}
			} else {
				t.text = w + "\x00" + body + "\x00" + second
			}
			break
		}
		for l.i < len(l.src) && isLetter(l.src[l.i]) && l.src[l.i] < 0x80 {
			l.i++
		}
	}
	l.add(t)
	return true
}

// percent reads Ruby's %w[], %q(), %Q(), %x(), %i[], %().
func (l *lexer) percent() bool {
	save, line := l.i, l.line
	l.i++
	kind := byte('Q')
	if l.i < len(l.src) && strings.IndexByte("wWqQxiIrs", l.src[l.i]) >= 0 {
		kind = l.src[l.i]
		l.i++
	}
	if l.i < len(l.src) && (l.src[l.i] == '=' || l.src[l.i] == '"' || l.src[l.i] == '\'') {
		l.i = save
		return false
	}
	body, _, ok := l.delimited()
	if !ok {
		l.i, l.line = save, line
		return false
	}
	t := token{sort: str}
	switch kind {
	case 'w', 'W', 'i', 'I':
		t.text, t.mode = body, 'w'
	case 'q', 's':
		t.text = body
	case 'r':
		t.mode = 'x'
	default:
		if kind == 'x' {
			t.mode = 's'
		}
		t.text, t.parts = l.interpolate(body, l.interp, true)
	}
	l.add(t)
	return true
}

// here begins a here-document: <<EOT, <<"EOT", <<~EOT, <<<EOT.
func (l *lexer) here() bool {
	j := l.i + 2
	switch l.lang {
	case "php":
		if j >= len(l.src) || l.src[j] != '<' {
			return false
		}
		j++
		for j < len(l.src) && isSpace(l.src[j]) {
			j++
		}
	case "perl", "ruby":
		if l.value() && !(l.last().sort == ident && l.last().sigil == 0) {
			return false
		}
	default:
		return false
	}
	d := heredoc{interp: true}
	if j < len(l.src) && (l.src[j] == '~' || l.src[j] == '-') {
		d.strip = true
		j++
	}
	if j < len(l.src) && (l.src[j] == '"' || l.src[j] == '\'') {
		q := l.src[j]
		n := strings.IndexByte(l.src[j+1:], q)
		if n <= 0 || n > 64 {
			return false
		}
		d.label, d.interp = l.src[j+1:j+1+n], q == '"'
		j += n + 2
	} else {
		n := j
		for j < len(l.src) && isWord(l.src[j]) {
			j++
		}
		if j == n || l.lang != "php" && !(l.src[n] >= 'A' && l.src[n] <= 'Z') {
			return false
		}
		d.label = l.src[n:j]
	}
	l.i = j
	d.token = len(l.out)
	l.add(token{sort: str})
	l.docs = append(l.docs, d)
	return true
}

// diamond reads Perl's <F>, <$fh>, <*.c>.
func (l *lexer) diamond() bool {
	n := strings.IndexByte(l.src[l.i:min(len(l.src), l.i+64)], '>')
	if n < 0 || strings.ContainsAny(l.src[l.i:l.i+n], " ;=") {
		return false
	}
	inner := l.src[l.i+1 : l.i+n]
	l.i += n + 1
	if strings.ContainsAny(inner, "*?/") {
		l.add(token{sort: str, mode: 'w', text: inner})
		return true
	}
	l.add(token{sort: ident, text: strings.TrimPrefix(inner, "$"), sigil: '<'})
	return true
}

// long reads Lua's [[…]].
func (l *lexer) long() bool {
	j := l.i + 1
	for j < len(l.src) && l.src[j] == '=' {
		j++
	}
	if j >= len(l.src) || l.src[j] != '[' {
		return false
	}
	mark := "]" + l.src[l.i+1:j] + "]"
	body := l.src[j+1:]
	l.i = len(l.src)
	if n := strings.Index(body, mark); n >= 0 {
		body = body[:n]
		l.i = j + 1 + n + len(mark)
	}
	l.add(token{sort: str, text: strings.TrimPrefix(body, "\n")})
	l.line += strings.Count(body, "\n")
	return true
}

// regexp reads /…/ on one line.
func (l *lexer) regexp() {
	class := false
	for j := l.i + 1; l.fails <= maxFails && j < len(l.src) && l.src[j] != '\n'; j++ {
		switch c := l.src[j]; {
		case c == '\\':
			j++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			l.i = j + 1
			for l.i < len(l.src) && isLetter(l.src[l.i]) && l.src[l.i] < 0x80 && l.lang != "awk" {
				l.i++
			}
			l.add(token{sort: str, mode: 'x'})
			return
		}
	}
	l.fails++
	l.operator()
}
