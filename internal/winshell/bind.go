package winshell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/glob"
)

// hot are names that a wildcard for a command is meant to hide.
var hot = []string{"invoke-expression", "iex", "invoke-webrequest", "invoke-restmethod", "new-object", "remove-item", "start-process", "invoke-command", "set-mppreference", "get-content", "set-content", "invoke-item", "start-job", "add-type", "del", "rm"}

// bind does for a command what the tables cannot say: what variables it sets, what
// it takes from the pipe, what it starts. Its value is what the command prints.
func (r *reader) bind(c *call) value {
	pos := c.positional()
	arg := func(i int) value {
		if i < len(pos) {
			return pos[i]
		}
		return value{kind: text}
	}
	named := func(i int, names ...string) value {
		if v, ok := c.param(names...); ok {
			return v
		}
		return arg(i)
	}
	in := value{}
	if c.in != nil {
		in = *c.in
	}
	switch c.name {
	case "invoke-expression":
		r.takeUp(c, named(0, "-command"))
		return of("$()", effect.Local)
	case "set-alias", "new-alias":
		n, v := named(0, "-name"), named(1, "-value")
		if _, ok := c.param("-name"); ok && len(pos) > 0 {
			if _, ok := c.param("-value"); !ok {
				v = arg(0)
			}
		}
		if n.known() && v.known() {
			r.aliases[strings.ToLower(n.text)] = alias(strings.ToLower(v.text))
		}
		return value{}
	case "set-variable", "new-variable":
		n, v := named(0, "-name"), named(1, "-value")
		if n.known() {
			v.prod, v.at = nil, 0
			r.vars[strings.ToLower(n.text)] = v
		}
		return value{}
	case "set-item", "new-item":
		p, v := named(0, "-path", "-literalpath"), named(1, "-value")
		if p.known() {
			low := strings.ToLower(p.text)
			if name, ok := strings.CutPrefix(low, "variable:"); ok {
				r.vars[strings.Trim(name, `/\`)] = v
			}
			if name, ok := strings.CutPrefix(low, "env:"); ok {
				name = strings.Trim(name, `/\`)
				w := v.word()
				w.Text = strings.ToUpper(name) + "=" + w.Text
				r.emit(w)
				r.vars["env:"+name] = v
			}
			if name, ok := strings.CutPrefix(low, "alias:"); ok && v.known() {
				r.aliases[strings.Trim(name, `/\`)] = alias(strings.ToLower(v.text))
			}
		}
		return p
	case "get-variable":
		n := named(0, "-name")
		if n.known() {
			low := strings.ToLower(n.text)
			if v, ok := r.vars[low]; ok {
				return v
			}
			if strings.Contains(low, "mdr") {
				return lit("MaximumDriveCount")
			}
			save, src := r.pos, r.src
			r.src, r.pos = low, 0
			v := r.variable()
			r.src, r.pos = src, save
			return v
		}
		return of("$()", 0)
	case "new-object":
		return r.newObject(c, named(0, "-typename", "-comobject"), pos)
	case "get-command", "get-alias":
		n := named(0, "-name", "-definition")
		if n.known() && strings.ContainsAny(n.text, "*?") {
			for _, h := range hot {
				if glob.Match(strings.ToLower(n.text), h) {
					return lit(h)
				}
			}
			return of("$()", effect.Decoded)
		}
		if n.known() {
			n.kind = text
		}
		return n
	case "join-path":
		out := named(0, "-path")
		rest := named(1, "-childpath")
		if v, ok := c.param("-path"); ok {
			out = v
			if _, ok := c.param("-childpath"); !ok {
				rest = arg(0)
			}
		}
		out = r.concat(r.concat(out, lit("/")), rest)
		for i := 2; i < len(pos) && i < 8; i++ {
			out = r.concat(r.concat(out, lit("/")), pos[i])
		}
		return out
	case "split-path":
		v := named(0, "-path", "-literalpath", "-parent")
		if c.has("-leaf", 3) {
			return v
		}
		return r.derive(v, func(s string) (string, bool) {
			i := strings.LastIndexAny(strings.TrimRight(s, `/\`), `/\`)
			if i <= 0 {
				return ".", true
			}
			return s[:i], true
		})
	case "resolve-path", "convert-path", "get-item":
		v := named(0, "-path", "-literalpath")
		if c.in != nil && len(pos) == 0 {
			v = in
		}
		if v.known() && strings.HasPrefix(strings.ToLower(v.text), "env:") {
			return of("$()", effect.Local)
		}
		if v.known() && strings.HasPrefix(strings.ToLower(v.text), "variable:") {
			return r.lookup(v.text[len("variable:"):])
		}
		return v
	case "get-childitem":
		return r.listing(c, pos, in)
	case "get-location":
		return lit(".")
	case "new-temporaryfile":
		return of("$tmp", effect.Bounded)
	case "get-date", "get-random", "new-guid", "get-host", "get-culture", "get-timezone", "get-uptime", "test-path", "test-connection", "measure-command", "get-random-object":
		return of("$()", 0)
	case "write-output":
		c.Words[0].Text = "echo"
		if len(pos) == 1 {
			return pos[0]
		}
		if len(pos) > 1 {
			return value{kind: list, list: pos}
		}
		return in
	case "foreach-object":
		for _, a := range c.args {
			if a.value.kind == block && a.value.out != nil {
				out := *a.value.out
				out.prod, out.at = nil, 0
				out.origin |= in.origins()
				return out
			}
		}
		if m := named(0, "-membername"); m.known() && m.text != "" {
			return r.invoke(elements(in), strings.ToLower(m.text), pos[min(1, len(pos)):], false, false)
		}
		return in
	case "where-object":
		return narrowed(in, c)
	case "select-object", "sort-object", "out-string", "convertto-json", "convertfrom-json", "convertto-csv", "convertfrom-csv", "convertto-xml", "convertto-html", "format-table", "format-list", "format-hex", "tee-object", "get-unique", "group-object", "measure-object", "out-null", "out-host", "convertfrom-stringdata", "get-random-item", "select-string", "select-xml":
		if c.in == nil {
			o := effect.Origin(0)
			for _, p := range pos {
				o |= p.origins()
			}
			return of("$()", o|effect.Local)
		}
		in.prod, in.at = nil, 0
		if c.has("-expandproperty", 3) || c.name == "sort-object" || c.name == "get-unique" || c.name == "tee-object" || c.name == "select-object" || c.name == "out-string" {
			return in
		}
		return of("$()", in.origins())
	case "convertto-securestring":
		if in.scalar() || len(pos) > 0 {
			v := named(0, "-string")
			if in.scalar() && len(pos) == 0 {
				v = in
			}
			v.origin |= effect.Decoded
			return value{kind: object, name: "securestring", args: []value{v}, origin: v.origin}
		}
		return of("$()", effect.Decoded)
	case "start-process":
		r.start(c, named(0, "-filepath"), pos)
		return of("$()", effect.Local)
	case "get-process":
		if n := named(0, "-name", "-id"); n.string() != "" {
			return n
		}
		return lit("*")
	case "get-service":
		if n := named(0, "-name", "-displayname"); n.string() != "" {
			return n
		}
		return lit("*")
	case "get-wmiobject", "get-ciminstance":
		cl := named(0, "-class", "-classname", "-query")
		filter, _ := c.param("-filter")
		return value{kind: object, name: c.name, args: []value{cl, filter}, origin: effect.Local, open: true}
	case "remove-item", "move-item", "copy-item", "clear-content", "get-content", "rename-item", "clear-item", "remove-itemproperty", "stop-process", "stop-service", "invoke-item", "set-acl", "unblock-file", "get-acl", "set-service", "remove-service", "suspend-service":
		_, byName := c.param("-path", "-literalpath", "-pspath", "-name", "-id", "-inputobject", "-processname")
		if c.in != nil && !byName && len(pos) == 0 {
			w := in.words(nil, 0)
			for _, x := range w {
				if x.Text == "*" {
					continue // all of them: nothing is named
				}
				if x.Text == "$()" || x.Text == "" {
					x.Text, x.Open = "$_", true
				}
				c.Words = append(c.Words, x)
			}
		}
		if c.name == "get-content" {
			return of("$()", r.fileOrigin(c.Words[1:]))
		}
		return of("$()", 0)
	case "invoke-webrequest", "invoke-restmethod", "curl", "wget", "resolve-dnsname", "nslookup", "start-bitstransfer", "receive-job", "invoke-command":
		if c.name == "receive-job" || c.name == "invoke-command" {
			return of("$()", effect.Local)
		}
		if _, ok := c.param("-body", "-infile"); !ok && c.in != nil && strings.HasPrefix(c.name, "invoke-") {
			c.Words = append(c.Words, word("-Body"), in.word()) // -Body takes what is piped
		}
		return value{kind: object, name: c.name, origin: effect.Downloaded, open: true}
	case "get-clipboard":
		return of("$()", effect.Local)
	case "get-psreadlineoption":
		return value{kind: hash, keys: []string{"historysavepath"}, list: []value{lit("$env:APPDATA/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt")}}
	case "get-credential":
		return value{kind: object, name: "pscredential", open: true}
	case "write-host", "write-verbose", "write-debug", "write-information", "write-warning", "write-error", "write-progress":
		return value{}
	case "nc", "ncat", "openssl", "certutil", "base64":
		return of("$()", effect.Local|effect.Decoded)
	}
	if in.origins() != 0 && !strings.Contains(c.name, "-") {
		return of("$()", in.origins()|effect.Local)
	}
	return of("$()", effect.Local)
}

// lookup is a variable by its name.
func (r *reader) lookup(name string) value {
	if v, ok := r.vars[strings.ToLower(strings.Trim(name, `/\`))]; ok {
		return v
	}
	return of("$"+name, r.origin)
}

// fileOrigin is where the content of files comes from.
func (r *reader) fileOrigin(paths []effect.Value) effect.Origin {
	o := effect.Local
	for i, p := range paths {
		if i > 16 {
			break
		}
		for _, c := range effect.Classes(p.Text, effect.Places{Home: "$HOME"}) {
			if c == "secret" || c == "history" {
				o |= effect.Secret
			}
		}
	}
	return o
}

// takeUp makes what prints the argument the begin of the pipeline: iex (irm u) is
// irm u | iex.
func (r *reader) takeUp(c *call, v value) {
	if len(v.prod) == 0 || !v.isOpen() || len(c.Inner) == 0 {
		return
	}
	merged := append(Pipeline{}, v.prod[max(0, len(v.prod)-maxMerged):]...)
	if v.at == len(c.Inner) {
		c.Inner = c.Inner[:v.at-1]
	}
	merged = append(merged, Command{Words: c.Words[:1]})
	r.count += len(merged)
	c.Inner = append(c.Inner, merged)
	if !v.origins().Has(effect.Downloaded | effect.Decoded) {
		c.Words = nil // the merged pipeline says it all
	}
}

// listing is what Get-ChildItem finds: a path with a wildcard.
func (r *reader) listing(c *call, pos []value, in value) value {
	dir, ok := c.param("-path", "-literalpath")
	if !ok && len(pos) > 0 {
		dir = pos[0]
		pos = pos[1:]
	} else if !ok && c.in != nil {
		dir = in
	} else if !ok {
		dir = lit(".")
	}
	filter := lit("*")
	if v, ok := c.param("-filter", "-include"); ok && (v.scalar() || v.kind == list) {
		filter = elements(v)
	} else if len(pos) > 0 && pos[0].scalar() {
		filter = pos[0]
	}
	if dir.known() && strings.HasPrefix(strings.ToLower(dir.text), "env:") {
		return of("$()", effect.Local|effect.Secret)
	}
	if dir.known() && strings.HasPrefix(strings.ToLower(dir.text), "variable:") {
		return of("$()", 0)
	}
	if dir.kind == unknown && dir.text == "" {
		dir = of("$_", dir.origin)
	}
	if strings.ContainsAny(dir.string(), "*?") && filter.string() == "*" {
		return dir
	}
	if dir.kind == list {
		dir.alts = true
	}
	deep := c.has("-recurse", 1) && filter.string() != "*"
	return r.concat(dir.each(func(d value) value {
		if d.scalar() && !strings.HasSuffix(d.text, "/") && !strings.HasSuffix(d.text, `\`) {
			d.text += "/"
		}
		if d.scalar() && deep {
			d.text += "**/"
		}
		return d
	}), filter)
}

// narrowed is what Where-Object leaves of a list: not all of it.
func narrowed(in value, c *call) value {
	in.prod, in.at = nil, 0
	return in.each(func(v value) value {
		if v.kind != text {
			return v
		}
		rest, ok := strings.CutSuffix(v.text, "/*")
		if !ok || rest != "." && !strings.HasPrefix(rest, "./") && !strings.HasPrefix(rest, `.\`) {
			return v
		}
		v.text = rest + "/matching"
		return v
	})
}

// start runs what Start-Process would start.
func (r *reader) start(c *call, file value, pos []value) {
	args, ok := c.param("-argumentlist", "-args")
	if _, named := c.param("-filepath"); !ok && !named && len(pos) > 1 {
		args = pos[1]
	} else if !ok && named && len(pos) > 0 {
		args = pos[0]
	}
	words := []effect.Value{file.word()}
	if file.known() {
		words[0].Open = false
	}
	words[0].Text = slashes(words[0].Text)
	for _, a := range args.array() {
		if a.kind == unknown && !a.open {
			continue
		}
		words = append(words, argv(a)...)
	}
	if words[0].Text != "" {
		c.Inner = append(c.Inner, Pipeline{{Words: words}})
		r.count++
	}
}

// argv splits a command line as Windows programs do with theirs: at blanks, with
// double quotes.
func argv(v value) []effect.Value {
	s := v.string()
	var out []effect.Value
	var b strings.Builder
	quoted, has := false, false
	add := func() {
		if has || b.Len() > 0 {
			w := v.word()
			w.Text = slashes(b.String())
			w.Open = w.Open && strings.ContainsAny(w.Text, "$%") || v.origin.Has(effect.Decoded)
			out = append(out, w)
		}
		b.Reset()
		has = false
	}
	for i := 0; i < len(s) && len(out) < 512; i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && s[i+1] == '"':
			b.WriteByte('"')
			i++
		case c == '"':
			quoted, has = !quoted, true
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			add()
		default:
			b.WriteByte(c)
		}
	}
	add()
	return out
}
