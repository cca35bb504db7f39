package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Programs that run another once for each of many things.

// Found stands for a name that is found while the line runs.
const Found = "$found"

// every stands for all files below a folder.
const every = "$every"

// xargs runs a command with the words that it is fed.
func xargs(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	place := ""
	i := 0
	for ; i < len(args); i++ {
		a := args[i].Text
		switch {
		case a == "-I" || a == "-J" || a == "--replace":
			if i++; i < len(args) {
				place = args[i].Text
			}
		case strings.HasPrefix(a, "-I") || strings.HasPrefix(a, "-J"):
			place = a[2:]
		case strings.HasPrefix(a, "--replace="):
			place = a[len("--replace="):]
		case a == "-i":
			place = "{}"
		case a == "-a" || a == "--arg-file":
			if i++; i < len(args) {
				e.effects(name, effect.FileRead, args[i:i+1])
				in = e.content(args[i])
			}
		case a == "-n" || a == "-P" || a == "-L" || a == "-d" || a == "-E" || a == "-s" || a == "--max-args" || a == "--max-procs" || a == "--delimiter" || a == "--max-lines":
			i++
		case len(a) > 1 && a[0] == '-':
		default:
			return e.through(name).each(args[i:], place, in), true
		}
	}
	return e.passed("cat", nil, in), true
}

// each runs a command for what is in a stream.
func (e *eval) each(cmd []effect.Value, place string, in stream) stream {
	var items []effect.Value
	switch {
	case !in.fed:
		items = []effect.Value{{Text: "$()", Open: true, Origin: effect.Local}}
	case in.Open && opaque(strings.TrimSpace(in.Text)):
		items = []effect.Value{{Text: "$()", Open: true, Origin: in.Origin}}
	default:
		split := strings.FieldsSeq(strings.ReplaceAll(in.Text, "\x00", "\n"))
		if place != "" { // a line each
			split = strings.SplitSeq(strings.TrimRight(in.Text, "\n"), "\n")
		}
		for w := range split {
			w = strings.Trim(w, `'"`)
			items = append(items, effect.Value{Text: w, Open: in.Open || (strings.Contains(w, Found) || strings.Contains(w, every) || strings.Contains(w, pids)), Origin: in.Origin})
			if len(items) > maxBraces {
				e.stop()
				break
			}
		}
	}
	if place == "" {
		return e.call(append(append([]effect.Value{}, cmd...), items...), stream{}, nil)
	}
	out := output{e: e}
	for _, it := range items {
		words := make([]effect.Value, len(cmd))
		for i, w := range cmd {
			if strings.Contains(w.Text, place) {
				w = effect.Value{Text: strings.ReplaceAll(w.Text, place, it.Text), Open: w.Open || it.Open, Origin: w.Origin | it.Origin}
			}
			words[i] = w
		}
		out.add(e.call(words, stream{}, nil))
	}
	return out.stream()
}

// parallel runs a command for what stands behind ::: or is fed.
func parallel(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	i := 0
	for ; i < len(args); i++ {
		a := args[i].Text
		if a == "-j" || a == "--jobs" || a == "-a" || a == "-n" || a == "-N" || a == "-I" || a == "--colsep" || a == "-S" || a == "--joblog" || a == "--timeout" || a == "--delay" {
			i++
			continue
		}
		if len(a) < 2 || a[0] != '-' {
			break
		}
	}
	cmd := args[min(i, len(args)):]
	for j, a := range cmd {
		if strings.HasPrefix(a.Text, ":::") {
			in = stream{joined(cmd[j+1:]), true}
			cmd = cmd[:j]
			break
		}
	}
	s := e.through(name)
	if len(cmd) == 0 { // the lines are the commands
		return s.fed(in), true
	}
	place := ""
	for _, w := range cmd {
		if strings.Contains(w.Text, "{}") {
			place = "{}"
		}
	}
	if len(cmd) == 1 && strings.Contains(cmd[0].Text, " ") { // one text is a shell's line
		text := cmd[0]
		for w := range strings.FieldsSeq(in.Text) {
			t := text
			if place != "" {
				t.Text = strings.ReplaceAll(t.Text, place, w)
			} else {
				t.Text += " " + w
			}
			t.Open = t.Open || in.Open
			s.source(t, stream{})
		}
		return unknown(0), true
	}
	return s.each(cmd, place, in), true
}

// find runs commands on what it finds below its roots, and prints it.
func find(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	var roots []effect.Value
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") && len(a.Text) > 1 && len(roots) == 0 && strings.Trim(a.Text[1:], "HLPEO0123") == "" {
			continue
		}
		if strings.HasPrefix(a.Text, "-") || a.Text == "!" || a.Text == "(" {
			break
		}
		roots = append(roots, a)
	}
	return e.search(name, roots, args, in), true
}

// fd does what find does; without a {} it puts what it finds at the end.
func fd(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	var ops []effect.Value
	runs, place := false, false
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		place = place || strings.Contains(a, "{}")
		switch {
		case a == "-x" || a == "-X" || a == "--exec" || a == "--exec-batch":
			runs = true
		case runs:
		case a == "-e" || a == "-t" || a == "-E" || a == "-d" || a == "--type" || a == "--extension":
			i++
		case !strings.HasPrefix(a, "-"):
			ops = append(ops, args[i])
		}
	}
	if runs && !place {
		args = append(args[:len(args):len(args)], effect.Lit("{}"))
	}
	roots := ops[min(1, len(ops)):] // the first is the pattern
	if len(roots) > 0 && whole(effect.ScopeOf(e.path(roots[0]), e.ctx.Places)) && literal(ops[0].Text) {
		args = append(args[:len(args):len(args)], effect.Lit("-name"), effect.Lit("*"+strings.Trim(ops[0].Text, "^$\\")+"*"))
	}
	return e.search(name, roots, args, in), true
}

// literal reports whether a regular expression is little more than a name.
func literal(s string) bool {
	s = strings.Trim(s, "^$\\")
	return len(s) > 3 && !strings.ContainsAny(s, "[](){}|+*?^$\\")
}

// located is locate and mdfind -name: they print where files of a name are.
func located(e *eval, name string, args []effect.Value, _ stream) (stream, bool) {
	var lines []string
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") && !strings.ContainsAny(a.Text, "= ") {
			lines = append(lines, "/"+Found+"/*"+strings.Trim(a.Text, "*")+"*")
		}
	}
	if len(lines) == 0 {
		return unknown(0), false
	}
	return stream{effect.Value{Text: strings.Join(lines, "\n"), Open: true}, true}, true
}

// search follows find and fd below their roots.
func (e *eval) search(name string, roots, args []effect.Value, in stream) stream {
	implied := len(roots) == 0
	if implied {
		roots = []effect.Value{effect.Lit(".")}
	}
	var below []effect.Value
	var lines []string
	names, picked := namesOf(args), picks(args)
	for _, r := range roots {
		if len(names) > 0 {
			for _, name := range names {
				e.hunts(r, name)
				below = append(below, effect.Value{Text: strings.TrimSuffix(r.Text, "/") + "/**/" + name, Open: r.Open, Origin: r.Origin})
				lines = append(lines, below[len(below)-1].Text)
			}
			continue
		} else if picked || !whole(effect.ScopeOf(e.path(r), e.ctx.Places)) {
			what := Found
			if !picked && effect.ScopeOf(e.path(r), e.ctx.Places) == effect.RepoRoot {
				what = every
			}
			r = effect.Value{Text: strings.TrimSuffix(r.Text, "/") + "/" + what, Open: true, Origin: r.Origin}
		} else if at := effect.ScopeOf(e.path(r), e.ctx.Places); (at == effect.Home || at == effect.Root) && printsAll(args) {
			e.add(effect.Effect{Kind: effect.SecretRead, Program: "find", Targets: []effect.Target{{Name: r.Text}}})
		}
		below = append(below, r)
		lines = append(lines, r.Text)
	}
	if picked { // what is deleted is not the root with all in it
		args = replaceRoots(args, roots, below, implied)
	}
	words := make([]effect.Value, 0, len(args))
	for _, a := range args {
		if !strings.Contains(a.Text, "{}") {
			words = append(words, a)
			continue
		}
		for _, b := range below {
			if !e.spend(2 * wordWork) {
				break
			}
			words = append(words, effect.Value{Text: strings.ReplaceAll(a.Text, "{}", b.Text), Open: a.Open || b.Open, Origin: a.Origin | b.Origin})
		}
	}
	for i := range words { // -exec cmd {} + needs the {} to be told from an operand
		if words[i].Text == "+" && i > 0 && i == len(words)-1 {
			words[i] = effect.Lit(";")
		}
	}
	out := e.program(name, words, in, nil)
	if out.fed && out.Text != "$()" {
		return out
	}
	return stream{effect.Value{Text: strings.Join(lines, "\n"), Open: true, Origin: out.Origin}, true}
}

// hunts notes a search for keys and passwords by their names in all that a machine or a
// person has.
func (e *eval) hunts(root effect.Value, name string) {
	at := effect.ScopeOf(e.path(root), e.ctx.Places)
	if root.Open || !whole(at) || at == effect.Unknown || strings.HasPrefix(root.Text, "/usr/") || strings.HasPrefix(root.Text, "/etc/ssl/certs") { // what packages bring
		return
	}
	plain := strings.Trim(name, "*")
	classes := append(effect.Classes("/x/"+plain, e.ctx.Places), effect.Classes("/x/x"+plain, e.ctx.Places)...)
	if strings.Contains(plain, "/") {
		classes = append(classes, effect.Classes(e.ctx.Places.Abs("~/"+plain), e.ctx.Places)...)
	}
	if slices.Contains(classes, "secret") || slices.Contains(classes, "history") {
		e.add(effect.Effect{Kind: effect.SecretRead, Program: "find", Targets: []effect.Target{{Name: root.Text + "/**/" + name}}})
	}
}

// printsAll reports whether find has what it finds printed: among all files of a home
// folder are its keys.
func printsAll(args []effect.Value) bool {
	for i, a := range args {
		if (a.Text == "-exec" || a.Text == "-execdir") && i+1 < len(args) {
			switch path.Base(args[i+1].Text) {
			case "cat", "bat", "head", "tail", "base64", "xxd", "od", "strings":
				return true
			}
		}
	}
	return false
}

// namesOf are the names that find looks for, none where it looks for others too.
func namesOf(args []effect.Value) (names []string) {
	for i := 0; i < len(args); i++ {
		switch args[i].Text {
		case "-not", "!":
			i += 2 // the test and its argument: what they leave out makes fewer of them
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename":
			if i++; i == len(args) {
				break
			}
			name := args[i].Text
			if strings.Contains(name, "$") || strings.Trim(name, "*") == "" || len(names) > 16 {
				return nil
			}
			name = strings.TrimPrefix(name, "*/")
			if dir, ok := strings.CutSuffix(name, "/*"); ok { // all below a folder
				name = dir + "/**"
			}
			names = append(names, name)
		}
	}
	return names
}

// picks reports whether find's words choose some of the files: by name, age, size.
func picks(args []effect.Value) bool {
	for i, a := range args {
		if i > 0 && (args[i-1].Text == "!" || args[i-1].Text == "-not") {
			continue // all but these
		}
		switch a.Text {
		case "-name", "-iname", "-path", "-ipath":
			if i+1 < len(args) && strings.Trim(args[i+1].Text, "*") == "" {
				continue // any name
			}
			return true
		case "-wholename", "-regex", "-iregex", "-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin", "-size", "-newer", "-newermt", "-empty", "-perm", "-user", "-links", "-xtype":
			return true
		}
	}
	return false
}

// whole reports whether all files of such a folder are more than one folder's.
func whole(s effect.Scope) bool {
	switch s {
	case effect.Root, effect.Home, effect.System, effect.Device, effect.Unknown:
		return true
	}
	return false
}

func replaceRoots(args, roots, below []effect.Value, implied bool) []effect.Value {
	if implied {
		return append(append([]effect.Value{}, below...), args...)
	}
	out := append([]effect.Value{}, args...)
	n := 0
	for i := range out {
		if n < len(roots) && out[i] == roots[n] {
			out[i] = below[n]
			n++
		}
	}
	return out
}

// listing is ls: it prints names.
func listing(e *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	dir, what := ".", every
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			dir = a.Text
			if ext := path.Ext(dir); strings.Contains(path.Base(dir), "*") && len(ext) > 1 && !strings.Contains(ext, "*") {
				return stream{effect.Value{Text: dir, Open: true, Origin: a.Origin}, true}, true
			}
			if strings.ContainsAny(path.Base(dir), "*?[") && path.Base(dir) != "*" || path.Ext(dir) != "" {
				what = Found
			}
		}
	}
	return stream{effect.Value{Text: strings.TrimRight(dir, "/*") + "/" + what, Open: true}, true}, true
}

// containers is docker run and exec: the host's folders are where they are mounted,
// all other folders are the container's own. Those of a new one are nobody's loss.
func containers(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	s := e.sub()
	inside := ""
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		flag, value, joined := strings.Cut(a, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1].Text
		}
		if strings.HasPrefix(a, "-v") && len(a) > 2 && a[2] != '=' {
			flag, value = "-v", a[2:]
		}
		switch flag {
		case "run", "create":
			if inside == "" {
				inside = "/tmp/container"
			}
		case "exec":
			if inside == "" {
				inside = "$container"
			}
		case "-e", "--env":
			if name, v, ok := strings.Cut(value, "="); ok && isName(name) {
				s.export(name, effect.Value{Text: v, Open: strings.HasPrefix(v, "$")})
			}
		case "-v", "--volume":
			if host, rest, ok := strings.Cut(value, ":"); ok && strings.ContainsAny(host, "/~.$") {
				to, _, _ := strings.Cut(rest, ":")
				s.mounts = append(s.mounts, [2]string{to, host})
			} else if ok && host != "" { // a volume with a name, which outlives the container
				to, _, _ := strings.Cut(rest, ":")
				s.mounts = append(s.mounts, [2]string{to, "/var/lib/docker/volumes/" + host + "/_data"})
			}
		case "--mount":
			var from, to string
			for kv := range strings.SplitSeq(value, ",") {
				k, v, _ := strings.Cut(kv, "=")
				switch k {
				case "source", "src":
					from = v
				case "target", "dst", "destination":
					to = v
				}
			}
			if from != "" && to != "" {
				s.mounts = append(s.mounts, [2]string{to, from})
			}
		}
	}
	if inside != "" {
		s.mounts = append(s.mounts, [2]string{"/", inside + "/"})
		s.container = inside
	}
	return s.program(name, args, in, nil), true
}

// remote is ssh: what runs there has folders of its own.
func remote(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	s := e.sub()
	s.dir = "$remote"
	if in.fed && !in.Open && len(args) == 1 {
		s.through(name).source(in.Value, stream{})
	}
	return s.program(name, args, in, nil), true
}
