package script

import (
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// canonical is the one name of a function that has several.
func (s *session) canonical(n string) string {
	for _, p := range []string{"builtins.", "__builtins__.", "__builtin__.", "globalThis.", "global.", "window.", "Kernel.", "Object.", "CORE.GLOBAL.", "CORE.", "::", "std."} {
		if rest, ok := strings.CutPrefix(n, p); ok && rest != "" {
			n = rest
		}
	}
	switch s.lang {
	case "python":
		n = strings.TrimPrefix(strings.ReplaceAll(n, ".__dict__", ""), "__dict__.")
		for _, a := range [][2]string{{"posix.", "os."}, {"nt.", "os."}, {"os.path.os.", "os."}, {"shutil.os.", "os."}, {"subprocess.os.", "os."}, {"six.moves.", ""}, {"urllib2.", "urllib.request."}, {"subprocess.sys.modules.", ""}, {"sys.modules.", ""}, {"commands.", "subprocess."}} {
			if rest, ok := strings.CutPrefix(n, a[0]); ok {
				n = a[1] + rest
			}
		}
		n = strings.TrimSuffix(n, ".__call__")
		n = strings.ReplaceAll(n, ".__dict__", "")
		if i := strings.Index(n, "__builtins__."); i >= 0 {
			n = n[i+len("__builtins__."):]
		}
		if i := strings.Index(n, ".__globals__."); i >= 0 {
			n = n[i+len(".__globals__."):]
		}
	case "node":
		n = strings.TrimPrefix(n, "process.mainModule.")
		n = strings.TrimPrefix(n, "module.")
		n = strings.TrimPrefix(n, "require.main.")
		n = strings.ReplaceAll(n, "fs.promises.", "fs.")
		n = strings.ReplaceAll(n, ".default.", ".")
		n = strings.TrimPrefix(n, "fs-extra.")
		if strings.HasSuffix(n, "constructor.constructor") || n == "constructor.constructor" {
			n = "Function"
		}
	case "ruby", "perl":
		n = strings.TrimSuffix(n, ".new")
	case "java":
		n = strings.TrimPrefix(n, "java.lang.")
	}
	return n
}

// module is the name of a module as it stands in an import.
func module(n string) string {
	n = strings.TrimPrefix(n, "node:")
	n = strings.TrimSuffix(n, "/promises")
	n = strings.ReplaceAll(n, "::", ".")
	switch n {
	case "fs-extra", "graceful-fs", "node-fs":
		return "fs"
	case "os/exec":
		return "exec"
	}
	return n
}

// call is what a call of fn gives; it is noted.
func (s *session) call(fn *value, args []*value, kw []pair2) *value {
	if len(fn.alts) > 0 && len(fn.alts) <= maxAlts && fn.kind == name {
		var out []*value
		for _, f := range fn.alts {
			out = append(out, s.call(f, args, kw))
		}
		return either(out...)
	}
	if fn.owner != nil && fn.owner.kind != name && fn.name != "(function)" {
		if v, done := s.method(fn, args, kw); done {
			return v
		}
	}
	switch fn.kind {
	case name, object:
	case text:
		if fn.name != "" && fn.owner != nil {
			break
		}
		if s.lang == "php" && fn.known() { // 'system'('x')
			return s.call(named(fn.text), args, kw)
		}
		fallthrough
	default:
		if fn.ref != "" {
			if f := s.funcs[fn.ref]; f != nil {
				return s.own(f, args)
			}
		}
		out := &value{}
		for _, a := range args {
			out.mark(a)
		}
		return out
	}
	if fn.name == "(function)" { // (() => x)()
		if fn.owner != nil {
			return fn.owner
		}
		return &value{}
	}
	full := s.canonical(fn.name)
	if f := s.funcs[fn.name]; f != nil && fn.owner == nil {
		if s.lang != "python" || full == fn.name {
			return s.own(f, args)
		}
	}
	if i := strings.LastIndexByte(full, '.'); i > 0 {
		if f := s.funcs[full[i+1:]]; f != nil && (strings.HasPrefix(full, "this.") || strings.HasPrefix(full, "self.")) {
			if strings.HasPrefix(full, "self.") {
				args = append([]*value{{ref: "self"}}, args...)
			}
			return s.own(f, args)
		}
		// f.call(this, x), f.apply(this, [x]), f.bind(this, x)
		if base := full[:i]; s.lang == "node" && len(args) > 0 {
			switch full[i+1:] {
			case "call":
				return s.call(&value{kind: name, name: base}, args[1:], kw)
			case "apply":
				var flat []*value
				for _, a := range args[1:] {
					flat = append(flat, a.list...)
				}
				return s.call(&value{kind: name, name: base}, flat, kw)
			case "bind":
				return &value{kind: name, name: base, recv: args[1:]}
			}
		}
	}
	if v, done := s.special(full, args, kw); done {
		return v
	}
	all := append(append(make([]*value, 0, len(fn.recv)+len(args)), fn.recv...), args...)
	if len(s.stars) > 0 && !strings.Contains(full, ".") && !everyday(full) {
		for _, m := range s.stars {
			s.emit(m+"."+full, all, kw)
		}
		full = s.stars[len(s.stars)-1] + "." + full
	} else {
		s.emit(full, all, kw)
	}
	s.handed(fn, args, kw)
	if out := s.result(full, all, kw); out != nil {
		return out
	}
	out := &value{kind: object, name: full, open: true, recv: args}
	switch {
	case len(args) == 0:
		out.recv = fn.recv
	case s.lang == "rust" && (strings.HasSuffix(full, ".arg") || strings.HasSuffix(full, ".args")): // a command grows word by word
		out.recv = all
	}
	if len(out.recv) > 32 {
		out.recv = out.recv[:32]
	}
	out.mark(fn)
	for _, a := range args {
		if a.kind != name {
			out.mark(a)
		}
	}
	if len(out.content) == 0 {
		for _, a := range args {
			out.content = a.gather(out.content)
		}
	}
	return out
}

// everyday reports whether a bare name is one of Python's own functions.
func everyday(n string) bool {
	switch n {
	case "print", "open", "len", "range", "str", "int", "list", "dict", "set", "tuple", "exec", "eval", "compile", "sorted", "enumerate", "zip", "map", "filter", "input", "isinstance", "repr", "bytes", "chr", "ord", "sum", "min", "max", "any", "all", "type", "getattr", "setattr", "super", "next", "iter", "exit", "quit", "__import__", "globals", "vars":
		return true
	}
	return false
}

// own is a call of one of the script's own functions.
func (s *session) own(f *function, args []*value) *value {
	for i, a := range args {
		if i >= 16 {
			break
		}
		if i < len(f.args) {
			if !s.second {
				f.args[i] = either(f.args[i], a)
			}
		} else {
			f.args = append(f.args, a)
		}
	}
	if !s.second && len(args) > 0 || f.result == nil {
		s.again = true
	}
	if f.result != nil {
		return f.result
	}
	return &value{}
}

// handed notes functions that are handed over to be called: map(os.system, x),
// Thread(target=os.system, args=(x,)), promise.then(eval).
func (s *session) handed(callee *value, args []*value, kw []pair2) {
	var fn *value
	var rest []*value
	for i, a := range args {
		if a.kind == name && a.owner == nil && callable(a.name) {
			fn, rest = a, args[i+1:]
			break
		}
	}
	for _, k := range kw {
		switch k.name {
		case "target", "func", "function":
			if k.value.kind == name && callable(k.value.name) {
				fn = k.value
			}
		case "args":
			rest = append(rest, k.value)
		}
	}
	if fn != nil {
		if o := callee.owner; len(rest) == 0 && o != nil && o.kind == object {
			rest = []*value{o}
		}
		var flat []*value
		for _, r := range rest {
			flat = r.flat(flat, 0)
		}
		s.emit(s.canonical(fn.name), append(append([]*value{}, fn.recv...), flat...), nil)
	}
}

// callable reports whether a name that is handed over is likely a function that
// matters: one of a module, or one that runs code.
func callable(n string) bool {
	switch n {
	case "exec", "eval", "execSync", "system", "Function", "unlink":
		return true
	}
	i := strings.LastIndexByte(n, '.')
	return i > 0 && i+1 < len(n) && n[i+1] >= 'a' && n[i+1] <= 'z' && !strings.HasPrefix(n, "sys.std") && !strings.HasPrefix(n, "process.std") && !strings.HasPrefix(n, "subprocess.")
}

// member is v.key.
func (s *session) member(v *value, key string) *value {
	if len(v.alts) > 0 {
		return v.each(func(v *value) *value { return s.member(v, key) })
	}
	switch v.kind {
	case dict:
		for i, k := range v.keys {
			if k == key {
				return v.list[i]
			}
		}
		return &value{kind: name, name: key, owner: v}
	case text:
		if v.name != "" && v.name != "regexp" {
			if out := s.pathMember(v, key); out != nil {
				return out
			}
			return &value{kind: name, name: v.name + "." + key, owner: v, recv: []*value{{kind: text, text: v.text, open: v.open, origin: v.origin, content: v.content}}}
		}
		return &value{kind: name, name: key, owner: v}
	case list, num:
		return &value{kind: name, name: key, owner: v}
	case name:
		out := named(v.name + "." + key)
		if len(out.name) > 160 {
			out.name = v.name[:40] + "." + key
		}
		if v.owner != nil && v.kind == name && v.name != "(function)" {
			out.owner, out.recv = v.owner, v.recv
		}
		if isEnviron(v.name) && (v.name == "process.env" || v.name == "Deno.env" || v.name == "Bun.env" || v.name == "import.meta.env") && key != "get" && key != "toObject" {
			return s.variable(key)
		}
		s.environ(out)
		if t := constant(out.name); t != "" {
			return lit(t)
		}
		return out
	}
	out := &value{kind: object, name: v.label() + "." + key, open: true, owner: v, recv: v.recv}
	if len(out.name) > 160 {
		out.name = v.label()[:min(40, len(v.label()))] + "." + key
	}
	out.mark(v)
	return out
}

// SitePackages stands for the folder of Python's modules, whose files Python loads.
const SitePackages = "/usr/lib/python3/site-packages"

// constant is what a well known name stands for.
func constant(n string) string {
	switch n {
	case "os.sep", "path.sep", "posixpath.sep", "File.SEPARATOR":
		return "/"
	case "os.linesep", "os.EOL":
		return "\n"
	case "os.curdir":
		return "."
	case "os.pardir":
		return ".."
	case "string.ascii_lowercase":
		return "abcdefghijklmnopqrstuvwxyz"
	case "string.digits":
		return "0123456789"
	case "site.USER_SITE":
		return SitePackages
	case "os.devnull", "subprocess.DEVNULL", "File.NULL":
		return "/dev/null"
	}
	return ""
}

// isEnviron reports whether a name is the table of all environment variables.
func isEnviron(n string) bool {
	switch n {
	case "os.environ", "os.environb", "environ", "process.env", "ENV", "_ENV", "Deno.env", "Bun.env", "import.meta.env":
		return true
	}
	return false
}

// environ marks the environment as a whole: it holds secrets.
func (s *session) environ(v *value) {
	if isEnviron(v.name) && (v.name != "environ" || s.lang == "python" && v.ref != "environ") && (v.name != "ENV" || s.lang == "ruby" || s.lang == "perl") {
		v.origin |= effect.Secret
		v.content = []effect.Value{{Text: "$environ", Open: true, Origin: effect.Secret}}
	}
}

// variable is an environment variable.
func (s *session) variable(n string) *value {
	switch strings.ToUpper(n) {
	case "HOME", "USERPROFILE":
		return lit("~")
	case "PWD":
		return lit(".")
	case "TMPDIR":
		return lit("/tmp")
	}
	v := &value{kind: text, text: variable(n), open: true}
	u := strings.ToUpper(n)
	for _, part := range []string{"TOKEN", "SECRET", "PASSW", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL", "_PAT", "AUTH"} {
		if strings.Contains(u, part) && !strings.Contains(u, "SSH_AUTH_SOCK") {
			v.origin = effect.Secret
			v.content = []effect.Value{{Text: v.text, Open: true, Origin: effect.Secret}}
			break
		}
	}
	return v
}

// index reads v[…] and v{…}.
func (s *session) index(v *value, t token) *value {
	open := s.i
	stop := t.match
	s.i++
	var parts []*value
	colons := 0
	var step string
	for s.i < stop {
		if s.accept(":") {
			colons++
			continue
		}
		at := s.i
		if s.lang == "perl" && t.text == "{" && s.peek().sort == ident && s.peek().sigil == 0 && s.i+1 == stop {
			parts = append(parts, lit(s.peek().text))
			s.i++
			continue
		}
		x := s.expr(0)
		if colons == 2 {
			step = x.string()
		}
		parts = append(parts, x)
		if s.i == at || s.is(",") {
			s.i++
		}
	}
	if stop > open {
		s.i = max(s.i, stop+1)
	}
	if colons == 2 && step == "-1" {
		return s.reverse(v)
	}
	if colons > 0 {
		return s.slice(v, parts, colons)
	}
	if len(parts) == 0 {
		return v
	}
	if s.lang == "ruby" && v.kind == name && v.name == "Dir" { // Dir["*.log"]
		return s.call(named("Dir.glob"), parts, nil)
	}
	k := parts[0]
	return v.each(func(v *value) *value { return s.at(v, k) })
}

// at is v[k].
func (s *session) at(v, k *value) *value {
	if len(k.alts) > 0 {
		return k.each(func(k *value) *value { return s.at(v, k) })
	}
	switch {
	case v.kind == name || v.kind == object && v.origin == 0:
		if v.name == "Dir" && s.lang == "ruby" {
			return s.call(named("Dir.glob"), []*value{k}, nil)
		}
		if isEnviron(v.name) {
			if k.known() {
				return s.variable(k.text)
			}
			return &value{ref: "environ"}
		}
		switch v.name {
		case "globals", "locals", "vars", "sys.modules", "this", "globalThis", "global", "window", "_G", "__builtins__", "builtins", "$GLOBALS", "GLOBALS":
			if k.known() {
				if x := s.vars[k.text]; x != nil {
					return x
				}
				return s.modules(k.text)
			}
		}
		if k.known() && k.kind == text && (v.kind == name || v.owner != nil) {
			if strings.HasSuffix(v.name, ".argv") {
				break
			}
			return s.member(v, k.text)
		}
		if !k.known() && v.kind == name && dangerous(v.name) {
			return named("<unresolved>")
		}
	case v.kind == dict:
		for i, key := range v.keys {
			if k.known() && key == k.text {
				return v.list[i]
			}
		}
		return &value{ref: v.ref}
	case v.kind == list:
		if n, ok := k.int(); ok {
			if n < 0 {
				n += len(v.list)
			}
			if s.lang == "lua" || s.lang == "r" {
				n--
			}
			if n >= 0 && n < len(v.list) {
				return v.list[n]
			}
		}
		if !v.lit || len(v.list) > maxAlts || len(v.list) == 0 {
			break
		}
		if k.known() && k.kind == text { // [].constructor
			return s.member(v, k.text)
		}
		return either(v.list...)
	case v.kind == text:
		if n, ok := k.int(); ok && v.known() {
			if n < 0 {
				n += len(v.text)
			}
			if n >= 0 && n < len(v.text) {
				return lit(v.text[n : n+1])
			}
		}
		if k.known() && k.kind == text {
			return s.member(v, k.text)
		}
	}
	out := &value{kind: object, name: v.label(), open: true}
	out.mark(v)
	return out
}

// modules is a module that is named by a text.
func (s *session) modules(n string) *value {
	return named(module(n))
}

// dangerous reports whether an unknown function of this module may be a harmful one.
func dangerous(n string) bool {
	switch n {
	case "os", "subprocess", "shutil", "builtins", "__builtins__", "child_process", "fs", "posix", "ctypes":
		return true
	}
	return false
}

// int is the number that v is.
func (v *value) int() (int, bool) {
	if !v.known() {
		return 0, false
	}
	n, err := strconv.ParseInt(v.text, 0, 32)
	return int(n), err == nil
}

// decimal is a number as it is usually written.
func decimal(t string) string {
	t = strings.ReplaceAll(t, "_", "")
	t = strings.TrimRight(t, "nLlu")
	if n, err := strconv.ParseInt(t, 0, 64); err == nil && len(t) > 1 && t[0] == '0' {
		return strconv.FormatInt(n, 10)
	}
	return t
}

func (s *session) arith(o string, a, b *value) *value {
	return s.zip(a, b, func(a, b *value) *value {
		x, ok := a.int()
		y, ok2 := b.int()
		out := &value{kind: num, open: true, text: "$n"}
		if !ok || !ok2 {
			return out
		}
		var n int
		switch o {
		case "+":
			n = x + y
		case "-":
			n = x - y
		case "*":
			n = x * y
		case "^":
			n = x ^ y
		case "|":
			n = x | y
		case "&":
			n = x & y
		case "%":
			if y == 0 {
				return out
			}
			n = ((x % y) + y) % y
		case ">>", "<<":
			if y < 0 || y > 30 {
				return out
			}
			n = x >> y
			if o == "<<" {
				n = x << y
			}
		default:
			return out
		}
		return &value{kind: num, text: strconv.Itoa(n)}
	})
}
