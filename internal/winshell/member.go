package winshell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// postfix reads members, calls and indexes behind an operand.
func (r *reader) postfix(v value) value {
	for n := 0; n < 256 && !r.eof(); n++ {
		c := r.peek()
		static := false
		switch {
		case c == '?' && (r.at(1) == '.' || r.at(1) == '['):
			r.pos++
			continue
		case c == ':' && r.at(1) == ':':
			r.pos += 2
			static = true
		case c == '.' && (isLetter(r.at(1)) || strings.IndexByte(`"'$({`, r.at(1)) >= 0 && r.at(1) != 0):
			r.pos++
		case c == '[':
			r.pos++
			r.space(true)
			i := r.statements(']')
			v = r.index(v, i)
			continue
		case (c == '+' || c == '-') && r.at(1) == c:
			r.pos += 2
			continue
		default:
			return v
		}
		v = r.member(v, static)
	}
	return v
}

// member reads the name of a member, and the arguments of its call.
func (r *reader) member(v value, static bool) value {
	var name string
	switch c := r.peek(); {
	case c == '"':
		name = r.double().string()
	case c == '\'':
		name = r.single()
	case c == '$' || c == '(':
		name = r.primary().string()
	default:
		for isWord(r.peek()) || r.peek() == '`' && isWord(r.at(1)) {
			if r.peek() != '`' {
				name += string([]byte{r.peek()})
			}
			if r.pos++; len(name) > 256 {
				break
			}
		}
	}
	name = strings.ToLower(name)
	if r.peek() == '(' {
		r.pos++
		return r.invoke(v, name, r.list(), static, true)
	}
	if r.peek() == '{' && (name == "foreach" || name == "where") {
		in := r.in
		r.in = elements(v)
		b := r.primary()
		r.in = in
		if b.out != nil && name == "foreach" {
			return *b.out
		}
		return v
	}
	return r.property(v, name, static)
}

// list reads the arguments of a method. Commas part them, looser than any operator:
// f('a' + 'b', 'c') has two.
func (r *reader) list() []value {
	outer := r.flat
	defer func() { r.flat, r.depth = outer, r.depth-1 }()
	if !r.enter() {
		return nil
	}
	var out []value
	for {
		r.space(true)
		switch c := r.peek(); {
		case r.eof():
			return out
		case c == ')':
			r.pos++
			return out
		case c == ',' || c == ';' || c == '}' || c == '|' || c == '&':
			r.pos++
			continue
		}
		before := r.pos
		r.flat = true
		v, ok := r.statement()
		if ok && len(out) < maxList {
			out = append(out, v)
		}
		if r.pos == before {
			r.pos++
		}
	}
}

func (r *reader) property(v value, name string, static bool) value {
	switch v.kind {
	case hash:
		if x, ok := v.get(name); ok {
			return x
		}
		return of("$()", v.origins())
	case class:
		if static {
			if v.name == "environment" || v.name == "io.path" {
				return of("$()", 0)
			}
			return value{kind: object, name: v.name + "::" + name, open: true}
		}
		return value{kind: object, name: v.name + "." + name, open: true}
	case object:
		if name == "length" || name == "count" {
			return value{kind: num, text: "$()", open: true}
		}
		if name == "password" && v.name == "pscredential.getnetworkcredential" {
			return of("$()", effect.Secret)
		}
		if name == "password" && strings.HasSuffix(v.name, "net.networkcredential") {
			r.emit(word("net.networkcredential.password"))
			return of("$()", effect.Secret)
		}
		out := v
		out.name, out.prod, out.at = v.name+"."+name, nil, 0
		if strings.Contains(v.name, "http") && strings.HasPrefix(name, "response") {
			out.origin |= effect.Downloaded
		}
		return out
	}
	switch name {
	case "length", "count":
		if v.known() {
			return number(len(v.text))
		}
		if v.kind == list && !v.alts {
			return number(len(v.list))
		}
		return value{kind: num, text: "$()", open: true, origin: v.origins()}
	}
	v.prod, v.at = nil, 0
	return v // a part of it: the path of a file, the content of an answer
}

// index is v[i].
func (r *reader) index(v, i value) value {
	if v.kind == hash {
		if x, ok := v.get(i.string()); ok {
			return x
		}
		return of("$()", v.origins())
	}
	items := v.array()
	if v.known() && v.kind == text {
		if len(v.text) > 1<<12 || !r.spend(perElement*len(v.text)) {
			return of("$()", v.origins())
		}
		items = nil
		for _, c := range v.text {
			items = append(items, lit(string(c)))
		}
	} else if v.kind != list {
		return of(v.string(), v.origins())
	}
	var out []value
	for _, x := range i.array() {
		n, ok := x.int()
		if ok && n < 0 {
			n += len(items)
		}
		if !ok || n < 0 || n >= len(items) {
			out = append(out, of("$()", v.origins()|i.origins()))
			continue
		}
		out = append(out, items[n])
	}
	if len(out) == 1 && (i.kind != list) {
		return out[0]
	}
	return value{kind: list, list: out, origin: v.origin}
}

// cast is [type]value.
func (r *reader) cast(t, v value) value {
	v.prod, v.at = nil, max(0, 0)
	switch strings.TrimSuffix(t.name, "[]") {
	case "char":
		if v.kind == text && len(v.text) == 1 && v.known() && t.name == "char" && (v.text[0] < '0' || v.text[0] > '9') {
			return v
		}
		if t.name == "char[]" && v.kind == text {
			return r.chars(v)
		}
		if v.kind == list {
			v.alts = v.alts || t.name == "char"
			out := value{kind: list, alts: v.alts, origin: effect.Decoded}
			for _, x := range v.list {
				out.list = append(out.list, r.char(x))
			}
			return out
		}
		return r.char(v)
	case "string":
		if v.kind == list && v.origin.Has(effect.Decoded) {
			return r.join(v, " ")
		}
		return v
	case "int", "byte", "int32", "int64", "uint32", "long", "convert", "uint16", "int16":
		return v.each(func(v value) value {
			if n, ok := v.int(); ok {
				x := number(n)
				x.origin = v.origin
				return x
			}
			return v
		})
	case "scriptblock":
		r.code(v)
		return value{kind: block, origin: v.origin}
	case "wmiclass", "adsi", "wmi", "wmisearcher":
		return value{kind: object, name: t.name, args: []value{v}, open: true}
	case "type":
		if v.known() {
			return value{kind: class, name: className(v.text)}
		}
	case "void", "array", "object", "xml", "psobject", "pscustomobject", "io.fileinfo", "io.directoryinfo", "uri", "net.webrequest":
	}
	return v
}

func (r *reader) char(v value) value {
	n, ok := v.int()
	if !ok || n < 0 || n > 0x10ffff {
		return of("$char", v.origins()|effect.Decoded)
	}
	return value{kind: text, text: string(rune(n)), origin: effect.Decoded}
}

func (r *reader) chars(v value) value {
	out := value{kind: list, origin: v.origin}
	if !v.known() || len(v.text) > maxList || !r.spend(perElement*len(v.text)) {
		return of("$()", v.origins())
	}
	for _, c := range v.text {
		out.list = append(out.list, value{kind: text, text: string(c), origin: v.origin})
	}
	return out
}

// code notes a text that is run: as Invoke-Expression would.
func (r *reader) code(v value) {
	w := v.word()
	if len(v.prod) > 0 && v.isOpen() {
		p := append(Pipeline{}, v.prod[max(0, len(v.prod)-maxMerged):]...)
		*r.sink = append(*r.sink, append(p, Command{Words: []effect.Value{word("invoke-expression")}}))
		r.count += len(p)
		if w.Origin&(effect.Downloaded|effect.Decoded) == 0 {
			return
		}
	}
	r.emit(word("invoke-expression"), w)
}

// harmless are classes whose calls have no effects.
func harmless(name string) bool {
	for _, p := range []string{"math", "string", "char", "convert", "text.", "datetime", "timespan", "guid", "regex", "text.regularexpressions", "array", "int", "bool", "bitconverter", "io.path", "environment", "globalization.", "collections.", "version", "uri", "xml", "double", "decimal", "byte", "long", "pscustomobject", "psobject", "linq."} {
		if name == p || strings.HasPrefix(name, p) && (strings.HasSuffix(p, ".") || strings.HasPrefix(name[len(p):], "::") || strings.HasPrefix(name[len(p):], "32") || strings.HasPrefix(name[len(p):], "[")) {
			return true
		}
	}
	return false
}

// invoke follows the call of a method.
func (r *reader) invoke(v value, name string, args []value, static, called bool) value {
	arg := func(i int) value {
		if i < len(args) {
			return args[i]
		}
		return value{kind: text}
	}
	o := v.origins()
	for _, a := range args {
		o |= a.origins()
	}
	if v.kind == class || v.kind == object {
		if out, ok := r.framework(v, name, args, o); ok {
			return out
		}
	} else if out, ok := r.method(v, name, args, arg); ok {
		return out
	}
	full := "object." + name
	switch v.kind {
	case class:
		full = v.name + "::" + name
		if !static {
			full = v.name + "." + name
		}
	case object:
		full = v.name + "." + name
	}
	out := value{kind: object, name: full, origin: o, open: true, args: append(append([]value{}, v.args[:min(len(v.args), 16)]...), args[:min(len(args), 16)]...)}
	if len(out.args) > 32 || len(full) > 256 {
		out.args, out.name = out.args[:min(32, len(out.args))], full[:min(256, len(full))]
	}
	switch name {
	case "downloadstring", "downloaddata", "openread", "getstringasync", "getasync", "getbytearrayasync", "getstreamasync", "getresponse", "getresponsestream", "downloadstringtaskasync", "downloaddatataskasync", "gethostaddresses", "gethostentry", "receive", "getresponseasync":
		out.origin |= effect.Downloaded
	case "decompress", "transformfinalblock", "ptrtostringauto", "ptrtostringbstr", "ptrtostringuni", "createdecryptor", "unprotect":
		out.origin |= effect.Decoded
	}
	if v.kind != class && v.kind != object && v.kind != unknown {
		switch name {
		case "delete", "moveto", "copyto", "kill", "stop", "terminate", "encrypt", "setvalue": // of a file, a process, a service
		default:
			return out
		}
	}
	if harmless(strings.ToLower(v.name)) && v.kind != unknown {
		return out
	}
	var words []effect.Value
	if v.kind == unknown && v.text != "" || v.kind == text || v.kind == list {
		words = v.words(words, 0)
	}
	words = append(append(append([]effect.Value{word(full)}, words...), value{args: v.args}.words2(nil)...), value{args: args}.words2(nil)...)
	r.emit(words...)
	r.starts(full, name, v, args)
	return out
}

// starts notes the programs that a call of .NET or COM starts.
func (r *reader) starts(full, name string, v value, args []value) {
	if len(args) == 0 {
		return
	}
	var words []effect.Value
	switch {
	case strings.HasSuffix(full, "diagnostics.process::start"), name == "shellexecute", name == "executeshellcommand":
		words = append(words, args[0].word())
		words[0].Text = slashes(words[0].Text)
		for _, a := range args[1:min(2, len(args))] {
			words = append(words, argv(a)...)
		}
	case (name == "run" || name == "exec") && strings.Contains(full, "wscript.shell"), name == "create" && strings.Contains(full, "wmi"):
		words = argv(args[0])
	default:
		return
	}
	if len(words) > 0 && words[0].Text != "" {
		r.emit(words...)
	}
}

// method folds methods of texts and lists.
func (r *reader) method(v value, name string, args []value, arg func(int) value) (value, bool) {
	if v.kind == block {
		if v.out != nil {
			return *v.out, true
		}
		return of("$()", v.origin), true
	}
	switch name {
	case "tochararray", "getenumerator":
		if v.kind == text {
			return r.chars(v), true
		}
	case "tostring", "trim", "trimend", "trimstart", "normalize", "clone", "toarray", "getawaiter", "getresult", "totitlecase":
		if v.scalar() && strings.HasPrefix(name, "trim") {
			cut := " \t\r\n"
			if len(args) > 0 {
				cut = arg(0).string()
			}
			return r.derive(v, func(s string) (string, bool) { return strings.Trim(s, cut), true }), true
		}
		v.prod, v.at = nil, 0
		return v, true
	case "tolower", "tolowerinvariant":
		return r.derive(v, func(s string) (string, bool) { return strings.ToLower(s), true }), true
	case "toupper", "toupperinvariant":
		return r.derive(v, func(s string) (string, bool) { return strings.ToUpper(s), true }), true
	case "replace":
		if v.kind == text || v.kind == list {
			return r.replace(v, arg(0).string(), arg(1).string(), false), true
		}
	case "insert":
		if n, ok := arg(0).int(); ok && v.kind == text {
			with := arg(1).string()
			return r.derive(v, func(s string) (string, bool) {
				if n < 0 || n > len(s) {
					return "", false
				}
				return s[:n] + with + s[n:], true
			}), true
		}
	case "substring", "remove":
		n, ok := arg(0).int()
		m, ok2 := arg(1).int()
		if v.kind == text && ok && (ok2 || len(args) == 1) {
			return r.derive(v, func(s string) (string, bool) {
				end := len(s)
				if ok2 {
					end = n + m
				}
				if n < 0 || end < n || end > len(s) {
					return "", false
				}
				if name == "remove" {
					return s[:n] + s[end:], true
				}
				return s[n:end], true
			}), true
		}
	case "split":
		if v.scalar() {
			set := "[" + arg(0).string() + "]"
			if arg(0).string() == "" {
				set = `\s`
			}
			return r.split(v, lit(set)), true
		}
	case "padleft", "padright", "startswith", "endswith", "contains", "indexof", "equals", "gettype", "gethashcode", "lastindexof", "compareto", "add", "containskey", "where", "tobytearray":
		return of("$()", v.origins()), true
	case "invoke":
		if v.kind == text {
			return of("$()", v.origins()), true
		}
	}
	return value{}, false
}

// named is a variable by its full name.
func (r *reader) named(name string) value {
	pos, src := r.pos, r.src
	r.src, r.pos = name, 0
	v := r.variable()
	r.src, r.pos = src, pos
	return v
}

func flatten(args []value) []value {
	var out []value
	for _, a := range args {
		out = append(out, a.array()...)
	}
	return out
}

// newObject is New-Object.
func (r *reader) newObject(c *call, name value, pos []value) value {
	var args []value
	if v, ok := c.param("-argumentlist"); ok {
		args = v.array()
	} else if _, named := c.param("-typename", "-comobject"); named {
		args = flatten(pos)
	} else if len(pos) > 1 {
		args = flatten(pos[1:])
	}
	if !name.known() {
		return of("$()", name.origins())
	}
	o := effect.Origin(0)
	for _, a := range args {
		o |= a.origins()
	}
	return r.construct(className(name.text), args, o)
}

// construct is an object of a class. Streams hold what is read from them.
func (r *reader) construct(name string, args []value, o effect.Origin) value {
	v := value{kind: object, name: name, args: args, origin: o, open: true}
	if len(args) == 0 {
		return v
	}
	source := args[0].out
	switch {
	case strings.HasSuffix(name, "memorystream"):
		if x := args[0]; x.scalar() {
			v.out = &x
		} else if x.kind == list && len(args) > 1 {
			s := r.join(value{kind: list, list: args}, "")
			v.out = &s
		}
	case strings.Contains(name, "deflatestream"), strings.Contains(name, "gzipstream"):
		v.origin |= effect.Decoded
		if source != nil {
			x := r.derive(*source, inflate)
			x.origin |= effect.Decoded
			v.out = &x
		}
	case strings.Contains(name, "cryptostream"):
		v.origin |= effect.Decoded
	case strings.HasSuffix(name, "streamreader"):
		v.out = source
		if args[0].scalar() {
			v.origin |= effect.Local
		}
	case name == "string":
		return r.join(value{kind: list, list: flatten(args)}, "")
	case name == "io.fileinfo", name == "io.directoryinfo":
		return v
	}
	return v
}
