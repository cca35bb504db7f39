package constitution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/rule"
)

// CheckExamples runs each example of a rule through the rule's own conditions and
// reports those on which it does not fire, and the counterexamples on which it
// does. home is the person's home folder.
func CheckExamples(r *rule.Rule, home string) []error {
	var errs []error
	for _, ex := range r.Examples {
		if !firesOn(r, ex, home) {
			err := fmt.Errorf("%s: rule %s does not fire on its example %q", r.At(), r.ID, ex)
			errs = append(errs, hint.Wrap(err, "an example is a command, a path or a prompt; one that contains a comma goes on a line of its own as \"- …\""))
		}
	}
	for _, ex := range r.Counterexamples {
		if firesOn(r, ex, home) {
			errs = append(errs, fmt.Errorf("%s: rule %s fires on its counterexample %q", r.At(), r.ID, ex))
		}
	}
	return errs
}

// exampleCWD is the folder in which examples are tried, a project's root.
const exampleCWD = "/project"

// firesOn tries the example as each thing that the rule can be about: a command,
// a file, a prompt, a tool.
func firesOn(r *rule.Rule, example, home string) bool {
	events, tools := []string{event.PreToolUse, event.UserPromptSubmit}, []string{"Bash", "Write", "Read"}
	agents, cwd := []string{r.Agent}, exampleCWD
	spaces := false // whether a text with spaces can be a file
	for _, c := range r.When {
		switch c := c.(type) {
		case rule.Events:
			events = c
		case rule.Tools:
			tools, spaces = c, true
		case rule.Agents:
			agents = c
		case rule.Folders:
			cwd = folderOf(c[0], home)
		}
	}
	for _, name := range events {
		for _, tool := range tools {
			for _, agent := range agents {
				for _, e := range attempts(tool, example, spaces) {
					e.Name, e.Agent, e.CWD = name, agent, cwd
					if r.Matches(&rule.Subject{Event: &e, Home: home, Repo: cwd}) {
						return true
					}
				}
			}
		}
	}
	return false
}

// attempts are the events that an example can stand for.
func attempts(tool, example string, spaces bool) []event.Event {
	out := []event.Event{{Tool: event.Tool{Name: tool}}, {Prompt: example}}
	if command := commandFor(tool, example); command != "" {
		out = append(out, event.Event{Tool: event.Tool{Name: tool, Command: command}})
	}
	switch {
	case strings.Contains(example, "://") && !strings.Contains(example, " "):
		for _, t := range []string{tool, "WebFetch"} {
			out = append(out, event.Event{Tool: event.Tool{Name: t, URL: example}})
		}
	case spaces || !strings.Contains(example, " "):
		out = append(out, event.Event{Tool: event.Tool{Name: tool, Paths: []string{example}}})
	}
	if !strings.ContainsAny(example, " /") {
		out = append(out, event.Event{Tool: event.Tool{Name: example}})
	}
	return out
}

// folderOf is a folder that a glob of cwd= matches.
func folderOf(glob, home string) string {
	dir := strings.NewReplacer("/**", "", "**/", "", "*", "x").Replace(glob)
	if rest, ok := strings.CutPrefix(dir, "~"); ok {
		dir = home + rest
	}
	if !strings.HasPrefix(dir, "/") {
		dir = "/" + dir
	}
	return dir
}

// fileTools are tools that run no command, so that a command is no example of what
// they do.
var fileTools = []string{"write", "edit", "multiedit", "read", "notebookedit", "apply_patch"}

func commandFor(tool, example string) string {
	if slices.Contains(fileTools, strings.ToLower(tool)) {
		return ""
	}
	return example
}
