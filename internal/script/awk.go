package script

import "strings"

// awkPrint reads print a, b > "file" and print a | "command".
func (s *session) awkPrint(fn string) *value {
	old := s.printing
	s.printing = true
	var args []*value
	if !s.ends() && !s.is("|") && !s.is(">") && !s.is(">>") {
		args = asList(s.exprList()).list
	}
	s.printing = old
	v := s.join(" ", &value{kind: list, list: args, lit: true})
	t := s.peek()
	switch {
	case s.is(">") || s.is(">>"):
		s.i++
		to := s.expr(3)
		s.emit("write", []*value{to}, nil)
		return v
	case s.is("|") || s.is("|&"):
		s.i++
		to := s.expr(4)
		s.command(t.text, to)
		if w := strings.Fields(to.string()); len(w) > 0 && isShellName(w[0]) && len(w) == 1 {
			s.emit("system", []*value{v}, nil)
		}
		return v
	}
	s.emit(fn, args, nil)
	return v
}

// command is a command that awk reads from or writes to.
func (s *session) command(how string, cmd *value) {
	if how == "|&" && strings.HasPrefix(cmd.string(), "/inet") {
		s.emit("inet", []*value{cmd}, nil)
		return
	}
	s.emit("system", []*value{cmd}, nil)
}

func isShellName(n string) bool {
	switch n[strings.LastIndexByte(n, '/')+1:] {
	case "sh", "bash", "zsh", "dash", "ksh":
		return true
	}
	return false
}

// getline reads getline x < "file".
func (s *session) getline() *value {
	if t := s.peek(); t.sort == ident && !reserved(t.text) {
		s.i++
	}
	if s.accept("<") {
		from := s.expr(5)
		s.emit("getline", []*value{from}, nil)
		return s.contents("getline", from)
	}
	return &value{}
}

// pipes reads "cmd" | getline x behind an expression of awk.
func (s *session) pipes(left *value) bool {
	if s.lang != "awk" || !s.is("|") && !s.is("|&") || s.ahead(1).text != "getline" {
		return false
	}
	how := s.peek().text
	s.i += 2
	s.command(how, left)
	v := s.output([]*value{left})
	if strings.HasPrefix(left.string(), "/inet") {
		v = s.contents("getline", lit("http://inet"))
	}
	if t := s.peek(); t.sort == ident && !reserved(t.text) {
		s.bind(t.text, v)
		s.i++
	} else {
		s.bind("0", v)
	}
	return true
}
