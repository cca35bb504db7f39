package shell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// pids stands for the numbers of the processes of a name, as pgrep prints them:
// kill $(pgrep x) is pkill x. Behind it is the name, "" for all processes.
const pids = "$pids:"

// processes is pgrep, pidof and ps: they print the numbers of processes.
func processes(e *eval, name string, args []effect.Value, _ stream) (stream, bool) {
	of, all, whose := "", false, false
	if strings.HasPrefix(name, "g") { // Get-Process
		all, name = true, "ps"
		for _, a := range args {
			if !strings.HasPrefix(a.Text, "-") {
				of = a.Text
			}
		}
	}
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		switch {
		case name != "ps" && !strings.HasPrefix(a, "-"):
			of = a
		case name != "ps" && (a == "-u" || a == "-g" || a == "-P" || a == "-t" || a == "-d" || a == "-s"):
			whose = whose || a == "-u"
			i++
		case name == "ps" && a == "-C" && i+1 < len(args):
			i++
			of, all = args[i].Text, true
		case name == "ps" && (a == "-p" || strings.HasPrefix(a, "--pid") || strings.HasPrefix(a, "--ppid") || a == "-t"):
			return unknown(0), false
		case name == "ps" && (a == "-e" || a == "-A" || a == "-ef" || a == "aux" || a == "ax" || a == "-aux" || a == "auxw" || a == "auxww" || a == "-ax" || a == "-eo" || a == "-Ao" || a == "axo"):
			all = true
		}
	}
	if name == "ps" && !all || name != "ps" && of == "" && !whose {
		return unknown(0), false
	}
	e.program(name, args, stream{}, nil)
	return stream{effect.Value{Text: pids + of, Open: true}, true}, true
}

// narrowed is a list of processes behind grep or awk, which choose some of them by name.
func narrowed(name string, words []effect.Value, in stream) (stream, bool) {
	of, ok := strings.CutPrefix(strings.TrimSpace(in.Text), pids)
	if !ok {
		return in, false
	}
	switch name {
	case "grep", "egrep", "rg", "fgrep":
		for _, w := range words {
			if w.Text == "-v" || strings.HasPrefix(w.Text, "-v") {
				return in, true
			}
			if !strings.HasPrefix(w.Text, "-") {
				of = strings.NewReplacer("[", "", "]", "", `\`, "").Replace(w.Text)
				break
			}
		}
	case "awk", "gawk", "mawk":
		for _, w := range words {
			if _, after, ok := strings.Cut(w.Text, "/"); ok {
				if pattern, _, ok := strings.Cut(after, "/"); ok {
					of = pattern
				}
			}
			if of == "" && strings.ContainsAny(w.Text, "=~") {
				of = "$some"
			}
		}
	case "cut", "tr", "xargs", "head", "tail", "sort", "sed", "tee", "cat", "uniq":
	default:
		return unknown(in.Origin), true
	}
	in.Text = pids + of
	return in, true
}

// stopProcess ends the processes that it is fed.
func stopProcess(e *eval, _ string, args []effect.Value, in stream) (stream, bool) {
	of, ok := strings.CutPrefix(strings.TrimSpace(in.Text), pids)
	if !ok || of == "" || strings.Trim(of, "*") == "" {
		return stream{}, false
	}
	e.program("stop-process", append([]effect.Value{effect.Lit("-Name"), effect.Lit(of)}, args...), stream{}, nil)
	return stream{}, true
}

// kill ends the processes that another program lists, by their names.
func kill(e *eval, name string, args []effect.Value, _ stream) (stream, bool) {
	for i, a := range args {
		of, ok := strings.CutPrefix(strings.TrimSpace(a.Text), pids)
		if !ok || !a.Open {
			continue
		}
		if of == "" {
			e.add(effect.Effect{Kind: "process.kill-all", Program: name})
			continue
		}
		words := append([]effect.Value{}, args...)
		words[i] = effect.Lit(of)
		e.program("pkill", words, stream{}, nil)
	}
	return stream{}, false
}
