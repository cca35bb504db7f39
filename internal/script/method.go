package script

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// method does the methods of texts and lists. done is false for the methods of
// other objects.
func (s *session) method(fn *value, args []*value, kw []pair2) (v *value, done bool) {
	o := fn.owner
	key := fn.last()
	arg := func(i int) string {
		if i < len(args) {
			return args[i].string()
		}
		return ""
	}
	switch o.kind {
	case text, num:
		if o.name != "" && o.name != "regexp" && o.kind == text && (fn.name != key) {
			return nil, false // a method of a path
		}
	case list, dict:
	case object:
		if o.origin == 0 && len(o.content) == 0 {
			return nil, false
		}
		switch key {
		case "decode", "strip", "text", "decode_content", "toString", "rstrip", "trim", "split", "splitlines", "encode", "chomp", "strip!", "to_s", "join", "replace", "lines", "json", "arrayBuffer":
			out := *o
			out.ref, out.owner, out.name = "", nil, o.label()
			return &out, true
		}
		return nil, false
	default:
		return nil, false
	}
	same := func(f func(string) (string, bool)) (*value, bool) { return s.derive(o, f), true }
	switch key {
	case "decode", "encode", "toString", "to_s", "strip", "trim", "rstrip", "lstrip", "chomp", "to_str", "to_sym", "valueOf", "tobytes", "force_encoding", "freeze", "dup", "clone", "copy", "normalize", "b", "flatten", "to_a", "call", "unicode_normalize", "toLowerCase", "lower", "downcase", "slice!", "scrub", "as_posix":
		switch {
		case strings.Contains(key, "code") && strings.Contains(arg(0), "rot"):
			return s.decodedBy(o, rot13), true
		case strings.Contains(key, "code") && arg(0) == "hex":
			return s.decodedBy(o, fromHex), true
		case strings.Contains(key, "code") && arg(0) == "base64", key == "toString" && arg(0) == "base64":
			if key == "decode" {
				return s.decodedBy(o, fromBase64), true
			}
			return same(func(t string) (string, bool) { return base64.StdEncoding.EncodeToString([]byte(t)), true })
		case key == "toString" && arg(0) == "hex":
			return same(func(t string) (string, bool) { return hex.EncodeToString([]byte(t)), true })
		case strings.Contains(key, "ower") || key == "downcase":
			return same(func(t string) (string, bool) { return strings.ToLower(t), true })
		case strings.Contains(key, "trip") || key == "trim" || key == "chomp":
			return same(func(t string) (string, bool) {
				if len(args) > 0 {
					return strings.Trim(t, arg(0)), true
				}
				return strings.TrimSpace(t), true
			})
		}
		w := *o
		w.ref = ""
		return &w, true
	case "upper", "toUpperCase", "upcase":
		return same(func(t string) (string, bool) { return strings.ToUpper(t), true })
	case "swapcase":
		return same(func(t string) (string, bool) {
			return strings.Map(func(r rune) rune {
				if l := strings.ToLower(string(r)); l != string(r) {
					return []rune(l)[0]
				}
				return []rune(strings.ToUpper(string(r)))[0]
			}, t), true
		})
	case "replace", "replaceAll", "gsub", "sub", "gsub!", "replace_all", "delete":
		if key == "delete" && s.lang != "ruby" {
			return &value{}, true
		}
		if len(args) > 0 && args[0].known() && args[0].text != "" {
			return same(func(t string) (string, bool) { return strings.ReplaceAll(t, arg(0), arg(1)), true })
		}
		return same(fail)
	case "tr":
		return same(func(t string) (string, bool) { return translate(t, arg(0), arg(1)) })
	case "reverse", "reversed":
		return s.reverse(o), true
	case "join":
		if s.lang == "python" && len(args) > 0 {
			return s.join(o.string(), args[0]), true
		}
		sep := ","
		if s.lang != "node" {
			sep = ""
		}
		if len(args) > 0 {
			sep = arg(0)
		}
		return s.join(sep, o), true
	case "split", "chars", "lines", "bytes", "splitlines", "each_char":
		if !o.known() || len(o.text) > 4096 {
			w := *o
			w.ref = ""
			return &w, true
		}
		var parts []string
		switch {
		case key == "split" && len(args) > 0 && args[0].known():
			parts = strings.Split(o.text, arg(0))
		case key == "split":
			parts = strings.Fields(o.text)
		case key == "chars" || key == "each_char":
			parts = strings.Split(o.text, "")
		default:
			parts = strings.Split(o.text, "\n")
		}
		out := &value{kind: list, lit: true, origin: o.origin}
		if s.fold(16 * len(parts)) {
			for _, p := range parts {
				x := lit(p)
				x.origin = o.origin
				out.list = append(out.list, x)
			}
		}
		return out, true
	case "format":
		var names []string
		vs := args
		for range args {
			names = append(names, "")
		}
		for _, k := range kw {
			names, vs = append(names, k.name), append(vs, k.value)
		}
		return s.format(o, vs, names), true
	case "concat", "append", "push", "extend", "add", "unshift", "insert", "<<":
		if o.kind == text {
			out := o
			for _, a := range args {
				out = s.concat(out, a)
			}
			return out, true
		}
		if o.ref != "" && len(o.list)+len(args) < 1024 && o.kind == list {
			x := &value{kind: list, list: append(append([]*value{}, o.list...), args...), lit: true, origin: o.origin}
			if len(s.vars) < 1<<14 && s.fold(8*len(x.list)) {
				if key == "extend" || key == "concat" {
					x.list = o.list
					for _, a := range args {
						x.list = append(x.list[:len(x.list):len(x.list)], asList(a).list...)
					}
				}
				s.vars[o.ref] = x
			}
			return x, true
		}
		return o, true
	case "repeat", "*":
		if len(args) > 0 {
			if n, ok := args[0].int(); ok {
				return s.repeat(o, n), true
			}
		}
		return same(fail)
	case "substr", "substring", "slice":
		n, ok := 0, false
		if len(args) > 0 {
			n, ok = args[0].int()
		}
		return same(func(t string) (string, bool) {
			if !ok {
				return "", false
			}
			if n < 0 {
				n = max(0, len(t)+n)
			}
			t = t[min(n, len(t)):]
			if len(args) > 1 {
				m, ok := args[1].int()
				if !ok {
					return "", false
				}
				if key != "substr" && s.lang == "node" {
					m -= n
				}
				if m >= 0 {
					t = t[:min(m, len(t))]
				}
			}
			return t, true
		})
	case "charAt":
		if len(args) > 0 {
			return s.at(o, args[0]), true
		}
	case "pack":
		return s.pack(arg(0), o.flat(nil, 0)), true
	case "unpack", "unpack1":
		if strings.HasPrefix(arg(0), "m") {
			return s.decodedBy(o, fromBase64), true
		}
		return s.decodedBy(o, fail), true
	case "fromhex":
		return s.decodedBy(args0(args), fromHex), true
	case "chr":
		return s.result("chr", []*value{o}, nil), true
	case "hex":
		return same(func(t string) (string, bool) {
			if s.lang == "ruby" {
				n, ok := parseInt(lit(t), 16)
				return itoa(n), ok
			}
			return hex.EncodeToString([]byte(t)), true
		})
	case "ord", "charCodeAt", "codePointAt":
		return s.result("ord", []*value{o}, nil), true
	case "map", "collect", "flatMap", "each", "forEach", "filter", "select", "some", "every", "each_with_index", "find", "reduce", "sort", "sort_by", "uniq", "compact", "reject", "keys", "values", "items", "entries", "each_slice", "with_index", "each_line", "shuffle":
		if key == "items" || key == "entries" {
			if o.kind == dict {
				out := &value{kind: list, lit: true}
				for i, k := range o.keys {
					out.list = append(out.list, &value{kind: list, list: []*value{lit(k), o.list[i]}, lit: true})
				}
				return out, true
			}
		}
		if key == "values" && o.kind == dict {
			return &value{kind: list, list: o.list, lit: true}, true
		}
		if len(args) > 0 {
			a := args[0]
			switch {
			case a.name == "(function)" && a.owner != nil && strings.Contains("map flatMap collect", key):
				return &value{kind: list, list: a.owner.rounds(), lit: true}, true
			case a.kind == name && strings.HasPrefix(a.name, "&"):
				x := s.call(s.member(s.elements(o), a.name[1:]), nil, nil)
				return &value{kind: list, list: x.rounds(), lit: true}, true
			case a.kind == name && a.name != "(function)":
				x := s.call(a, []*value{s.elements(o)}, nil)
				if strings.Contains("map flatMap collect", key) {
					return &value{kind: list, list: x.rounds(), lit: true}, true
				}
			}
		}
		w := *o
		w.ref = ""
		return &w, true
	case "get", "fetch", "dig":
		if o.kind == dict && len(args) > 0 {
			return s.at(o, args[0]), true
		}
		return &value{}, true
	case "pop", "shift", "first", "last", "sample":
		return s.elements(o), true
	case "translate":
		return same(fail)
	case "constructor":
		return named("Function"), true
	case "execute":
		if s.lang == "java" {
			s.emit("execute", []*value{o}, kw)
			return s.output([]*value{o}), true
		}
	case "then":
		return o, true
	case "write_text", "unlink", "rmdir":
		return nil, false
	}
	if strings.HasPrefix(key, "constructor") {
		return nil, false
	}
	out := &value{}
	out.mark(o)
	return out, true
}

func args0(args []*value) *value {
	if len(args) > 0 {
		return args[0]
	}
	return &value{}
}

func (s *session) decodedBy(v *value, f func(string) (string, bool)) *value {
	w := *s.derive(v, f)
	w.origin |= effect.Decoded
	return &w
}

// join joins the elements of a list.
func (s *session) join(sep string, v *value) *value {
	if v.kind != list {
		if v.kind == text && v.known() && s.lang == "python" {
			v = &value{kind: list, list: letters(v.text), lit: true}
		} else {
			out := *v
			out.ref = ""
			return &out
		}
	}
	out := &value{kind: text}
	var b strings.Builder
	flat := v.flat(nil, 0)
	out.mark(v)
	for i, x := range flat {
		if i > 0 {
			b.WriteString(sep)
		}
		w := x.value()
		if !s.fold(len(w.Text) + len(sep)) {
			out.open = true
			break
		}
		b.WriteString(w.Text)
		out.open = out.open || w.Open
		out.mark(x)
	}
	if len(flat) >= 256 {
		out.open = true
	}
	out.text = b.String()
	return out
}

func letters(t string) []*value {
	var out []*value
	for i, r := range t {
		if i > 255 {
			break
		}
		out = append(out, lit(string(r)))
	}
	return out
}

// reverse turns a text or list round. A text that was turned is an assembled one.
func (s *session) reverse(v *value) *value {
	if v.kind == list {
		out := &value{kind: list, lit: true, origin: v.origin}
		if s.fold(8 * len(v.list)) {
			for i := len(v.list) - 1; i >= 0; i-- {
				out.list = append(out.list, v.list[i])
			}
		}
		if len(out.list) > 1 && out.list[0].kind == text && len(out.list[0].text) == 1 {
			out.origin |= effect.Decoded
		}
		return out
	}
	return s.decodedBy(v, func(t string) (string, bool) {
		r := []rune(t)
		for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
			r[i], r[j] = r[j], r[i]
		}
		return string(r), true
	})
}

// slice is v[a:b].
func (s *session) slice(v *value, parts []*value, colons int) *value {
	if v.kind == list {
		w := *v
		w.ref = ""
		return &w
	}
	out := s.derive(v, fail)
	if v.kind == object || v.kind == unknown {
		w := *v
		return &w
	}
	return out
}

// repeat is v * n.
func (s *session) repeat(v *value, n int) *value {
	if v.kind == list {
		out := &value{kind: list, lit: true, origin: v.origin}
		for range n {
			if len(out.list) > 256 {
				break
			}
			out.list = append(out.list, v.list...)
		}
		return out
	}
	return s.derive(v, func(t string) (string, bool) {
		if n < 0 || n > maxText || len(t)*n > maxText {
			return "", false
		}
		return strings.Repeat(t, n), true
	})
}

// translate does tr('a-z', 'n-za-m').
func translate(t, from, to string) (string, bool) {
	f, g := spread(from), spread(to)
	if len(f) == 0 || len(g) == 0 {
		return t, len(f) == 0
	}
	return strings.Map(func(r rune) rune {
		for i, x := range f {
			if x == r {
				return g[min(i, len(g)-1)]
			}
		}
		return r
	}, t), true
}

func spread(t string) []rune {
	r := []rune(t)
	var out []rune
	for i := 0; i < len(r) && len(out) < 512; i++ {
		if i+2 < len(r) && r[i+1] == '-' && r[i+2] > r[i] && r[i+2]-r[i] < 256 {
			for c := r[i]; c <= r[i+2]; c++ {
				out = append(out, c)
			}
			i += 2
			continue
		}
		out = append(out, r[i])
	}
	return out
}

// format fills %s, %d and {} of a text.
func (s *session) format(f *value, args []*value, names []string) *value {
	return f.each(func(f *value) *value {
		if f.kind != text || f.open {
			out := s.derive(f, fail)
			for _, a := range args {
				out.mark(a)
			}
			return out
		}
		out := lit("")
		next, from := 0, 0
		t := f.text
		pick := func(k string) *value {
			for i, n := range names {
				if n == k && k != "" && i < len(args) {
					return args[i]
				}
			}
			if n, ok := parseInt(lit(k), 10); ok && n >= 0 && n < len(args) {
				return args[n]
			}
			next++
			if next-1 < len(args) {
				return args[next-1]
			}
			return &value{}
		}
		for i := 0; i < len(t); i++ {
			stop, key := 0, ""
			switch {
			case t[i] == '%' && i+1 < len(t) && t[i+1] == '%':
				out = s.concat(out, lit(t[from:i+1]))
				from = i + 2
				i++
				continue
			case t[i] == '%' && (names == nil || strings.HasPrefix(t[i:], "%(") || strings.HasPrefix(t[i:], "%{") || strings.HasPrefix(t[i:], "%<")):
				j := i + 1
				if j < len(t) && strings.IndexByte("({<", t[j]) >= 0 {
					n := strings.IndexAny(t[j:], ")}>")
					if n < 0 {
						continue
					}
					key = t[j+1 : j+n]
					j += n + 1
					if t[j-1] == '}' {
						stop = j
						break
					}
				}
				for j < len(t) && strings.IndexByte("-+ #0123456789.*$l", t[j]) >= 0 {
					j++
				}
				if j >= len(t) || !isLetter(t[j]) {
					continue
				}
				stop = j + 1
			case t[i] == '{' && names != nil && !strings.HasPrefix(t[i:], "{{"):
				n := strings.IndexByte(t[i:min(len(t), i+64)], '}')
				if n < 0 {
					continue
				}
				key, _, _ = strings.Cut(t[i+1:i+n], ":")
				key, _, _ = strings.Cut(key, "!")
				stop = i + n + 1
			default:
				continue
			}
			a := pick(key)
			if t[stop-1] == 'c' && a.kind == num {
				a = s.result("chr", []*value{a}, nil)
			}
			out = s.concat(s.concat(out, lit(t[from:i])), a)
			from, i = stop, stop-1
		}
		out = s.concat(out, lit(t[from:]))
		out.origin |= f.origin
		return out
	})
}
