// Package guard holds the built-in rules that keep an agent from switching
// overseer off or from giving itself a person's approval. They cannot be
// overridden by a file, since the agent could write that file.
package guard

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/event"
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
	// Program are the paths of overseer's program.
	Program []string
	// Settings are the files in which the agents keep their hooks.
	Settings []string
	// Project are the settings files' and the rule folder's names below a project.
	Project []string
}

// before are the events that come before something runs.
var before = rule.Events{event.PreToolUse, event.PermissionRequest, event.PreSkillShellCommand}

// Rules are the guard's rules.
func Rules(p Places) []*rule.Rule {
	return []*rule.Rule{
		{
			ID: "guard.tamper-command", Priority: priority, Do: rule.Deny, File: BuiltIn,
			When:   []rule.Condition{before, humanOnly{}},
			Reason: "only a person may approve, trust or change overseer; ask them to run this command in a terminal of their own",
		},
		{
			ID: "guard.tamper-files", Priority: priority, Do: rule.Deny, File: BuiltIn,
			When:   []rule.Condition{before, writes{under: append([]string{p.Home}, p.Program...)}},
			Reason: "overseer's own files are changed by a person only",
		},
		{
			ID: "guard.tamper-recipe", Priority: priority, Do: rule.Deny, File: BuiltIn,
			When:   []rule.Condition{before, recipes{}},
			Reason: "a file that this writes or runs gives overseer a command that only a person may give; ask them to run it in a terminal of their own",
		},
		{
			ID: "guard.tamper-key", Priority: priority, Do: rule.Deny, File: BuiltIn,
			When:   []rule.Condition{before, reveals{path.Join(p.Home, "key")}},
			Reason: "this would show the key with which a person's rulings are signed",
		},
		{
			ID: "guard.tamper-unpack", Priority: priority, Do: rule.Ask, File: BuiltIn,
			When:   []rule.Condition{before, unpacks{path.Dir(p.Home)}},
			Reason: "this puts files whose names are not known into the folder that overseer's own lies in, and may replace what is there",
		},
		{
			ID: "guard.tamper-remake", Priority: priority, Do: rule.Ask, File: BuiltIn,
			When:   []rule.Condition{before, remakes{p.Program}},
			Reason: "this would make a copy of overseer's program, or another version of it",
		},
		{
			ID: "guard.tamper-copy", Priority: priority, Do: rule.Deny, File: BuiltIn,
			When:   []rule.Condition{before, copies{p.Program}},
			Reason: "a copy of overseer's program would be one that it does not watch over",
		},
		{
			ID: "guard.tamper-program", Priority: priority, Do: rule.Deny, File: BuiltIn,
			When:   []rule.Condition{before, lookedUp{}},
			Reason: "overseer's own program is changed by a person only",
		},
		{
			ID: "guard.tamper-mention", Priority: priority, Do: rule.Ask, File: BuiltIn,
			When:   []rule.Condition{before, mentions{}},
			Reason: "this names overseer's own folder and may change what is in it",
		},
		{
			ID: "guard.tamper-settings-command", Priority: priority, Do: rule.Deny, File: BuiltIn,
			When:   []rule.Condition{before, changes{writes{under: p.Settings, project: p.Project}}},
			Reason: "this command changes the settings in which an agent's hooks, and so overseer, are registered; a person does that, or you propose it with a file tool, so that they can see it",
		},
		{
			ID: "guard.tamper-effect", Priority: priority, Do: rule.Deny, File: BuiltIn,
			When:   []rule.Condition{before, commands{}, rule.Act{Kinds: []string{"guard.tamper"}}},
			Reason: "this switches off or answers for what watches over you; a person does that",
		},
		{
			ID: "guard.tamper-settings", Priority: priority, Do: rule.Ask, File: BuiltIn,
			When:   []rule.Condition{before, writes{under: p.Settings, project: p.Project}},
			Reason: "this changes the settings in which an agent's hooks, and so overseer, are registered",
		},
	}
}

// humanOnly holds for a command line that runs a subcommand of overseer by which
// a person rules.
type humanOnly struct{}

func (humanOnly) String() string { return "command that only a person may give to overseer" }

// reserved are overseer's subcommands that an agent must not run; "ledger outcome"
// is one more, and so are those of reservedInLedger.
var reserved = []string{
	"approve", "trust", "untrust",
	"install", "uninstall",
	"hook", // a forged completion would count as a person's yes
}

// reservedInLedger are the subcommands of "overseer ledger" that add rulings,
// remove what was recorded or change which rulings count. Other than "outcome" they
// are words that many commands have, so they count only right behind it.
var reservedInLedger = []string{"import", "prune", "redact", "repair", "checkout", "merge"}

// Holds implements [rule.Condition].
func (humanOnly) Holds(s *rule.Subject) bool {
	line := s.Event.Tool.Command
	if line == "" {
		return false
	}
	p := s.Program()
	for _, c := range p.Commands {
		if rules(c) || kills(c) {
			return true
		}
	}
	if !spelled(line, "overseer") {
		return false
	}
	// An alias, an array or git's own alias holds a command that runs later.
	plain := unquoted(line)
	later := strings.Contains(plain, "alias") || strings.Contains(plain, "=(")
	return (p.Incomplete || later) && spells(plain)
}

// rules reports whether a command is, or hands on, one by which a person rules.
func rules(c shell.Command) bool {
	switch {
	case isOverseer(c.Program):
		return hasReserved(c.Args) || hasReserved(tokens(c.Input)) || unknownVerb(c.Args)
	case strings.Contains(c.Program, "$"):
		// $(which overseer) approve …: only the words that no other program is
		// likely to have
		return first(c.Args) == "approve" || first(c.Args) == "ledger" && (slices.Contains(c.Args, "outcome") || ledgerReserved(c.Args))
	case slices.Contains(textual, c.Program):
		return false
	}
	return spells(strings.Join(c.Args, " ") + " " + c.Input)
}

// textual are programs whose words are text that nothing runs.
var textual = []string{
	"echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack", "git", "gh", "glab",
	"cat", "less", "more", "head", "tail", "ls", "cd", "jq", "yq", "sed", "diff", "wc",
	"test", "[", "man", "which", "type", "export", "apply_patch", "mkdir", "touch", "tee", "rm",
}

// kills reports whether a command would end overseer while it judges.
func kills(c shell.Command) bool {
	switch c.Program {
	case "pkill", "killall", "kill":
		return strings.Contains(strings.Join(c.Args, " "), "overseer")
	}
	return false
}

// isOverseer reports whether a program's name is overseer, also as a pattern.
func isOverseer(program string) bool {
	name := strings.TrimSuffix(strings.ToLower(program), ".exe")
	if name == "overseer" || len(name) <= 2 || !strings.ContainsAny(name, `*?[\`) {
		return name == "overseer"
	}
	ok, err := path.Match(name, "overseer")
	return err == nil && ok
}

// hasReserved looks for a subcommand that an agent must not run.
func hasReserved(args []string) bool {
	outcome := false
	for _, a := range args {
		for _, w := range tokens(a) {
			if slices.Contains(reserved, w) {
				return true
			}
			outcome = outcome || w == "outcome" || w == "--acknowledge"
		}
	}
	if !slices.Contains(args, "ledger") {
		return false
	}
	return outcome || ledgerReserved(args)
}

// ledgerReserved looks for a subcommand of ledger that an agent must not run, as the
// first word behind it that is no flag.
func ledgerReserved(args []string) bool {
	behind := false
	for _, a := range args {
		for _, w := range tokens(a) {
			switch {
			case w == "ledger":
				behind = true
			case behind && slices.Contains(reservedInLedger, w):
				return true
			case !strings.HasPrefix(w, "-"):
				behind = false
			}
		}
	}
	return false
}

// spells looks for overseer and, behind it, a reserved subcommand in a text that
// something may run.
func spells(text string) bool {
	if !strings.Contains(strings.ToLower(text), "overseer") {
		return false // the usual case, of which no words are made
	}
	words := tokens(text)
	i := slices.Index(words, "overseer")
	return i >= 0 && hasReserved(words[i+1:])
}

// tokens are the runs of letters and dashes in a text.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return c != '-' && (c < 'a' || c > 'z') })
}

// first is the first word that is no flag.
func first(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// spelled reports whether a text without quoting tricks has a word of small letters
// and signs, in whatever case. A line can be many megabytes, and it is not copied.
func spelled(s, word string) bool {
	for i := range len(s) {
		if lower(s[i]) != word[0] {
			continue
		}
		n := 1
		for j := i + 1; j < len(s) && n < len(word); j++ {
			if c := s[j]; c == '\'' || c == '"' || c == '\\' {
				continue
			} else if lower(c) != word[n] {
				break
			}
			n++
		}
		if n == len(word) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// unquoted removes what quoting tricks are made of.
func unquoted(s string) string {
	if !strings.ContainsAny(s, `'"\`) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; c != '\'' && c != '"' && c != '\\' {
			out = append(out, c)
		}
	}
	return string(out)
}
