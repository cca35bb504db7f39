package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
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
var readTools = []string{"Read", "Glob", "Grep", "LS", "List", "ReadLints", "NotebookRead", "view_image"}

// Holds implements [rule.Condition].
func (w writes) Holds(s *rule.Subject) bool {
	if !slices.Contains(readTools, s.Event.Tool.Name) {
		for _, p := range s.Event.Tool.Paths {
			if w.coversAny(s.Ways(p), false) {
				return true
			}
		}
	}
	if w.byEffect(s) {
		return true
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

// byEffect reports whether an effect changes one of the places.
func (w writes) byEffect(s *rule.Subject) bool {
	for _, e := range s.Effects() {
		above := false
		switch e.Kind {
		case effect.FileWrite, effect.FileDelete:
		case effect.DeleteRecursive, "file.move", "permission.widen":
			above = true
		default:
			continue
		}
		for _, t := range e.Targets {
			if e.Kind == effect.FileWrite && path.Base(t.Name) == "*" {
				continue // copies whose names are not known
			}
			if t.Scope != "" && w.covers(t.Name, above) {
				return true
			}
		}
	}
	return false
}

// commands holds for an event with a command line.
type commands struct{}

func (commands) String() string { return "command line" }

// Holds implements [rule.Condition].
func (commands) Holds(s *rule.Subject) bool { return s.Event.Tool.Command != "" }

// changes holds for a command line that is known to change one of the places, where
// [writes] also holds for one that merely may.
type changes struct{ writes }

func (c changes) String() string { return "command that does " + c.writes.String() }

// changers are programs that are there to change what they name.
var changers = []string{
	"rm", "mv", "cp", "ln", "install", "rsync", "tee", "sponge", "dd", "truncate",
	"shred", "unlink", "chmod", "chown", "chattr", "touch", "sed", "find", "ed", "ex",
	"curl", "wget", "tar", "unzip", "patch", "apply_patch", "git",
}

// Holds implements [rule.Condition].
func (c changes) Holds(s *rule.Subject) bool {
	if s.Event.Tool.Command == "" {
		return false
	}
	if c.byEffect(s) {
		return true
	}
	prog := s.Program()
	for _, p := range prog.Writes {
		if c.coversAny(s.Ways(p), false) {
			return true
		}
	}
	for _, cmd := range prog.Commands {
		if !slices.Contains(changers, cmd.Program) {
			continue
		}
		files, above := changed(cmd)
		for _, p := range files {
			if slices.Contains(lastOnly, cmd.Program) && path.Base(p) == ".overseer" {
				continue // a copy of the folder, which changes nothing in it
			}
			if c.coversAny(s.Ways(p), above) {
				return true
			}
		}
	}
	return false
}

// readers are programs that change none of their operands. Whatever is not listed
// here may change all of them.
var readers = []string{
	"cat", "bat", "less", "more", "head", "tail", "tac", "nl",
	"grep", "egrep", "fgrep", "rg", "ag", "ack", "cut",
	"ls", "tree", "stat", "file", "du", "wc", "test", "[", "realpath", "readlink",
	"diff", "cmp", "comm", "md5sum", "sha1sum", "sha256sum", "cksum",
	"sha512sum", "b2sum", "yq", "zcat", "column", "sort", "sed", "find", "fd", "xxd", "od", "hexdump", "strings", "jq", "cd", "pushd", "echo", "printf",
	"basename", "dirname", "which", "type", "command", "overseer", "git", "export", "source", ".",
	// wrappers: the command that they run is looked at by itself
	"sudo", "doas", "env", "nohup", "nice", "timeout", "time", "xargs", "parallel", "setsid",
	"bash", "sh", "zsh", "dash", "ksh", "eval", "exec", "watch", "stdbuf", "su",
}

// lastOnly are programs that change their last operand alone.
var lastOnly = []string{"cp", "ln", "install", "rsync", "scp"}

// changed lists the words of a command that name files which it may change. above
// is true if a folder goes with all that is in it.
func changed(c shell.Command) (files []string, above bool) {
	files = c.Files()
	switch c.Program {
	case "find", "fd", "fdfind":
		// What it deletes is an effect, and what it runs a command of its own, but for
		// what it finds by other marks than the name.
		if !slices.ContainsFunc(c.Args, isPathTest) || !slices.ContainsFunc(c.Args, isAct) {
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
		for _, sub := range []string{"rm", "mv", "clean", "checkout", "restore", "clone", "init", "apply", "am", "reset", "pull", "worktree", "submodule", "stash"} {
			if slices.Contains(c.Args, sub) {
				return append(files, folders(c)...), false
			}
		}
		return nil, false
	case "tar", "bsdtar", "unzip", "7z", "cpio", "patch", "wget", "curl", "rsync":
		files = append(files, folders(c)...)
	}
	switch {
	case slices.Contains(readers, c.Program):
		return nil, false
	case (slices.Contains(lastOnly, c.Program) || c.Program == "mv") && len(files) > 1 && !toFolder(c.Args):
		out := into(files[len(files)-1], files[:len(files)-1])
		if c.Program == "mv" {
			out = append(out, files...)
		}
		return out, c.Program == "mv"
	case slices.Contains(lastOnly, c.Program) && len(files) > 0 && !toFolder(c.Args):
		return files, false
	}
	return append(files, attached(c)...), c.Program == "rm" || c.Program == "mv" || c.Program == "chmod" || c.Program == "chown" || c.Program == "shred"
}

// isPathTest reports whether a word of find tests whole paths.
func isPathTest(a string) bool {
	switch a {
	case "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-p", "--full-path":
		return true
	}
	return false
}

// isAct reports whether a word of find does something with what it finds.
func isAct(a string) bool {
	return a == "-delete" || strings.HasPrefix(a, "-exec") || a == "-ok" || a == "-x" || a == "-X"
}

// into lists what a copy can make: the target itself and, where that is a folder,
// the files of the sources' names in it.
func into(target string, sources []string) []string {
	out := []string{target}
	for _, src := range sources {
		if base := path.Base(src); !strings.ContainsAny(base, "*?[") {
			out = append(out, target+"/"+base)
		}
	}
	return out
}

// folders lists where a program that unpacks, fetches or checks out puts files:
// the folder named by a flag, else the one it runs in. What lies there directly is
// taken to be within its reach.
func folders(c shell.Command) []string {
	out := []string{shell.In(c.Dir, "./*")}
	for i, a := range c.Args {
		if i+1 < len(c.Args) && (a == "-C" || a == "-d" || a == "-P" || a == "--directory") {
			out = append(out, shell.In(c.Dir, c.Args[i+1]), shell.In(c.Dir, c.Args[i+1]+"/*"))
		}
	}
	return out
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
		if (slices.Contains(c.Via, "xargs") || slices.Contains(c.Via, "parallel")) && !slices.Contains(readers, c.Program) {
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

// mentions holds for a command line that names overseer's folder in a way that
// [writes] does not follow, beside a program that is not known to read only.
type mentions struct{}

func (mentions) String() string { return "mention of overseer's folder" }

// Holds implements [rule.Condition].
func (mentions) Holds(s *rule.Subject) bool {
	line := s.Event.Tool.Command
	if !spelled(line, ".over") && !spelled(line, ".{over") || !names(unquoted(line)) {
		return false
	}
	p := s.Program()
	for _, c := range p.Commands {
		script := c.Program == "sh" || c.Program == "bash" || c.Program == "zsh" // $1 may be the folder
		if (!slices.Contains(readers, c.Program) || script) && c.Program != "gh" && c.Program != "glab" && names(strings.Join(c.Args, " ")) {
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

// names reports whether a text names overseer's folder.
func names(text string) bool {
	for _, way := range []string{".overseer", ".over*", ".{overseer"} {
		for rest := text; ; {
			i := strings.Index(rest, way)
			if i < 0 {
				break
			}
			rest = rest[i+len(way):]
			if rest == "" || !strings.ContainsRune("-_.", rune(rest[0])) && !isLetter(rest[0]) {
				return true
			}
		}
	}
	return false
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// copies holds for a command line that reads overseer's program to make another of
// it, under a name that the guard does not know.
type copies struct{ programs []string }

func (copies) String() string { return "copy of overseer's program" }

// inspectors are programs that look at a file and not at what is in it.
var inspectors = []string{
	"ls", "stat", "file", "which", "type", "command", "test", "[", "realpath",
	"readlink", "sha256sum", "sha1sum", "md5sum", "du", "echo", "printf", "basename", "dirname",
}

// Holds implements [rule.Condition].
func (p copies) Holds(s *rule.Subject) bool {
	if s.Event.Tool.Command == "" || len(p.programs) == 0 {
		return false
	}
	w := writes{under: p.programs}
	for _, c := range s.Program().Commands {
		if slices.Contains(inspectors, c.Program) || len(c.Via) == 0 && isOverseer(c.Program) {
			continue
		}
		for _, f := range c.Files() {
			if !wrapper(c.Program) && w.coversAny(s.Ways(f), false) {
				return true
			}
		}
	}
	return false
}

// lookedUp holds for a command line that asks where overseer's program is and
// changes or copies something that is known only while it runs: chmod 000 $(which
// overseer).
type lookedUp struct{}

func (lookedUp) String() string { return "change of overseer's program, wherever it is" }

// Holds implements [rule.Condition].
func (lookedUp) Holds(s *rule.Subject) bool {
	if line := s.Event.Tool.Command; !spelled(line, "overseer") || !strings.Contains(unquoted(line), "overseer") {
		return false
	}
	asks, changes := false, false
	for _, c := range s.Program().Commands {
		switch c.Program {
		case "which", "whereis", "command", "type":
			asks = asks || slices.ContainsFunc(c.Args, isOverseer)
		}
		changes = changes || slices.Contains(changers, c.Program) && slices.ContainsFunc(c.Args, func(a string) bool { return strings.Contains(a, "$") || isOverseer(a) })
	}
	return asks && changes
}

// wrapper reports whether a program runs the command in its own words, which is
// looked at by itself.
func wrapper(program string) bool {
	switch program {
	case "sudo", "doas", "env", "nohup", "nice", "timeout", "time", "xargs", "setsid", "exec", "command", "stdbuf", "bash", "sh", "zsh", "dash":
		return true
	}
	return false
}
