package guard

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/shell"
)

// writes holds for an event that would change a file at or below one of the
// given places, or a folder above one.
type writes struct {
	under   []string // absolute
	project []string // relative, at any depth
}

func (w writes) String() string {
	return "write to " + strings.Join(append(append([]string{}, w.under...), w.project...), ", ")
}

// readTools are the tools that name files and change none.
var readTools = map[string]bool{"Read": true, "Glob": true, "Grep": true, "LS": true, "List": true, "ReadLints": true, "NotebookRead": true, "view_image": true}

// Holds implements [rule.Condition].
func (w writes) Holds(s *rule.Subject) bool {
	if !readTools[s.Event.Tool.Name] {
		for _, p := range s.Event.Tool.Paths {
			if w.coversAny(s.Ways(p), false) {
				return true
			}
		}
	}
	if s.Event.Tool.Command == "" {
		return false
	}
	prog := s.Program()
	for _, p := range prog.Writes {
		if w.coversAny(s.Ways(p), false) {
			return true
		}
	}
	fed := feedsChanger(prog)
	for _, c := range prog.Commands {
		files, above := changed(c)
		if fed {
			files = c.Files()
		}
		for _, p := range files {
			if w.coversAny(s.Ways(p), above) {
				return true
			}
		}
		if script := inlineScript(c); script != "" && w.named(script) {
			return true
		}
	}
	return false
}

// readers are programs that change none of their operands. Whatever is not listed
// here may change all of them.
var readers = map[string]bool{
	"cat": true, "bat": true, "less": true, "more": true, "head": true, "tail": true, "tac": true, "nl": true,
	"grep": true, "egrep": true, "fgrep": true, "rg": true, "ag": true, "ack": true, "cut": true,
	"ls": true, "tree": true, "stat": true, "file": true, "du": true, "wc": true, "test": true, "[": true, "realpath": true, "readlink": true,
	"diff": true, "cmp": true, "comm": true, "md5sum": true, "sha1sum": true, "sha256sum": true, "cksum": true,
	"sha512sum": true, "b2sum": true, "yq": true, "zcat": true, "column": true, "sort": true, "sed": true, "find": true, "fd": true, "xxd": true, "od": true, "hexdump": true, "strings": true, "jq": true, "cd": true, "pushd": true, "echo": true, "printf": true,
	"basename": true, "dirname": true, "which": true, "type": true, "command": true, "overseer": true, "git": true, "mkdir": true, "export": true, "source": true, ".": true,
	// wrappers: the command that they run is looked at by itself
	"sudo": true, "doas": true, "env": true, "nohup": true, "nice": true, "timeout": true, "time": true, "xargs": true, "parallel": true, "setsid": true,
	"bash": true, "sh": true, "zsh": true, "dash": true, "ksh": true, "eval": true, "exec": true, "watch": true, "stdbuf": true, "su": true,
}

// lastOnly are programs that change their last operand alone.
var lastOnly = map[string]bool{"cp": true, "ln": true, "install": true, "rsync": true, "scp": true}

// changed lists the words of a command that name files which it may change. above
// is true if a folder goes with all that is in it.
func changed(c shell.Command) (files []string, above bool) {
	files = c.Files()
	switch c.Program {
	case "find", "fd", "fdfind":
		deletes := has(c.Args, "-delete") || has(c.Args, "-exec") || has(c.Args, "-execdir") || has(c.Args, "-x") || has(c.Args, "-ok")
		if !deletes {
			return nil, false
		}
		return files, true
	case "sed", "perl", "sort", "ruby":
		if !inPlace(c.Args) && !(c.Program == "sed" && strings.Contains(strings.Join(c.Args, " "), "w ")) {
			return nil, false
		}
		return append(files, c.Args...), false
	case "dd":
		return values(c.Args, "of="), false
	case "git":
		if len(c.Args) > 0 && (has(c.Args, "rm") || has(c.Args, "mv") || has(c.Args, "clean") || has(c.Args, "checkout") || has(c.Args, "restore")) {
			return files, false
		}
	}
	switch {
	case readers[c.Program]:
		return nil, false
	case lastOnly[c.Program] && len(files) > 0 && !toFolder(c.Args):
		return files[len(files)-1:], false
	}
	return append(files, attached(c)...), c.Program == "rm" || c.Program == "mv" || c.Program == "chmod" || c.Program == "chown" || c.Program == "shred"
}

// toFolder reports whether a copy names its target by a flag.
func toFolder(args []string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, "-t") || strings.HasPrefix(a, "--target") || strings.HasPrefix(a, "--delete") {
			return true
		}
	}
	return false
}

// attached lists the paths that are glued to a short flag, such as -o/etc/x.
func attached(c shell.Command) []string {
	var out []string
	for _, a := range c.Args {
		if len(a) > 2 && a[0] == '-' && a[1] != '-' && (a[2] == '/' || a[2] == '~' || a[2] == '.') {
			out = append(out, shell.In(c.Dir, a[2:]))
		}
	}
	return out
}

// feedsChanger reports whether the line hands file names to a program through
// xargs or the like, so that the names stand with another command.
func feedsChanger(p shell.Program) bool {
	for _, c := range p.Commands {
		if (has(c.Via, "xargs") || has(c.Via, "parallel")) && !readers[c.Program] {
			return true
		}
	}
	return false
}

// inlineScript gives the program text that an interpreter is handed.
func inlineScript(c shell.Command) string {
	switch strings.TrimRight(c.Program, "0123456789.") {
	case "python", "node", "nodejs", "perl", "ruby", "php", "lua", "deno", "bun", "awk", "gawk":
	default:
		return ""
	}
	return strings.Join(c.Args, "\n") + "\n" + c.Input
}

// named reports whether a program's text names one of the places.
func (w writes) named(script string) bool {
	for _, u := range w.under {
		if strings.Contains(script, u) || strings.Contains(script, path.Base(path.Dir(u))+"/"+path.Base(u)) || path.Base(u) == ".overseer" && strings.Contains(script, ".overseer") {
			return true
		}
	}
	for _, rel := range w.project {
		if strings.Contains(script, rel) {
			return true
		}
	}
	return false
}

func inPlace(args []string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, "--in-place") || strings.HasPrefix(a, "--output") || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a, "io") {
			return true
		}
	}
	return false
}

func values(args []string, key string) []string {
	var out []string
	for _, a := range args {
		if v, ok := strings.CutPrefix(a, key); ok {
			out = append(out, v)
		}
	}
	return out
}

func has(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

func (w writes) coversAny(paths []string, above bool) bool {
	for _, p := range paths {
		if w.covers(p, above) {
			return true
		}
	}
	return false
}

// covers reports whether a clean path, which may hold wildcards, is one of the
// places or below it. With above, a folder that contains a place counts too: it
// would go with it.
func (w writes) covers(p string, above bool) bool {
	parts := split(p)
	for _, u := range w.under {
		if overlap(parts, split(u), above) {
			return true
		}
	}
	for _, rel := range w.project {
		want := split(rel)
		for i := range parts {
			if i+len(want) <= len(parts) && overlap(parts[i:], want, false) {
				return true
			}
		}
	}
	return false
}

func split(p string) []string {
	return strings.FieldsFunc(p, func(c rune) bool { return c == '/' })
}

// overlap compares a path with a place component by component.
func overlap(p, place []string, above bool) bool {
	if len(p) < len(place) && (!above || len(p) == 0) { // the whole machine is the constitution's matter
		return false
	}
	for i := range min(len(p), len(place)) {
		if !sameName(p[i], place[i]) {
			return false
		}
	}
	return true
}

// sameName reports whether a component, which may hold wildcards, stands for a
// name. As in the shell, a wildcard at the beginning stands for no dot.
func sameName(pattern, name string) bool {
	if pattern == name {
		return true
	}
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") && !strings.HasPrefix(pattern, "{") {
		return false
	}
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok
}

// mentions holds for a command line that names overseer's folder in a way that
// [writes] does not follow, beside a program that is not known to read only.
type mentions struct{}

func (mentions) String() string { return "mention of overseer's folder" }

// Holds implements [rule.Condition].
func (mentions) Holds(s *rule.Subject) bool {
	line := unquoted(s.Event.Tool.Command)
	if !strings.Contains(line, ".overseer") && !strings.Contains(line, ".over*") && !strings.Contains(line, ".{overseer") {
		return false
	}
	p := s.Program()
	for _, c := range p.Commands {
		if !readers[c.Program] && c.Program != "gh" && c.Program != "glab" { // their words are text
			return true
		}
	}
	for _, w := range p.Writes {
		if strings.Contains(w, "$") {
			return true
		}
	}
	return p.Incomplete
}
