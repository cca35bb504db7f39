package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/program"
)

// call follows a program with its words and gives what it prints.
func (e *eval) call(words []effect.Value, in stream, to []target) stream {
	words = e.prefix(words)
	if len(words) == 0 || words[0].Text == "" {
		return stream{}
	}
	if !e.step() || !e.spend(len(words)*wordWork) {
		return stream{}
	}
	first := words[0]
	c := Command{Program: path.Base(first.Text), Via: e.via, Dir: e.dir}
	if strings.Contains(first.Text, "/") {
		c.Path = e.abs(first)
	}
	for _, w := range words[1:] {
		c.Args = append(c.Args, w.Text)
	}
	if in.fed && (!in.Open || in.Text != "$()") {
		c.Input = in.Text
	}
	e.out.Commands = append(e.out.Commands, c)
	if first.Open {
		return e.unknownProgram(first, words[1:])
	}
	if first.Origin.Has(foreign) {
		e.runUnknown(first)
	}
	name := program.Name(first.Text)
	if strings.ContainsAny(first.Text, "*?[") {
		name = resolveGlob(first.Text)
	}
	if body, ok := e.funcs.get(first.Text); ok {
		return e.function(first.Text, body, words[1:], in)
	}
	e.production(name, words)
	if e.downloaded(name) {
		e.runUnknown(effect.Value{Text: name, Open: true, Origin: effect.Downloaded})
	}
	if c.Path != "" && exploit(c.Path) {
		e.add(effect.Effect{Kind: "privilege.grant", Program: c.Program, Targets: []effect.Target{{Name: c.Path}}})
	}
	if c.Path != "" {
		e.uninstalls(c.Path)
	}
	if e.hidden(first) {
		e.runUnknown(effect.Value{Text: first.Text, Open: true})
	}
	if strings.Contains(first.Text, "/") || e.files[e.abs(first)].Text != "" {
		if out, ok := e.direct(first, words[1:], in); ok {
			return out
		}
	}
	if f := builtinFor(name); f != nil {
		if out, done := f(e, name, words[1:], in); done {
			return out
		}
	}
	if isShell(name) {
		return e.shell(name, words[1:], in, to)
	}
	return e.program(name, words[1:], in, to)
}

// prefix takes leading NAME=value words as assignments, as sudo and env do.
func (e *eval) prefix(words []effect.Value) []effect.Value {
	for len(words) > 0 {
		name, value, ok := strings.Cut(words[0].Text, "=")
		if !ok || !isName(name) {
			break
		}
		v := effect.Value{Text: value, Open: words[0].Open}
		e.assigned(name, v)
		e.export(name, v)
		words = words[1:]
	}
	return words
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// assigned notes what a variable does to programs that are started with it.
func (e *eval) assigned(name string, v effect.Value) {
	if !e.spend(assignWork) {
		return
	}
	for _, k := range program.Assigned(name, e.apart(v.Text)) {
		e.add(effect.Effect{Kind: effect.Kind(k), Program: name + "=", Targets: []effect.Target{{Name: v.Text}}, Unsure: v.Open})
	}
}

// apart is a text in which the home and the project stand by themselves, wherever they
// are: a home below /tmp is a home.
func (e *eval) apart(text string) string {
	if home := e.ctx.Places.Home; home != "" {
		text = strings.ReplaceAll(text, home+"/", "~/")
	}
	for _, dir := range []string{e.ctx.Places.Repo, e.ctx.Places.CWD} {
		if dir != "" && dir != "/tmp" && dir != "/" {
			text = strings.ReplaceAll(text, dir, ".")
		}
	}
	return text
}

// unknownProgram is a program whose name is known only while the line runs. $CC and
// ${PYTHON} are everyday; a name that is put together or read from elsewhere is not.
func (e *eval) unknownProgram(name effect.Value, args []effect.Value) stream {
	plain := strings.TrimPrefix(name.Text, "$")
	if name.Origin != 0 || !isName(plain) {
		if !strings.Contains(name.Text, "/") || name.Origin.Has(foreign) {
			e.runUnknown(name)
		}
	}
	if len(args) == 0 && isName(plain) && !e.fromFile { // all of a line is unknown
		e.runUnknown(name)
	}
	if e.socket {
		e.add(effect.Effect{Kind: effect.ExecRemoteShell})
	}
	if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && slices.ContainsFunc(args, func(a effect.Value) bool { return a.Text == "-rf" || a.Text == "-fr" }) {
		e.runUnknown(name)
	}
	return unknown(0)
}

// foreign are the origins of code that nobody has read.
const foreign = effect.Downloaded | effect.Decoded

// runUnknown notes that something is run that is not known.
func (e *eval) runUnknown(v effect.Value) {
	kind := effect.ExecUnresolved
	switch {
	case v.Origin.Has(effect.Downloaded):
		kind = effect.ExecDownloaded
	case v.Origin.Has(effect.Decoded):
		kind = effect.ExecDecoded
	case e.fromFile:
		return
	}
	e.add(effect.Effect{Kind: kind, Targets: []effect.Target{{Name: v.Text}}, Unsure: kind == effect.ExecUnresolved})
}

// function follows a function of the line.
func (e *eval) function(name string, body *syntax.Stmt, args []effect.Value, in stream) stream {
	if e.running[name] {
		if e.async { // it calls itself in a pipe or in the background
			e.add(effect.Effect{Kind: effect.ForkBomb, Program: name})
		}
		return stream{}
	}
	e.running[name] = true
	defer delete(e.running, name)
	old := e.args
	e.args = args
	if e.args == nil {
		e.args = []effect.Value{}
	}
	e.depth++
	out := e.stmt(body, in)
	e.depth--
	e.args = old
	return out
}

// direct follows a program that is called by its path, if the line itself or the
// disk tells what is in it.
func (e *eval) direct(name effect.Value, args []effect.Value, in stream) (stream, bool) {
	if v, ok := e.files[e.abs(name)]; ok {
		theirs := v.Origin.Has(foreign)
		switch {
		case v.Open && !theirs || !v.Open && v.Text == "":
			return stream{}, false
		case theirs:
			e.runUnknown(v)
		}
		if v.Open {
			return unknown(0), true
		}
		if lang := e.built[e.abs(name)]; lang != "" {
			e.compiled(name.Text, lang, v)
			return unknown(0), true
		}
		return e.script(name.Text, v, args, in), true
	}
	if strings.HasPrefix(name.Text, "./") || strings.HasPrefix(name.Text, "../") || strings.HasSuffix(name.Text, ".sh") || inTemp(e.abs(name)) || e.fetchedHere(name.Text) {
		if v, ok := e.read(name); ok {
			s := e.sub()
			s.fromDisk(func() { s.script(name.Text, v, args, in) })
			return unknown(0), true
		}
		if e.fetchedHere(name.Text) {
			e.runUnknown(effect.Value{Text: name.Text, Open: true, Origin: effect.Downloaded})
		}
	}
	return stream{}, false
}

// unpackers make files of what they are fed.
var unpackers = []string{"tar", "bsdtar", "cpio", "unzip", "funzip", "7z"}

// read gives a script on the disk.
func (e *eval) read(name effect.Value) (effect.Value, bool) {
	if e.ctx.Read == nil || name.Open || e.scripts >= maxScripts {
		return effect.Value{}, false
	}
	e.scripts++
	data, ok := e.ctx.Read(e.abs(name))
	if !ok || len(data) > maxScript || strings.IndexByte(string(data[:min(512, len(data))]), 0) >= 0 {
		return effect.Value{}, false
	}
	return effect.Lit(string(data)), true
}

// fromDisk does what follows from a file that somebody wrote with care: what is
// only unknown in it is no reason to stop.
func (e *eval) fromDisk(f func()) {
	old := e.fromFile
	e.fromFile = true
	f()
	e.fromFile = old
}

// script follows a text in the language that its first line names.
func (e *eval) script(name string, text effect.Value, args []effect.Value, in stream) stream {
	s := e.through(path.Base(name))
	s.args = append([]effect.Value{}, args...)
	line, _, _ := strings.Cut(text.Text, "\n")
	if strings.HasPrefix(line, "#!") {
		f := strings.Fields(line[2:])
		if len(f) > 1 && path.Base(f[0]) == "env" {
			f = f[1:]
			if f[0] == "-S" && len(f) > 1 {
				f = f[1:]
			}
		}
		if len(f) > 0 {
			if lang := language(program.Name(f[0])); lang != "" && lang != "shell" {
				s.code(lang, text)
				return unknown(0)
			}
			if !isShell(program.Name(f[0])) {
				return stream{}
			}
		}
	}
	return s.source(text, in)
}

// program looks a program up in the tables and does what they say.
func (e *eval) program(name string, words []effect.Value, in stream, to []target) stream {
	if clones(name, words) || in.Origin.Has(effect.Downloaded) && slices.Contains(unpackers, name) {
		e.fetched = true
	}
	e.runsPiped(name, words)
	e.recipes(name, words)
	e.between(name, words)
	e.takesDump(name, words, in)
	e.rewritesPins(name, words)
	r, ok := e.tables.Match(name, words, in.fed, e.cwd())
	if name == "git" && ok {
		if out, ok := tracked(words); ok {
			return out
		}
	}
	if !ok {
		e.unlisted(name, words)
		return unknown(0)
	}
	if r.Dir.Text != "" {
		e = e.sub()
		e.dir = e.path(r.Dir).Text
	}
	out := e.acts(r, words, in, to)
	if p, ok := printedPath(name, words); ok {
		return p
	}
	if d, ok := dumps(name, words); ok {
		return d
	}
	return out
}

// tracked is git ls-files: it prints the names of the project's files.
func tracked(words []effect.Value) (stream, bool) {
	if len(words) == 0 || words[0].Text != "ls-files" {
		return stream{}, false
	}
	what := every
	for _, w := range words[1:] {
		if !strings.HasPrefix(w.Text, "-") {
			what = Found
		}
	}
	return stream{effect.Value{Text: "./" + what, Open: true}, true}, true
}

// resolveGlob is the program that a glob in the place of a program most likely
// means: a name that is spelled so is meant to hide.
func resolveGlob(word string) string {
	base := path.Base(word)
	for _, n := range []string{"rm", "sh", "bash", "cat", "dd", "nc", "curl", "wget", "python3", "python", "chmod", "mkfs", "shred", "tee", "cp", "mv", "find", "base64", "head", "tail"} {
		if ok, err := path.Match(base, n); err == nil && ok {
			return n
		}
	}
	return base
}
