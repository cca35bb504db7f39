package script

import (
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
			if b := s.peek(); t.text == "new" && b.text == "{" && b.sort == op && s.ahead(-1).text == "]" { // new X[]{a, b}
				return s.braces(b)
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

func isError(p string) bool {
	switch p {
	case "e", "err", "error", "_", "er", "_err", "reject":
		return true
	}
	return false
}
