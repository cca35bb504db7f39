package shell

import "strings"

// wrappers are programs that run the command in their own arguments. The value
// lists the flags that take a value in the next word; an entry that ends in "#"
// says that so many plain words come before the command.
var wrappers = map[string]struct {
	valued string
	skip   int
}{
	"sudo":     {valued: "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot"},
	"doas":     {valued: "-u -C"},
	"env":      {valued: "-u -C --unset --chdir"},
	"command":  {},
	"builtin":  {},
	"exec":     {valued: "-a"},
	"nohup":    {},
	"nice":     {valued: "-n --adjustment"},
	"ionice":   {valued: "-c -n --class --classdata"},
	"timeout":  {valued: "-k -s --kill-after --signal", skip: 1},
	"stdbuf":   {valued: "-i -o -e"},
	"setsid":   {},
	"time":     {valued: "-f -o"},
	"watch":    {valued: "-n --interval"},
	"xargs":    {valued: "-I -n -P -L -d -E -s -a --max-args --max-procs --delimiter --arg-file"},
	"busybox":  {},
	"rtk":      {},
	"chroot":   {skip: 1},
	"flock":    {valued: "-w -E --timeout", skip: 1},
	"unshare":  {},
	"strace":   {valued: "-e -o -p -s"},
	"parallel": {valued: "-j --jobs"},
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "ash":
		return true
	}
	return false
}

// unwrap finds what a wrapper would run: the words of an inner command, or a
// script in the shell's language. Both are empty for an ordinary program.
func unwrap(name string, args []string, input string) (inner []string, script string) {
	if isShell(name) {
		return nil, shellScript(args, input)
	}
	switch name {
	case "eval":
		return nil, strings.Join(args, " ")
	case "su":
		return nil, flagValue(args, "-c", "--command")
	case "find", "fd", "fdfind":
		return afterFlag(args, "-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch"), ""
	}
	w, ok := wrappers[name]
	if !ok {
		return nil, ""
	}
	if name == "env" {
		if s := splitString(args); s != "" {
			return nil, s
		}
	}
	if name == "flock" {
		if s := flagValue(args, "-c", "--command"); s != "" {
			return nil, s
		}
	}
	valued := " " + w.valued + " "
	skip := w.skip
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			continue
		case len(a) > 1 && a[0] == '-':
			if strings.Contains(valued, " "+a+" ") {
				i++
			}
		case isAssignment(a) && (name == "env" || name == "sudo" || name == "doas"):
		case skip > 0:
			skip--
		default:
			return args[i:], ""
		}
	}
	return nil, ""
}

// shellScript gives the script of sh -c, also of clustered flags such as -lc, or
// what is fed to a shell without a script.
func shellScript(args []string, input string) string {
	for i, a := range args {
		if a == "-s" || a == "-" || a == "/dev/stdin" {
			return input
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			return "" // a script file
		}
		if a[0] == '-' && a[1] != '-' && strings.ContainsRune(a, 'c') && i+1 < len(args) {
			return args[i+1]
		}
	}
	return input
}

// splitString gives the command line of env -S: the flag's value and all words
// behind it.
func splitString(args []string) string {
	for i, a := range args {
		for _, n := range []string{"-S", "-vS", "--split-string="} {
			if v, ok := strings.CutPrefix(a, n); ok {
				return strings.TrimSpace(v + " " + strings.Join(args[i+1:], " "))
			}
		}
		if a == "--split-string" {
			return strings.Join(args[i+1:], " ")
		}
	}
	return ""
}

func flagValue(args []string, names ...string) string {
	for i, a := range args {
		for _, n := range names {
			if a == n && i+1 < len(args) {
				return args[i+1]
			}
			if v, ok := strings.CutPrefix(a, n+"="); ok && strings.HasPrefix(n, "--") {
				return v
			}
			if v, ok := strings.CutPrefix(a, n); ok && v != "" && !strings.HasPrefix(n, "--") {
				return v
			}
		}
	}
	return ""
}

func afterFlag(args []string, names ...string) []string {
	for i, a := range args {
		for _, n := range names {
			if a == n {
				return args[i+1:]
			}
		}
	}
	return nil
}

func isAssignment(s string) bool {
	i := strings.IndexByte(s, '=')
	if i <= 0 {
		return false
	}
	for _, c := range s[:i] {
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
