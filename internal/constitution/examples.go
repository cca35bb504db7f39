package constitution

import (
	"fmt"
	"strings"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/rule"
)

// CheckExamples runs each example of a rule through the rule's own conditions
// and reports those on which it does not fire. home is the person's home folder.
func CheckExamples(r *rule.Rule, home string) []error {
	var errs []error
	for _, ex := range r.Examples {
		if !firesOn(r, ex, home) {
			err := fmt.Errorf("%s: rule %s does not fire on its example %q", r.At(), r.ID, ex)
			errs = append(errs, hint.Wrap(err, "an example is a command, a path or a prompt; one that contains a comma goes on a line of its own as \"- …\""))
		}
	}
	return errs
}

// firesOn tries the example as each thing that the rule can be about: a command,
// a file, a prompt.
func firesOn(r *rule.Rule, example, home string) bool {
	events, tools := []string{event.PreToolUse, event.UserPromptSubmit}, []string{"Bash", "Write"}
	for _, c := range r.When {
		switch c := c.(type) {
		case rule.Events:
			events = c
		case rule.Tools:
			tools = c
		}
	}
	for _, name := range events {
		for _, tool := range tools {
			for _, e := range []event.Event{
				{Tool: event.Tool{Name: tool, Command: commandFor(tool, example)}},
				{Tool: event.Tool{Name: tool, Paths: []string{example}}},
				{Tool: event.Tool{Name: tool}},
				{Prompt: example},
				{Tool: event.Tool{Name: example}},
			} {
				e.Name, e.Agent, e.CWD = name, r.Agent, "/project"
				if r.Matches(&rule.Subject{Event: &e, Home: home}) {
					return true
				}
			}
		}
	}
	return false
}

// fileTools are tools that run no command, so that a command is no example of what
// they do.
var fileTools = map[string]bool{"write": true, "edit": true, "multiedit": true, "read": true, "notebookedit": true, "apply_patch": true}

func commandFor(tool, example string) string {
	if fileTools[strings.ToLower(tool)] {
		return ""
	}
	return example
}
