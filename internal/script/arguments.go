package script

// arguments are those of a call.
type arguments struct {
	args  []*value
	named []pair2
}

// callAt reads the arguments up to the bracket at stop and calls v.
func (s *session) callAt(v *value, stop int) *value {
	if !s.enter() {
		if stop > s.i {
			s.i = stop + 1
		}
		return &value{}
	}
	open := s.i - 1
	s.lines()
	var a arguments
	if s.ts[open].inFor > 0 && s.lang == "python" {
		a.args = []*value{s.comprehension(s.ts[open], stop)}
		s.i--
	} else {
		a = s.args(v, stop)
	}
	if stop > 0 {
		s.i = max(s.i, stop+1)
	} else {
		s.accept(")")
	}
	s.depth--
	if s.lang == "ruby" && (s.is("{") || s.is("do") && s.ahead(1).text == "|") {
		out := s.call(v, a.args, a.named)
		feed := out
		if v.owner != nil && v.owner.kind == list {
			feed = s.elements(v.owner)
		}
		if out.list == nil {
			out.list = []*value{}
		}
		return s.rubyBlock(out, feed)
	}
	return s.call(v, a.args, a.named)
}

// args reads arguments up to the bracket at stop, or up to the end of a statement.
func (s *session) args(fn *value, stop int) (a arguments) {
	for n := 0; n < 4096; n++ {
		if stop > 0 {
			s.lines()
			if s.i >= stop {
				return a
			}
		} else if s.ends() && !(s.peek().sort == newline && n > 0 && s.ahead(-1).text == ",") {
			return a
		} else {
			s.lines()
		}
		at := s.i
		t, next := s.peek(), s.ahead(1)
		if s.function(t, next) {
			s.feed = s.callback(fn, a)
		}
		switch {
		case t.sort == ident && t.sigil == 0 && next.sort == op && (next.text == "=" && s.lang != "awk" && s.lang != "go" && s.lang != "perl" || next.text == ":" && (s.lang == "ruby" || s.lang == "php") && s.ahead(2).text != ":"):
			s.i += 2
			s.lines()
			a.named = append(a.named, pair2{t.text, s.expr(0)})
		case (t.sort == str || t.sort == ident) && next.sort == op && next.text == "=>" && (s.lang == "perl" || s.lang == "ruby") && t.sigil == 0:
			k := t.text
			if t.sort == str {
				k = s.literal(t).string()
			}
			s.i += 2
			s.lines()
			a.named = append(a.named, pair2{k, s.expr(0)})
		default:
			v := s.assignmentOne()
			switch {
			case v.kind == dict && v.lit && s.lang != "lua" || v.kind == dict && t.text == "**":
				for i, k := range v.keys {
					if len(a.args)+len(a.named) > 512 {
						break
					}
					if k == "" {
						a.args = append(a.args, v.list[i])
						continue
					}
					a.named = append(a.named, pair2{k, v.list[i]})
				}
			case v.kind == list && (t.sort == op && (t.text == "*" || t.text == "...") || s.lang == "perl"):
				a.args = append(a.args, v.list[:min(len(v.list), 512)]...)
			default:
				a.args = append(a.args, v)
			}
		}
		s.feed = nil
		if s.i == at {
			s.i++
		}
		if stop > 0 {
			for s.i < stop && !s.is(",") && s.peek().sort != newline && s.i > at+1<<16 {
				s.i++
			}
			if !s.accept(",") && s.i < stop && s.peek().sort != newline {
				if s.accept(":") || s.accept("=>") || s.accept(";") {
					continue
				}
				if s.i == at {
					s.i++
				}
			}
			continue
		}
		if !s.accept(",") && !(s.lang == "perl" && s.accept("=>")) {
			return a
		}
	}
	return a
}

// function reports whether a function begins here.
func (s *session) function(t, next token) bool {
	if t.sort == ident && (t.text == "function" || t.text == "async" || t.text == "lambda" || t.text == "func" || t.text == "fn" || next.text == "=>" && next.sort == op) {
		return true
	}
	return t.sort == op && t.text == "(" && t.match > 0 && s.matchIs(t.match+1, "=>")
}

// callback is what a function is called with that is an argument of fn.
func (s *session) callback(fn *value, a arguments) *value {
	if fn.owner != nil && fn.owner.kind != name {
		switch fn.last() {
		case "map", "forEach", "filter", "some", "every", "find", "flatMap", "each", "reduce":
			return s.elements(fn.owner)
		}
		return fn.owner
	}
	if fn.kind == name && (fn.name == "map" || fn.name == "filter") {
		return nil
	}
	n := len(s.calls)
	v := s.result(s.canonical(fn.name), append(append([]*value{}, fn.recv...), a.args...), a.named)
	s.calls = s.calls[:n]
	if v == nil || v.kind == name {
		v = &value{kind: object, name: s.canonical(fn.name), open: true}
	}
	return v
}
