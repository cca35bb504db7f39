package script

import "slices"

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
