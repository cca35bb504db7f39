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
	change, bench, around := e.change, e.bench, e.around
	defer func() { e.change, e.bench, e.around = change, bench, around }()
	e.change = changed(r.Label, words, in)
	if r.Tests.Known || !strings.Contains(r.Label, ":") { // a script works where its program does
		e.bench = e.benchOf(r, words)
	}
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
				targets = []effect.Value{effect.Join(targets, "\n;\n")}
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

func joined(vs []effect.Value) effect.Value { return effect.Join(vs, " ") }

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
			if !e.spend(2 * wordWork) { // each of many to each of many
				return
			}
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
