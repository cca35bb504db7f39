package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/shell"
)

// unknownVerb reports whether the subcommand of an overseer command line is known
// only while it runs: overseer ledger $A ev_1.
func unknownVerb(args []string) bool {
	var words []string
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			words = append(words, a)
		}
	}
	return len(words) > 0 && strings.Contains(words[0], "$") || len(words) > 1 && words[0] == "ledger" && strings.Contains(words[1], "$")
}

// reveals holds for an event that would show the key with which rulings are signed.
type reveals struct{ key string }

func (reveals) String() string { return "reading of the key that signs rulings" }

// searchers are programs that print what is in all files of a folder.
var searchers = []string{"grep", "egrep", "fgrep", "rg", "ag", "ack"}

// Holds implements [rule.Condition].
func (r reveals) Holds(s *rule.Subject) bool {
	w, folder := writes{under: []string{r.key}}, path.Dir(r.key)
	for _, p := range s.Event.Tool.Paths {
		ways := s.Ways(p)
		if w.coversAny(ways, false) || s.Event.Tool.Name == "Grep" && slices.Contains(ways, folder) {
			return true
		}
	}
	if s.Event.Tool.Command == "" {
		return false
	}
	prog := s.Program()
	for _, p := range prog.Reads {
		if w.coversAny(s.Ways(p), false) {
			return true
		}
	}
	for _, c := range prog.Commands {
		if slices.Contains(inspectors, c.Program) {
			continue
		}
		for _, f := range c.Files() {
			ways := s.Ways(f)
			if w.coversAny(ways, false) || slices.Contains(ways, folder+"/"+shell.Found) || slices.Contains(searchers, c.Program) && slices.Contains(ways, folder) {
				return true
			}
		}
	}
	return false
}

// unpacks holds for a command line that puts files whose names it does not tell
// into the folder that overseer's own lies in.
type unpacks struct{ parent string }

func (unpacks) String() string { return "files of unknown names into the home folder" }

// Holds implements [rule.Condition].
func (u unpacks) Holds(s *rule.Subject) bool {
	if s.Event.Tool.Command == "" {
		return false
	}
	for _, c := range s.Program().Commands {
		for _, f := range unpacked(c) {
			if slices.Contains(s.Ways(f), u.parent) {
				return true
			}
		}
	}
	return false
}

// unpacked lists the folders into which a command puts files of names that its words
// do not tell.
func unpacked(c shell.Command) []string {
	switch c.Program {
	case "tar", "bsdtar", "gtar":
		if len(c.Args) == 0 || !slices.Contains(c.Args, "--extract") && !slices.Contains(c.Args, "--get") &&
			!slices.ContainsFunc(c.Args, func(a string) bool {
				return !strings.HasPrefix(a, "--") && strings.HasPrefix(a, "-") && strings.Contains(a, "x")
			}) &&
			(strings.HasPrefix(c.Args[0], "-") || !strings.Contains(c.Args[0], "x")) {
			return nil
		}
		return target(c, "-C", "--directory")
	case "unzip":
		return target(c, "-d")
	case "7z", "7za", "7zz":
		for _, a := range c.Args {
			if dir, ok := strings.CutPrefix(a, "-o"); ok {
				return []string{shell.In(c.Dir, dir)}
			}
		}
		return nil
	case "cp", "rsync":
	default:
		return nil
	}
	files := c.Files()
	if len(files) < 2 {
		return nil
	}
	for _, a := range c.Args {
		// x/. and, for rsync, x/ are what is in a folder, and so is x for cp -T
		if strings.HasSuffix(a, "/.") || c.Program == "rsync" && strings.HasSuffix(a, "/") && a != c.Args[len(c.Args)-1] ||
			c.Program == "cp" && len(a) > 1 && a[0] == '-' && (a == "--no-target-directory" || a[1] != '-' && strings.Contains(a, "T")) {
			return append(target(c, "-t", "--target-directory"), files[len(files)-1])
		}
	}
	return nil
}

// target gives the folder that a flag names, else the one that the command runs in.
func target(c shell.Command, flags ...string) []string {
	for i, a := range c.Args {
		for _, f := range flags {
			if a == f && i+1 < len(c.Args) {
				return []string{shell.In(c.Dir, c.Args[i+1])}
			}
			if v, ok := strings.CutPrefix(a, f); ok && v != "" {
				return []string{shell.In(c.Dir, strings.TrimPrefix(v, "="))}
			}
		}
	}
	return []string{shell.In(c.Dir, ".")}
}

// module is overseer's own, from which go makes the program anew.
const module = "github.com/fireharp/overseer"

// remakes holds for a command line that copies the folder of overseer's program, or
// builds the program again under a name that the guard does not know.
type remakes struct{ programs []string }

func (remakes) String() string { return "copy of the folder of overseer's program" }

// folderCopiers are programs that copy a folder with all that is in it.
var folderCopiers = []string{"cp", "rsync", "mv", "tar", "bsdtar", "zip", "7z", "cpio", "scp"}

// Holds implements [rule.Condition].
func (r remakes) Holds(s *rule.Subject) bool {
	if s.Event.Tool.Command == "" {
		return false
	}
	for _, c := range s.Program().Commands {
		if c.Program == "go" && builds(c.Args) {
			return true
		}
		if !slices.Contains(folderCopiers, c.Program) {
			continue
		}
		sources := c.Files()
		switch c.Program {
		case "cp", "rsync", "mv", "scp": // the last is where it goes
			sources = sources[:max(len(sources)-1, 0)]
			if c.Program == "cp" && !slices.ContainsFunc(c.Args, recursive) {
				continue
			}
		case "tar", "bsdtar":
			if len(unpacked(c)) > 0 {
				continue
			}
			sources = append(sources, target(c, "-C", "--directory")...)
		}
		for _, f := range sources {
			for _, p := range r.programs {
				if slices.Contains(s.Ways(f), path.Dir(p)) {
					return true
				}
			}
		}
	}
	return false
}

// recursive reports whether a word is a flag by which cp copies folders.
func recursive(a string) bool {
	return a == "--recursive" || a == "--archive" || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a, "rRa")
}

// builds reports whether go is told to make overseer's program from its module.
func builds(args []string) bool {
	switch first(args) {
	case "build", "install", "get":
	default:
		return false
	}
	return slices.ContainsFunc(args, func(a string) bool {
		a, _, _ = strings.Cut(a, "@")
		return a == module || strings.HasPrefix(a, module+"/...")
	})
}
