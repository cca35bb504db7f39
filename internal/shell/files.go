package shell

import (
	"strings"

	"github.com/fireharp/overseer/internal/patch"
)

// Files lists the words of the program that may name files: operands, the
// values of --flag=value, and the targets of redirections. Words that are known
// to be text (what echo prints, a commit message, a search pattern) are left out.
// The list can hold words that are no files; it serves rules that look for
// particular paths.
func (p Program) Files() []string {
	out := append([]string{}, p.Writes...)
	out = append(out, p.Reads...)
	for _, c := range p.Commands {
		out = append(out, c.Files()...)
	}
	return out
}

// textOperands says how many leading operands of a program are text; -1 is all.
func textOperands(program string) int {
	switch program {
	case "echo", "printf", "export", "alias":
		return -1
	case "test":
		return 0
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "jq", "yq", "perl":
		return 1
	}
	return 0
}

// textFlags are flags whose next word is text, by program and subcommand.
func textFlags(command string) string {
	switch command {
	case "git commit", "git tag":
		return "-m --message"
	case "git log":
		return "--grep --author"
	case "gh issue", "gh pr":
		return "-b --body -t --title"
	case "bash", "sh", "zsh", "python", "python3":
		return "-c"
	case "node", "ruby", "perl", "grep", "rg", "sed":
		return "-e"
	}
	return ""
}

// Files lists the words of one command that may name files.
func (c Command) Files() []string {
	if c.Program == "apply_patch" || c.Program == "applypatch" {
		return c.within(patch.Files(c.Input + "\n" + strings.Join(c.Args, "\n")))
	}
	skip := textOperands(c.Program)
	if skip < 0 {
		return nil
	}
	flags := " " + textFlags(c.Program) + " "
	if len(c.Args) > 0 {
		flags += textFlags(c.Program+" "+c.Args[0]) + " "
	}
	var out []string
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		switch {
		case a == "" || a == "-" || a == "--":
		case strings.HasPrefix(a, "-"):
			if strings.Contains(flags, " "+a+" ") {
				i++
				if skip > 0 {
					skip--
				}
			} else if _, v, ok := strings.Cut(a, "="); ok {
				out = append(out, v)
			}
		case skip > 0:
			skip--
		default:
			out = append(out, a)
		}
	}
	return c.within(out)
}

// within puts the folder that the command runs in before relative paths.
func (c Command) within(files []string) []string {
	for i, f := range files {
		files[i] = In(c.Dir, f)
	}
	return files
}
