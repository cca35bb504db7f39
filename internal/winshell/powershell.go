package winshell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// reader reads PowerShell: it parses and follows in one pass, so that the time is
// linear in the text.
type reader struct {
	src     string
	pos     int
	depth   int
	vars    map[string]value
	aliases map[string]string // what the line itself has named
	sink    *[]Pipeline       // where the commands go that are read now
	// in is what $_ stands for.
	in value
	// origin is where the text itself comes from, and with it what is not known of it.
	origin     effect.Origin
	count      int
	folded     int
	incomplete bool
	flat       bool // commas part the arguments of a method and make no list
}

// PowerShell reads a text as powershell.exe -Command would. What stands in it as
// $name and is not set in it is not known.
func PowerShell(src effect.Value) Program {
	s, cut := src.Text, false
	if len(s) > maxSource {
		s, cut = s[:maxSource], true
	}
	s = strings.TrimPrefix(s, "\ufeff")
	if strings.Contains(s, "\xe2\x80") { // typographic quotes and dashes count as plain ones
		s = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'", "\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u2013", "-", "\u2014", "-", "\u2015", "-").Replace(s)
	}
	var p Program
	r := &reader{src: s, vars: map[string]value{}, aliases: map[string]string{}, sink: &p.Pipelines, in: of("$_", 0)}
	if src.Open {
		r.origin = src.Origin
	}
	for !r.eof() {
		r.statements(0)
	}
	p.Incomplete = r.incomplete || cut
	return p
}

func (r *reader) eof() bool { return r.pos >= len(r.src) }

func (r *reader) peek() byte { return r.at(0) }

func (r *reader) at(i int) byte {
	if r.pos+i < len(r.src) {
		return r.src[r.pos+i]
	}
	return 0
}

func (r *reader) has(s string) bool { return strings.HasPrefix(r.src[r.pos:], s) }

// enter goes one level deeper. Where that is too deep, the rest is left unread.
func (r *reader) enter() bool {
	r.depth++
	if r.depth > maxDepth {
		r.incomplete = true
		r.pos = len(r.src)
		return false
	}
	return true
}

// space skips blanks and comments, with lines also the ends of lines.
func (r *reader) space(lines bool) {
	for !r.eof() {
		switch c := r.peek(); {
		case c == ' ' || c == '\t' || c == '\r' && (lines || r.at(1) != '\n') || c == '\f' || c == '\v' || c == 0:
			r.pos++
		case c == '\n' && lines:
			r.pos++
		case c == '\r' && r.at(1) == '\n' && lines:
			r.pos += 2
		case c == '`' && r.at(1) == '\n':
			r.pos += 2
		case c == '`' && r.at(1) == '\r' && r.at(2) == '\n':
			r.pos += 3
		case c == '\xc2' && r.at(1) == '\xa0':
			r.pos += 2
		case r.has("<#"):
			r.past("#>")
		case c == '#':
			if i := strings.IndexByte(r.src[r.pos:], '\n'); i >= 0 {
				r.pos += i
			} else {
				r.pos = len(r.src)
			}
		default:
			return
		}
	}
}

// past goes behind the next end, or to the end of the text.
func (r *reader) past(end string) {
	if i := strings.Index(r.src[r.pos:], end); i >= 0 {
		r.pos += i + len(end)
	} else {
		r.pos = len(r.src)
	}
}

// take skips s if it comes next.
func (r *reader) take(s string) bool {
	if r.has(s) {
		r.pos += len(s)
		return true
	}
	return false
}

// statements follows statements up to the closing character, 0 for the end of the
// text. Its value is what the last one gives.
func (r *reader) statements(end byte) value {
	var last value
	flat := r.flat
	r.flat = false
	defer func() { r.flat, r.depth = flat, r.depth-1 }()
	if !r.enter() {
		return last
	}
	for {
		r.space(true)
		c := r.peek()
		switch {
		case r.eof():
			return last
		case c == end && end != 0:
			r.pos++
			return last
		case c == ';' || c == ')' || c == '}' || c == ',' || c == '|' || c == '&' && (r.at(1) == '&' || r.at(1) == '\n'):
			r.pos++
			continue
		}
		before := r.pos
		if v, ok := r.statement(); ok {
			last = v
		}
		if r.pos == before {
			r.pos++
		}
	}
}

// braces follows a block in braces, if one comes next.
func (r *reader) braces() value {
	r.space(true)
	if !r.take("{") {
		return value{}
	}
	return r.statements('}')
}

// parens follows what stands in parentheses, if they come next.
func (r *reader) parens() value {
	r.space(true)
	if !r.take("(") {
		return value{}
	}
	return r.statements(')')
}

// ident is the identifier that comes next, "" if there is none. It is not taken.
func (r *reader) ident() string {
	i := r.pos
	for i < len(r.src) && isWord(r.src[i]) && i-r.pos < 256 {
		i++
	}
	return r.src[r.pos:i]
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isLetter(c byte) bool { return isWord(c) && (c < '0' || c > '9') }

// statement follows one statement. ok is false where it gives no value.
func (r *reader) statement() (value, bool) {
	word := r.ident()
	if word != "" && r.pos+len(word) < len(r.src) && r.src[r.pos+len(word)] == '-' {
		word = "" // Do-It
	}
	start := r.pos
	r.pos += len(word)
	switch strings.ToLower(word) {
	case "if", "while", "elseif":
		if r.next() == '(' {
			return r.conditional(), true
		}
	case "else", "try", "finally", "do", "begin", "process", "end", "dynamicparam", "data", "parallel", "sequence", "inlinescript", "clean":
		if r.next() == '{' {
			return r.braces(), true
		}
	case "until":
		if r.next() == '(' {
			r.parens()
			return value{}, false
		}
	case "catch", "trap":
		for i := 0; i < 16 && r.next() == '['; i++ {
			r.typeName()
			r.space(true)
			r.take(",")
		}
		if r.next() == '{' {
			return r.braces(), true
		}
	case "for":
		if r.next() == '(' {
			r.parens()
			return r.braces(), true
		}
	case "foreach":
		if r.next() == '(' || r.next() == '-' {
			return r.loop(), true
		}
	case "switch":
		if c := r.next(); c == '(' || c == '-' {
			r.cases()
			return value{}, false
		}
	case "function", "filter", "workflow", "configuration":
		if isLetter(r.next()) {
			r.function()
			return value{}, false
		}
	case "param":
		if r.next() == '(' {
			r.params()
			return value{}, false
		}
	case "class", "enum":
		if isLetter(r.next()) {
			for !r.eof() && r.peek() != '{' && r.peek() != '\n' {
				r.pos++
			}
			r.braces()
			return value{}, false
		}
	case "using":
		for !r.eof() && r.peek() != '\n' && r.peek() != ';' {
			r.pos++
		}
		return value{}, false
	case "return", "throw", "exit":
		r.space(false)
		if c := r.peek(); c != 0 && c != '\n' && c != ';' && c != '}' && c != ')' && c != '\r' {
			return r.chain(), true
		}
		return value{}, false
	case "break", "continue":
		return value{}, false
	}
	r.pos = start
	return r.chain(), true
}

// next is the next character after blanks; it is not taken, the blanks are.
func (r *reader) next() byte {
	r.space(true)
	return r.peek()
}

func (r *reader) conditional() value {
	r.parens()
	out := r.braces()
	for {
		save := r.pos
		r.space(true)
		switch w := lower(r.ident()); w {
		case "elseif":
			r.pos += len(w)
			r.parens()
			out = either(out, r.braces())
		case "else":
			r.pos += len(w)
			return either(out, r.braces())
		default:
			r.pos = save
			return out
		}
	}
}

// either is one of two values.
func either(a, b value) value {
	if a.kind == unknown && !a.open {
		return b
	}
	if b.kind == unknown && !b.open || len(a.list) > maxAlts {
		return a
	}
	return value{kind: list, alts: true, list: append(append([]value{}, a.array()...), b.array()...)}
}

// loop follows foreach ($x in …) { … }: $x takes all values at once.
func (r *reader) loop() value {
	for r.peek() == '-' {
		r.parameter()
		r.space(false)
	}
	if !r.take("(") {
		return value{}
	}
	r.space(true)
	if r.peek() != '$' {
		return r.statements(')')
	}
	r.pos++
	name := r.varName()
	r.space(true)
	if strings.EqualFold(r.ident(), "in") {
		r.pos += 2
	}
	v := elements(r.statements(')'))
	if v.kind == unknown && v.text == "" {
		v = of("$"+name, v.origin)
	}
	if v.kind == text && v.text == "" {
		v = of("$"+name, v.origin)
	}
	r.vars[strings.ToLower(name)] = v
	return r.braces()
}

// cases follows switch.
func (r *reader) cases() {
	for r.peek() == '-' {
		r.parameter()
		r.space(false)
	}
	in := r.in
	r.in = elements(r.parens())
	r.space(true)
	if r.take("{") {
		for {
			r.space(true)
			before := r.pos
			switch c := r.peek(); {
			case r.eof():
				r.in = in
				return
			case c == '}':
				r.pos++
				r.in = in
				return
			case c == '{':
				r.pos++
				r.statements('}')
			default:
				r.argument()
			}
			if r.pos == before {
				r.pos++
			}
		}
	}
	r.in = in
}

func (r *reader) function() {
	for !r.eof() && r.peek() != '{' && r.peek() != '(' && r.peek() != '\n' {
		r.pos++
	}
	if r.next() == '(' {
		r.params()
	}
	if r.next() == '{' {
		args, had := r.vars["args"]
		r.vars["args"] = of("$args", r.origin)
		r.braces()
		delete(r.vars, "args")
		if had {
			r.vars["args"] = args
		}
	}
}

// params reads a list of parameters: their values are not known, whatever their
// defaults are.
func (r *reader) params() {
	r.pos++
	for {
		r.space(true)
		before := r.pos
		switch c := r.peek(); {
		case r.eof():
			return
		case c == ')':
			r.pos++
			return
		case c == '[':
			r.typeName()
		case c == '$':
			r.pos++
			name := r.varName()
			r.space(true)
			if r.peek() == '=' {
				r.pos++
				r.space(true)
				r.binary(1)
			}
			r.vars[strings.ToLower(name)] = of("$"+name, r.origin)
		}
		if r.pos == before {
			r.pos++
		}
	}
}

// chain follows pipelines that are joined by && and ||.
func (r *reader) chain() value {
	v := r.pipeline()
	for {
		r.space(false)
		if !r.take("&&") && !r.take("||") {
			return v
		}
		r.space(true)
		v = r.pipeline()
	}
}

// pipeline follows one pipeline; its value is what it prints.
func (r *reader) pipeline() value {
	defer func() { r.depth-- }()
	if !r.enter() {
		return value{}
	}
	var pipe Pipeline
	var in *value
	at := 0
	put := func() {
		if len(pipe) == 0 {
			return
		}
		if at > 0 && at <= len(*r.sink) {
			(*r.sink)[at-1] = pipe
			return
		}
		*r.sink = append(*r.sink, pipe)
		at = len(*r.sink)
	}
	for {
		r.space(false)
		var v value
		if in == nil && r.expression() {
			var done bool
			v, done = r.assignment()
			if done {
				return v
			}
			if r.afterPipe() && len(v.prod) > 0 {
				// What prints the value is the begin of this pipeline.
				pipe = append(Pipeline{}, v.prod[max(0, len(v.prod)-maxMerged):]...)
				if v.at == len(*r.sink) {
					at = v.at
				}
			}
		} else {
			c, out := r.command(in)
			v = out
			if len(c.Words) > 0 {
				if in != nil && len(pipe) == 0 && in.kind != unknown {
					w := in.word()
					c.Stdin = &w
				}
				pipe = append(pipe, c)
				r.count++
			} else {
				*r.sink = append(*r.sink, c.Inner...)
			}
			if r.count > maxCommands {
				r.incomplete = true
				r.pos = len(r.src)
			}
			put()
			v.prod, v.at = pipe, at
		}
		if !r.pipeNext() {
			return v
		}
		in = &v
	}
}

// afterPipe reports whether a pipe comes next. It is not taken.
func (r *reader) afterPipe() bool {
	r.space(false)
	return r.peek() == '|' && r.at(1) != '|'
}

// pipeNext takes a pipe, also one at the begin of the next line.
func (r *reader) pipeNext() bool {
	save := r.pos
	r.space(false)
	if c := r.peek(); c == '\n' || c == '\r' {
		i := r.pos
		for i < len(r.src) && (r.src[i] == ' ' || r.src[i] == '\t' || r.src[i] == '\n' || r.src[i] == '\r') {
			i++
		}
		if i < len(r.src) && r.src[i] == '|' && !strings.HasPrefix(r.src[i:], "||") {
			r.pos = i
		}
	}
	if r.peek() == '|' && r.at(1) != '|' {
		r.pos++
		r.space(true)
		return true
	}
	if r.peek() != '&' {
		r.pos = save
	}
	return false
}

// expression reports whether an expression comes next, not a command.
func (r *reader) expression() bool {
	c := r.peek()
	switch {
	case c == '$' || c == '(' || c == '"' || c == '\'' || c == '[' || c == '{' || c == '!' || c == ',':
		return true
	case c == '@':
		return r.at(1) == '(' || r.at(1) == '{' || r.at(1) == '"' || r.at(1) == '\''
	case c == '+' || c == '-':
		d := r.at(1)
		if d == '(' || d == '$' || d >= '0' && d <= '9' || d == c {
			return true
		}
		w := lower(r.src[r.pos:min(len(r.src), r.pos+7)])
		return strings.HasPrefix(w, "-not") || strings.HasPrefix(w, "-join") || strings.HasPrefix(w, "-split") || strings.HasPrefix(w, "-bnot")
	case c >= '0' && c <= '9':
		i := r.pos
		for i < len(r.src) && i-r.pos < 64 && (isWord(r.src[i]) || r.src[i] == '.' && (i+1 >= len(r.src) || r.src[i+1] != '.')) {
			i++
		}
		w := lower(r.src[r.pos:i])
		if strings.HasPrefix(w, "0x") {
			w = strings.TrimLeft(w[2:], "abcdef")
		}
		w = strings.TrimRight(strings.TrimLeft(w, "0123456789."), "0123456789abcdefklmgtp")
		return w == "" && (i >= len(r.src) || !strings.ContainsRune(`\/:-`, rune(r.src[i])))
	}
	return false
}

// lower is s in lower case as far as it is ASCII: its length stays.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
