package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/program"
	"github.com/fireharp/overseer/internal/sql"
)

// acts does what the tables say about one call and gives what it prints.
func (e *eval) acts(r program.Result, words []effect.Value, in stream, to []target) stream {
	here := r.Network && onlyLocal(words)
	out := output{e: e}
	printed := false
	outer, around := e.bench, e.around
	was := e.change
	e.change = changed(r.Label, words, in)
	defer func() { e.change = was }()
	if r.Tests.Known || !strings.Contains(r.Label, ":") { // a script works where its program does
		e.bench = e.benchOf(r, words)
	}
	defer func() { e.bench, e.around = outer, around }()
	print := func(s stream) {
		out.add(s)
		printed = true
	}
	for _, a := range r.Acts {
		targets := a.Targets
		for i, t := range targets {
			if t.Text == program.Stdin {
				targets = slices.Clone(targets)
				targets[i] = in.Value
			}
		}
		switch a.Verb {
		case "run":
			print(e.run(r.Label, targets, in, to))
		case "shell":
			print(e.through(r.Label).shellText(joined(targets), in))
		case "code":
			if a.Arg == "sql" && r.Tests.Known && len(targets) > 1 { // all in one session
				targets = []effect.Value{session(targets)}
			}
			for _, t := range targets {
				if a.Arg == "node" && prints(words) {
					t.Text = "console.log(" + t.Text + ")"
				}
				e.through(r.Label).code(a.Arg, t)
				if n := min(len(t.Text), maxQuery); a.Arg == "sql" && e.spend(n*sql.Work) {
					if made := sql.Made(t.Text[:n]); made != "" {
						print(stream{effect.Value{Text: made, Open: true, Origin: effect.Local}, true})
					}
				}
			}
		case "file":
			for _, t := range targets {
				e.scriptFile(a.Arg, r.Label, t, in)
			}
		case "compile":
			e.compile(a.Arg, targets, a.To, in)
		case "fetch":
			e.effects(r.Label, effect.FileWrite, targets)
			e.fetched = true
			for _, t := range targets {
				e.write(t, unknown(effect.Downloaded))
			}
		case "copy":
			e.copy(r.Label, targets, a.To)
		case "made":
			for _, t := range targets {
				e.made[t.Text] = true
			}
		case "out":
			print(e.prints(r.Label, a, words, in))
		default:
			if here && (a.Verb == "data.send" || a.Verb == "cloud.delete") {
				continue // what this machine is told stays here
			}
			if e.spared(r, a, targets) || a.Verb == "git.discard" && onlyLocks(words) {
				continue
			}
			e.kind(r.Label, a, targets, in)
		}
	}
	if !here {
		e.leaks(r, words)
	}
	e.picksSecret(r.Label, words, in)
	if r.Network && in.Text == shellOutput {
		e.add(effect.Effect{Kind: effect.ExecRemoteShell, Program: r.Label})
	}
	if !printed {
		return unknown(0)
	}
	return out.stream()
}

// maxQuery is how much of a text for a database is looked at for a query that prints SQL.
const maxQuery = 4 << 10

// prints reports whether node or deno is told to print what an expression gives.
func prints(words []effect.Value) bool {
	return slices.ContainsFunc(words, func(w effect.Value) bool { return w.Text == "-p" || w.Text == "--print" || w.Text == "-pe" })
}

// kind notes one effect that a table names.
func (e *eval) kind(label string, a program.Act, targets []effect.Value, in stream) {
	switch k := effect.Kind(a.Verb); k {
	case effect.SecretRead:
		if e.async && len(targets) == 1 && targets[0].Text == "environment" {
			return // what reads it tells whether it looks for secrets
		}
		e.effects(label, k, targets)
	case effect.DataSend:
		if !a.Named {
			e.add(effect.Effect{Kind: k, Program: label})
			return
		}
		if slices.Contains(texts(a.Targets), program.Stdin) && !in.fed {
			return
		}
		e.send(label, targets, "")
	default:
		if a.Named && len(targets) == 0 && aboutFiles(k) {
			return // what the table speaks of is not there
		}
		e.effects(label, k, targets)
	}
}

// send notes what goes to another machine. What is known and no path was written
// for it by the agent itself: that is no leak.
func (e *eval) send(label string, targets []effect.Value, host string) {
	for _, t := range targets {
		if t.Text == "-" || t.Text == "" {
			continue
		}
		abs := t
		if !t.Open {
			abs = e.path(t)
		}
		x := effect.Effect{Kind: effect.DataSend, Program: label, Targets: []effect.Target{{Name: t.Text, Scope: effect.ScopeOf(abs, e.ctx.Places)}}}
		if host != "" {
			x.Targets = append(x.Targets, effect.Target{Name: host})
		}
		switch {
		case t.Origin.Has(effect.Secret):
			e.add(x)
			x.Kind = effect.SecretSend
			e.add(x)
		case t.Open && t.Origin == effect.Downloaded:
		case t.Open:
			e.add(x)
		case isPath(t.Text):
			x.Targets[0].Name = e.ctx.Places.Abs(abs.Text)
			e.add(x)
			if v, ok := e.files[e.abs(t)]; ok && v.Origin.Has(effect.Secret) {
				x.Kind = effect.SecretSend
				e.add(x)
			}
		}
	}
}

// isPath reports whether a text can be a path: it is one word.
func isPath(s string) bool {
	return s != "" && !strings.ContainsAny(s, "\n{}\"'<>&=") && len(s) < 4096
}

// leaks notes secrets in the words of a program that speaks to the network.
func (e *eval) leaks(r program.Result, words []effect.Value) {
	if !r.Network && !r.Talks {
		return
	}
	posts := r.Talks && len(words) > 0 && slices.Contains([]string{"issue", "pr", "mr", "gist", "snippet", "discussion", "release"}, words[0].Text)
	for i, w := range words {
		if w.Origin.Has(effect.Secret) || posts && w.Open && len(secretNames(w.Text)) > 0 || w.Open && (inURL(w.Text) || i > 0 && inBody(words[i-1].Text, w.Text)) {
			e.add(effect.Effect{Kind: effect.SecretSend, Program: r.Label, Targets: []effect.Target{{Name: w.Text}}})
		} else if r.Network && w.Origin.Has(effect.Local) && !w.Origin.Has(effect.Downloaded) && !opaque(w.Text) {
			e.add(effect.Effect{Kind: effect.DataSend, Program: r.Label, Targets: []effect.Target{{Name: w.Text}}})
		}
	}
}

func texts(vs []effect.Value) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = v.Text
	}
	return out
}

// session puts statements together that a client runs one after the other.
func session(vs []effect.Value) effect.Value {
	var v effect.Value
	for i, x := range vs {
		if i > 0 {
			v.Text += "\n;\n"
		}
		v.Text += x.Text
		v.Open, v.Origin = v.Open || x.Open, v.Origin|x.Origin
	}
	return v
}

func joined(vs []effect.Value) effect.Value {
	if len(vs) == 1 {
		return effect.Value{Text: vs[0].Text, Open: vs[0].Open, Origin: vs[0].Origin}
	}
	var b strings.Builder
	var v effect.Value
	for i, x := range vs {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(x.Text)
		v.Open, v.Origin = v.Open || x.Open, v.Origin|x.Origin
	}
	v.Text = b.String()
	return v
}

// run follows the command in another's words: sudo rm, find -exec rm {} ;.
func (e *eval) run(label string, words []effect.Value, in stream, to []target) stream {
	out := output{e: e}
	for len(words) > 0 {
		cmd := words
		words = nil
		for i, w := range cmd {
			if w.Text == ";" && !w.Open {
				cmd, words = cmd[:i], cmd[i+1:]
				break
			}
		}
		out.add(e.through(label).call(cmd, in, to))
	}
	return out.stream()
}

// copy notes that files are read and written elsewhere, and what they then hold.
func (e *eval) copy(label string, from, to []effect.Value) {
	e.effects(label, effect.FileRead, from)
	for _, f := range from {
		e.fetched = e.fetched || elsewhere(f.Text)
	}
	for _, t := range to {
		if elsewhere(t.Text) {
			e.sendSecrets(label, from, t.Text)
			return
		}
	}
	e.effects(label, effect.FileWrite, to)
	for _, t := range to {
		for _, f := range from {
			content := e.content(f)
			e.write(t, content)
			in := t
			in.Text = strings.TrimSuffix(t.Text, "/") + "/" + path.Base(f.Text)
			e.write(in, content)
			if len(from) > 1 || strings.HasSuffix(t.Text, "/") || t.Text == "." || t.Text == "~" {
				e.effects(label, effect.FileWrite, []effect.Value{in})
			}
		}
	}
}

// prints gives what a table says that a program prints.
func (e *eval) prints(label string, a program.Act, words []effect.Value, in stream) stream {
	switch a.Arg {
	case "download":
		return unknown(effect.Downloaded)
	case "secret":
		return unknown(effect.Secret)
	case "mixed":
		return unknown(effect.Mixed)
	case "local":
		return unknown(effect.Local)
	case "text":
		v := joined(a.Targets)
		return stream{v, true}
	case "decoded":
		src := in
		if len(a.Targets) > 0 {
			all := output{e: e}
			for _, t := range a.Targets {
				all.add(e.content(t))
			}
			src = all.stream()
		}
		name, _, _ := strings.Cut(label, " ")
		if src.fed && !src.Open {
			if s, ok := decode(name, texts(words), src.Text); ok {
				return stream{effect.Value{Text: s, Origin: effect.Decoded}, true}
			}
		}
		if src.fed && src.Origin.Has(effect.Secret|effect.Downloaded) {
			return unknown(effect.Decoded | src.Origin)
		}
		return unknown(effect.Decoded)
	case "stdin":
		return e.passed(label, words, in)
	case "content":
		if len(a.Targets) == 0 {
			if !a.Named || in.fed {
				return e.passed(label, words, in)
			}
			return stream{}
		}
		out := output{e: e}
		for _, t := range a.Targets {
			if t.Text == "-" {
				out.add(in)
				continue
			}
			out.add(e.content(t))
		}
		return e.passed(label, words, out.stream())
	}
	return unknown(0)
}

// passed is what a program prints that hands on what it is fed, as it is or
// changed. Only what is certain to be handed on as it is, is still known.
func (e *eval) passed(label string, words []effect.Value, in stream) stream {
	if !in.fed {
		return unknown(0)
	}
	name, _, _ := strings.Cut(label, " ")
	if name != "cat" && strings.Contains(in.Text, every) { // it chooses some
		in.Text = strings.ReplaceAll(in.Text, every, Found)
	}
	if list, ok := narrowed(name, words, in); ok {
		return list
	}
	if strings.HasPrefix(in.Text, dump) && in.Open && name != "grep" && name != "head" && name != "tail" {
		return in // packed or not, it is all that a database holds
	}
	switch name {
	case "cat", "tee", "sponge", "pv", "head", "tail", "sort", "uniq", "nl", "buffer", "less", "more", "dd", "cut", "grep":
		return in // of parts, the whole is read: it is at least that
	case "rev", "tac":
		if !in.Open && e.spend(len(in.Text)/decodeBytes) {
			s, _ := decode(name, nil, in.Text)
			return stream{effect.Value{Text: s, Origin: in.Origin | effect.Decoded}, true}
		}
	case "tr":
		if !in.Open && e.spend(len(in.Text)/decodeBytes) {
			if s, ok := translate(texts(words), in.Text); ok {
				return stream{effect.Value{Text: s, Origin: in.Origin | effect.Decoded}, true}
			}
		}
	}
	if !in.Open {
		return unknown(in.Origin | effect.Decoded) // made from a text of the line: assembled
	}
	return unknown(in.Origin)
}

// effects notes an effect with its targets, and what follows from them. Kinds that
// are about files have paths for targets.
func (e *eval) effects(label string, k effect.Kind, targets []effect.Value) {
	x := effect.Effect{Kind: k, Program: label}
	for _, t := range targets {
		if (k == effect.FileDelete || k == effect.DeleteRecursive) && e.everyFile(&t) {
			x.Kind = effect.DeleteRecursive
		}
		if !aboutFiles(k) {
			x.Targets = append(x.Targets, effect.Target{Name: t.Text})
			x.Unsure = x.Unsure || t.Open
			continue
		}
		if t.Text == "" || t.Text == "-" {
			continue
		}
		p := e.path(t)
		if !e.spend(effect.Work(p.Text)) {
			continue
		}
		scope := effect.ScopeOf(p, e.ctx.Places)
		if e.fromFile && scope == effect.Unknown {
			continue
		}
		name := p.Text
		if scope != effect.Unknown {
			name = e.ctx.Places.Abs(name)
		}
		x.Targets = append(x.Targets, effect.Target{Name: name, Scope: scope})
		x.Unsure = x.Unsure || t.Open
	}
	if len(targets) > 0 && len(x.Targets) == 0 {
		return
	}
	e.add(x)
}

// everyFile reports whether what is deleted one by one is all that a folder holds, as
// in find / -type f -exec rm: no rm without -r takes a folder.
func (e *eval) everyFile(t *effect.Value) bool {
	if dir, ok := strings.CutSuffix(t.Text, "/"+every); ok {
		if dir == "" {
			dir = "/"
		}
		*t = effect.Value{Text: dir, Origin: t.Origin}
		return true
	}
	if strings.HasPrefix(t.Text, "/"+Found+"/") { // as locate names them, wherever they are
		return true
	}
	return strings.Contains(t.Text, "/**/") || effect.IsWhole(e.path(*t), e.ctx.Places)
}

// aboutFiles reports whether the targets of a kind are paths.
func aboutFiles(k effect.Kind) bool {
	group, _, _ := strings.Cut(string(k), ".")
	switch group {
	case "file", "delete", "disk", "permission", "persist", "trace", "privilege":
		return true
	}
	return k == effect.SecretRead
}

// add notes an effect and what follows from it.
func (e *eval) add(x effect.Effect) {
	if x.Via == nil {
		x.Via = e.via
	}
	fresh := e.isNew(x)
	if !fresh && e.change == nil {
		return // and so is what follows from it
	}
	for i, d := range append([]effect.Effect{x}, effect.Derive(x, e.ctx.Places)...) {
		if !e.spend(effectWork) {
			return
		}
		if i == 0 && !fresh || i > 0 && (d.Kind == "trust.build" && e.ordinary(d) || !e.isNew(d)) {
			continue
		}
		e.out.Effects = append(e.out.Effects, d)
		at := e.owner
		if at < 0 {
			at = len(e.out.Commands) - 1
		}
		if at >= 0 && at < len(e.out.Commands) {
			c := &e.out.Commands[at]
			c.Effects = append(c.Effects, d)
		}
	}
}

// isNew reports whether the line has not had this effect yet.
func (e *eval) isNew(x effect.Effect) bool {
	b := append(e.key[:0], x.Kind...)
	b = append(append(b, 0), x.Program...)
	for _, v := range x.Via {
		b = append(append(b, 1), v...)
	}
	for _, t := range x.Targets {
		b = append(append(b, 2), t.Scope...)
		b = append(append(b, 0), t.Name...)
	}
	e.key = b
	if e.seen[string(b)] {
		return false
	}
	e.seen[string(b)] = true
	return true
}

// onlyLocal reports whether the words name hosts, and all of them are this machine.
func onlyLocal(words []effect.Value) bool {
	found := false
	for _, w := range words {
		host := w.Text
		if _, rest, ok := strings.Cut(host, "://"); ok {
			host = rest
		} else if !strings.HasPrefix(host, "localhost") && !strings.HasPrefix(host, "127.0.0.1") {
			continue
		}
		host, _, _ = strings.Cut(host, "/")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			host = host[i+1:]
		}
		host, _, _ = strings.Cut(host, ":")
		if !local(host) {
			return false
		}
		found = true
	}
	return found
}

// inURL reports whether a secret variable stands in the query of a URL or in form data,
// where no service wants it. In a header it is everyday.
func inURL(s string) bool {
	_, rest, ok := strings.Cut(s, "=")
	return ok && strings.HasPrefix(rest, "$") && secretName(strings.TrimPrefix(strings.Trim(rest, "${}"), "env:")) && !strings.ContainsAny(s, " ")
}

// inBody reports whether a secret variable stands in what a flag of curl, wget or their
// like sends as the body.
func inBody(flag, s string) bool {
	switch flag {
	case "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "-F", "--form", "--form-string", "--post-data", "--body-data":
		return len(secretNames(s)) > 0
	}
	return false
}
