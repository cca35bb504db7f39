package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/fireharp/overseer/internal/effect"
)

// watchers are parts of the names of programs that watch a machine.
var watchers = []string{"auditd", "osquery", "falco", "wazuh", "ossec", "crowdstrike", "sentinelone", "sysmon", "suricata", "sophos", "carbonblack", "cbdaemon", "cylance", "clamd", "mdatp", "rsyslogd", "auditbeat", "filebeat", "tetragon", "fail2ban", "aide", "aegis", "aliyundun", "cloudmonitor", "ydservice", "elastic-agent", "limacharlie"}

// watcher reports whether a text names a program that watches the machine.
func watcher(s string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(watchers, func(w string) bool { return strings.Contains(s, w) })
}

// endsWatchers reports whether a short script ends processes and names a watcher.
func endsWatchers(s string) bool {
	if len(s) > 4000 || !watcher(s) {
		return false
	}
	return slices.ContainsFunc([]string{".kill(", "Process.kill", "SIGKILL", ".terminate(", "posix_kill", "syscall.Kill", "kill(", "kill 9", "kill('"}, func(k string) bool { return strings.Contains(s, k) })
}

// endsByNumber notes a loop over /proc that ends processes: those of the programs that
// watch, or all of them.
func (e *eval) endsByNumber(c *syntax.ForClause) {
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok || !slices.ContainsFunc(it.Items, func(w *syntax.Word) bool { return mentions(w, "/proc") }) {
		return
	}
	kills, named, chooses := false, "", false
	for _, s := range c.Do {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CallExpr:
				kills = kills || slices.ContainsFunc(n.Args, func(w *syntax.Word) bool { return w.Lit() == "kill" })
			case *syntax.IfClause, *syntax.CaseClause, *syntax.TestClause:
				chooses = true
			case *syntax.BinaryCmd:
				chooses = chooses || n.Op == syntax.AndStmt || n.Op == syntax.OrStmt
			case *syntax.Lit:
				if watcher(n.Value) {
					named = n.Value
				}
			case *syntax.SglQuoted:
				if watcher(n.Value) {
					named = n.Value
				}
			}
			return true
		})
	}
	switch {
	case !kills:
	case named != "":
		e.add(effect.Effect{Kind: "trace.blind", Program: "kill", Targets: []effect.Target{{Name: named}}})
	case !chooses:
		e.add(effect.Effect{Kind: "process.kill-all", Program: "kill"})
	}
}

// mentions reports whether a word has this text in one of its parts, also one that is
// quoted or stands in a substitution.
func mentions(w *syntax.Word, text string) bool {
	return has(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			return strings.Contains(n.Value, text)
		case *syntax.SglQuoted:
			return strings.Contains(n.Value, text)
		}
		return false
	})
}

// uninstalls notes a program that removes what watches the machine: it lies in its
// folder and says so by its name.
func (e *eval) uninstalls(p string) {
	base := strings.ToLower(p[strings.LastIndexByte(p, '/')+1:])
	if !strings.Contains(base, "uninstall") && !strings.HasPrefix(base, "remove") && !strings.HasPrefix(base, "disable") {
		return
	}
	if e.spend(effect.Work(p)) && slices.Contains(effect.Classes(p, e.ctx.Places), "watcher") {
		e.add(effect.Effect{Kind: "trace.blind", Program: base, Targets: []effect.Target{{Name: p}}})
	}
}
