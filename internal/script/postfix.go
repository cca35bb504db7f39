package script

import (
	"strings"
)

// name reads a name and what it stands for.
func (s *session) name(t token) *value {
	if t.sigil == '<' {
		s.i++
		return s.readline(t)
	}
	if t.sigil == 0 {
		switch t.text {
		case "lambda":
			if s.lang == "python" {
				return s.lambda()
			}
		case "function", "func", "fn", "sub", "fun", "proc":
			if n := s.ahead(1); n.sort == op && (n.text == "(" || n.text == "{" || n.text == "*") || n.sort == ident && s.lang == "node" {
				if s.lang != "ruby" {
					return s.anonymous()
				}
			}
		case "print", "printf":
			if s.lang == "awk" {
				s.i++
				return s.awkPrint(t.text)
			}
		case "do":
			if s.lang == "applescript" && s.ahead(1).text == "shell" && s.ahead(2).text == "script" {
				s.i += 3
				v := s.expr(0)
				s.emit("shell", []*value{v}, s.clauses())
				return s.output([]*value{v})
			}
		case "quoted":
			if s.lang == "applescript" && s.ahead(1).text == "form" {
				s.i += 2
				s.accept("of")
				return s.expr(7)
			}
		case "true", "True", "TRUE", "false", "False", "FALSE", "nil", "None", "null", "undefined":
			s.i++
			return lit(t.text)
		case "__file__", "__FILE__", "__dir__", "__dirname", "__DIR__":
			s.i++
			return &value{kind: object, name: t.text, open: true}
		}
		if s.lang == "node" && s.matchIs(s.i+1, "=>") {
			return s.arrow()
		}
	}
	s.i++
	if s.lang == "perl" && t.sigil == 0 {
		if n := s.peek(); n.sort == op && n.text == "=>" {
			return lit(t.text)
		}
		for s.is("::") && s.ahead(1).sort == ident {
			t.text += "." + s.ahead(1).text
			s.i += 2
		}
	}
	if v, ok := s.vars[t.text]; ok {
		w := *v
		w.ref = t.text
		if t.sigil == '$' && s.lang == "perl" && w.kind == list && s.is("[") {
			return &w
		}
		return &w
	}
	v := named(t.text)
	v.ref = t.text
	if t.sigil != 0 {
		switch t.text {
		case "ENV", "_ENV":
			v = named("ENV")
		case "stdin", "stdout", "stderr":
			v = named("$" + t.text)
		default:
			return &value{ref: t.text, open: true}
		}
	}
	s.environ(v)
	return v
}

// clauses reads what AppleScript writes behind a command.
func (s *session) clauses() []pair2 {
	var out []pair2
	if s.accept("with") && s.accept("administrator") {
		s.accept("privileges")
		out = append(out, pair2{"administrator", lit("true")})
	}
	return out
}

func (s *session) lambda() *value {
	s.i++
	var params []string
	for n := 0; n < 32 && !s.is(":") && !s.ends(); n++ {
		if t := s.peek(); t.sort == ident {
			params = append(params, t.text)
		}
		s.i++
		if s.accept("=") {
			d := s.expr(1)
			if len(params) > 0 {
				s.bind(params[len(params)-1], d)
				params = params[:len(params)-1]
			}
		}
	}
	s.accept(":")
	feed := s.feed
	s.feed = nil
	return s.body(params, feed)
}

// anonymous reads function (a) { … }.
func (s *session) anonymous() *value {
	feed := s.feed
	s.feed = nil
	s.i++
	s.accept("*")
	if s.peek().sort == ident {
		s.i++
	}
	var params []string
	if s.is("(") {
		m := s.peek().match
		for j := s.i + 1; j < m && len(params) < 16; j++ {
			if s.ts[j].sort == ident {
				params = append(params, s.ts[j].text)
			}
		}
		if m == 0 {
			s.i++
			return &value{}
		}
		s.i = m + 1
	}
	if s.lang == "php" && s.accept("use") && s.is("(") {
		s.skipTo(s.i)
	}
	if s.lang == "php" {
		s.accept("=>")
	}
	if s.lang == "lua" || s.lang == "r" {
		return &value{kind: name, name: "(function)"} // the body is read as statements
	}
	if !s.is("{") && s.lang != "php" {
		for n := 0; n < 8 && !s.is("{") && !s.ends(); n++ { // result types
			s.i++
		}
	}
	return s.body(params, feed)
}

// postfix reads calls, members and indexes behind a value.
func (s *session) postfix(v *value) *value {
	for {
		s.spend(useWork)
		t := s.peek()
		if t.sort == newline {
			// A chain goes on at the next line: \n.then(…)
			j := s.i
			for j < len(s.ts) && s.ts[j].sort == newline {
				j++
			}
			if s.lang != "perl" && s.lang != "php" && s.lang != "lua" && s.lang != "awk" && s.matchIs(j, ".") && j+1 < len(s.ts) && s.ts[j+1].sort == ident || (s.lang == "php" || s.lang == "perl") && s.matchIs(j, "->") {
				s.i = j
				continue
			}
			return s.implicit(v)
		}
		if t.sort == str {
			if t.mode == 't' && !t.spaced && v.kind == name || s.lang == "lua" && v.kind == name && v.list == nil {
				s.i++
				v = s.call(v, []*value{s.literal(t)}, nil)
				continue
			}
		}
		if s.bareCall(v, t) {
			v = s.bare(v)
			continue
		}
		if t.sort != op {
			return s.implicit(v)
		}
		switch t.text {
		case "(":
			if s.lang == "lua" && t.spaced && s.ahead(-1).line != t.line {
				return v
			}
			if (s.lang == "ruby" || s.lang == "awk") && t.spaced && (v.kind != name && v.kind != object || s.lang == "awk") {
				return s.implicit(v)
			}
			if v.kind == text && v.owner == nil && v.ref == "" && s.lang != "node" {
				return v
			}
			if v.kind == list && v.lit || v.kind == num {
				return v
			}
			s.i++
			v = s.callAt(v, t.match)
		case "[":
			if t.spaced && (s.lang == "ruby" || s.lang == "perl") && v.ref == "" || s.lang == "awk" && t.match == 0 {
				return s.implicit(v)
			}
			v = s.index(s.implicit(v), t)
		case "{":
			switch {
			case s.lang == "perl" && (v.ref != "" || s.ahead(-1).text == "->" || v.name == "ENV") && !t.spaced:
				v = s.index(v, t)
				continue
			case s.lang == "ruby" && (v.kind == name || v.kind == object || v.owner != nil || v.kind == list || v.kind == text):
				if v.kind == name && v.owner == nil && v.list == nil && !t.spaced {
					return v
				}
				v = s.rubyBlock(v, nil)
				continue
			case s.lang == "lua" && v.kind == name:
				d := s.braces(t)
				v = s.call(v, []*value{d}, nil)
				continue
			}
			return s.implicit(v)
		case ".", "?.", "->", "::":
			if t.text == "." && (s.lang == "perl" || s.lang == "php") || t.text == "->" && (s.lang == "python" || s.lang == "node" || s.lang == "go") {
				return s.implicit(v)
			}
			n := s.ahead(1)
			switch {
			case n.sort == ident && n.sigil != 0 && t.text == "->":
				// $o->$method
				m := s.vars[n.text]
				s.i += 2
				if m != nil && m.known() {
					v = s.member(v, m.text)
				} else {
					v = &value{kind: object, name: v.label() + "." + n.text, open: true, recv: v.recv}
				}
			case n.sort == ident:
				v = s.implicit(v)
				s.i += 2
				v = s.member(v, n.text)
			case n.sort == op && (n.text == "[" || n.text == "{"):
				s.i++
				if n.text == "{" && s.lang != "perl" {
					return v
				}
				v = s.index(s.implicit(v), n)
			case n.sort == op && n.text == "(":
				s.i++
				if s.lang == "ruby" {
					v = s.member(v, "call")
				}
			case n.sort == op && n.text == "&" && s.lang == "ruby":
				s.i++
			default:
				s.i++
				return v
			}
		case ":":
			if s.lang == "lua" && s.ahead(1).sort == ident {
				n := s.ahead(1)
				s.i += 2
				v = s.member(v, n.text)
				continue
			}
			return s.implicit(v)
		case "&":
			if s.lang == "ruby" && s.matchIs(s.i+1, ".") {
				s.i++
				continue
			}
			return s.implicit(v)
		case "++", "--", "!":
			if t.text == "!" && s.lang != "java" || t.spaced && t.text == "!" {
				return s.implicit(v)
			}
			s.i++
		default:
			return s.implicit(v)
		}
	}
}

// implicit calls a method of Ruby or Perl that stands without parentheses.
func (s *session) implicit(v *value) *value {
	if v.list != nil || v.kind == text || v.kind == list {
		return v
	}
	prev := s.ahead(-1)
	if prev.sort != ident {
		return v
	}
	before := s.ahead(-2).text
	switch s.lang {
	case "ruby":
		if before == "." || before == "::" || before == "&" {
			if c := prev.text[0]; (c >= 'a' && c <= 'z' || c == '_') && (v.kind == name || v.kind == object) && !s.is("=") {
				v = s.call(v, nil, nil)
			}
			if s.is("do") {
				v = s.rubyBlock(v, nil)
			}
			return v
		}
		if prev.sigil == 0 && v.kind == name && (prev.text == "fork" || prev.text == "gets" || prev.text == "exec") && !s.is("=") {
			return s.call(v, nil, nil)
		}
	case "perl":
		if before == "->" && (v.kind == name || v.kind == object) && prev.sigil == 0 && !s.is("=") {
			return s.call(v, nil, nil)
		}
		if prev.sigil == 0 && v.kind == name && v.name == prev.text {
			switch prev.text {
			case "unlink", "rmdir", "eval", "system", "exec":
				return s.call(v, []*value{s.topic()}, nil)
			case "fork":
				return s.call(v, nil, nil)
			}
		}
	case "java":
		return v
	}
	return v
}

// topic is what $_ is.
func (s *session) topic() *value {
	if v := s.vars["_"]; v != nil {
		w := *v
		return &w
	}
	return &value{ref: "_"}
}

// rubyBlock reads { |x| … } or do |x|: what v gives is bound to x.
func (s *session) rubyBlock(v *value, feed *value) *value {
	method := v
	if v.owner != nil && feed == nil {
		feed = s.elements(v.owner)
	}
	if v.kind == name || v.kind == object && v.list == nil {
		if v.owner == nil || v.owner.kind == name {
			v = s.call(v, nil, nil)
			if feed == nil || feed.kind == name {
				feed = v
			}
		}
	}
	if feed == nil {
		feed = v
		if v.kind == list {
			feed = s.elements(v)
		}
	}
	doBlock := s.is("do")
	t := s.peek()
	bodyAt := s.i
	s.i++
	if s.accept("|") {
		var params []string
		for n := 0; n < 16 && !s.is("|") && !s.ends(); n++ {
			if p := s.peek(); p.sort == ident {
				params = append(params, p.text)
			}
			s.i++
		}
		s.accept("|")
		if len(params) == 1 {
			s.bind(params[0], feed)
		} else {
			s.bindAll(params, feed)
		}
	} else {
		s.bind("it", feed)
		s.bind("_1", feed)
	}
	if doBlock {
		return v // its statements follow
	}
	if t.match <= bodyAt || !s.enter() {
		return v
	}
	last := s.upTo(t.match)
	if last != nil && method.owner != nil && strings.Contains("map collect flat_map", method.last()) {
		if len(last.alts) > 0 {
			return &value{kind: list, list: last.alts, lit: true}
		}
		return &value{kind: list, list: []*value{last}, lit: true}
	}
	return v
}

func (v *value) last() string { return v.name[strings.LastIndexByte(v.name, '.')+1:] }

// label is the name under which members of v are known.
func (v *value) label() string {
	switch {
	case v.name != "":
		return v.name
	case v.ref != "":
		return v.ref
	}
	return "value"
}

// bareCall reports whether v is called with what follows, without parentheses.
func (s *session) bareCall(v *value, t token) bool {
	if !s.lx.bare || !t.spaced && t.sort != str || v.kind != name && v.kind != object && v.owner == nil {
		return false
	}
	prev := s.ahead(-1)
	if prev.sort != ident || prev.sigil != 0 || v.kind == object && v.owner == nil {
		return false
	}
	switch s.lang {
	case "php":
		switch v.name {
		case "echo", "print", "include", "include_once", "require", "require_once", "new", "exit", "die":
		default:
			return false
		}
	case "lua":
		return false
	case "ruby":
		if _, ok := s.vars[prev.text]; ok && v.owner == nil {
			return false
		}
	}
	switch t.sort {
	case str, number:
		return t.mode != 'x' || s.lang == "ruby"
	case ident:
		return t.sigil != 0 || !reserved(t.text)
	case op:
		n := s.ahead(1)
		switch t.text {
		case "[":
			return s.lang == "ruby" && t.spaced || s.lang == "perl"
		case "\\":
			return s.lang == "perl"
		case "{":
			if s.lang != "perl" {
				return false
			}
			switch v.name {
			case "map", "grep", "sort", "eval", "do", "print", "first", "any":
				return true
			}
			return false
		case "*", "-", ":", "&", "::":
			return s.lang != "php" && t.spaced && !n.spaced && n.sort != newline
		}
	}
	return false
}

// bare reads the arguments of a call without parentheses.
func (s *session) bare(v *value) *value {
	if s.lang == "perl" && s.is("{") {
		t := s.peek()
		if v.name == "map" || v.name == "grep" || v.name == "sort" || v.name == "first" || v.name == "any" {
			return s.mapBlock(v.name, t)
		}
		if v.name == "eval" || v.name == "do" {
			return s.block()
		}
		if t.match > 0 { // print {$fh} …
			s.i = t.match + 1
		}
	}
	if s.lang == "perl" && (v.name == "print" || v.name == "printf" || v.name == "say") {
		// print F "x"
		if t, n := s.peek(), s.ahead(1); t.sort == ident && !(t.sigil == 0 && reserved(t.text)) && (n.sort == str && n.mode != 'x' || n.sort == ident && n.sigil != 0) && n.spaced {
			s.i++
		}
	}
	a := s.args(v, 0)
	return s.call(v, a.args, a.named)
}

// mapBlock reads Perl's map { … } LIST.
func (s *session) mapBlock(fn string, t token) *value {
	open := s.i
	if t.match <= open || !s.enter() {
		s.i++
		return &value{}
	}
	defer func() { s.depth-- }()
	s.i = t.match + 1
	s.accept(",")
	x := asList(s.exprList())
	after := s.i
	s.bind("_", s.elements(x))
	s.i = open
	v := s.block()
	s.i = max(after, s.i)
	if fn != "map" {
		return x
	}
	if len(v.alts) > 0 {
		return &value{kind: list, list: v.alts, lit: true}
	}
	return asList(v)
}
