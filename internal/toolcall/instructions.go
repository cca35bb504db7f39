package toolcall

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/lazy"
)

// What agents are told at every start stands in files such as CLAUDE.md. An order in
// one to send secrets away, or to do something and hide it from the person, works as a
// hook does: it runs again and again, with whoever opens the project.

// instructs reports whether agents take a file for instructions.
func instructs(file string) bool {
	file = strings.ToLower(strings.ReplaceAll(file, `\`, "/"))
	switch path.Base(file) {
	case "claude.md", "claude.local.md", "agents.md", "agents.override.md", "agent.md", "gemini.md", "skill.md", ".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", "copilot-instructions.md":
		return true
	}
	return slices.ContainsFunc([]string{".cursor/rules/", ".claude/commands/", ".claude/agents/", ".claude/skills/", ".claude/rules/", ".github/instructions/", ".github/prompts/", ".windsurf/rules/", ".clinerules/", ".codex/prompts/"},
		func(dir string) bool { return strings.Contains("/"+file, "/"+dir) })
}

// orderForms are the patterns of such an order, in one line.
type orderForms struct {
	hides, acts, sends, secret, forbids, span *regexp.Regexp
}

var orderPatterns lazy.Value[*orderForms]

func readOrders() *orderForms {
	const person = `(?:users?|person|human|developers?|operator|anyone|anybody)`
	const verbs = `(?:send|post|upload|forward|submit|exfiltrate|transmit|push|copy|report|append|pipe|mail|e-?mail|commit)`
	return &orderForms{
		hides: regexp.MustCompile(`(?i)\b(?:do not|don['’]t|never|without)\s+(?:ever\s+)?(?:mention|tell|inform|notify|show|reveal|report|disclose|telling|informing|notifying|mentioning)\s+` +
			`(?:(?:this|it|that|these|any of (?:this|it))\b[^.\n]{0,40}\b` + person + `\b|(?:the\s+|your\s+)?` + person + `\s*(?:(?:about|of)\s+(?:it|this|that|these)\b|[.!;)]|$))|` +
			`\b(?:hide|conceal|keep)\s+(?:it|this|that|these)\s+(?:hidden\s+|secret\s+)?from\s+(?:the\s+)?(?:user|person|human|developer)|` +
			`\bsilently\s+(?:run|execute|send|post|upload|read|fetch|download|push|install|copy|forward)\b|` +
			`\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+)?(?:the\s+|your\s+)?(?:previous|prior|earlier|above)\s+(?:instructions|rules|prompts?)`),
		acts:    regexp.MustCompile("(?i)\\b(?:run|execute|send|post|push|upload|fetch|download|install|include|insert|add|read|curl|cat)\\b[^\\n]*(?:`[^`\\n]+ [^`\\n]+`|https?://)"),
		sends:   regexp.MustCompile(`(?i)(?:^\W*|[.,;:]\s+|\b(?:and|then|always|please|must|should|first|to)\s+)` + verbs + `\b[^\n]*?\b(?:to|at|via|with)\s+` + "`?" + `https?://`),
		secret:  regexp.MustCompile(`(?i)environment variables|\benv vars|(?:^|[\s` + "`" + `"'/])\.env\b|\bcredentials?\b|\bapi[ -]?keys?\b|\b(?:access|auth|api) tokens?\b|\bsecrets\b|\bpasswords?\b|\b(?:private|ssh) keys?\b|~/\.(?:ssh|aws|netrc|npmrc|kube|docker|gnupg|config/gh)\b|\bid_(?:rsa|ed25519)\b`),
		forbids: regexp.MustCompile(`(?i)\b(?:never|do not|don['’]t|must not|mustn['’]t|should not|avoid|forbidden|refuse|reject|unsafe|not allowed)\b`),
		span:    regexp.MustCompile("`([^`\\n]+ [^`\\n]+)`"),
	}
}

// orders looks for such orders in a text of instructions. before is what an edit
// replaces.
func (c *call) orders(file, text, before string) {
	if !instructs(file) || !c.work.Spend(1+len(text)) {
		return
	}
	p := orderPatterns.Get(readOrders)
	var fence strings.Builder // the lines of a block of shell
	fenced, shell, forbidden := false, false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if lang, ok := strings.CutPrefix(line, "```"); ok {
			if fenced && shell && !forbidden {
				c.obeyed(fence.String())
			}
			fence.Reset()
			fenced, shell = !fenced, slices.Contains([]string{"sh", "bash", "shell", "zsh", "console"}, lang)
			continue
		}
		if fenced {
			fence.WriteString(strings.TrimPrefix(line, "$ ") + "\n")
			continue
		}
		if line == "" {
			continue
		}
		hidden := p.hides.FindString(line)
		forbidden = p.forbids.MatchString(strings.ReplaceAll(line, hidden, ""))
		switch {
		case strings.Contains(before, line):
		case hidden != "" && p.acts.MatchString(line):
			c.on("persist.hook", path.Base(file))
		case !forbidden && p.secret.MatchString(line) && p.sends.MatchString(line):
			c.on("secret.send", path.Base(file))
		case !forbidden:
			for _, m := range p.span.FindAllStringSubmatch(line, -1) {
				c.obeyed(m[1])
			}
		}
	}
}

// obeyed adds what a command would do that instructions name, where it is what no work
// needs.
func (c *call) obeyed(line string) {
	for _, e := range c.command(line) {
		if slices.Contains(never, e.Kind) {
			c.effects = append(c.effects, e)
		}
	}
}
