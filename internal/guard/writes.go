package guard

import (
	"strings"

	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/shell"
)

// writes holds for an event that would change a file at or below one of the
// given places.
type writes struct {
	under   []string // absolute
	project []string // relative, at any depth
}

func (w writes) String() string {
	return "write below " + strings.Join(append(append([]string{}, w.under...), w.project...), ", ")
}

// readers are the tools that name files and change none.
var readers = map[string]bool{"Read": true, "Glob": true, "Grep": true, "LS": true, "NotebookRead": true, "view_image": true}

// changers are programs that change the files among their operands. The value
// is true where only the last operand is changed.
var changers = map[string]bool{
	"rm": false, "rmdir": false, "unlink": false, "shred": false, "truncate": false, "tee": false, "touch": false,
	"chmod": false, "chown": false, "chattr": false, "mv": false, "sed": false, "perl": false, "patch": false,
	"cp": true, "ln": true, "install": true, "rsync": true, "dd": false, "sqlite3": false, "vi": false, "vim": false, "nano": false, "ed": false,
}

// Holds implements [rule.Condition].
func (w writes) Holds(s *rule.Subject) bool {
	if !readers[s.Event.Tool.Name] {
		for _, p := range s.Event.Tool.Paths {
			if w.covers(s.Abs(p), false) {
				return true
			}
		}
	}
	if s.Event.Tool.Command == "" || !w.mentioned(s) {
		return false
	}
	prog := s.Program()
	for _, p := range prog.Writes {
		if w.covers(s.Abs(p), false) {
			return true
		}
	}
	for _, c := range prog.Commands {
		for _, p := range changed(c) {
			if w.covers(s.Abs(p), c.Program == "rm" || c.Program == "mv" || c.Program == "find") {
				return true
			}
		}
	}
	return false
}

// mentioned is a cheap test that spares most command lines the parse.
func (w writes) mentioned(s *rule.Subject) bool {
	line, cwd := s.Event.Tool.Command, s.Event.CWD
	if strings.ContainsAny(line, disguises) {
		return true
	}
	for _, folder := range []string{".overseer", ".claude", ".codex", ".cursor"} {
		if strings.Contains(line, folder) || strings.Contains(cwd, folder) {
			return true
		}
	}
	return false
}

// changed lists the operands of a command that it would change.
func changed(c shell.Command) []string {
	last, ok := changers[c.Program]
	files := c.Files()
	switch {
	case c.Program == "find" && has(c.Args, "-delete"):
		return files
	case !ok, (c.Program == "sed" || c.Program == "perl") && !inPlace(c.Args):
		return nil
	case c.Program == "dd":
		for _, a := range c.Args {
			if f, ok := strings.CutPrefix(a, "of="); ok {
				return []string{f}
			}
		}
		return nil
	case last && len(files) > 0:
		return files[len(files)-1:]
	}
	return files
}

func inPlace(args []string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, "--in-place") || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsRune(a, 'i') {
			return true
		}
	}
	return false
}

func has(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// covers reports whether a clean path is one of the places or below it. With
// above, a folder that contains a place counts too: it would go with it.
func (w writes) covers(p string, above bool) bool {
	for _, u := range w.under {
		if p == u || strings.HasPrefix(p, u+"/") || above && strings.HasPrefix(u, strings.TrimSuffix(p, "/")+"/") && p != "/" {
			return true
		}
	}
	for _, rel := range w.project {
		if strings.HasSuffix(p, "/"+rel) || strings.Contains(p, "/"+rel+"/") {
			return true
		}
	}
	return false
}
