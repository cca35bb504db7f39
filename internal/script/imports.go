package script

import (
	"strings"
)

// dotted reads a.b.c.
func (s *session) dotted() string {
	var b strings.Builder
	for s.peek().sort == ident || s.is(".") || s.is("*") {
		if s.peek().sort == ident && b.Len() > 0 && !strings.HasSuffix(b.String(), ".") {
			break
		}
		b.WriteString(s.peek().text)
		s.i++
		if b.Len() > 200 {
			break
		}
	}
	return b.String()
}

// imports reads what follows import.
func (s *session) imports() {
	if s.lang == "node" {
		s.importNode()
		return
	}
	if s.lang == "go" || s.peek().sort == str {
		s.lines()
		if s.accept("(") {
			for !s.is(")") && s.peek().sort != end {
				s.importGo()
			}
		} else {
			s.importGo()
		}
		return
	}
	s.accept("static")
	for n := 0; n < 64; n++ {
		m := s.dotted()
		if m == "" {
			return
		}
		switch {
		case s.accept("as"):
			s.bind(s.peek().text, named(m))
			s.i++
		case s.lang == "java":
			if i := strings.LastIndexByte(m, '.'); i > 0 {
				s.bind(m[i+1:], named(m[i+1:]))
			}
		default:
			first, _, _ := strings.Cut(m, ".")
			s.bind(first, named(first))
		}
		if !s.accept(",") {
			return
		}
	}
}

func (s *session) importGo() {
	alias := ""
	if s.peek().sort == ident || s.is(".") {
		alias = s.peek().text
		s.i++
	}
	if t := s.peek(); t.sort == str {
		base := t.text[strings.LastIndexByte(t.text, '/')+1:]
		if alias == "" {
			alias = base
		}
		s.bind(alias, named(base))
	}
	s.i++
}

// importNode reads import a, {b as c} from 'm' and import * as a from 'm'.
func (s *session) importNode() {
	var names [][2]string // as exported, as bound
	from := s.i
	for n := 0; n < 256; n++ {
		t := s.peek()
		switch {
		case t.sort == str:
			s.i++
			m := module(t.text)
			s.emit("require", []*value{lit(t.text)}, nil)
			for _, x := range names {
				if x[0] == "" || x[0] == "default" {
					s.bind(x[1], named(m))
				} else {
					s.bind(x[1], named(m+"."+x[0]))
				}
			}
			return
		case t.sort == end || t.sort == op && t.text == ";":
			return
		case t.sort == op && t.text == "*" && s.ahead(1).text == "as":
			names = append(names, [2]string{"", s.ahead(2).text})
			s.i += 3
			continue
		case t.sort == ident && t.text != "from" && t.text != "type":
			x := [2]string{t.text, t.text}
			if !inBraces(s.ts[from:s.i]) {
				x[0] = ""
			}
			if s.ahead(1).text == "as" {
				x[1] = s.ahead(2).text
				s.i += 2
			}
			names = append(names, x)
		}
		s.i++
	}
}

func inBraces(ts []token) bool {
	n := 0
	for _, t := range ts {
		if t.sort == op && t.text == "{" {
			n++
		} else if t.sort == op && t.text == "}" {
			n--
		}
	}
	return n > 0
}

// fromImport reads from m import a as b, c.
func (s *session) fromImport() {
	m := s.dotted()
	if !s.accept("import") {
		return
	}
	paren := s.accept("(")
	if s.accept("*") {
		if len(s.stars) < 8 {
			s.stars = append(s.stars, m)
		}
		return
	}
	for n := 0; n < 256; n++ {
		if paren {
			s.lines()
		}
		t := s.peek()
		if t.sort != ident {
			break
		}
		s.i++
		as := t.text
		if s.accept("as") {
			as = s.peek().text
			s.i++
		}
		s.bind(as, named(m+"."+t.text))
		if !s.accept(",") {
			break
		}
	}
	if paren {
		s.lines()
		s.accept(")")
	}
}

// use reads Perl's use M qw(a b).
func (s *session) use() {
	m := s.peek().text
	s.i++
	for s.is("::") {
		m += "." + s.ahead(1).text
		s.i += 2
	}
	switch m {
	case "lib":
		s.emit("use lib", []*value{s.expr(0)}, nil)
		return
	case "LWP.Simple":
		for _, n := range []string{"get", "getstore", "getprint", "mirror"} {
			s.bind(n, named(m+"."+n))
		}
	case "MIME.Base64", "POSIX", "strict", "warnings":
		return
	}
	for n := 0; n < 32 && !s.ends(); n++ {
		at := s.i
		v := s.expr(0)
		for _, x := range asList(v).list {
			if x.known() && x.kind == text && m != "constant" {
				s.bind(strings.TrimLeft(x.text, "&$@%"), named(m+"."+strings.TrimLeft(x.text, "&$@%")))
			}
		}
		if !s.accept(",") && !s.accept("=>") && s.i == at {
			s.i++
		}
	}
}
