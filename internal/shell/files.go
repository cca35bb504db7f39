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
var textOperands = map[string]int{
	"echo": -1, "printf": -1, "export": -1, "alias": -1, "test": 0,
	"grep": 1, "egrep": 1, "fgrep": 1, "rg": 1, "ag": 1, "ack": 1,
	"sed": 1, "awk": 1, "gawk": 1, "jq": 1, "yq": 1, "perl": 1,
}

// textFlags are flags whose next word is text, by program and subcommand.
var textFlags = map[string]string{
	"git commit": "-m --message", "git tag": "-m --message", "git log": "--grep --author",
	"gh issue": "-b --body -t --title", "gh pr": "-b --body -t --title",
	"bash": "-c", "sh": "-c", "zsh": "-c", "python": "-c", "python3": "-c", "node": "-e", "ruby": "-e", "perl": "-e",
	"grep": "-e", "rg": "-e", "sed": "-e",
}

// Files lists the words of one command that may name files.
func (c Command) Files() []string {
	if c.Program == "apply_patch" || c.Program == "applypatch" {
		return c.within(patch.Files(c.Input + "\n" + strings.Join(c.Args, "\n")))
	}
	skip := textOperands[c.Program]
	if skip < 0 {
		return nil
	}
	flags := " " + textFlags[c.Program] + " "
	if len(c.Args) > 0 {
		flags += textFlags[c.Program+" "+c.Args[0]] + " "
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
