package script

import "strings"

// postfixLoop binds $_ before it reads "f for LIST" and "map { f } LIST".
func (s *session) postfixLoop() {
	if s.lang != "perl" {
		return
	}
	for j := s.i; j < len(s.ts) && j < s.i+64; j++ {
		t := s.ts[j]
		if t.sort == op {
			switch t.text {
			case ";", "}", ")", "]":
				return
			case "(", "[", "{":
				if t.match > j {
					j = t.match
				}
				continue
			}
		}
		if t.sort == ident && t.sigil == 0 && j > s.i && (t.text == "for" || t.text == "foreach") {
			save := s.i
			s.i = j + 1
			n := len(s.calls)
			s.bind("_", s.elements(s.exprList()))
			s.calls = s.calls[:n]
			s.i = save
			return
		}
	}
}

// whileRead binds $_ to what <F> reads.
func (s *session) whileRead() {
	if s.is("(") {
		if t := s.ahead(1); t.sigil == '<' {
			s.bind("_", s.readline(t))
		}
	}
}

// loop reads the head of a for and binds its variables to all values.
func (s *session) loop() {
	if t := s.peek(); t.sort == ident && (t.text == "await" || t.text == "my" || t.text == "our" || t.text == "each") {
		s.i++
	}
	if s.lang == "perl" {
		v := "_"
		if t := s.peek(); t.sort == ident && t.sigil != 0 {
			v = t.text
			s.i++
		}
		if s.is("(") {
			m := s.peek().match
			from := s.i
			s.i++
			x := s.exprList()
			if s.is(")") {
				s.bind(v, s.elements(asList(x)))
			} else if m > from {
				return
			}
			s.accept(")")
		}
		return
	}
	paren := s.accept("(")
	if s.lang == "php" {
		x := s.expr(0)
		if s.accept("as") {
			t := s.peek()
			s.i++
			if s.accept("=>") {
				t = s.peek()
				s.i++
			}
			if t.sort == ident {
				s.bind(t.text, s.elements(x))
			}
		}
		return
	}
	for t := s.peek(); t.sort == ident && (t.text == "const" || t.text == "let" || t.text == "var" || t.text == "local" || t.text == "final"); t = s.peek() {
		s.i++
	}
	var targets []string
	j := s.i
	for ; j < len(s.ts) && j < s.i+16; j++ {
		t := s.ts[j]
		if t.sort == ident && (t.text == "in" || t.text == "of") || t.sort == op && (t.text == ":=" && s.lang == "go" || t.text == ":" && s.lang == "java") {
			break
		}
		if t.sort == ident {
			targets = append(targets, t.text)
		} else if t.sort != op || !strings.Contains("(),[]{}", t.text) {
			return // the three parts of C
		}
	}
	if j >= len(s.ts) || j >= s.i+16 {
		return
	}
	s.i = j + 1
	s.accept("range")
	s.bindAll(targets, s.exprList())
	if paren {
		s.accept(")")
	}
}

func asList(x *value) *value {
	if x.kind == list {
		return x
	}
	return &value{kind: list, list: []*value{x}, lit: true, origin: x.origin, content: x.content, open: x.open}
}

// bindAll binds the variables of a loop over x.
func (s *session) bindAll(targets []string, x *value) {
	if len(targets) == 1 {
		s.bind(targets[0], s.elements(x))
		return
	}
	for k, n := range targets {
		// Pairs of a list of lists; otherwise the last is the element.
		var vs []*value
		for _, e := range x.list {
			if e.kind == list && k < len(e.list) {
				vs = append(vs, e.list[k])
			}
		}
		switch {
		case len(vs) > 0:
			s.bind(n, either(vs...))
		case x.kind == dict && k == 1:
			s.bind(n, either(x.list...))
		case x.kind == dict, k == len(targets)-1:
			s.bind(n, s.elements(x))
		default:
			s.bind(n, &value{ref: n})
		}
	}
}
