package shell

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/program"
	"github.com/fireharp/overseer/internal/script"
	"github.com/fireharp/overseer/internal/sql"
	"github.com/fireharp/overseer/internal/winshell"
)

// isShell reports whether a program reads the shell's language.
func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish", "csh", "tcsh", "ksh93", "yash", "elvish", "nu", "xonsh", "oksh", "posh", "busybox-sh":
		return true
	}
	return false
}

// language is the language that an interpreter reads, "" if it is none.
func language(name string) string {
	name = strings.TrimRight(name, "0123456789.")
	switch name {
	case "python", "pypy":
		return "python"
	case "node", "nodejs", "deno", "bun":
		return "node"
	case "perl", "ruby", "php", "lua", "awk", "tcl", "expect":
		return name
	case "tclsh", "wish":
		return "tcl"
	case "rscript":
		return "r"
	case "osascript":
		return "applescript"
	}
	if isShell(name) {
		return "shell"
	}
	return ""
}

// shell follows sh -c 'text', sh file, and sh with a text on its standard input.
func (e *eval) shell(name string, words []effect.Value, in stream, to []target) stream {
	s := e.through(name)
	interactive := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		a := w.Text
		switch {
		case a == "--rcfile" || a == "--init-file" || a == "-o" || a == "+o" || a == "-O" || a == "+O":
			i++
		case a == "-s" || a == "-" || a == "/dev/stdin":
			if a == "-s" {
				s.args = words[i+1:]
			}
			return s.fed(in)
		case a == "--help" || a == "--version" || a == "-n":
			return unknown(0)
		case len(a) > 1 && (a[0] == '-' || a[0] == '+'):
			if a[0] == '-' && a[1] != '-' && strings.ContainsRune(a, 'c') {
				for i++; i < len(words) && strings.HasPrefix(words[i].Text, "-"); i++ {
				}
				if i < len(words) {
					if i+2 <= len(words) {
						s.args = append([]effect.Value{}, words[min(i+2, len(words)):]...)
						if i+1 < len(words) {
							s.set("0", words[i+1])
						}
					}
					return s.shellText(words[i], in)
				}
			}
			interactive = interactive || a == "-i" || a == "--interactive" || strings.Contains(a, "i") && a[1] != '-'
		default:
			return e.shellFile(name, w, words[i+1:], in)
		}
	}
	if in.Origin.Has(effect.Downloaded) && slices.ContainsFunc(to, func(t target) bool { return slices.Contains(e.fifos, e.abs(t.path)) }) {
		e.add(effect.Effect{Kind: effect.ExecRemoteShell, Program: name}) // its answers go back through a named pipe
	}
	if network(to) {
		e.add(effect.Effect{Kind: effect.ExecRemoteShell, Program: name})
		return unknown(0)
	}
	if in.fed && !(interactive && in.Open) {
		out := s.fed(in)
		if in.Open && opaque(in.Text) {
			out = stream{effect.Value{Text: shellOutput, Open: true}, true}
		}
		return out
	}
	if by := e.escapedFrom(); by != "" {
		e.add(effect.Effect{Kind: "exec.shell-escape", Program: by})
	}
	return stream{effect.Value{Text: shellOutput, Open: true}, in.fed || interactive}
}

// escapedFrom names the program that starts a shell for a person to type into although
// it is there for something else: find, or what sudo runs in place of the shell.
func (e *eval) escapedFrom() string {
	raised := ""
	for _, by := range e.via {
		name, _, _ := strings.Cut(by, " ")
		switch name {
		case "find", "fd", "xargs", "awk", "tar", "vim", "vi", "nmap", "ftp", "gdb":
			return name
		case "sudo", "doas":
			raised = name
		}
	}
	return raised
}

// shellOutput stands for what a shell prints whose lines come from elsewhere: sent
// to another machine, it is a remote shell.
const shellOutput = "$(shell)"

// fed follows what is piped into a shell.
func (e *eval) fed(in stream) stream {
	if !in.fed {
		return unknown(0)
	}
	return e.shellText(in.Value, stream{})
}

// shellText follows a text that a shell runs.
func (e *eval) shellText(v effect.Value, in stream) stream {
	if v.Origin.Has(foreign) || v.Open && opaque(v.Text) {
		e.runUnknown(v)
	}
	if v.Open && opaque(v.Text) {
		return unknown(v.Origin)
	}
	return e.source(v, in)
}

// opaque reports whether nothing of a text is known.
func opaque(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" {
		return true
	}
	if s[0] != '$' {
		return false
	}
	s = strings.Trim(s[1:], "{}")
	return s == "()" || s == "((…))" || strings.HasSuffix(s, "…") || isName(s) || strings.Trim(s, "0123456789@*#?") == ""
}

// shellFile follows a script of the shell.
func (e *eval) shellFile(name string, file effect.Value, args []effect.Value, in stream) stream {
	s := e.through(name)
	s.args = append([]effect.Value{}, args...)
	if v, ok := e.files[e.abs(file)]; ok {
		return s.shellText(v, in)
	}
	e.uninstalls(e.abs(file))
	if file.Open {
		if file.Origin != 0 {
			s.runUnknown(file)
		}
		return unknown(0)
	}
	if v, ok := e.read(file); ok {
		s.fromDisk(func() { s.source(v, in) })
	} else if e.fetchedHere(file.Text) {
		s.runUnknown(effect.Value{Text: file.Text, Open: true, Origin: effect.Downloaded})
	} else if base := program.Name(file.Text); strings.HasSuffix(file.Text, ".sh") {
		if r, ok := e.tables.Match(base, args, in.fed, e.cwd()); ok { // known by its name
			s.acts(r, args, in, nil)
		}
	}
	return unknown(0)
}

// scriptFile follows a script of another language.
func (e *eval) scriptFile(lang, label string, file effect.Value, in stream) {
	if file.Text == "-" || file.Text == "/dev/stdin" {
		if in.fed {
			e.through(label).code(lang, in.Value)
		}
		return
	}
	if lang == "shell" {
		e.shellFile(label, file, nil, in)
		return
	}
	s := e.through(label)
	if v, ok := e.files[e.abs(file)]; ok {
		s.code(lang, v)
		return
	}
	if file.Open {
		if file.Origin.Has(foreign) {
			s.runUnknown(file)
		}
		return
	}
	if v, ok := e.read(file); ok {
		s.fromDisk(func() { s.code(lang, v) })
	}
}

// code follows a text in a language that is not the shell's.
func (e *eval) code(lang string, src effect.Value) {
	if !e.deeper() {
		return
	}
	switch lang {
	case "shell":
		e.shellText(src, stream{})
		return
	case "ex":
		for line := range strings.Lines(src.Text) {
			if text, ok := shelledOut(line); ok {
				e.shellText(effect.Value{Text: text, Open: src.Open, Origin: src.Origin}, stream{})
			}
		}
		return
	}
	data := lang == "sql" || lang == "mongo" || lang == "redis" || lang == "manifest"
	if data && src.Origin.Has(effect.Downloaded) && !src.Origin.Has(effect.Local) {
		e.runUnknown(effect.Value{Text: src.Text, Open: true, Origin: effect.Downloaded})
	}
	if !data && (src.Origin.Has(foreign) || src.Open && opaque(src.Text) && lang != "powershell") {
		e.runUnknown(src)
	}
	if src.Open && opaque(src.Text) {
		return
	}
	src.Text = e.readable(lang, src.Text)
	switch lang {
	case "sql":
		if e.bench.near {
			e.turns(sql.Databases(src.Text))
		}
		e.statements(lang, sql.Effects(src.Text))
		for _, f := range sql.Scripts(src.Text) {
			e.scriptFile("sql", lang, effect.Lit(f), stream{})
		}
	case "mongo":
		if strings.Contains(src.Text, "getSiblingDB") || strings.Contains(src.Text, "connect(") || strings.Contains(src.Text, "Mongo(") || strings.Contains(src.Text, "use ") {
			e.bench = bench{}
		}
		e.statements(lang, sql.Mongo(src.Text))
	case "redis":
		e.statements(lang, sql.RedisScript(src.Text))
	case "manifest":
		e.manifest(src.Text)
	case "powershell":
		e.powershell(src)
	case "cmd":
		e.windows(winshell.Cmd(src))
	default:
		if e.bench.env {
			e.bench = bench{}
		}
		if forks(src.Text) {
			e.add(effect.Effect{Kind: effect.ForkBomb, Program: lang})
		}
		if askHost(src.Text) {
			e.add(effect.Effect{Kind: effect.SecretRead, Program: lang, Targets: []effect.Target{{Name: "169.254.169.254"}}})
		}
		if endsWatchers(src.Text) {
			e.add(effect.Effect{Kind: "trace.blind", Program: lang})
		}
		if typesPassword(src.Text) {
			e.add(effect.Effect{Kind: "network.remote", Program: lang})
		}
		if hostContainer(src.Text) {
			e.add(effect.Effect{Kind: "privilege.escape", Program: lang})
		}
		if connectsShell(src.Text) {
			e.add(effect.Effect{Kind: effect.ExecRemoteShell, Program: lang})
		}
		work := e.work.Split(e.work.Left() / codeShare)
		r := script.Read(lang, src, work)
		e.work.Join(work)
		e.calls(lang, r)
	}
}

// shelledOut is what an editor's or a debugger's command hands to a shell: ":!rm x",
// "silent !rm x", "shell rm x".
func shelledOut(s string) (string, bool) {
	s = strings.TrimLeft(s, ": \t")
	for _, before := range []string{"silent", "exec", "execute", "r", "read", "w", "%", "0", "."} {
		if rest, ok := strings.CutPrefix(s, before); ok {
			if rest = strings.TrimLeft(rest, " '\""); strings.HasPrefix(rest, "!") {
				s = rest
			}
		}
	}
	if rest, ok := strings.CutPrefix(s, "!"); ok {
		return strings.TrimLeft(strings.TrimRight(rest, "'\" \n"), "! "), true
	}
	if rest, ok := strings.CutPrefix(s, "shell "); ok {
		return rest, true
	}
	if _, rest, ok := strings.Cut(s, "system("); ok {
		if rest = strings.TrimLeft(rest, "'\""); rest != "" {
			end := strings.IndexAny(rest, "'\")")
			if end > 0 {
				return rest[:end], true
			}
		}
	}
	return "", false
}

// codeShare is the part of what is left of the budget that reading one text in another
// language may take: what it does must be judged too.
const codeShare = 2

// readable is as much of a text as there is budget for, before it is read. The readers
// of scripts spend for themselves.
func (e *eval) readable(lang, text string) string {
	work := 0
	switch lang {
	case "sql", "mongo", "redis":
		work = sql.Work
	case "powershell", "cmd":
		work = winshell.Work
	default:
		return text
	}
	n := min(len(text), e.work.Left()/codeShare/work)
	if n < len(text) && !e.fromFile {
		e.stop()
	}
	e.spend(n * work)
	return text[:n]
}

// statements notes what a text for a database does.
func (e *eval) statements(lang string, list []sql.Effect) {
	for _, x := range list {
		switch {
		case x.Replaced && slices.Contains(e.via, "duckdb"):
		case e.sparedBy(x):
		case x.Kind == "exec.shell-escape" && x.Target != "":
			e.through(lang).shellText(effect.Lit(x.Target), stream{})
		case x.Target == "" && aboutFiles(x.Kind):
		case x.Target == "":
			e.effects(lang, x.Kind, nil)
		default:
			e.effects(lang, x.Kind, []effect.Value{effect.Lit(x.Target)})
		}
	}
}

// askHost reports whether a script asks the host of a cloud's machine for its credentials.
func askHost(s string) bool {
	return strings.Contains(s, "://169.254.169.254") || strings.Contains(s, "metadata.google.internal/") || strings.Contains(s, "://169.254.170.2") || strings.Contains(s, "://100.100.100.200")
}

// manifest notes what a cluster's manifest asks for beyond what its programs need.
func (e *eval) manifest(s string) {
	s = strings.NewReplacer("\"", "", " ", "").Replace(s)
	for _, m := range []struct {
		part string
		kind effect.Kind
	}{
		{"privileged:true", "privilege.escape"}, {"hostPID:true", "privilege.escape"}, {"hostIPC:true", "privilege.escape"}, {"hostNetwork:true", "privilege.escape"},
		{"path:/\n", "privilege.escape"}, {"path:/}", "privilege.escape"}, {"docker.sock", "privilege.escape"}, {"path:/etc", "privilege.escape"}, {"path:/root", "privilege.escape"},
		{"name:cluster-admin", "privilege.grant"}, {"WebhookConfiguration", "persist.hook"}, {"kind:CronJob", "persist.schedule"},
	} {
		if strings.Contains(s, m.part) {
			e.add(effect.Effect{Kind: m.kind, Program: "kubectl apply", Targets: []effect.Target{{Name: m.part}}})
		}
	}
}

// powershell follows a text of PowerShell.
func (e *eval) powershell(src effect.Value) {
	if v, ok := strings.CutPrefix(strings.TrimSpace(src.Text), "$env:"); ok && secretName(v) { // it prints what it holds
		e.add(effect.Effect{Kind: effect.SecretRead, Program: "powershell", Targets: []effect.Target{{Name: "$env:" + v}}})
	}
	low := strings.ToLower(src.Text)
	for _, part := range []string{"amsiinitfailed", "amsiutils", "amsiscanbuffer", "amsicontext"} { // what has scripts scanned
		if strings.Contains(low, part) {
			e.add(effect.Effect{Kind: "trace.blind", Program: "powershell", Targets: []effect.Target{{Name: part}}})
			break
		}
	}
	e.windows(winshell.PowerShell(src))
}

// connectsShell reports whether a short script opens a connection and starts a shell.
func connectsShell(s string) bool {
	if wiresShell(s) {
		return true
	}
	if len(s) > 2000 || !strings.Contains(s, "connect") || !strings.Contains(strings.ToLower(s), "socket") && !strings.Contains(s, "net.") {
		return false
	}
	return strings.Contains(s, "/bin/sh") || strings.Contains(s, "/bin/bash") || strings.Contains(s, "cmd.exe")
}

// forks reports whether a short script does nothing but start itself again and again.
func forks(s string) bool {
	if len(s) > 200 || !strings.Contains(s, "fork") {
		return false
	}
	return strings.Contains(s, "while") || strings.Contains(s, "loop") || strings.Contains(s, "for(;;)")
}
