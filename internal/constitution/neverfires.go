package constitution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/rule"
)

// NeverFires says why a rule cannot fire although it is well formed: it waits for
// an event that no agent has, or for two things that never come together. events
// are the names of the events that the rule's agents have.
func NeverFires(r *rule.Rule, events []string) []error {
	var errs []error
	fault := func(format string, args ...any) error {
		return fmt.Errorf("%s: rule %s never fires: %s", r.At(), r.ID, fmt.Sprintf(format, args...))
	}
	known := func(list []string, name string) bool {
		return slices.ContainsFunc(list, func(k string) bool { return strings.EqualFold(k, name) })
	}
	var onEvents rule.Events
	var onTools rule.Tools
	var onCommand string // the directive that a command must match
	var onAct bool
	for _, c := range r.When {
		switch c := c.(type) {
		case rule.Events:
			for _, n := range c {
				if known(events, n) {
					continue
				}
				err := fault("no agent that it is for has an event %q", n)
				if best := hint.Nearest(n, events); best != "" {
					err = hint.Wrap(err, "did you mean %q?", best)
				}
				errs = append(errs, err)
			}
			if onEvents != nil && !slices.ContainsFunc(onEvents, func(n string) bool { return known(c, n) }) {
				errs = append(errs, hint.Wrap(fault("it asks for two events at once"), "directives are AND-ed; write event=%s", strings.Join(append(slices.Clone(onEvents), c...), ",")))
			}
			onEvents = c
		case rule.Tools:
			onTools = c
		case *rule.Command:
			onCommand = "cmd="
		case rule.Programs:
			onCommand = "program="
		case rule.Act:
			onAct = true
			if len(c.Programs) > 0 {
				onCommand = "program="
			}
		}
	}
	if onCommand != "" && onTools != nil && !slices.ContainsFunc(onTools, func(n string) bool { return !slices.Contains(fileTools, strings.ToLower(n)) }) {
		errs = append(errs, hint.Wrap(fault("%s run no command for %s to match", strings.Join(onTools, ", "), onCommand), "use path=, or tool=Bash"))
	}
	if (onCommand != "" || onAct || onTools != nil) && onEvents != nil && !slices.ContainsFunc(onEvents, func(n string) bool { return !slices.Contains(toolless, strings.ToLower(n)) }) {
		errs = append(errs, hint.Wrap(fault("%s is about no tool call", strings.Join(onEvents, ", ")), "use event=PreToolUse"))
	}
	return errs
}

// toolless are the events that carry neither a tool nor a command.
var toolless = []string{
	"stop", "subagentstop", "sessionstart", "sessionend", "userpromptsubmit", "notification",
	"precompact", "postcompact", "interrupt",
}
