package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/constitution"
	"github.com/fireharp/overseer/internal/hint"
)

// rules looks at every rule file that counts in the present folder.
func (m Machine) rules() []Result {
	const name = "rules"
	var out []Result
	l := m.Home.Load([]string{m.CWD}, agent.Names(), "")
	for _, err := range l.Problems {
		// The other problems are those of the settings.
		if p := (*constitution.Problem)(nil); errors.As(err, &p) {
			hints := hint.Of(err)
			if danglingLink(p.File) {
				hints = append(hints, "it is a link that leads nowhere: put back what it led to, or remove it and run overseer init")
			}
			out = append(out, result(name, Failed, hints, "%v", err))
		}
	}
	failed := len(out) > 0
	for _, r := range l.Rules {
		for _, err := range constitution.CheckExamples(r, m.Home.User) {
			out = append(out, result(name, Failed, hint.Of(err), "%v", err))
		}
		for _, err := range constitution.NeverFires(r, Events(r.Agent)) {
			out = append(out, result(name, Warning, hint.Of(err), "%v", err))
		}
	}
	if len(l.Skipped) > 0 {
		out = append(out, result(name, Warning, []string{"read the files, then run overseer trust"},
			"the project would loosen, and nobody has vouched for it, so it is skipped: %s", several(l.Skipped)))
	}
	n := 0
	for _, r := range l.Rules {
		if r.FromProject {
			n++
		}
	}
	text := count(len(l.Rules)-n, "rule") + " of yours"
	if len(l.Projects) > 0 {
		text += " and " + count(n, "rule") + " of the project " + l.Projects[0]
	}
	if n == len(l.Rules) {
		if failed { // and that is why
			return out
		}
		return append(out, result(name, Failed, []string{"write some; overseer init makes those files that are not there"},
			"there are no rules of yours in %s, only the built-in ones are in force", filepath.Join(m.Home.Root, constitution.Dir)))
	}
	return append(out, result(name, OK, nil, "%s in force", text))
}

// yours is the number of the person's own rules that are in force.
func (m Machine) yours() int {
	n := 0
	for _, r := range m.Home.Load([]string{m.CWD}, agent.Names(), "").Rules {
		if !r.FromProject {
			n++
		}
	}
	return n
}

// danglingLink reports whether path is a symbolic link to what is not there.
func danglingLink(path string) bool {
	_, err := os.Readlink(path)
	return err == nil && !exists(path)
}

// Events are the names of the events of one agent, "" for all: its own and those
// that rules know.
func Events(only string) []string {
	var out []string
	for _, p := range agent.All() {
		if only != "" && p.Name() != only {
			continue
		}
		for _, c := range p.Capabilities() {
			out = append(out, c.Event)
			if c.As != "" {
				out = append(out, c.As)
			}
		}
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
