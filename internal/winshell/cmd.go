package winshell

import (
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// batch reads the language of cmd.exe.
type batch struct {
	src    string
	pos    int
	depth  int
	vars   map[string]string
	out    *Program
	open   bool
	origin effect.Origin
	count  int
	folded int
}

// Cmd reads a text as cmd.exe /c would, or as a batch file. Variables count as
// filled in where they are used, as with delayed expansion.
func Cmd(src effect.Value) Program {
	var p Program
	s := src.Text
	if len(s) > maxSource {
		s, p.Incomplete = s[:maxSource], true
	}
	b := &batch{src: s, vars: map[string]string{}, out: &p, open: src.Open, origin: src.Origin}
	for b.pos < len(b.src) {
		before := b.pos
		b.line()
		if b.pos == before {
			b.pos++
		}
	}
	return p
}

func (b *batch) at(i int) byte {
	if b.pos+i < len(b.src) {
		return b.src[b.pos+i]
	}
	return 0
}

// line reads one pipeline, with what leads to it.
func (b *batch) line() {
	var pipe Pipeline
	for {
		c, sep := b.command()
		if len(c.Words) > 0 || len(c.Writes) > 0 {
			if b.count++; b.count > maxCommands {
				b.out.Incomplete = true
				b.pos = len(b.src)
				return
			}
			pipe = append(pipe, c)
		}
		if sep != '|' {
			break
		}
	}
	if len(pipe) > 0 {
		b.out.Pipelines = append(b.out.Pipelines, pipe)
	}
}

// command reads words up to an operator, and gives this.
func (b *batch) command() (c Command, sep byte) {
	var w strings.Builder
	has, quoted, plain := false, false, true
	redirect := byte(0)
	flush := func() {
		if !has {
			return
		}
		s := b.expand(w.String())
		filled := plain && s != w.String()
		w.Reset()
		has, plain = false, true
		v := b.value(s)
		switch redirect {
		case '>':
			if !strings.EqualFold(s, "nul") {
				c.Writes = append(c.Writes, v)
			}
		case '<':
			if !strings.EqualFold(s, "nul") {
				c.Reads = append(c.Reads, v)
			}
		default:
			// A variable may hold several words: %cmd% where cmd is "del /s".
			if parts := strings.Fields(s); filled && len(parts) > 1 && len(parts) < 512 {
				for _, p := range parts {
					c.Words = append(c.Words, b.value(p))
				}
			} else {
				c.Words = append(c.Words, v)
			}
		}
		redirect = 0
	}
	start := b.pos
	lineHas := func() string { return b.src[start:b.pos] }
	for b.pos < len(b.src) {
		if len(c.Words) > 4096 {
			b.out.Incomplete = true
			b.pos = len(b.src)
			break
		}
		ch := b.src[b.pos]
		switch {
		case quoted && ch != '"' && ch != '\n':
			w.WriteByte(ch)
			b.pos++
			continue
		case ch == '"':
			quoted, has, plain = !quoted, true, false
			b.pos++
			continue
		case ch == '^' && b.pos+1 < len(b.src):
			b.pos++
			if d := b.at(0); d == '\r' && b.at(1) == '\n' {
				b.pos += 2
			} else if d == '\n' {
				b.pos++
			} else {
				w.WriteByte(d)
				has = true
				b.pos++
			}
			continue
		case ch == '(' && !has && len(c.Words) > 2 && strings.EqualFold(c.Words[0].Text, "for") && strings.EqualFold(c.Words[len(c.Words)-1].Text, "in"):
			c.Words = append(c.Words, effect.Value{Text: b.expand(b.list())})
			b.loop(c.Words)
			continue
		case ch == '(' && !has && len(c.Words) == 0 || ch == ')' && !has:
			b.pos++
			if ch == ')' && len(c.Words) > 0 {
				return b.lead(c, lineHas()), ch
			}
			continue
		case ch == '(' && len(c.Words) > 0 && !has && leads(c.Words):
			// if … ( and for … do (: what is in it comes next
			b.pos++
			return b.lead(c, lineHas()), ch
		case ch == ')' && !strings.Contains(w.String(), "("):
			flush()
			b.pos++
			return b.lead(c, lineHas()), ch
		case ch == '&' || ch == '\n' || ch == '\r' || ch == '|':
			flush()
			end := b.pos
			b.pos++
			if ch == b.at(0) && (ch == '&' || ch == '|') {
				b.pos++
				ch = '&'
			}
			return b.lead(c, b.src[start:end]), ch
		case ch == '>' || ch == '<':
			if s := w.String(); len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
				w.Reset()
				has = false
			}
			flush()
			b.pos++
			if b.at(0) == '>' {
				b.pos++
			}
			if b.at(0) == '&' {
				b.pos += 2
				continue
			}
			redirect = ch
			continue
		case ch == ' ' || ch == '\t' || (ch == ',' || ch == ';') && len(c.Words) == 0 && !strings.Contains(w.String(), "%"):
			flush()
		case ch == '/' && has && len(c.Words) == 0 && !strings.ContainsAny(w.String(), `/\:.%`):
			flush() // del/s
			continue
		case ch == '@' && !has && len(c.Words) == 0:
		default:
			w.WriteByte(ch)
			has = true
		}
		b.pos++
	}
	flush()
	return b.lead(c, b.src[start:]), 0
}

// value is a word. What is not known of it stands in it as $name.
func (b *batch) value(s string) effect.Value {
	s, open := unfilled(s)
	return effect.Value{Text: slashes(s), Open: open || b.open && strings.Contains(s, "$"), Origin: b.origin}
}

// list reads the set of for, from its ( to its ).
func (b *batch) list() string {
	b.pos++
	start, quote := b.pos, byte(0)
	for ; b.pos < len(b.src); b.pos++ {
		switch c := b.src[b.pos]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == ')' || c == '\n':
			b.pos++
			return b.src[start : b.pos-1]
		}
	}
	return b.src[start:]
}

// unfilled writes variables that are not known as $name. Those of the person's
// folders stay as they are: their meaning is fixed.
func unfilled(s string) (string, bool) {
	if !strings.ContainsAny(s, "%!") {
		return s, false
	}
	if s == "%*" || len(s) == 2 && s[0] == '%' {
		return "$" + s[1:], true
	}
	if rest, ok := strings.CutPrefix(s, "%~dp0"); ok {
		return "./" + strings.TrimLeft(rest, `\/`), false
	}
	var out strings.Builder
	open := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+1 < len(s) && s[i+1] == '%' && i+2 < len(s) && isLetter(s[i+2]) || c == '%' && i+1 < len(s) && s[i+1] == '~' {
			out.WriteByte('$')
			for i+1 < len(s) && (s[i+1] == '%' || s[i+1] == '~') {
				i++
			}
			open = true
			continue
		}
		if c == '%' || c == '!' {
			end := strings.IndexByte(s[i+1:min(len(s), i+64)], c)
			name := ""
			if end > 0 {
				name, _, _ = strings.Cut(s[i+1:i+1+end], ":")
			}
			switch low := strings.ToLower(name); {
			case low == "" || strings.Trim(low, "abcdefghijklmnopqrstuvwxyz0123456789_()") != "":
				if c == '%' && i+1 < len(s) && isLetter(s[i+1]) && (i+2 == len(s) || !isWord(s[i+2])) { // %i
					c, open = '$', true
				}
			case low == "userprofile" || low == "homepath" || low == "homedrive" || low == "temp" || low == "tmp" || low == "appdata" || low == "localappdata" || low == "username":
				out.WriteString(s[i : i+end+2])
				i += end + 1
				continue
			default:
				out.WriteString("$" + low)
				i += end + 1
				open = true
				continue
			}
		}
		out.WriteByte(c)
	}
	return out.String(), open
}

// apart splits switches that stand together: rd /s/q.
func apart(words []effect.Value) []effect.Value {
	for i := 1; i < len(words) && i < 64; i++ {
		s := words[i].Text
		if len(s) < 4 || len(s) > 16 || s[0] != '/' {
			continue
		}
		parts := strings.Split(s[1:], "/")
		short := len(parts) > 1
		for _, p := range parts {
			short = short && len(p) == 1 && isLetter(p[0])
		}
		if short {
			out := append([]effect.Value{}, words[:i]...)
			for _, p := range parts {
				out = append(out, effect.Value{Text: "/" + p})
			}
			words = append(out, words[i+1:]...)
			i += len(parts) - 1
		}
	}
	return words
}

// leads reports whether words lead to a command of their own.
func leads(words []effect.Value) bool {
	switch strings.ToLower(words[0].Text) {
	case "if", "else":
		return true
	case "for":
		return strings.EqualFold(words[len(words)-1].Text, "do")
	}
	return false
}

// lead takes off the words that only lead to a command: if, for, call, start. raw
// is the command as it was written.
func (b *batch) lead(c Command, raw string) Command {
	c.Words = apart(c.Words)
	for n := 0; len(c.Words) > 0 && n < 32; n++ {
		skip := 0
		c.Words[0].Text = strings.TrimPrefix(c.Words[0].Text, "@")
		first := c.Words[0].Text
		if i := strings.LastIndexAny(first, `/\`); i >= 0 {
			first = first[i+1:]
		}
		first = strings.TrimSuffix(strings.ToLower(first), ".exe")
		switch {
		case first == "call" || first == "else" || first == "do":
			skip = 1
		case first == "start":
			skip = 1
			if skip < len(c.Words) && (c.Words[skip].Text == "" || strings.Contains(raw, `"`+c.Words[skip].Text+`"`) && len(c.Words) > 2 && !strings.ContainsAny(c.Words[skip].Text, "/.")) {
				skip++ // the window's title
			}
			for skip < len(c.Words) && strings.HasPrefix(c.Words[skip].Text, "/") && len(c.Words[skip].Text) < 16 {
				if s := strings.ToLower(c.Words[skip].Text); s == "/d" || s == "/node" || s == "/affinity" {
					skip++
				}
				skip++
			}
		case first == "rem" || strings.HasPrefix(first, ":") || first == "exit" || first == "goto" || first == "setlocal" || first == "endlocal" || first == "title" || first == "color" || first == "pause" || first == "cls" || first == "ver" || first == "shift" || first == "break":
			c.Words = nil
		case first == "echo" || strings.HasPrefix(first, "echo.") || strings.HasPrefix(first, "echo:"):
			c.Words[0].Text = "echo"
			if len(c.Words) == 2 && (strings.EqualFold(c.Words[1].Text, "off") || strings.EqualFold(c.Words[1].Text, "on")) {
				c.Words = nil
			}
			return c
		case first == "set":
			b.set(&c)
			return c
		case first == "if":
			skip = condition(c.Words)
		case first == "for":
			skip = behind(c.Words)
		case first == "type" || first == "more":
			c.Words[0].Text = "cat" // the tables' type and more are a shell's
			return c
		case first == "rmdir":
			c.Words[0].Text = "rd" // that of the tables is Unix'
			return c
		case first == "erase":
			c.Words[0].Text = "del"
			return c
		case first == "find":
			c.Words[0].Text = "findstr"
			return c
		case first == "cd" || first == "chdir":
			if len(c.Words) > 2 && strings.EqualFold(c.Words[1].Text, "/d") {
				c.Words = append(c.Words[:1:1], c.Words[2:]...)
			}
			return c
		}
		if skip == 0 {
			break
		}
		c.Words = c.Words[min(skip, len(c.Words)):]
		if first == "start" && len(c.Words) > 0 {
			c.Words[0].Text = strings.TrimSuffix(c.Words[0].Text, " ")
		}
	}
	return c
}

// set notes a variable. set alone prints all of them.
func (b *batch) set(c *Command) {
	args := c.Words[1:]
	ask := false
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "/") {
		ask = ask || strings.EqualFold(args[0].Text, "/p")
		args = args[1:]
	}
	if len(args) == 0 {
		c.Words = []effect.Value{word("get-childitem"), word("env:")}
		return
	}
	var s string
	for i, a := range args {
		if i > 0 {
			s += " "
		}
		if s += a.Text; len(s) > maxText {
			break
		}
	}
	name, v, ok := strings.Cut(s, "=")
	if !ok {
		c.Words = nil
		return
	}
	name = strings.TrimSpace(name)
	if ask {
		v = "%" + name + "%" // <file, or what the person types
	}
	if len(c.Reads) > 0 && ask {
		v = "$(file)"
	}
	b.vars[strings.ToLower(name)] = v
	c.Words = []effect.Value{word(strings.ToUpper(name) + "=" + v)}
}

// condition counts the words of if and its condition.
func condition(words []effect.Value) int {
	n := 1
	for n < len(words) && (strings.EqualFold(words[n].Text, "not") || strings.EqualFold(words[n].Text, "/i")) {
		n++
	}
	if n == len(words) {
		return n
	}
	switch low := strings.ToLower(words[n].Text); {
	case low == "exist" || low == "defined" || low == "errorlevel" || low == "cmdextversion":
		return n + 2
	case strings.HasSuffix(low, "=="):
		return n + 2
	case strings.Contains(low, "=="):
		return n + 1
	case n+1 < len(words) && strings.HasPrefix(words[n+1].Text, "==") && len(words[n+1].Text) > 2:
		return n + 2
	}
	return n + 3
}

// loop notes what the variable of for takes, and follows the command whose lines it
// reads. The words end with the set.
func (b *batch) loop(words []effect.Value) {
	name, tree, files := "", "", false
	for i, w := range words[:len(words)-1] {
		switch t := w.Text; {
		case strings.EqualFold(t, "/f"):
			files = true
		case strings.EqualFold(t, "/r"):
			tree = "."
			if next := words[i+1].Text; !strings.HasPrefix(next, "%") && !strings.HasPrefix(next, "$") {
				tree = next
			}
		case (strings.HasPrefix(t, "%") || strings.HasPrefix(t, "$")) && name == "":
			name = strings.TrimLeft(t, "%$")
		}
	}
	set := strings.TrimSpace(words[len(words)-1].Text)
	switch {
	case files:
		if len(set) > 2 && strings.ContainsAny(set[:1], "'`") && b.depth < 8 {
			sub := &batch{src: strings.Trim(set, "'` "), vars: b.vars, out: b.out, open: b.open, origin: b.origin, depth: b.depth + 1, count: b.count}
			for sub.pos < len(sub.src) {
				before := sub.pos
				sub.line()
				if sub.pos == before {
					sub.pos++
				}
			}
			b.count = sub.count
		}
		return
	case tree != "":
		set = strings.TrimSuffix(tree, "/") + "/" + set
	}
	if name != "" && len(name) < 8 && set != "" {
		b.vars["%"+strings.ToLower(name[:1])] = strings.Trim(set, `"`)
	}
}

// behind counts the words of for up to its command.
func behind(words []effect.Value) int {
	for i, w := range words {
		if strings.EqualFold(w.Text, "do") {
			return i + 1
		}
	}
	return len(words)
}

// expand fills in %name%, !name! and %name:~a,b% where name is known.
func (b *batch) expand(s string) string {
	if !strings.ContainsAny(s, "%!") || b.folded > maxFold {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		if c != '%' && c != '!' {
			out.WriteByte(c)
			i++
			continue
		}
		end := strings.IndexByte(s[i+1:min(len(s), i+260)], c)
		if end > 0 {
			if v, ok := b.variable(s[i+1 : i+1+end]); ok {
				out.WriteString(v)
				b.folded += len(v)
				i += end + 2
				if out.Len() > maxText || b.folded > maxFold {
					b.out.Incomplete = true
					return out.String()
				}
				continue
			}
		}
		// %%f and %f of a loop
		j := i
		for j < len(s) && s[j] == '%' && j-i < 2 {
			j++
		}
		k := j
		if k < len(s) && s[k] == '~' {
			for k++; k < len(s) && strings.IndexByte("fdpnxsatz", s[k]) >= 0 && k+1 < len(s) && isLetter(s[k+1]); k++ {
			}
		}
		if c == '%' && k < len(s) {
			if v, ok := b.vars["%"+strings.ToLower(s[k:k+1])]; ok {
				out.WriteString(v)
				b.folded += len(v)
				i = k + 1
				continue
			}
		}
		out.WriteByte(c)
		i++
	}
	return out.String()
}

// variable is a variable, or a part or another spelling of it.
func (b *batch) variable(ref string) (string, bool) {
	name, change, changed := strings.Cut(ref, ":")
	low := strings.ToLower(name)
	v, ok := b.vars[low]
	if !ok {
		switch low {
		case "comspec":
			v = `C:\WINDOWS\system32\cmd.exe`
		case "systemroot", "windir":
			v = `C:\WINDOWS`
		case "systemdrive", "homedrive":
			v = "C:"
		case "programfiles":
			v = `C:\Program Files`
		case "programdata", "allusersprofile":
			v = `C:\ProgramData`
		case "public":
			v = `C:\Users\Public`
		case "pathext":
			v = ".COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC"
		case "cd":
			v = "."
		case "os":
			v = "Windows_NT"
		default:
			return "", false
		}
	}
	if !changed {
		return v, true
	}
	if from, to, ok := strings.Cut(change, "="); ok {
		if from == "" || len(v)*(len(to)+1) > maxText {
			return "", false
		}
		if rest, ok := strings.CutPrefix(from, "*"); ok {
			if i := strings.Index(strings.ToLower(v), strings.ToLower(rest)); i >= 0 {
				return to + v[i+len(rest):], true
			}
			return v, true
		}
		return replaceFold(v, from, to), true
	}
	if !strings.HasPrefix(change, "~") {
		return "", false
	}
	from, length, both := strings.Cut(change[1:], ",")
	a, _ := strconv.Atoi(strings.TrimSpace(from))
	if a < 0 {
		a += len(v)
	}
	a = max(0, min(a, len(v)))
	end := len(v)
	if both {
		n, _ := strconv.Atoi(strings.TrimSpace(length))
		if n < 0 {
			end += n
		} else if n < len(v) {
			end = min(len(v), a+n)
		}
	}
	return v[a:max(a, end)], true
}
