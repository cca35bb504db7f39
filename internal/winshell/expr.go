package winshell

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// assignment follows an expression in the place of a statement. done is true where
// it was an assignment.
func (r *reader) assignment() (v value, done bool) {
	target := r.target()
	v = r.binary(0)
	r.space(false)
	op := r.assignOp()
	if op == "" {
		return v, false
	}
	r.pos += len(op)
	r.space(true)
	new, _ := r.statement()
	new.ref = ""
	switch {
	case target.name != "" && target.member == "":
		if op == "+=" {
			old, ok := r.vars[target.name]
			if !ok {
				old = value{}
			}
			if old.kind == list || old.kind == unknown && !old.open {
				old.kind, old.alts = list, false
				if len(old.list)+len(new.array()) < maxList && r.spend(perElement*(len(old.list)+len(new.array()))) {
					old.list = append(old.list[:len(old.list):len(old.list)], new.array()...)
				}
				new = old
			} else {
				new = r.concat(old, new)
			}
		} else if op != "=" {
			new = of("$"+target.name, new.origins())
		}
		if env, ok := strings.CutPrefix(target.name, "env:"); ok {
			w := new.word()
			w.Text = strings.ToUpper(env) + "=" + w.Text
			r.emit(w)
		}
		r.vars[target.name] = new
	case v.name != "" && (v.kind == object || v.kind == class) || target.member != "":
		// [Net.ServicePointManager]::ServerCertificateValidationCallback = { $true }
		name := v.name
		if v.kind == class || name == "" {
			name = "object." + target.member
		}
		r.emit(append([]effect.Value{word(strings.ToLower(name) + "=")}, new.words(v.words2(nil), 0)...)...)
		if base, ok := r.vars[target.name]; ok && base.kind == object {
			base.origin |= new.origins()
			r.vars[target.name] = base
		}
		if base, ok := r.vars[target.name]; ok && base.kind == hash && target.member != "" && len(base.keys) < 256 {
			base.keys = append(slices.Clone(base.keys), target.member)
			base.list = append(slices.Clone(base.list), new)
			r.vars[target.name] = base
		}
	}
	return new, true
}

// words2 are the arguments of what made an object.
func (v value) words2(to []effect.Value) []effect.Value {
	for i, a := range v.args {
		if i >= 16 {
			break
		}
		to = a.words(to, 0)
	}
	return to
}

// target is what an assignment would assign to.
type target struct{ name, member string }

// target looks ahead for a variable: [type]$x, $x.y, $env:x.
func (r *reader) target() target {
	save := r.pos
	defer func() { r.pos = save }()
	for i := 0; i < 4 && r.peek() == '['; i++ {
		r.typeName()
		r.space(false)
	}
	var t target
	if r.peek() != '$' {
		return t
	}
	r.pos++
	if t.name = strings.ToLower(r.varName()); t.name == "" {
		return t
	}
	for range 8 {
		switch {
		case r.peek() == '.' && isLetter(r.at(1)):
			r.pos++
			t.member = r.ident()
			r.pos += len(t.member)
		case r.peek() == '[':
			i := strings.IndexByte(r.src[r.pos:min(len(r.src), r.pos+256)], ']')
			if i < 0 {
				return t
			}
			t.member = strings.Trim(r.src[r.pos+1:r.pos+i], `"' `)
			r.pos += i + 1
		default:
			return t
		}
	}
	return t
}

func (r *reader) assignOp() string {
	switch c := r.peek(); {
	case c == '=' && r.at(1) != '=':
		return "="
	case r.has("??="):
		return "??="
	case r.at(1) == '=' && (c == '+' || c == '-' || c == '*' || c == '/' || c == '%'):
		return r.src[r.pos : r.pos+2]
	}
	return ""
}

// The levels of the operators (about_Operator_Precedence), the loosest first.
const (
	logical = iota
	comparison
	additive
	multiplicative
	format
	rangeOf
	comma
)

// operator gives the operator of this level that comes next.
func (r *reader) operator(level int) string {
	c := r.peek()
	switch level {
	case additive:
		if (c == '+' || c == '-') && r.at(1) != '=' && r.at(1) != c {
			if c == '-' && isLetter(r.at(1)) {
				return ""
			}
			return string(c)
		}
		return ""
	case multiplicative:
		if (c == '*' || c == '/' || c == '%') && r.at(1) != '=' {
			return string(c)
		}
		return ""
	case rangeOf:
		if c == '.' && r.at(1) == '.' {
			return ".."
		}
		return ""
	case comma:
		if c == ',' && !r.flat {
			return ","
		}
		return ""
	}
	if level == logical && c == '?' {
		if r.at(1) == '?' && r.at(2) != '=' {
			return "??"
		}
		if r.at(1) == ' ' {
			return "?"
		}
	}
	if c != '-' || !isLetter(r.at(1)) {
		return ""
	}
	r.pos++
	w := lower(r.ident())
	r.pos--
	switch {
	case w == "and" || w == "or" || w == "xor" || w == "band" || w == "bor" || w == "bxor" || w == "shl" || w == "shr":
		if level == logical {
			return "-" + w
		}
	case w == "f":
		if level == format {
			return "-f"
		}
	case level == comparison && len(w) > 1 && w != "not":
		return "-" + w
	}
	return ""
}

// binary reads an expression of this level of operators.
func (r *reader) binary(level int) value {
	if level > comma {
		return r.unary()
	}
	defer func() { r.depth-- }()
	if level == logical && !r.enter() {
		return value{}
	} else if level != logical {
		r.depth++
	}
	v := r.binary(level + 1)
	for {
		save := r.pos
		r.space(false)
		op := r.operator(level)
		if op == "" {
			r.pos = save
			return v
		}
		r.pos += len(op)
		r.space(true)
		if level == comma {
			if v.kind != list || v.alts || v.at != -1 {
				v = value{kind: list, list: []value{v}, at: -1}
			}
			if c := r.peek(); c == ')' || c == '}' || c == 0 || c == ';' {
				return v
			}
			x := r.binary(level + 1)
			if len(v.list) < maxList {
				v.list = append(v.list, x)
			}
			continue
		}
		if op == "?" { // a ? b : c
			b := r.binary(level + 1)
			r.space(true)
			if r.take(":") {
				r.space(true)
				c := r.binary(level + 1)
				b = value{kind: list, alts: true, list: append(b.array()[:len(b.array()):len(b.array())], c.array()...)}
			}
			v = b
			continue
		}
		v = r.operate(op, v, r.binary(level+1))
	}
}

// operate folds an operator.
func (r *reader) operate(op string, a, b value) value {
	o := a.origins() | b.origins()
	switch op {
	case "+":
		if a.kind == num && b.kind == num {
			return r.arithmetic(op, a, b)
		}
		if a.kind == list && !a.alts {
			out := value{kind: list, origin: o}
			if len(a.list)+len(b.array()) <= maxList && r.spend(perElement*(len(a.list)+len(b.array()))) {
				out.list = append(append(out.list, a.list...), b.array()...)
			} else {
				out.list = []value{of("$()", o)}
			}
			return out
		}
		return r.concat(a, b)
	case "*":
		if n, ok := b.int(); ok && a.kind == text && a.known() {
			if n < 0 || n*len(a.text) > maxText || !r.fold(n*len(a.text)) {
				return of("$()", o)
			}
			return value{kind: text, text: strings.Repeat(a.text, n), origin: o}
		}
		return r.arithmetic(op, a, b)
	case "-", "/", "%", "-bxor", "-band", "-bor", "-shl", "-shr":
		return r.arithmetic(op, a, b)
	case "..":
		return r.span(a, b)
	case "-f":
		return r.format(a, b.array(), o)
	case "-join", "-cjoin", "-ijoin":
		return r.join(a, b.string())
	case "-split", "-csplit", "-isplit":
		return r.split(a, b)
	case "-replace", "-creplace", "-ireplace":
		args := b.array()
		with := ""
		if len(args) > 1 {
			with = args[1].string()
		}
		if len(args) == 0 {
			return a
		}
		return r.replace(a, args[0].string(), with, true)
	case "-as":
		return r.cast(b, a)
	case "-and", "-or", "-xor", "-eq", "-ne", "-like", "-match", "-gt", "-lt", "-ge", "-le", "-is", "-in", "-contains", "-notmatch", "-notlike", "-notin", "-notcontains":
		return value{kind: text, text: "True", open: true}
	case "??":
		if a.isOpen() || a.string() == "" {
			return b
		}
		return a
	}
	return of("$()", o)
}

func (r *reader) arithmetic(op string, a, b value) value {
	if b.kind == list && len(b.list) > 0 && b.alts {
		b = b.list[0]
	}
	return a.each(func(a value) value {
		x, ok := a.int()
		y, ok2 := b.int()
		if !ok || !ok2 || y == 0 && (op == "/" || op == "%") {
			return value{kind: num, text: "$()", open: true, origin: a.origins() | b.origins()}
		}
		n := 0
		switch op {
		case "+":
			n = x + y
		case "-":
			n = x - y
		case "*":
			n = x * y
		case "/":
			n = x / y
		case "%":
			n = x % y
		case "-bxor":
			n = x ^ y
		case "-band":
			n = x & y
		case "-bor":
			n = x | y
		case "-shl":
			n = x << (uint(y) & 31)
		case "-shr":
			n = x >> (uint(y) & 31)
		}
		v := number(n)
		v.origin = a.origin | b.origin
		if op == "-bxor" {
			v.origin |= effect.Decoded
		}
		return v
	})
}

// span is a..b.
func (r *reader) span(a, b value) value {
	x, ok := a.int()
	y, ok2 := b.int()
	if !ok || !ok2 || x-y > 4096 || y-x > 4096 || !r.spend(perElement*(max(x-y, y-x)+1)) {
		return of("$()", a.origins()|b.origins())
	}
	out := value{kind: list}
	for step := 1; ; x += step {
		if y < x {
			step = -1
		}
		out.list = append(out.list, number(x))
		if x == y {
			return out
		}
	}
}

// unary reads an operand with what stands before it.
func (r *reader) unary() value {
	defer func() { r.depth-- }()
	if !r.enter() {
		return value{}
	}
	r.space(false)
	switch c := r.peek(); {
	case c == '!':
		r.pos++
		r.space(true)
		r.unary()
		return value{kind: text, text: "True", open: true}
	case c == ',':
		r.pos++
		r.space(true)
		return value{kind: list, list: []value{r.unary()}}
	case c == '+' && r.at(1) == '+' || c == '-' && r.at(1) == '-':
		r.pos += 2
		return r.unary()
	case c == '+':
		r.pos++
		r.space(true)
		return r.unary()
	case c == '-' && isLetter(r.at(1)):
		r.pos++
		w := lower(r.ident())
		switch w {
		case "join", "split", "not", "bnot", "csplit", "isplit":
			r.pos += len(w)
			r.space(true)
			// These take a whole list.
			v := r.binary(comma)
			switch w {
			case "join":
				return r.join(v, "")
			case "split", "csplit", "isplit":
				return r.split(v, lit(" "))
			}
			return value{kind: text, text: "True", open: true}
		}
		r.pos--
		return value{}
	case c == '-':
		r.pos++
		r.space(true)
		v := r.unary()
		if n, ok := v.int(); ok {
			return number(-n)
		}
		return v
	case c == '[':
		t, ok := r.typeName()
		if !ok {
			return value{}
		}
		if r.peek() == ':' && r.at(1) == ':' || r.peek() == '.' && isLetter(r.at(1)) {
			return r.postfix(t)
		}
		r.space(false)
		if c := r.peek(); c == '$' || c == '(' || c == '"' || c == '\'' || c == '[' || c == '@' || c == '{' || c >= '0' && c <= '9' || c == '-' && r.at(1) >= '0' && r.at(1) <= '9' {
			return r.cast(t, r.unary())
		}
		return t
	}
	return r.postfix(r.primary())
}

// typeName reads [System.IO.File], with attributes and generic arguments, as a
// class: the name in lower case without "system.".
func (r *reader) typeName() (value, bool) {
	depth, end := 0, -1
	for i := r.pos; i < len(r.src) && i-r.pos < 512; i++ {
		if r.src[i] == '[' {
			if depth++; depth > 6 {
				break
			}
		} else if r.src[i] == ']' {
			if depth--; depth == 0 {
				end = i
				break
			}
		}
	}
	if end < 0 {
		r.pos++
		return value{}, false
	}
	name := r.src[r.pos+1 : end]
	r.pos = end + 1
	return value{kind: class, name: className(name)}, true
}

// className is the one spelling of a class.
func className(s string) string {
	s = strings.ToLower(strings.TrimSpace(strings.ReplaceAll(s, "`", "")))
	s = strings.TrimPrefix(s, "system.")
	if len(s) > 256 {
		s = s[:256]
	}
	return s
}

// primary reads an operand itself.
func (r *reader) primary() value {
	switch c := r.peek(); {
	case c == '$':
		if r.at(1) == '(' {
			r.pos += 2
			return r.sub(')')
		}
		r.pos++
		return r.variable()
	case c == '(':
		r.pos++
		return r.sub(')')
	case c == '@' && r.at(1) == '(':
		r.pos += 2
		v := r.sub(')')
		if v.kind == unknown && !v.open && v.prod == nil {
			return value{kind: list}
		}
		if v.kind != list && v.prod == nil {
			v = value{kind: list, list: []value{v}}
		}
		v.at = max(v.at, 0)
		return v
	case c == '@' && r.at(1) == '{':
		r.pos += 2
		return r.hash()
	case c == '@' && (r.at(1) == '"' || r.at(1) == '\''):
		return r.here()
	case c == '"':
		return r.double()
	case c == '\'':
		return lit(r.single())
	case c == '{':
		r.pos++
		return r.block()
	case c >= '0' && c <= '9' || c == '.' && r.at(1) >= '0' && r.at(1) <= '9':
		start := r.pos
		for !r.eof() && (isWord(r.peek()) || r.peek() == '.' && r.at(1) != '.' && !isLetter(r.at(1))) {
			r.pos++
		}
		return value{kind: num, text: r.src[start:r.pos]}
	}
	// No operand: a word that a command mode would have.
	if w := r.ident(); w != "" {
		r.pos += len(w)
		return lit(w)
	}
	return value{}
}

// sub follows (…) and $(…). A single statement keeps what prints it.
func (r *reader) sub(end byte) value {
	v := r.statements(end)
	if v.at < 0 {
		v.at = 0
	}
	return v
}

// block follows a script block. What it would do counts as done: it is there to be
// run.
func (r *reader) block() value {
	v := r.statements('}')
	out := v
	return value{kind: block, origin: v.origin, out: &out, prod: v.prod, at: v.at}
}

// hash reads @{ a = 1; b = 2 }.
func (r *reader) hash() value {
	out := value{kind: hash}
	for {
		r.space(true)
		before := r.pos
		switch c := r.peek(); {
		case r.eof():
			return out
		case c == '}':
			r.pos++
			return out
		case c == ';':
			r.pos++
			continue
		}
		var key value
		if w := r.ident(); w != "" {
			r.pos += len(w)
			key = lit(w)
		} else {
			key = r.unary()
		}
		r.space(true)
		if r.take("=") {
			r.space(true)
			v, _ := r.statement()
			if len(out.list) < 256 {
				v.prod, v.at = nil, 0
				out.keys = append(out.keys, key.string())
				out.list = append(out.list, v)
			}
		}
		if r.pos == before {
			r.pos++
		}
	}
}
