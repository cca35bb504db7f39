package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// builtin follows a program whose words have a meaning for what comes after it in
// the line, or that needs more than a table can say. done is false where the
// tables are to be asked too.
type builtin func(e *eval, name string, args []effect.Value, in stream) (out stream, done bool)

// builtinFor gives the builtin of this name, nil if there is none.
func builtinFor(name string) builtin {
	switch name {
	case "cd", "pushd", "chdir":
		return cd
	case "eval":
		return evalWords
	case "source", ".":
		return source
	case "trap":
		return trap
	case "exec", "command", "builtin":
		return inner
	case "which", "type", "whence":
		return where
	case "alias":
		return alias
	case "set":
		return setArgs
	case "shift":
		return shift
	case "read", "mapfile", "readarray":
		return read
	case "unset":
		return unset
	case "echo", "print":
		return echo
	case "printf":
		return printf
	case "test", "[", ":", "true", "false", "sleep", "wait", "local", "readonly", "typeset", "return", "exit", "break", "continue":
		return nothing
	case "pwd":
		return pwd
	case "dirname", "basename", "realpath", "readlink":
		return pathPart
	case "mktemp":
		return mktemp
	case "tee":
		return tee
	case "dd":
		return dd
	case "make", "gmake":
		return makefile
	case "xargs":
		return xargs
	case "parallel":
		return parallel
	case "find", "gfind":
		return find
	case "fd", "fdfind":
		return fd
	case "ls":
		return listing
	case "locate", "plocate", "mlocate", "mdfind":
		return located
	case "ztcp":
		return connected
	case "mkfifo", "mknod":
		return pipes
	case "stop-process", "spps":
		return stopProcess
	case "pgrep", "pidof", "ps", "get-process", "gps":
		return processes
	case "kill":
		return kill
	case "docker", "podman", "nerdctl":
		return containers
	case "ssh":
		return remote
	case "powershell", "pwsh", "cmd":
		return windowsShell
	case "sudo", "su", "doas":
		return loginShell
	}
	return nil
}

func nothing(*eval, string, []effect.Value, stream) (stream, bool) { return stream{}, true }

func cd(e *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	to := effect.Lit(e.home())
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") || a.Text == "-" {
			to = a
		}
	}
	switch {
	case to.Text == "-":
		e.dir = "$OLDPWD"
	case len(args) == 0 && e.ctx.Places.Home == "":
		e.dir = "~"
	case to.Open && !strings.HasPrefix(to.Text, "$"):
		e.dir = In(e.dir, to.Text)
	default:
		e.dir = In(e.dir, to.Text)
	}
	if !e.spend(effect.Work(e.dir)) {
		return stream{}, true
	}
	if e.ctx.Places.CWD != "" && !strings.HasPrefix(e.dir, "$") {
		e.dir = e.ctx.Places.Abs(e.dir)
	}
	return stream{}, true
}

// evalWords runs its words as a line of the same shell.
func evalWords(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	v := joined(args)
	s := e.within(name)
	out := s.shellText(v, in)
	e.scope = s.scope
	return out, true
}

// source runs a file in the same shell.
func source(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	if len(args) == 0 {
		return stream{}, true
	}
	if effect.StandingOf(args[0]) == effect.InUse {
		e.around = effect.InUse // its variables may name any database
	}
	s := e.within(name)
	v, ok := e.files[e.abs(args[0])]
	switch {
	case ok && v.Open && v.Origin == 0:
	case ok:
		s.shellText(v, in)
		e.scope = s.scope
	case args[0].Open:
	case args[0].Text == "/dev/stdin":
		s.fed(in)
	default:
		if v, ok := e.read(args[0]); ok {
			s.fromDisk(func() { s.source(v, in) })
		}
	}
	return unknown(0), true
}

func trap(e *eval, name string, args []effect.Value, _ stream) (stream, bool) {
	if len(args) > 1 && args[0].Text != "-" && args[0].Text != "" {
		if len(e.via) == 0 && len(e.traps) < 64 {
			e.traps = append(e.traps, args[0]) // it runs at the end, with what variables hold then
			return stream{}, true
		}
		e.through(name).shellText(args[0], stream{})
	}
	return stream{}, true
}

// inner runs the command in its words: exec, command, builtin.
func inner(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	for i := 0; i < len(args); i++ {
		switch a := args[i].Text; {
		case name == "command" && (a == "-v" || a == "-V"):
			return where(e, name, args[i+1:], in)
		case a == "-a" && name == "exec":
			if i++; i < len(args) && strings.HasPrefix(args[i].Text, "[") { // as the kernel's threads are shown
				e.add(effect.Effect{Kind: "trace.blind", Program: name, Targets: []effect.Target{{Name: args[i].Text}}})
			}
		case strings.HasPrefix(a, "-"):
		default:
			s := e.within(name)
			out := s.call(args[i:], in, nil)
			e.scope = s.scope
			return out, true
		}
	}
	return stream{}, true
}

// where prints the place of a program: its name will do.
func where(_ *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			return stream{a, true}, true
		}
	}
	return stream{}, true
}

func alias(e *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	for _, a := range args {
		if name, body, ok := strings.Cut(a.Text, "="); ok {
			e.aliases.put(name, body)
		}
	}
	return stream{}, false
}

func setArgs(e *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	for i, a := range args {
		if a.Text == "--" {
			e.args = append([]effect.Value{}, args[i+1:]...)
			return stream{}, true
		}
	}
	return stream{}, false
}

func shift(e *eval, _ string, _ []effect.Value, _ stream) (stream, bool) {
	if len(e.args) > 0 {
		e.args = e.args[1:]
	}
	return stream{}, true
}

// read sets variables from what it is fed.
func read(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	var names []string
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		switch {
		case a == "-a" && i+1 < len(args):
			i++
			names = append(names, args[i].Text)
		case (a == "-p" || a == "-d" || a == "-n" || a == "-N" || a == "-t" || a == "-u" || a == "-i") && i+1 < len(args):
			i++
		case strings.HasPrefix(a, "-"):
		default:
			names = append(names, a)
		}
	}
	line, _, _ := strings.Cut(in.Text, "\n")
	for i, n := range names {
		if !isName(n) {
			continue
		}
		v := effect.Value{Text: "$" + n, Open: true, Origin: in.Origin}
		switch {
		case !in.fed || in.Open && in.Text == "$()":
		case in.Open:
			v = in.Value
		case name != "read":
			var all []effect.Value
			for l := range strings.Lines(in.Text) {
				all = append(all, effect.Lit(strings.TrimSuffix(l, "\n")))
			}
			e.setArray(n, all)
			continue
		default:
			word := line
			if i < len(names)-1 {
				word, line, _ = strings.Cut(strings.TrimLeft(line, " \t"), " ")
			}
			v = effect.Lit(strings.TrimSpace(word))
		}
		e.set(n, v)
	}
	return stream{}, true
}

func unset(e *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	for _, a := range args {
		e.vars.remove(a.Text)
		e.arrays.remove(a.Text)
		e.funcs.remove(a.Text)
	}
	return stream{}, false
}

func echo(e *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	escapes, end := false, "\n"
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' && strings.Trim(args[0].Text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].Text, "e")
		if strings.Contains(args[0].Text, "n") {
			end = ""
		}
		args = args[1:]
	}
	v := joined(args)
	if escapes {
		v = spelled(v)
	}
	if !e.async {
		e.shows(v.Text)
	}
	if len(args) != 1 || !opaque(v.Text) {
		v.Text += end
	}
	return stream{v, true}, true
}

func printf(e *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	into := ""
	if len(args) > 1 && args[0].Text == "-v" {
		into, args = args[1].Text, args[2:]
	}
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	v := joined(args)
	if len(args) > 0 {
		v.Origin |= spelled(v).Origin
	}
	v.Text = format(texts(args))
	if into == "" && !e.async {
		for _, a := range args[min(1, len(args)):] {
			e.shows(a.Text)
		}
	}
	if into != "" {
		if isName(into) {
			e.set(into, v)
		}
		return stream{}, true
	}
	return stream{v, true}, true
}

func pwd(e *eval, _ string, _ []effect.Value, _ stream) (stream, bool) {
	return known(e.cwd()), true
}

func pathPart(e *eval, name string, args []effect.Value, _ stream) (stream, bool) {
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") {
			continue
		}
		if a.Open && opaque(a.Text) {
			return stream{a, true}, true
		}
		switch name {
		case "dirname":
			a.Text = path.Dir(a.Text)
		case "basename":
			a.Text = path.Base(a.Text)
		default:
			a = e.path(a)
		}
		return stream{a, true}, true
	}
	return unknown(0), true
}

// connected is the ztcp of zsh: a file descriptor is a connection from now on.
func connected(e *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	for _, a := range args {
		e.socket = e.socket || !strings.HasPrefix(a.Text, "-") && !local(a.Text)
	}
	return stream{}, true
}

// pipes makes named pipes: what is written to one comes back from it.
func pipes(e *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") && len(a.Text) > 1 && len(e.fifos) < 64 {
			e.fifos = append(e.fifos, e.abs(a))
		}
	}
	return stream{}, false
}

// mktemp makes a file or folder of its own, for which any name will do.
func mktemp(_ *eval, _ string, args []effect.Value, _ stream) (stream, bool) {
	for i, a := range args {
		if (a.Text == "-p" || a.Text == "--tmpdir") && i+1 < len(args) {
			return known(args[i+1].Text + "/tmp.mktemp"), true
		}
	}
	if n := len(args); n > 0 && strings.HasPrefix(args[n-1].Text, "/") && !args[n-1].Open {
		return known(strings.TrimRight(args[n-1].Text, "X") + "mktemp"), true
	}
	return known("/tmp/tmp.mktemp"), true
}

func tee(e *eval, _ string, args []effect.Value, in stream) (stream, bool) {
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			e.write(a, in)
		}
	}
	return stream{}, false
}

func dd(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	out, to := in, false
	nothing := slices.ContainsFunc(args, func(a effect.Value) bool {
		return a.Text == "if=/dev/null" || a.Text == "if=/dev/urandom" || a.Text == "if=/dev/random"
	})
	for _, a := range args {
		key, value, _ := strings.Cut(a.Text, "=")
		v := effect.Value{Text: value, Open: a.Open, Origin: a.Origin}
		switch key {
		case "if":
			e.effects(name, effect.FileRead, []effect.Value{v})
			out = e.content(v)
		case "of":
			e.effects(name, effect.FileWrite, []effect.Value{v})
			if nothing {
				e.effects(name, effect.FileEmpty, []effect.Value{v})
			}
			defer func() { e.write(v, out) }()
			to = true
		}
	}
	if to {
		return stream{}, true
	}
	return out, true
}

// makefile follows the recipes of a makefile that is fed.
func makefile(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	var text effect.Value
	for i, a := range args {
		file := ""
		switch {
		case (a.Text == "-f" || a.Text == "--file" || a.Text == "--makefile") && i+1 < len(args):
			file = args[i+1].Text
		case strings.HasPrefix(a.Text, "-f") && len(a.Text) > 2:
			file = a.Text[2:]
		case strings.HasPrefix(a.Text, "--eval="):
			text = effect.Lit(a.Text[len("--eval="):])
		}
		if file == "-" || file == "/dev/stdin" {
			text = in.Value
		} else if v, ok := e.files[e.abs(effect.Lit(file))]; ok && file != "" {
			text = v
		}
	}
	s := e.through(name)
	if dir, ok := flagValue(args, []string{"-C", "--directory"}); ok {
		s.dir = e.path(dir).Text
	}
	if text.Text == "" {
		for _, file := range []string{"GNUmakefile", "makefile", "Makefile"} {
			if v, ok := e.files[s.abs(effect.Lit(file))]; ok {
				text = v
			}
		}
	}
	if text.Open && opaque(text.Text) {
		s.runUnknown(text)
		return unknown(0), false
	}
	for line := range strings.Lines(text.Text) {
		_, recipe, ok := strings.Cut(line, "\t")
		if !ok {
			if _, recipe, ok = strings.Cut(line, ";"); !ok {
				if _, recipe, ok = strings.Cut(line, "$(shell "); !ok {
					continue
				}
				recipe = strings.TrimSuffix(strings.TrimSpace(recipe), ")")
			}
		}
		recipe = strings.TrimLeft(recipe, "@-+ \t")
		s.source(effect.Value{Text: strings.ReplaceAll(recipe, "$$", "$")}, stream{})
	}
	return unknown(0), false
}

// loginShell is sudo -s or su with a line on its standard input.
func loginShell(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") || a.Text == "-c" {
			if name != "su" || a.Text == "-c" {
				return stream{}, false
			}
		}
	}
	if in.fed && (len(args) > 0 || name == "su") {
		return e.through(name).fed(in), true
	}
	return stream{}, false
}

// spelled decodes escapes. A text that spells letters by their numbers hides
// something.
func spelled(v effect.Value) effect.Value {
	text := ansiC(v.Text)
	if n := strings.Count(v.Text, `\x`) + strings.Count(v.Text, `\1`) + strings.Count(v.Text, `\0`); n > 1 && len(text)+2*n <= len(v.Text) {
		v.Origin |= effect.Decoded
	}
	v.Text = text
	return v
}
