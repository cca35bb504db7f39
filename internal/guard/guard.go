// Package guard holds the built-in rules that keep an agent from switching
// overseer off or from giving itself a person's approval. They cannot be
// overridden by a file, since the agent could write that file.
package guard

import (
	"math"
	"path"
	"strings"

	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/shell"
)

// BuiltIn is the place of a rule that comes with the program.
const BuiltIn = "built-in"

// priority is above all that a file can set.
const priority = math.MaxInt

// Places are the paths that matter to overseer itself, all absolute.
type Places struct {
	// Home is overseer's own folder.
	Home string
	// Settings are the files in which the agents keep their hooks.
	Settings []string
	// Project are the settings files' and the rule folder's names below a project.
	Project []string
}

// Rules are the guard's rules.
func Rules(p Places) []*rule.Rule {
	return []*rule.Rule{
		{
			ID: "guard.tamper-command", Priority: priority, Do: rule.Deny, File: BuiltIn,
			When:   []rule.Condition{rule.Events{"PreToolUse", "PermissionRequest", "PreSkillShellCommand"}, humanOnly{}},
			Reason: "only a person may approve, trust or change overseer; ask them to run this command in a terminal of their own",
		},
		{
			ID: "guard.tamper-files", Priority: priority, Do: rule.Deny, File: BuiltIn,
			When:   []rule.Condition{rule.Events{"PreToolUse", "PermissionRequest", "PreSkillShellCommand"}, writes{under: []string{p.Home}}},
			Reason: "overseer's own files are changed by a person only",
		},
		{
			ID: "guard.tamper-settings", Priority: priority, Do: rule.Ask, File: BuiltIn,
			When:   []rule.Condition{rule.Events{"PreToolUse", "PermissionRequest", "PreSkillShellCommand"}, writes{under: p.Settings, project: p.Project}},
			Reason: "this changes the settings in which an agent's hooks, and so overseer, are registered",
		},
	}
}

// humanOnly holds for a command line that runs a subcommand of overseer by which
// a person rules.
type humanOnly struct{}

func (humanOnly) String() string { return "command that only a person may give to overseer" }

// reserved are overseer's subcommands that an agent must not run.
var reserved = map[string]bool{
	"approve": true, "ledger outcome": true, "trust": true, "untrust": true,
	"install": true, "uninstall": true,
	"hook": true, // a forged completion would count as a person's yes
}

// Holds implements [rule.Condition].
func (humanOnly) Holds(s *rule.Subject) bool {
	line := s.Event.Tool.Command
	if line == "" {
		return false
	}
	p := s.Program()
	for _, c := range p.Commands {
		if sub := subcommand(c.Args); isOverseer(c) && (reserved[sub] || strings.Contains(sub, "$") && named(c)) {
			return true
		}
		// go run …/overseer@latest approve …
		if c.Program == "go" && len(c.Args) > 1 && c.Args[0] == "run" {
			for i, a := range c.Args[1:] {
				if strings.Contains(a, "overseer") && reserved[subcommand(c.Args[i+2:])] {
					return true
				}
			}
		}
	}
	return p.Incomplete && mentions(unquoted(line))
}

// isOverseer reports whether a command runs overseer under any of the names it
// is likely to have. A program that only the shell can know, such as $(which
// overseer), counts.
func isOverseer(c shell.Command) bool { return named(c) || strings.Contains(c.Program, "$") }

func named(c shell.Command) bool {
	return strings.HasPrefix(strings.ToLower(c.Program), "overseer")
}

// subcommand gives the first one or two plain words, as the table names them.
func subcommand(args []string) string {
	var words []string
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			words = append(words, a)
		}
	}
	switch {
	case len(words) == 0:
		return ""
	case words[0] == "ledger" && len(words) > 1:
		return "ledger " + words[1]
	}
	return words[0]
}

// mentions looks at a command line that could not be parsed.
func mentions(line string) bool {
	fields := strings.Fields(line)
	for i, f := range fields {
		if strings.HasPrefix(path.Base(f), "overseer") && reserved[subcommand(fields[i+1:])] {
			return true
		}
	}
	return false
}

// unquoted removes what quoting tricks are made of.
func unquoted(s string) string {
	return strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(s)
}
