package shell

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// unlisted is a program that nobody has described: a secret that it is told about
// counts as read, and a subcommand that says so destroys.
func (e *eval) unlisted(name string, words []effect.Value) {
	if destroys(words) && !slices.Contains(sparing, name) {
		e.add(effect.Effect{Kind: "cloud.delete", Program: name, Unsure: true})
	}
	for _, w := range words {
		v := w
		if strings.Contains(v.Text, "stratum+") { // a pool of miners
			e.add(effect.Effect{Kind: "network.tunnel", Targets: []effect.Target{{Name: v.Text}}})
		}
		if strings.HasPrefix(v.Text, "-") {
			_, value, ok := strings.Cut(v.Text, "=")
			if !ok {
				continue
			}
			v.Text = value
		}
		if v.Text == "" || strings.ContainsAny(v.Text, " \n") {
			continue
		}
		e.effects("", effect.FileRead, []effect.Value{v})
	}
}

// ends are the subcommands by which command lines of services destroy what they keep.
var ends = []string{"delete", "destroy", "terminate", "purge", "wipe", "nuke", "decommission", "permanent-delete", "delete-all"}

// reads are the words before one of ends that make it the name of something, as in
// "playwright test delete".
var reads = []string{"test", "tests", "run", "spec", "search", "find", "grep", "help", "check", "lint", "show", "info", "docs", "explain", "open", "add", "create", "new", "list", "get"}

// sparing are programs without a block that delete only what they have made.
var sparing = []string{"xcrun", "avdmanager", "jest", "vitest", "playwright", "mocha", "cypress", "rspec", "phpunit", "gt", "jj"}

// destroys reports whether the words of a program that nobody has described read like
// the destruction of something: a noun and a verb (topic delete orders), or a verb with
// a flag that answers the question whether it is meant (destroy -y).
func destroys(words []effect.Value) bool {
	var nouns []string
	verb, meant := "", false
	for _, w := range words {
		text := w.Text
		switch {
		case w.Open:
			nouns = append(nouns, "")
		case strings.HasPrefix(text, "-"):
			switch flag, _, _ := strings.Cut(text, "="); flag {
			case "--help", "-h", "--dry-run", "--dryrun", "--what-if", "--plan", "--check":
				return false
			case "-y", "--yes", "-f", "--force", "--all", "-A", "--confirm", "--no-prompt", "--no-input", "--auto-approve", "--quiet", "--assume-yes", "--skip-confirmation", "--yes-i-really-mean-it":
				meant = true
			}
		case verb == "" && len(nouns) < 3 && slices.Contains(ends, text):
			verb = text
			if len(nouns) > 0 && slices.Contains(reads, nouns[len(nouns)-1]) {
				return false
			}
			meant = meant || len(nouns) > 0
		default:
			nouns = append(nouns, text)
		}
	}
	return verb != "" && meant
}
