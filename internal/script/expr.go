package script

import (
	"slices"
	"strings"
)

// exprList reads one expression, or several with commas as a list.
func (s *session) exprList() *value {
	first := s.expr(0)
	if !s.is(",") {
		return first
	}
	out := &value{kind: list, list: []*value{first}, lit: true}
	for s.accept(",") {
		if s.ends() || s.is("=") || s.is("in") {
			break
		}
		at := s.i
		out.list = append(out.list, s.expr(0))
		if s.i == at || len(out.list) > 4096 {
			break
		}
	}
	return out
}

// power is how tightly an operator binds, 0 if t is none.
func (s *session) power(t token) int {
	if t.sort == ident {
		if t.sigil != 0 {
			return 0
		}
		switch t.text {
		case "or", "and", "xor":
			return 1
		case "if":
			if s.lang == "python" {
				return 1
			}
		case "in", "is", "instanceof", "eq", "ne", "lt", "gt", "le", "ge", "cmp", "contains":
			if s.lang == "perl" && (t.text == "in" || t.text == "is") {
				return 0
			}
			return 3
		case "x":
			if s.lang == "perl" {
				return 7
			}
		case "getline":
			return 0
		}
		return 0
	}
	if t.sort != op {
		return 0
	}
	switch t.text {
	case "?", "||", "&&", "??", "..", "...":
		if t.text == ".." && s.lang == "lua" {
			return 6
		}
		return 1
	case "==", "!=", "===", "!==", "<", ">", "<=", ">=", "<=>", "=~", "!~", "~", "~=":
		return 3
	case "|", "^", "|&", "|>":
		return 4
	case "&":
		if s.lang == "applescript" {
			return 6
		}
		return 4
	case "<<", ">>":
		return 5
	case "+", "-":
		return 6
	case ".":
		if s.lang == "perl" || s.lang == "php" {
			return 6
		}
	case "*", "/", "%":
		return 7
	case "**":
		return 8
	}
	return 0
}

// expr reads an expression whose operators bind tighter than least.
func (s *session) expr(least int) *value {
	if !s.enter() {
		s.i++
		return &value{}
	}
	defer func() { s.depth-- }()
	left := s.unary()
	for {
		t := s.peek()
		p := s.power(t)
		if p == 0 && s.lx.space && least < 6 && s.begins(t) && left != nil {
			left = s.concat(left, s.expr(6))
			continue
		}
		if p == 0 || p <= least {
			return left
		}
		if s.pipes(left) {
			left = &value{kind: object, name: "getline", open: true}
			continue
		}
		if s.lang == "awk" && (t.text == "|" || t.text == "|&" || (t.text == ">" || t.text == ">>") && s.printing) {
			return left
		}
		if s.lang == "ruby" && t.text == "|" && s.depth < 3 {
			return left
		}
		s.i++
		s.lines()
		left = s.binary(left, t, p)
	}
}

// begins reports whether a token can begin a value.
func (s *session) begins(t token) bool {
	switch t.sort {
	case str, number:
		return true
	case ident:
		return t.sigil != 0 || !reserved(t.text)
	case op:
		return t.text == "(" || t.text == "$"
	}
	return false
}

// reserved reports whether a word is no value and no function.
func reserved(w string) bool {
	switch w {
	case "if", "unless", "while", "until", "for", "foreach", "do", "and", "or", "then", "end", "rescue", "in", "x", "eq", "ne", "lt", "gt", "le", "ge", "cmp", "else", "elsif", "elif", "is", "as", "xor", "getline", "instanceof", "isa", "from", "of", "with", "when", "ensure", "to":
		return true
	}
	return false
}

func (s *session) binary(left *value, t token, p int) *value {
	switch t.text {
	case "?":
		a := s.expr(0)
		if s.accept(":") {
			return either(a, s.expr(0))
		}
		return either(a)
	case "if": // a if b else c
		s.expr(1)
		if s.accept("else") {
			return either(left, s.expr(0))
		}
		return left
	case "||", "or", "??", "&&", "and":
		return either(left, s.expr(p))
	}
	if t.text == "<<" && s.lang == "ruby" {
		p = 5
	}
	right := s.expr(p)
	switch t.text {
	case "+", ".", "..", "&", "<<":
		switch {
		case s.lang == "r":
		case left.kind == num && right.kind == num:
			return s.arith(t.text, left, right)
		case p == 6 && (strings.Contains(" "+s.lx.concat+" ", " "+t.text+" ")) || t.text == "<<" && s.lang == "ruby":
			if s.lang == "python" && (left.kind == num || right.kind == num) {
				break
			}
			return s.concat(left, right)
		}
	case "-", "^", "|", ">>":
		if left.kind == num && right.kind == num || len(left.alts) > 0 || len(right.alts) > 0 {
			return s.arith(t.text, left, right)
		}
		if t.text == "|>" {
			return s.call(right, []*value{left}, nil)
		}
	case "*", "x":
		if t.text == "*" && left.kind == num && right.kind != num {
			left, right = right, left
		}
		if left.kind == num && right.kind == num {
			if t.text == "*" {
				return s.arith("*", left, right)
			}
			left = lit(left.text)
		}
		if n, ok := right.int(); ok && (left.kind == text || left.kind == list) {
			return s.repeat(left, n)
		}
	case "%":
		if left.kind == text {
			if right.kind == list {
				return s.format(left, right.list, nil)
			}
			if right.kind == dict {
				return s.format(left, right.list, right.keys)
			}
			return s.format(left, []*value{right}, nil)
		}
		return s.arith("%", left, right)
	case "/":
		if left.kind == text && left.name == "pathlib.Path" || right.kind == text && right.name == "pathlib.Path" {
			out := s.joinPath([]*value{left, right})
			out.name = "pathlib.Path"
			return out
		}
		if left.kind == object && s.lang == "python" {
			out := s.concat(left, s.concat(lit("/"), right))
			out.name = "pathlib.Path"
			return out
		}
	case "|>":
		return s.call(right, []*value{left}, nil)
	case "=~", "!~":
		return left
	}
	out := &value{}
	out.mark(left)
	out.mark(right)
	if t.text == "<" || t.text == ">" || p == 3 {
		return &value{}
	}
	return out
}

// unary reads what stands before a value.
func (s *session) unary() *value {
	t := s.peek()
	if t.sort == op {
		switch t.text {
		case "-", "+", "!", "~", "++", "--", "*", "**", "&", "...", "..", "\\", "<-", "^", "#", "@", "?", "|", "->":
			if t.text == "->" && s.lang != "ruby" {
				break
			}
			if !s.enter() {
				s.i++
				return &value{}
			}
			s.i++
			v := s.unary()
			s.depth--
			switch t.text {
			case "-":
				if v.kind == num && v.known() && !strings.HasPrefix(v.text, "-") {
					return &value{kind: num, text: "-" + v.text}
				}
				if s.lang == "perl" {
					return v // -e $file
				}
				if len(v.alts) > 0 {
					return v
				}
				return &value{}
			case "!", "~":
				return &value{}
			case "&":
				if s.lang == "ruby" && v.kind == text {
					return named("&" + v.text)
				}
			case "@":
				if s.lang == "php" {
					return v
				}
			}
			return v
		case "$":
			s.i++
			if s.lang == "awk" {
				t := s.peek()
				s.i++
				return &value{ref: t.text}
			}
			return s.unary()
		}
	}
	if t.sort == ident && t.sigil == 0 {
		switch t.text {
		case "not", "await", "typeof", "void", "yield", "new", "delete", "my", "our", "local", "var", "let", "const", "async", "clone", "ref", "throw", "defined":
			n := s.ahead(1)
			if n.sort == op && n.text != "(" && n.text != "[" && n.text != "{" && n.text != "&" && n.text != "\\" || n.sort == newline || n.sort == end {
				break
			}
			if t.text == "new" && s.lang == "ruby" || t.text == "delete" && s.lang != "node" && s.lang != "perl" || t.text == "async" && n.text == "=>" {
				break
			}
			if !s.enter() {
				s.i++
				return &value{}
			}
			s.i++
			v := s.unary()
			s.depth--
			if t.text == "not" || t.text == "typeof" || t.text == "void" || t.text == "defined" {
				return &value{}
			}
			if t.text == "new" && v.kind == name { // new X without arguments
				return s.call(v, nil, nil)
			}
			return v
		case "getline":
			if s.lang == "awk" {
				s.i++
				return s.getline()
			}
		}
	}
	return s.postfix(s.primary())
}

// primary reads a value.
func (s *session) primary() *value {
	t := s.peek()
	switch t.sort {
	case end, newline:
		return &value{}
	case number:
		s.i++
		return &value{kind: num, text: decimal(t.text)}
	case str:
		s.i++
		v := s.literal(t)
		for s.lx.adjacent && s.peek().sort == str && s.peek().mode == 0 && t.mode == 0 {
			v = s.concat(v, s.literal(s.peek()))
			s.i++
		}
		return v
	case ident:
		return s.name(t)
	}
	switch t.text {
	case "(":
		if s.lang == "node" && t.match > 0 && s.matchIs(t.match+1, "=>") {
			return s.arrow()
		}
		return s.group(t)
	case "[":
		return s.group(t)
	case "{":
		return s.braces(t)
	case ")", "]", "}", ",", ";", ":", "=":
		return &value{}
	}
	s.i++
	return &value{}
}

// literal is the value of a text.
func (s *session) literal(t token) *value {
	var v *value
	switch t.mode {
	case 'w':
		v = &value{kind: list, lit: true}
		for _, f := range strings.Fields(t.text) {
			if len(v.list) < 4096 {
				v.list = append(v.list, lit(f))
			}
		}
		return v
	case 'x':
		return &value{kind: text, text: "", open: true, name: "regexp", ref: t.text}
	case 'e':
		s.text(t.parts[0].text)
		return &value{}
	}
	v = lit(t.text)
	if t.parts != nil {
		v = lit("")
		for _, p := range t.parts {
			if !p.code {
				v = s.concat(v, lit(p.text))
				continue
			}
			x := s.text(p.text)
			if p.conv == 'r' {
				x = s.derive(x, func(t string) (string, bool) { return "'" + t + "'", true })
			}
			if x.kind == list { // "@x"
				x = s.join(" ", x)
			}
			v = s.concat(v, x)
		}
	}
	if t.mode == 's' {
		fn := "system"
		if s.lang == "php" {
			fn = "shell_exec"
		}
		s.emit(fn, []*value{v}, nil)
		return s.output([]*value{v})
	}
	return v
}

// group reads (…) and […]: a list, or the one value in parentheses.
func (s *session) group(t token) *value {
	open := s.i
	s.i++
	stop := t.match
	if stop == 0 {
		stop = len(s.ts) - 1
	}
	if t.inFor > 0 && s.lang == "python" {
		return s.comprehension(t, stop)
	}
	out := &value{kind: list, lit: true}
	comma := false
	for s.i < stop {
		if s.peek().sort == newline || s.is(",") || s.is(";") || s.is("=>") || s.is(":") {
			comma = comma || s.is(",") || s.is("=>")
			if s.is("=>") && len(out.list) > 0 && len(out.list) == len(out.keys)+1 && (s.lang == "php" || s.lang == "ruby") {
				out.keys = append(out.keys, out.list[len(out.list)-1].string())
				out.list = out.list[:len(out.list)-1]
				s.i++
				s.lines()
				out.list = append(out.list, s.expr(0))
				continue
			}
			s.i++
			continue
		}
		at := s.i
		var v *value
		if t.text == "(" {
			v = s.assignmentOne()
		} else {
			v = s.expr(0)
		}
		if s.i > stop {
			s.i = stop
		}
		if spread := s.ts[at].text == "..." || s.ts[at].text == "*" && s.ts[at].sort == op; v.kind == list && (spread || s.lang == "perl" && v.lit) {
			out.list = append(out.list, v.list[:min(len(v.list), 4096-min(len(out.list), 4096))]...)
			comma = true
		} else if len(out.list) < 4096 {
			out.list = append(out.list, v)
		}
		if s.i == at {
			s.i++
		}
	}
	s.i = max(s.i, min(stop+1, len(s.ts)-1))
	if t.text == "(" && !comma {
		switch len(out.list) {
		case 1:
			v := *out.list[0]
			if v.ref == "" {
				return out.list[0]
			}
			return &v
		case 0:
			if s.lang == "node" && s.is("=>") {
				s.i = open
				return s.arrow()
			}
		}
	}
	if len(out.keys) > 0 && len(out.keys) == len(out.list) {
		out.kind = dict
	} else {
		out.keys = nil
	}
	return out
}

// assignmentOne is an expression with := or =, without commas.
func (s *session) assignmentOne() *value {
	if t := s.peek(); t.sort == ident && t.sigil == 0 && (s.lang == "perl" || s.lang == "awk" || s.lang == "php") && (t.text == "my" || t.text == "our") {
		s.i++
	}
	left := s.expr(0)
	if s.is("=") || s.is(":=") || s.is("||=") || s.is("+=") || s.is(".=") {
		add := s.is("+=") || s.is(".=")
		s.i++
		if !s.enter() {
			return left
		}
		right := s.assignmentOne()
		s.depth--
		if add {
			right = s.concat(left, right)
		}
		s.assign(left, right)
		return right
	}
	return left
}

// comprehension reads [x for y in z if c]: the loops first, then the value.
func (s *session) comprehension(t token, stop int) *value {
	from := s.i
	s.i = t.inFor
	for s.i < stop {
		if s.accept("for") {
			s.loop()
		} else if s.accept("if") {
			s.expr(1)
		} else {
			s.i++
		}
	}
	s.i = from
	v := s.expr(1)
	if s.accept(":") {
		v = s.expr(1)
	}
	s.i = max(s.i, min(stop+1, len(s.ts)-1))
	out := &value{kind: list, lit: true}
	if len(v.alts) > 0 {
		out.list = v.alts
	} else {
		out.list = []*value{v}
	}
	return out
}

// braces reads {…}: a dict, or a block of statements.
func (s *session) braces(t token) *value {
	s.i++
	stop := t.match
	if stop == 0 {
		return &value{}
	}
	if t.inFor > 0 && s.lang == "python" {
		return s.comprehension(t, stop)
	}
	if !s.enter() {
		s.i = stop + 1
		return &value{}
	}
	defer func() { s.depth-- }()
	out := &value{kind: dict, lit: true}
	var last *value
	for s.i < stop {
		if s.peek().sort == newline || s.is(",") || s.is(";") {
			s.i++
			continue
		}
		at := s.i
		tok := s.peek()
		next := s.ahead(1)
		if (tok.sort == ident || tok.sort == str || tok.sort == number) && next.sort == op && (next.text == ":" || next.text == "=>" || next.text == "=" && s.lang == "lua") && (tok.sigil == 0) {
			k := lit(tok.text)
			if tok.sort == str {
				k = s.literal(tok)
			}
			s.i += 2
			s.lines()
			v := s.assignmentOne()
			s.field(out, k.string(), v)
		} else if tok.sort == op && tok.text == "[" && s.lang == "lua" || tok.text == "..." {
			v := s.expr(0)
			if v.kind == dict && len(out.list)+len(v.list) < 4096 {
				out.keys, out.list = append(out.keys, v.keys...), append(out.list, v.list...)
			} else if s.accept("=") {
				s.field(out, v.string(), s.expr(0))
			} else {
				s.field(out, "", v)
			}
		} else {
			last = s.statement()
			if last != nil {
				if s.accept(":") || s.accept("=>") {
					s.lines()
					s.field(out, last.string(), s.expr(0))
				} else if k := last.ref; k != "" || last.kind == name {
					if k == "" {
						k = last.name
						last = &value{kind: name, name: k, ref: k}
					}
					s.field(out, k, last)
				} else {
					s.field(out, "", last)
				}
			}
		}
		if s.i == at {
			s.i++
		}
	}
	s.i = max(s.i, stop+1)
	if len(out.list) == 1 && out.keys[0] == "" && last != nil {
		return last // a block
	}
	if !slices.ContainsFunc(out.keys, func(k string) bool { return k != "" }) {
		out.kind, out.keys = list, nil
	}
	return out
}

func (s *session) field(d *value, k string, v *value) {
	if len(d.list) < 4096 {
		d.keys, d.list = append(d.keys, k), append(d.list, v)
	}
}

// block reads the statements between braces.
func (s *session) block() *value {
	t := s.peek()
	if t.match <= s.i {
		s.i++
		return &value{}
	}
	if !s.enter() {
		s.i = t.match + 1
		return &value{}
	}
	s.i++
	if last := s.upTo(t.match); last != nil {
		return last
	}
	return &value{}
}

// upTo reads statements up to the brace that ends them, leaves the depth that enter
// came to, and gives the last value, nil if there is none.
func (s *session) upTo(end int) *value {
	var last *value
	for s.i < end {
		at := s.i
		if v := s.statement(); v != nil {
			last = v
		}
		if s.i == at {
			s.i++
		}
	}
	s.depth--
	s.i = max(s.i, end+1)
	return last
}

// arrow reads (a, b) => body and x => body.
func (s *session) arrow() *value {
	feed := s.feed
	s.feed = nil
	var params []string
	if s.is("(") {
		m := s.peek().match
		for j := s.i + 1; j < m && len(params) < 16; j++ {
			if s.ts[j].sort == ident {
				params = append(params, s.ts[j].text)
			}
		}
		s.i = m + 1
	} else {
		params = []string{s.peek().text}
		s.i++
	}
	s.accept("=>")
	return s.body(params, feed)
}

// body reads the body of a function in an expression.
func (s *session) body(params []string, feed *value) *value {
	for _, p := range params {
		switch {
		case feed != nil && !isError(p):
			s.bind(p, feed)
		case len(s.vars) < 1<<14:
			s.vars[p] = &value{ref: p}
		}
	}
	old := s.in
	f := &function{params: params}
	s.in = f
	defer func() { s.in = old }()
	s.lines()
	if s.is("{") {
		s.block()
		if f.result == nil {
			f.result = &value{}
		}
		return &value{kind: name, name: "(function)", owner: f.result}
	}
	return &value{kind: name, name: "(function)", owner: s.assignmentOne()}
}

func isError(p string) bool {
	switch p {
	case "e", "err", "error", "_", "er", "_err", "reject":
		return true
	}
	return false
}
