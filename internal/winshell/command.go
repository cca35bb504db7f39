package winshell

import (
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// call is a command while it is read.
type call struct {
	Command
	name string // in lower case, without aliases
	args []argument
	in   *value // what is piped into it
}

// argument is one argument of a command: a parameter, or the value that follows it.
type argument struct {
	flag  string
	value value // of a parameter: what is joined to it by a colon
	alone bool  // it is a parameter
}

// emit notes a command of its own.
func (r *reader) emit(words ...effect.Value) {
	if r.count++; r.count > maxCommands {
		r.incomplete = true
		r.pos = len(r.src)
		return
	}
	*r.sink = append(*r.sink, Pipeline{{Words: words}})
}

// command follows one command with its words. Its value is what it prints. in is
// what is piped into it.
func (r *reader) command(in *value) (Command, value) {
	c := call{in: in}
	outer, around := r.sink, r.in
	r.sink = &c.Inner
	defer func() { r.sink, r.in = outer, around }()
	name := r.commandName()
	if name.kind == block { // & { … }
		r.arguments(&c)
		v := value{origin: name.origin}
		if name.out != nil {
			v = *name.out
		}
		return c.Command, v
	}
	first := name.word()
	if name.known() {
		first.Open = false
	}
	if !first.Open {
		c.name = strings.ToLower(first.Text)
		if i := strings.LastIndexByte(c.name, '\\'); i > 0 && !strings.ContainsAny(c.name[:i], `:\/`) && strings.Contains(c.name[:i], ".") {
			c.name = c.name[i+1:] // Microsoft.PowerShell.Management\Remove-Item
		}
		if to, ok := r.aliases[c.name]; ok {
			c.name = to
		}
	}
	full := alias(c.name)
	if in != nil && (full == "foreach-object" || full == "where-object") {
		r.in = elements(*in)
		if r.in.kind == unknown && r.in.text == "" || r.in.kind == text && r.in.text == "$()" {
			r.in = of("$_", r.in.origins())
		}
	}
	r.arguments(&c)
	c.split(first)
	if first.Text == "" {
		return c.Command, value{}
	}
	words := make([]string, 0, len(c.Words))
	for _, w := range c.Words[1:] {
		words = append(words, w.Text)
	}
	if full != c.name && !native(c.name, words) && !ofCmd(c.name, words) {
		c.name = full
	}
	switch {
	case first.Open:
		first.Text = slashes(first.Text)
		c.name = ""
	case strings.ContainsAny(c.name, `/\:`):
		first.Text = slashes(first.Text)
		c.name = strings.TrimSuffix(path.Base(strings.ToLower(first.Text)), ".exe")
	case strings.Contains(c.name, "-") || c.name != strings.ToLower(first.Text):
		first.Text = c.name
	}
	c.Words[0] = first
	if strings.HasSuffix(c.name, ".ps1") {
		c.Words = append([]effect.Value{word("powershell"), word("-File")}, c.Words...)
	}
	out := r.bind(&c)
	return c.Command, out
}

// split makes the words of a command from its arguments. A parameter with a list
// of values is said once for each of them.
func (c *call) split(first effect.Value) {
	c.Words = append(c.Words, first)
	for i, a := range c.args {
		if len(c.Words) > 4096 {
			return
		}
		switch {
		case a.alone:
			if i+1 < len(c.args) && !c.args[i+1].alone && c.args[i+1].value.kind == list && len(c.args[i+1].value.list) > 0 {
				continue // said with each value
			}
			w := effect.Value{Text: a.flag}
			if strings.HasSuffix(a.flag, ":") {
				v := a.value.word()
				w = effect.Value{Text: a.flag + slashes(v.Text), Open: v.Open, Origin: v.Origin}
			}
			c.Words = append(c.Words, w)
		case a.value.kind == block:
			// its commands are the inner ones
		case a.value.kind == list && a.flag != "":
			for _, v := range a.value.words(nil, 0) {
				c.Words = append(c.Words, word(a.flag), v)
			}
		default:
			c.Words = a.value.words(c.Words, 0)
		}
	}
}

// commandName reads what stands in the place of a command's name.
func (r *reader) commandName() value {
	c := r.peek()
	if c == '&' || c == '.' && (r.at(1) == ' ' || r.at(1) == '\t' || r.at(1) != 0 && strings.IndexByte(`$("'{`, r.at(1)) >= 0) {
		r.pos++
		r.space(false)
		c = r.peek()
	}
	switch {
	case c == '$' || c == '(' || c == '{' || c == '"' || c == '\'' || c == '[' || c == '@' && (r.at(1) == '"' || r.at(1) == '\''):
		v := value{}
		if c == '[' {
			v = r.unary()
		} else {
			v = r.postfix(r.primary())
		}
		if !r.eof() && !delimiter(r.peek()) { // $dir\tool.exe
			v = r.concat(v, r.bare())
		}
		if v.kind == list && len(v.list) > 0 {
			v = v.list[0]
		}
		return v
	case c == '%' || c == '?':
		r.pos++
		return lit(string([]byte{c}))
	}
	return r.bare()
}

// delimiter reports whether a word ends before c.
func delimiter(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ';', '|', '&', '(', ')', '{', '}', ',', '>', '<', '\f', '\v', 0:
		return true
	}
	return false
}

// bare reads a word without quotes around it.
func (r *reader) bare() value {
	out := value{kind: text}
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = r.concat(out, lit(b.String()))
			b.Reset()
		}
	}
	for !r.eof() && !delimiter(r.peek()) {
		switch c := r.peek(); {
		case c == '`' && r.pos+1 < len(r.src):
			r.pos++
			d := r.peek()
			if d == '\n' || d == '\r' {
				r.pos--
				flush()
				return out
			}
			b.WriteByte(d) // in a name it is nothing but noise
			r.pos++
		case c == '"':
			flush()
			out = r.concat(out, r.double())
		case c == '\'':
			b.WriteString(r.single())
		case c == '$' && (isWord(r.at(1)) || r.at(1) == '(' || r.at(1) == '{'):
			flush()
			out = r.concat(out, r.primary())
		default:
			b.WriteByte(c)
			r.pos++
		}
	}
	flush()
	return out
}

// parameter reads -name, -name:value, or another word with a dash: -Dx=y.
func (r *reader) parameter() argument {
	start := r.pos
	r.pos++
	for !r.eof() && (isWord(r.peek()) || r.peek() == '-' || r.peek() == '?' || r.peek() == '`' && isWord(r.at(1))) {
		r.pos++
	}
	name := strings.ReplaceAll(r.src[start:r.pos], "`", "")
	if r.peek() == ':' && !strings.HasPrefix(name, "--") {
		r.pos++
		name += ":"
		if delimiter(r.peek()) && r.peek() != '(' && r.peek() != '{' {
			return argument{flag: strings.TrimSuffix(name, ":"), alone: true}
		}
		return argument{flag: name, value: r.argument(), alone: true}
	}
	if !r.eof() && !delimiter(r.peek()) {
		return argument{value: r.concat(lit(name), r.bare())}
	}
	return argument{flag: name, alone: true}
}

// argument reads one argument.
func (r *reader) argument() value {
	var v value
	switch c := r.peek(); {
	case c == '(' || c == '{' || c == '@' && r.at(1) != 0 && strings.IndexByte(`({"'`, r.at(1)) >= 0:
		return r.postfix(r.primary())
	case c == '"' || c == '\'':
		v = r.postfix(r.primary())
	case c == '$' && (isWord(r.at(1)) || r.at(1) == '(' || r.at(1) == '{' || r.at(1) == '$' || r.at(1) == '?'):
		v = r.postfix(r.primary())
	case c == '@' && isLetter(r.at(1)):
		r.pos++
		v = r.variable()
		v.name = "splat"
		return v
	default:
		return r.bare()
	}
	if !r.eof() && !delimiter(r.peek()) {
		v = r.concat(v, r.bare())
	}
	return v
}

// arguments reads the arguments of a command, and its redirections.
func (r *reader) arguments(c *call) {
	last := ""
	for len(c.args) < maxList {
		r.space(false)
		before := r.pos
		switch ch := r.peek(); {
		case r.eof() || ch == '\n' || ch == ';' || ch == '|' || ch == ')' || ch == '}' || ch == '\r' || ch == '&':
			return
		case r.has("--%"):
			r.verbatim(c)
			return
		case ch == '>' || (ch >= '1' && ch <= '6' || ch == '*') && r.at(1) == '>':
			r.redirect(c)
			continue
		case ch == '<' || ch == ',':
			r.pos++
			continue
		case ch == '-' && (isLetter(r.at(1)) || r.at(1) == '-' || r.at(1) == '?' || r.at(1) == '`'):
			a := r.parameter()
			last = ""
			if a.alone && !strings.HasSuffix(a.flag, ":") {
				last = a.flag
			}
			c.args = append(c.args, a)
			continue
		}
		v := r.argument()
		if v.name == "splat" {
			splat(c, v)
			continue
		}
		for {
			save := r.pos
			r.space(false)
			if r.peek() != ',' {
				r.pos = save
				break
			}
			r.pos++
			r.space(true)
			if v.kind != list || v.at != -1 {
				v = value{kind: list, list: []value{v}, at: -1}
			}
			if delimiter(r.peek()) && r.peek() != '(' && r.peek() != '{' {
				break
			}
			if x := r.argument(); len(v.list) < maxList {
				v.list = append(v.list, x)
			}
		}
		c.args = append(c.args, argument{flag: last, value: v})
		last = ""
		if r.pos == before {
			r.pos++
		}
	}
	r.incomplete = true
	r.pos = len(r.src)
}

// verbatim reads what stands behind --%: the words as another program has them.
func (r *reader) verbatim(c *call) {
	r.pos += 3
	end := strings.IndexAny(r.src[r.pos:], "\n|")
	if end < 0 {
		end = len(r.src) - r.pos
	}
	for _, w := range argv(lit(r.src[r.pos : r.pos+end])) {
		c.args = append(c.args, argument{value: lit(w.Text)})
	}
	r.pos += end
}

// splat adds the fields of a hash, or the elements of a list, as arguments.
func splat(c *call, v value) {
	switch v.kind {
	case hash:
		for i, k := range v.keys {
			x := v.list[i]
			if t := x.string(); x.scalar() && (t == "true" || t == "false") {
				if t == "true" {
					c.args = append(c.args, argument{flag: "-" + k, alone: true})
				}
				continue
			}
			c.args = append(c.args, argument{flag: "-" + k, alone: true}, argument{flag: "-" + k, value: x})
		}
	case list:
		for _, x := range v.list {
			if len(c.args) > maxList {
				return
			}
			c.args = append(c.args, argument{value: x})
		}
	default:
		v.name = ""
		c.args = append(c.args, argument{value: v})
	}
}

// redirect reads >, >>, 2>, *> with a file, or 2>&1.
func (r *reader) redirect(c *call) {
	for r.peek() != '>' {
		r.pos++
	}
	r.pos++
	r.take(">")
	if r.take("&") {
		for r.peek() >= '0' && r.peek() <= '9' {
			r.pos++
		}
		return
	}
	r.space(false)
	v := r.argument()
	w := v.word()
	w.Text = slashes(w.Text)
	if w.Text != "" && !strings.EqualFold(w.Text, "nul") {
		c.Writes = append(c.Writes, w)
	}
}

// param gives the value of a parameter, by its name or the begin of it.
func (c *call) param(names ...string) (value, bool) {
	for _, a := range c.args {
		f := strings.ToLower(strings.TrimSuffix(a.flag, ":"))
		if len(f) < 2 || a.alone && !strings.HasSuffix(a.flag, ":") {
			continue
		}
		for _, n := range names {
			if strings.HasPrefix(n, f) && !(isSwitch(f) && f != n) {
				return a.value, true
			}
		}
	}
	return value{}, false
}

// has reports whether a switch is there, with as many letters of it at least.
func (c *call) has(name string, least int) bool {
	return slices.ContainsFunc(c.args, func(a argument) bool {
		f := strings.ToLower(strings.TrimSuffix(a.flag, ":"))
		return a.alone && len(f) >= least && strings.HasPrefix(name, f)
	})
}

// positional are the values that belong to no parameter.
func (c *call) positional() []value {
	var out []value
	for _, a := range c.args {
		if a.alone || a.value.kind == block || a.flag != "" && !isSwitch(a.flag) {
			continue
		}
		out = append(out, a.value)
	}
	return out
}

// isSwitch reports whether a parameter takes no value.
func isSwitch(flag string) bool {
	f := strings.ToLower(flag)
	if len(f) < 2 || f == "-f" || f == "-p" || f == "-w" || f == "-n" || f == "-v" || f == "-a" || f == "-d" || f == "-l" {
		return false
	}
	for _, s := range []string{"-recurse", "-force", "-whatif", "-confirm", "-verbose", "-wait", "-nonewwindow", "-passthru", "-raw", "-append", "-asplaintext", "-usebasicparsing", "-useb", "-directory", "-file", "-hidden", "-nonewline", "-noclobber", "-valueonly", "-resolve", "-parent", "-leaf", "-asjob"} {
		if strings.HasPrefix(s, f) && (s != "-file" || f == "-file") {
			return true
		}
	}
	return false
}
