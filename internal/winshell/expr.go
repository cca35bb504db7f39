package winshell

import (
	"slices"
	"strconv"
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
		if c == ',' {
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

// format is "{0}{1}" -f …
func (r *reader) format(f value, args []value, o effect.Origin) value {
	out := value{kind: text, origin: o}
	if !f.known() {
		out.open = true
	}
	var b strings.Builder
	s := f.string()
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "{{") || strings.HasPrefix(s[i:], "}}"):
			b.WriteByte(s[i])
			i++
		case s[i] == '{':
			end := strings.IndexByte(s[i:min(len(s), i+64)], '}')
			if end < 0 {
				b.WriteByte(s[i])
				continue
			}
			index, spec, _ := strings.Cut(s[i+1:i+end], ":")
			index, _, _ = strings.Cut(index, ",")
			if n, err := strconv.Atoi(strings.TrimSpace(index)); err == nil && n >= 0 && n < len(args) {
				t := args[n].string()
				if k, ok := args[n].int(); ok && (spec == "x" || spec == "X" || spec == "x2" || spec == "X2") {
					t = strconv.FormatInt(int64(k), 16)
				}
				out.open = out.open || args[n].isOpen()
				if !r.fold(len(t)) {
					out.open = true
					t = "$()"
				}
				b.WriteString(t)
			}
			i += end
		default:
			b.WriteByte(s[i])
		}
		if b.Len() > maxText {
			out.open = true
			break
		}
	}
	out.text = b.String()
	return out
}

// join is -join: what was put together from single characters was assembled.
func (r *reader) join(v value, sep string) value {
	items := v.array()
	out := value{kind: text, origin: v.origins()}
	var b strings.Builder
	for i, x := range items {
		if i > 0 {
			b.WriteString(sep)
		}
		s := x.string()
		if x.isOpen() {
			out.open = true
		}
		out.origin |= x.origins()
		if b.Len()+len(s) > maxText {
			out.open = true
			break
		}
		b.WriteString(s)
	}
	out.text = b.String()
	if !r.fold(len(out.text) + len(items)) {
		return of("$()", out.origin)
	}
	return out
}

func (r *reader) split(a, b value) value {
	sep := ","
	if items := b.array(); len(items) > 0 {
		sep = items[0].string()
	}
	return a.each(func(a value) value {
		if !a.known() || !r.spend(len(a.text)*2) {
			return value{kind: list, list: []value{of(a.string(), a.origins())}}
		}
		out := value{kind: list, origin: a.origin}
		add := func(s string) {
			if len(out.list) < maxList {
				out.list = append(out.list, value{kind: text, text: s, origin: a.origin})
			}
		}
		set, isSet := strings.CutPrefix(sep, "[")
		set, closed := strings.CutSuffix(set, "]")
		switch {
		case isSet && closed:
			for s := range strings.FieldsFuncSeq(a.text, func(c rune) bool { return strings.ContainsRune(set, c) }) {
				add(s)
			}
		case sep == `\s+` || sep == `\s` || sep == "":
			for s := range strings.FieldsSeq(a.text) {
				add(s)
			}
		default:
			for s := range strings.SplitSeq(a.text, unescape(sep)) {
				add(s)
			}
		}
		return out
	})
}

// unescape takes the backslashes out of a pattern that is a plain text.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// replace is -replace and .Replace. A pattern that is more than a text, a set of
// characters or alternatives is not followed: the text stays as it is.
func (r *reader) replace(v value, old, with string, pattern bool) value {
	return r.derive(v, func(s string) (string, bool) {
		olds := []string{old}
		if pattern {
			if set, ok := strings.CutPrefix(old, "["); ok && strings.HasSuffix(set, "]") && len(set) > 1 && set[0] != '^' {
				olds = strings.Split(unescape(set[:len(set)-1]), "")
			} else if strings.ContainsAny(strings.ReplaceAll(old, `\`, ""), "[*+?^${") && !strings.Contains(old, `\`) {
				return s, true
			} else {
				olds = strings.Split(old, "|")
				if strings.Contains(old, `\|`) {
					olds = []string{old}
				}
				for i := range olds {
					olds[i] = unescape(strings.Trim(olds[i], "()"))
				}
			}
		}
		if len(olds) > 64 {
			return "", false
		}
		for _, o := range olds {
			if o == "" {
				continue
			}
			if n := strings.Count(s, o); n*len(with) > maxText {
				return "", false
			}
			if pattern && !strings.Contains(s, o) {
				s = replaceFold(s, o, with)
			} else {
				s = strings.ReplaceAll(s, o, with)
			}
			if !r.fold(len(s)) {
				return "", false
			}
		}
		return s, true
	})
}

// replaceFold replaces without looking at the case of letters.
func replaceFold(s, old, with string) string {
	low, o := strings.ToLower(s), strings.ToLower(old)
	if len(low) != len(s) || !strings.Contains(low, o) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(low, o)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		b.WriteString(with)
		s, low = s[i+len(o):], low[i+len(o):]
		if b.Len() > maxText {
			return b.String()
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

// variable reads the name behind a $ and gives what is known of it.
func (r *reader) variable() value {
	name := r.varName()
	if name == "" {
		return lit("$")
	}
	low := strings.ToLower(name)
	if v, ok := r.vars[low]; ok {
		v.prod, v.at, v.ref = nil, 0, low
		if v.kind == text && v.open && len(v.text) > maxText {
			return of("$"+name, v.origin)
		}
		return v
	}
	switch low {
	case "_", "psitem", "input":
		if low == "input" && !r.in.scalar() && r.in.kind != list {
			return of("$input", r.origin|r.in.origin)
		}
		return r.in
	case "null":
		return value{kind: text}
	case "true", "false":
		return lit(low)
	case "pwd", "psscriptroot":
		return lit(".")
	case "home", "env:userprofile", "env:home":
		return lit("$HOME")
	case "profile":
		return value{kind: text, text: "$HOME/Documents/PowerShell/Microsoft.PowerShell_profile.ps1"}
	case "pshome":
		return lit(`C:\Windows\System32\WindowsPowerShell\v1.0`)
	case "shellid":
		return lit("Microsoft.PowerShell")
	case "verbosepreference", "debugpreference":
		return lit("SilentlyContinue")
	case "env:comspec":
		return lit(`C:\WINDOWS\system32\cmd.exe`)
	case "env:systemroot", "env:windir":
		return lit(`C:\Windows`)
	case "env:systemdrive", "env:homedrive":
		return lit("C:")
	case "env:programfiles":
		return lit(`C:\Program Files`)
	case "env:programdata", "env:allusersprofile", "env:public":
		if low == "env:public" {
			return lit(`C:\Users\Public`)
		}
		return lit(`C:\ProgramData`)
	case "env:temp", "env:tmp", "env:appdata", "env:localappdata":
		return lit("$env:" + strings.ToUpper(low[4:]))
	case "executioncontext":
		return value{kind: object, name: "executioncontext"}
	}
	return of("$"+name, r.origin)
}

// varName reads x, env:X, {any text}, global:x without its scope.
func (r *reader) varName() string {
	if r.peek() == '{' {
		end := strings.IndexByte(r.src[r.pos:min(len(r.src), r.pos+512)], '}')
		if end < 0 {
			r.pos++
			return ""
		}
		name := strings.ReplaceAll(r.src[r.pos+1:r.pos+end], "`", "")
		r.pos += end + 1
		return unscoped(name)
	}
	if c := r.peek(); c == '$' || c == '?' || c == '^' {
		r.pos++
		return string(c)
	}
	name := r.ident()
	r.pos += len(name)
	if name != "" && r.peek() == ':' && isWord(r.at(1)) {
		r.pos++
		rest := r.ident()
		r.pos += len(rest)
		return unscoped(name + ":" + rest)
	}
	return name
}

func unscoped(name string) string {
	for _, scope := range []string{"global:", "script:", "local:", "private:", "using:", "variable:", "workflow:"} {
		if len(name) > len(scope) && strings.EqualFold(name[:len(scope)], scope) {
			return name[len(scope):]
		}
	}
	return name
}

// single reads a text in single quotes.
func (r *reader) single() string {
	r.pos++
	start := r.pos
	var b strings.Builder
	for {
		i := strings.IndexByte(r.src[r.pos:], '\'')
		if i < 0 {
			s := r.src[r.pos:]
			r.pos = len(r.src)
			b.WriteString(s)
			break
		}
		b.WriteString(r.src[r.pos : r.pos+i])
		r.pos += i + 1
		if r.peek() != '\'' {
			if r.pos-1-start == b.Len() {
				return r.src[start : r.pos-1]
			}
			break
		}
		b.WriteByte('\'')
		r.pos++
	}
	return b.String()
}

// double reads a text in double quotes.
func (r *reader) double() value {
	r.pos++
	return r.expand(func() bool {
		if r.peek() != '"' {
			return false
		}
		r.pos++
		if r.peek() == '"' {
			r.pos--
			return false
		}
		return true
	}, true)
}

// expand reads a text with $name and $(…) in it up to where end holds.
func (r *reader) expand(end func() bool, doubled bool) value {
	out := value{kind: text}
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = r.concat(out, lit(b.String()))
			b.Reset()
		}
	}
	var prod Pipeline
	at, parts := 0, 0
	for !r.eof() && !end() {
		c := r.peek()
		switch {
		case c == '`' && r.pos+1 < len(r.src):
			r.pos++
			b.WriteString(r.escape())
		case c == '"' && r.at(1) == '"' && doubled:
			b.WriteByte('"')
			r.pos += 2
		case c == '$' && (r.at(1) == '(' || r.at(1) == '{' || isWord(r.at(1)) || r.at(1) == '$' || r.at(1) == '?' || r.at(1) == '^'):
			flush()
			r.pos++
			var v value
			if r.take("(") {
				v = r.sub(')')
				prod, at = v.prod, v.at
			} else {
				v = r.variable()
			}
			parts++
			if v.kind == unknown && v.text == "" && !v.open {
				v = value{kind: text}
			}
			out = r.concat(out, v)
		default:
			b.WriteByte(c)
			r.pos++
		}
	}
	plain := b.Len() == 0
	flush()
	if plain && parts == 1 && prod != nil && out.text == "$()" {
		out.prod, out.at = prod, at // "$(command)" is the command's output
	}
	return out
}

// escape reads what stands behind a backtick.
func (r *reader) escape() string {
	c := r.peek()
	r.pos++
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '0':
		return "\x00"
	case 'a', 'b', 'f', 'v':
		return ""
	case 'e':
		return "\x1b"
	case '\r':
		r.take("\n")
		return ""
	case '\n':
		return ""
	case 'u':
		if r.peek() == '{' {
			if i := strings.IndexByte(r.src[r.pos:min(len(r.src), r.pos+10)], '}'); i > 0 {
				if n, err := strconv.ParseUint(r.src[r.pos+1:r.pos+i], 16, 32); err == nil {
					r.pos += i + 1
					return string(rune(n))
				}
			}
		}
	}
	return string([]byte{c})
}

// here reads a here-string.
func (r *reader) here() value {
	q := r.at(1)
	i := strings.IndexByte(r.src[r.pos:], '\n')
	if i < 0 || strings.TrimSpace(r.src[r.pos+2:r.pos+i]) != "" {
		r.pos++
		if q == '"' {
			return r.double()
		}
		return lit(r.single())
	}
	r.pos += i + 1
	stop := "\n" + string(q) + "@"
	if r.has(string(q) + "@") {
		r.pos += 2
		return lit("")
	}
	if q == '\'' {
		end := strings.Index(r.src[r.pos:], stop)
		if end < 0 {
			s := r.src[r.pos:]
			r.pos = len(r.src)
			return lit(s)
		}
		s := r.src[r.pos : r.pos+end]
		r.pos += end + len(stop)
		return lit(strings.TrimSuffix(s, "\r"))
	}
	return r.expand(func() bool {
		return r.peek() == '\n' && r.take(stop) || r.peek() == '\r' && r.take("\r"+stop)
	}, false)
}
