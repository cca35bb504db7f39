package shell

import (
	"path"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Programs that the line compiles: what one does stands in its source.

// compile notes that a program is made of sources: what is known of them is known of
// it. Where the compiler is not told what to call it, it bears the name of the source,
// or that of all outputs of C.
func (e *eval) compile(lang string, from, to []effect.Value, in stream) {
	src := output{e: e}
	for _, f := range from {
		if f.Text == "-" || f.Text == "/dev/stdin" || f.Text == in.Text && f.Open {
			src.add(in)
		} else if v, ok := e.files[e.abs(f)]; ok {
			src.add(stream{v, true})
		}
	}
	made := src.stream()
	if !made.fed || made.Open && !made.Origin.Has(foreign) {
		return
	}
	if len(to) == 0 {
		name := "a.out"
		if lang != "c" {
			name = strings.TrimSuffix(path.Base(from[0].Text), path.Ext(from[0].Text))
		}
		to = []effect.Value{effect.Lit(name)}
	}
	for _, t := range to {
		if t.Text == "" || t.Text == "/dev/null" {
			continue
		}
		e.write(t, made)
		if e.built == nil {
			e.built = map[string]string{}
		}
		e.built[e.abs(t)] = lang
	}
}

// compiled follows a program that the line has compiled. What is only unknown in it is
// no reason to stop: most of a program is.
func (e *eval) compiled(name, lang string, src effect.Value) {
	s := e.through(path.Base(name))
	s.fromDisk(func() { s.code(lang, src) })
}

// wiresShell reports whether a short program opens a connection to another machine,
// starts a shell and makes the one the input and output of the other.
func wiresShell(s string) bool {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(s, w) {
				return true
			}
		}
		return false
	}
	return len(s) < 4000 &&
		has("connect(", ".Dial(", "TcpStream::", "new Socket(", "TcpClient(") &&
		has("dup2(", ".Stdin", ".stdin(", "getInputStream(", "from_raw_fd(", "RedirectStandardInput") &&
		has("/bin/sh", "/bin/bash", "/bin/zsh", `"sh"`, `"bash"`, "cmd.exe", "powershell")
}

// typesPassword reports whether a short script waits for the question for a password of
// a program that opens an account, and answers it.
func typesPassword(s string) bool {
	if len(s) > 4000 || !strings.Contains(s, "spawn") || !strings.Contains(s, "assw") && !strings.Contains(s, "New") {
		return false
	}
	if !strings.Contains(s, "send") { // send, sendline
		return false
	}
	for _, p := range []string{"ssh ", "scp ", "sftp ", "su ", "su -", "sudo ", "telnet ", "passwd ", "rsync ", "ssh-copy-id "} {
		if i := strings.Index(s, p); i > 0 && strings.ContainsAny(s[i-1:i], " \"'({[/") {
			return true
		}
	}
	return false
}

// hostContainer reports whether a short script has the daemon of containers start one
// that has the machine's own folders or rights.
func hostContainer(s string) bool {
	if len(s) > 4000 || !strings.Contains(strings.ToLower(s), "docker") {
		return false
	}
	s = strings.NewReplacer(" ", "", "'", `"`).Replace(s)
	for _, mark := range []string{`"/:/`, `{"/":`, `{"/etc":`, `{"/root":`, `{"/home":`, `docker.sock":`, `"/etc:/`, `"/root:/`, `docker.sock:/`, `privileged=True`, `"Privileged"=>true`, `Privileged:true`, `"Privileged":true`, `pid_mode="host"`, `PidMode:"host"`, `"PidMode":"host"`} {
		if strings.Contains(s, mark) {
			return true
		}
	}
	return false
}
