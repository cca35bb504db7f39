package sql

import (
	"encoding/hex"
	"strings"
)

type tokenKind uint8

const (
	word   tokenKind = iota // lower case; \copy is one
	quoted                  // an identifier in quotes: never a keyword
	text                    // a string
	number
	op
	end // a semicolon within a routine
)

type token struct {
	kind tokenKind
	text string
}

func (t token) is(word_ string) bool { return t.kind == word && t.text == word_ }
func (t token) op(s string) bool     { return t.kind == op && t.text == s }

// lexer cuts a text into statements and these into tokens. It reads all dialects
// at once; what clients take for themselves (.shell, \!, delimiter) it hands to
// the reader.
type lexer struct {
	src       string
	i         int
	delimiter string
	backslash bool // \' is a quote within a string
	code      int  // depth of executable comments: /*!50000 … */
	missed    int  // dollar quotes without an end
	open      bool // the last statement was a routine whose end is missing
	reader    *reader
}

// maxMissed bounds the search for ends of dollar quotes that there are not.
const maxMissed = 16

// maxBracket is how long a name in [brackets] may be.
const maxBracket = 64

// statement appends the tokens of the next statement. more is false at the end.
func (l *lexer) statement(ts []token) (_ []token, more bool) {
	routine, nest := false, 0
	l.open = false
	for l.i < len(l.src) {
		if l.blank() {
			continue
		}
		if len(ts) == 0 && l.client() {
			continue
		}
		if strings.HasPrefix(l.src[l.i:], l.delimiter) {
			l.i += len(l.delimiter)
			if l.delimiter != ";" || nest == 0 {
				return ts, true
			}
			ts = append(ts, token{end, ";"})
			continue
		}
		if l.src[l.i] == ';' {
			l.i++
			ts = append(ts, token{end, ";"})
			continue
		}
		n := len(ts)
		ts = l.token(ts)
		if len(ts) == n || ts[n].kind != word {
			continue
		}
		// The body of a routine has semicolons of its own.
		switch t := ts[n].text; {
		case !routine:
			routine = n < 12 && ts[0].is("create") && in(routines, t)
		case t == "begin" || t == "case" && !ts[n-1].is("end"):
			nest++
		case t == "end" && nest > 0 && !l.ahead("if", "loop", "while", "repeat", "for"):
			nest--
		}
	}
	l.open = routine && nest > 0
	return ts, false
}

// routines are objects with a body that runs some other time.
const routines = " function procedure proc trigger event package "

// blank skips white space and comments.
func (l *lexer) blank() bool {
	s := l.src[l.i:]
	switch c := s[0]; {
	case c <= ' ':
		l.i++
	case strings.HasPrefix(s, "--") && !l.minusMinus():
		l.line()
	case c == '#' && !l.hashName():
		l.line()
	case strings.HasPrefix(s, "*/") && l.code > 0:
		l.code--
		l.i += 2
	case strings.HasPrefix(s, "/*!"), strings.HasPrefix(s, "/*M!"):
		// MySQL and MariaDB run what is in such a comment.
		l.code++
		l.i += strings.IndexByte(s, '!') + 1
		for l.i < len(l.src) && isDigit(l.src[l.i]) {
			l.i++
		}
	case strings.HasPrefix(s, "/*"):
		// Comments nest in some dialects; what follows the first end may be code.
		if e := strings.Index(s[2:], "*/"); e >= 0 {
			l.i += e + 4
		} else {
			l.i = len(l.src)
		}
	default:
		return false
	}
	return true
}

// minusMinus reports whether -- stands in 1--1, which MySQL calculates.
func (l *lexer) minusMinus() bool {
	return l.i > 0 && l.i+2 < len(l.src) && isDigit(l.src[l.i-1]) && isDigit(l.src[l.i+2])
}

// hashName reports whether # begins a temporary table of SQL Server or an
// operator of PostgreSQL (#>, #-) and not a comment of MySQL.
func (l *lexer) hashName() bool {
	s := l.src[l.i:]
	if len(s) > 1 && (s[1] == '>' || s[1] == '-') {
		return true
	}
	before := strings.ToLower(strings.TrimRight(l.src[max(0, l.i-16):l.i], " "))
	for _, w := range []string{"table", "exists", "into", "from", "join", "update", ",", "#"} {
		if strings.HasSuffix(before, w) {
			return len(s) > 1 && (isLetter(s[1]) || s[1] == '#')
		}
	}
	return false
}

// line skips to the end of the line and gives what was skipped.
func (l *lexer) line() string {
	s := l.src[l.i:]
	if e := strings.IndexByte(s, '\n'); e >= 0 {
		s = s[:e]
	}
	l.i += len(s)
	return strings.TrimSuffix(s, "\r")
}

// ahead reports whether the next word is one of these.
func (l *lexer) ahead(words ...string) bool {
	s := strings.TrimLeft(l.src[l.i:min(len(l.src), l.i+32)], " \t\r\n")
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	for _, w := range words {
		if strings.EqualFold(s[:n], w) {
			return true
		}
	}
	return false
}

// token appends the next token. It takes one byte at least.
func (l *lexer) token(ts []token) []token {
	s := l.src[l.i:]
	switch c := s[0]; {
	case c == '\'':
		return append(ts, token{text, l.quote('\'', l.backslash)})
	case c == '"':
		return append(ts, token{quoted, l.quote('"', l.backslash)})
	case c == '`':
		return append(ts, token{quoted, l.quote('`', false)})
	case c == '[' && len(s) > 1 && isLetter(s[1]):
		if n := strings.IndexAny(s[:min(len(s), maxBracket)], "];\n"); n > 0 && s[n] == ']' {
			l.i += n + 1
			return append(ts, token{quoted, s[1:n]})
		}
	case c == '$':
		if body, ok := l.dollar(s); ok {
			return append(ts, token{text, body})
		}
	case c == '\\':
		return l.meta(ts)
	case isDigit(c):
		return append(ts, l.number())
	case isWord(c) || c == '#' && len(s) > 1 && isWord(s[1]):
		return append(ts, l.word())
	}
	for _, o := range []string{"<=>", "<>", "!=", "<=", ">=", "==", "||", "&&", ":=", "::"} {
		if strings.HasPrefix(s, o) {
			l.i += len(o)
			return append(ts, token{op, o})
		}
	}
	l.i++
	return append(ts, token{op, s[:1]})
}

// word reads a word, or a string with a prefix: N'…', E'…', X'…'.
func (l *lexer) word() token {
	s := l.src[l.i:]
	n := 1
	for n < len(s) && isWord(s[n]) {
		n++
	}
	l.i += n
	w := strings.ToLower(s[:n])
	if n < len(s) && s[n] == '\'' {
		switch w {
		case "n", "b", "u", "r", "q":
			return token{text, l.quote('\'', l.backslash)}
		case "e":
			return token{text, l.quote('\'', true)}
		case "x":
			v := l.quote('\'', false)
			if b, err := hex.DecodeString(v); err == nil {
				v = string(b)
			}
			return token{text, v}
		}
	}
	return token{word, w}
}

// number reads a number; a long one in base 16 is a string to MySQL.
func (l *lexer) number() token {
	s := l.src[l.i:]
	n := 1
	for n < len(s) && (isWord(s[n]) || s[n] == '.') {
		n++
	}
	l.i += n
	if n >= 10 && (s[1] == 'x' || s[1] == 'X') {
		if b, err := hex.DecodeString(s[2:n]); err == nil {
			return token{text, string(b)}
		}
	}
	return token{number, s[:n]}
}

// quote reads up to the closing quote, or to the end where there is none.
func (l *lexer) quote(q byte, backslash bool) string {
	s := l.src[l.i+1:]
	var b []byte // only where something is escaped
	from := 0
	for j := 0; j < len(s); j++ {
		switch {
		case s[j] == '\\' && backslash && j+1 < len(s):
			b = append(b, s[from:j]...)
			j++
			from = j
		case s[j] == q && j+1 < len(s) && s[j+1] == q:
			b = append(b, s[from:j]...)
			j++
			from = j
		case s[j] == q:
			l.i += j + 2
			if b == nil {
				return s[:j]
			}
			return string(append(b, s[from:j]...))
		}
	}
	l.i = len(l.src)
	return string(append(b, s[from:]...))
}

// dollar reads $tag$ … $tag$.
func (l *lexer) dollar(s string) (string, bool) {
	n := 1
	for n < len(s) && isWord(s[n]) && s[n] != '$' {
		n++
	}
	if n >= len(s) || s[n] != '$' || l.missed > maxMissed {
		return "", false
	}
	tag := s[:n+1]
	e := strings.Index(s[n+1:], tag)
	if e < 0 {
		l.missed++
		return "", false
	}
	l.i += e + 2*len(tag)
	return s[n+1 : n+1+e], true
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '@' || c == '$' }
