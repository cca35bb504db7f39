package script

import (
	"strings"
)

// sort is the sort of a token.
type sort byte

const (
	end sort = iota
	newline
	ident
	number
	str
	op
)

// token is one word of a script.
type token struct {
	sort   sort
	text   string // of a text: what stands in it, escapes resolved where no code is in it
	parts  []part // of a text with code in it
	mode   byte   // s: a shell command, w: a list of words, x: a regular expression, e: code, b: raw bytes
	line   int
	indent int  // of the first token of a line
	match  int  // of a bracket: the index of its partner, 0 if there is none
	inFor  int  // of a bracket: the index of the for of a comprehension in it
	spaced bool // white space stands before it
	sigil  byte
}

// part is a piece of a text: as it is, or code.
type part struct {
	text string
	code bool
	conv byte // r: quoted as the language does
}

// maxFails is how often a partner that is not there is looked for, to stay linear.
const maxFails = 16

// lexer makes tokens.
type lexer struct {
	lexis
	lang    string
	src     string
	i, line int
	out     []token
	docs    []heredoc // that begin at the next line
	start   bool      // at the beginning of a line
	ind     int
	fails   int // partners that were looked for in vain
}

type heredoc struct {
	token  int
	label  string
	strip  bool
	interp bool
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool { return isLetter(c) || isDigit(c) }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

// lex splits a script into its tokens; the last is of sort end.
func lex(lang string, lx lexis, src string) []token {
	l := &lexer{lexis: lx, lang: lang, src: src, line: 1, start: true, out: make([]token, 0, len(src)/3+8)}
	if lang == "php" {
		if i := strings.Index(src, "<?"); i >= 0 && !strings.Contains(src[:i], ";") {
			l.i = i + 2
			if strings.HasPrefix(src[l.i:], "php") {
				l.i += 3
			}
			if strings.HasPrefix(src[l.i:], "=") {
				l.i++
			}
		}
	}
	for l.i < len(l.src) {
		l.next()
	}
	l.out = append(l.out, token{sort: end, line: l.line})
	pair(l.out)
	return l.out
}

// pair tells brackets their partners and the loops of comprehensions in them.
func pair(ts []token) {
	var open []int
	for i := range ts {
		t := &ts[i]
		if t.sort == ident && t.text == "for" && len(open) > 0 {
			if o := &ts[open[len(open)-1]]; o.inFor == 0 && o.text != "{}" && i > open[len(open)-1]+1 {
				o.inFor = i
			}
		}
		if t.sort != op {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			want := map[string]string{")": "(", "]": "[", "}": "{"}[t.text]
			for n := len(open) - 1; n >= 0 && n >= len(open)-4; n-- {
				if ts[open[n]].text == want {
					ts[open[n]].match, t.match = i, open[n]
					open = open[:n]
					break
				}
			}
		}
	}
}

func (l *lexer) has(s string) bool { return strings.HasPrefix(l.src[l.i:], s) }

func (l *lexer) add(t token) {
	t.line, t.indent = l.line, l.ind
	t.spaced = l.i > 0 && l.i <= len(l.src) && t.spaced
	l.out = append(l.out, t)
	l.start = false
}

// last is the token before.
func (l *lexer) last() token {
	if len(l.out) == 0 {
		return token{sort: newline}
	}
	return l.out[len(l.out)-1]
}

// value reports whether the token before ends a value, so that an operator follows.
func (l *lexer) value() bool {
	t := l.last()
	switch t.sort {
	case number, str:
		return true
	case ident:
		if t.sigil != 0 {
			return true
		}
		switch t.text {
		case "return", "and", "or", "not", "if", "unless", "while", "until", "in", "print", "puts", "split", "grep", "map", "when", "typeof", "case", "x", "else", "of", "await", "yield", "throw", "delete", "do", "then":
			return false
		}
		return true
	case op:
		return t.text == ")" || t.text == "]" || t.text == "}"
	}
	return false
}

func (l *lexer) next() {
	c := l.src[l.i]
	switch {
	case c == '\n':
		l.newline()
		return
	case isSpace(c):
		n := l.i
		for l.i < len(l.src) && isSpace(l.src[l.i]) {
			l.i++
		}
		if l.start {
			l.ind = l.i - n
		}
		return
	case c == '\\' && l.i+1 < len(l.src) && (l.src[l.i+1] == '\n' || l.src[l.i+1] == '\r'):
		l.i += 2
		l.line++
		return
	}
	for _, b := range l.block {
		if l.has(b[0]) || b[0][0] == '\n' && l.start && l.has(b[0][1:]) {
			n := strings.Index(l.src[l.i+2:], b[1])
			stop := len(l.src)
			if n >= 0 {
				stop = l.i + 2 + n + len(b[1])
			}
			l.line += strings.Count(l.src[l.i:stop], "\n")
			l.i = stop
			return
		}
	}
	for _, m := range l.lexis.line {
		if l.has(m) {
			if m == "#" && l.lang == "perl" && l.last().text == "$" {
				break
			}
			if n := strings.IndexByte(l.src[l.i:], '\n'); n >= 0 {
				l.i += n
			} else {
				l.i = len(l.src)
			}
			return
		}
	}
	spaced := l.i > 0 && (isSpace(l.src[l.i-1]) || l.src[l.i-1] == '\n')
	if l.start {
		if l.i == 0 || l.src[l.i-1] == '\n' {
			l.ind = 0
		}
	}
	n := len(l.out)
	l.token(c)
	if len(l.out) > n {
		l.out[n].spaced = spaced
	}
}

func (l *lexer) newline() {
	l.i++
	for _, d := range l.docs {
		l.heredoc(d)
	}
	l.docs = nil
	if last := l.last(); last.sort != newline {
		l.add(token{sort: newline, text: "\n"})
	}
	l.line++
	l.start, l.ind = true, 0
}

// heredoc reads the lines of a here-document.
func (l *lexer) heredoc(d heredoc) {
	var body strings.Builder
	for l.i < len(l.src) {
		line, _, _ := strings.Cut(l.src[l.i:], "\n")
		l.i = min(len(l.src), l.i+len(line)+1)
		l.line++
		trimmed := strings.TrimSuffix(line, "\r")
		if d.strip || l.lang == "php" {
			trimmed = strings.TrimSpace(trimmed)
		}
		if trimmed == d.label || l.lang == "php" && (strings.HasPrefix(trimmed, d.label+";") || strings.HasPrefix(trimmed, d.label+")")) {
			l.i = max(0, l.i-(len(line)+1-strings.Index(line, d.label)-len(d.label)))
			if l.i < len(l.src) && l.src[l.i] == '\n' {
				l.i++
			}
			break
		}
		if d.strip {
			line = strings.TrimLeft(line, " \t")
		}
		body.WriteString(line)
		body.WriteByte('\n')
	}
	t := &l.out[d.token]
	if d.interp {
		t.text, t.parts = l.interpolate(body.String(), l.interp, true)
	} else {
		t.text = body.String()
	}
}

func (l *lexer) token(c byte) {
	switch {
	case c == '"' || c == '\'':
		l.quoted(c, "")
	case c == '`' && l.backtick != 0:
		l.backticks()
	case l.sigils && (c == '$' || c == '@' || c == '%' || c == '&') && l.variable(c):
	case isLetter(c) || c == '$' && l.lang == "node":
		l.word()
	case isDigit(c) || c == '.' && l.i+1 < len(l.src) && isDigit(l.src[l.i+1]) && !l.value():
		l.number()
	case c == '/' && l.regex && !l.value():
		l.regexp()
	case c == '%' && l.lang == "ruby" && !l.value() && l.percent():
	case c == '<' && l.has("<<") && l.here():
	case c == '<' && l.lang == "perl" && !l.value() && l.diamond():
	case c == '[' && l.lang == "lua" && (l.has("[[") || l.has("[=")) && l.long():
	case c == ':' && l.lang == "ruby" && l.i+1 < len(l.src) && (isLetter(l.src[l.i+1]) || l.src[l.i+1] == '"') && !strings.HasSuffix(l.src[:l.i], ":"):
		l.i++
		if l.src[l.i] == '"' {
			l.quoted('"', "")
			return
		}
		n := l.i
		for l.i < len(l.src) && (isWord(l.src[l.i]) || l.src[l.i] == '?' || l.src[l.i] == '!') {
			l.i++
		}
		l.add(token{sort: str, text: l.src[n:l.i]})
	default:
		l.operator()
	}
}

func (l *lexer) number() {
	n := l.i
	for l.i < len(l.src) && (isWord(l.src[l.i]) || l.src[l.i] == '.' && l.i+1 < len(l.src) && isDigit(l.src[l.i+1])) {
		l.i++
	}
	l.add(token{sort: number, text: l.src[n:l.i]})
}

// word reads a name, and the texts that begin with one: r"…", qw(…).
func (l *lexer) word() {
	n := l.i
	for l.i < len(l.src) && (isWord(l.src[l.i]) || l.lang == "node" && l.src[l.i] == '$') {
		l.i++
	}
	w := l.src[n:l.i]
	var c byte
	if l.i < len(l.src) {
		c = l.src[l.i]
	}
	switch {
	case l.lang == "python" && (c == '"' || c == '\'') && len(w) <= 2 && strings.Trim(strings.ToLower(w), "rbfut") == "":
		l.quoted(c, strings.ToLower(w))
		return
	case l.lang == "go" || l.lang == "java":
		if (c == '"') && (w == "f" || w == "s" || w == "raw") {
			l.quoted(c, "")
			return
		}
	case l.lang == "r" && (w == "r" || w == "R") && (c == '"' || c == '\''):
		l.i++
		l.quotedRaw(c)
		return
	case l.lang == "perl" && !strings.HasSuffix(l.src[:n], "->") && !l.fatComma() && l.last().text != "sub" && l.last().text != "->" && l.quoteLike(w):
		return
	}
	if (l.lang == "ruby") && (c == '?' || c == '!') && l.i+1 < len(l.src) && l.src[l.i+1] != '=' && l.src[l.i+1] != '~' && l.src[l.i+1] != ':' && (c == '!' || l.src[l.i+1] == '(' || l.src[l.i+1] == ' ') {
		l.i++
		w += string(c)
	}
	l.add(token{sort: ident, text: w})
}

// fatComma reports whether => follows: the word before it is a text.
func (l *lexer) fatComma() bool {
	j := l.i
	for j < len(l.src) && j < l.i+16 && isSpace(l.src[j]) {
		j++
	}
	return strings.HasPrefix(l.src[j:], "=>") || strings.HasPrefix(l.src[j:], "}") && strings.HasSuffix(l.src[:max(0, l.i-1)], "{")
}

// variable reads $x, @x, ${x}, @{…}.
func (l *lexer) variable(sigil byte) bool {
	if (sigil == '%' || sigil == '&') && (l.value() || l.lang != "perl") || sigil == '@' && l.lang == "php" {
		return false
	}
	j := l.i + 1
	for j < len(l.src) && j < l.i+3 && (l.src[j] == '$' || l.src[j] == '@' || l.src[j] == '#' && l.lang == "perl") && j+1 < len(l.src) && (isLetter(l.src[j+1]) || l.src[j+1] == '{' || l.src[j+1] == '$') {
		j++
	}
	if j >= len(l.src) {
		return false
	}
	c := l.src[j]
	switch {
	case isLetter(c) || c == ':' && strings.HasPrefix(l.src[j:], "::"):
		n := j
		for j < len(l.src) && (isWord(l.src[j]) || l.lang == "perl" && strings.HasPrefix(l.src[j:], "::")) {
			if l.src[j] == ':' {
				j++
			}
			j++
		}
		l.i = j
		l.add(token{sort: ident, text: strings.ReplaceAll(l.src[n:j], "::", "."), sigil: sigil})
		return true
	case c == '{' && (sigil == '$' || sigil == '@' || sigil == '%' || sigil == '&'):
		k := j + 1
		for k < len(l.src) && (isWord(l.src[k]) || l.src[k] == '^') {
			k++
		}
		if k < len(l.src) && l.src[k] == '}' && k > j+1 {
			l.i = k + 1
			l.add(token{sort: ident, text: l.src[j+1 : k], sigil: sigil})
			return true
		}
		l.i = j // @{ … }: the value of the block
		return false
	case sigil == '$' && l.lang != "php" && (isDigit(c) || strings.IndexByte("_&!@/\\,;.0~$", c) >= 0):
		l.i = j + 1
		l.add(token{sort: ident, text: string(c), sigil: sigil})
		return true
	case sigil == '@' && c == '_':
		l.i = j + 1
		l.add(token{sort: ident, text: "_", sigil: sigil})
		return true
	}
	return false
}

var operators = []string{
	">>>=", "**=", "...", "===", "!==", "<=>", "||=", "&&=", "//=", "??=", ">>=", "<<=", "<<-",
	"=>", "->", "::", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "^=",
	"**", "<<", ">>", "=~", "!~", ":=", "..", "<-", "|&", "|>", "~=",
}

func (l *lexer) operator() {
	for _, o := range operators {
		if l.has(o) {
			if o == "?." && l.i+2 < len(l.src) && isDigit(l.src[l.i+2]) || o == "//=" && l.lang != "perl" && l.lang != "python" {
				continue
			}
			if o == ".." && l.lang == "node" || o == "<-" && l.lang != "r" && l.lang != "go" || o == "|&" && l.lang != "awk" || o == ":=" && l.lang == "node" || o == "::" && l.lang == "python" || o == "|>" && l.lang != "r" || o == "<<-" && l.lang != "r" {
				continue
			}
			l.i += len(o)
			l.add(token{sort: op, text: o})
			return
		}
	}
	l.i++
	l.add(token{sort: op, text: l.src[l.i-1 : l.i]})
}
