// Package constitution reads rules from markdown. A rule is a block that begins
// with a line "Rule: <id>"; everything around the blocks is text for people. The
// format is described in docs/constitution.md.
package constitution

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/rule"
)

// Problem is one fault in a rule file. The block it is in is skipped.
type Problem struct {
	File      string
	Line, Col int // from 1; Col counts bytes
	Rule      string
	Err       error
}

// Error is file:line:col and what is wrong.
func (p *Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", p.File, p.Line, p.Col, p.Err)
}

// Unwrap gives the fault without its place.
func (p *Problem) Unwrap() error { return p.Err }

// Defaults are what a file gives the rules in it that do not say otherwise.
type Defaults struct {
	// File names the file in rules and problems.
	File string
	// Scope is the scope of the file's rules.
	Scope rule.Scope
	// Agent restricts the file's rules to one agent, "" for all.
	Agent string
	// Root is the project's folder, from which its relative paths are taken.
	Root string
	// Agents are the names that agent= may give; nil allows any.
	Agents []string
}

// The fields of a rule block.
var fields = []string{"Rule", "Priority", "Scope", "When", "Do", "Reason", "Examples", "Counterexamples"}

// Parse reads all rule blocks of one file. A block with a fault yields a problem
// and no rule; the other blocks are read all the same.
func Parse(src string, d Defaults) ([]*rule.Rule, []*Problem) {
	p := &parser{defaults: d}
	if strings.HasPrefix(src, "\xff\xfe") || strings.HasPrefix(src, "\xfe\xff") || strings.ContainsRune(src, 0) {
		p.report(1, 1, "", hint.Wrap(errors.New("the file is not text in UTF-8"), "save it as UTF-8"))
		return nil, p.problems
	}
	p.scan(strings.TrimPrefix(src, "\ufeff"))
	p.finish()
	if p.comment {
		p.report(p.commentLine, 1, "", hint.Wrap(errors.New("the comment that begins here has no end"), "close it with -->"))
	}
	return p.rules, p.problems
}

type parser struct {
	defaults Defaults
	rules    []*rule.Rule
	problems []*Problem

	block   *block // the block being read, nil outside
	field   string // the field being read within it
	blank   bool   // the line before was blank
	comment bool   // inside an HTML comment

	commentLine int // where it began
	now         int // the line being read
}

// block is a rule while it is being read.
type block struct {
	rule   *rule.Rule
	seen   map[string]int // field → line
	broken bool
	line   int
}

func (p *parser) scan(src string) {
	for n := 1; src != ""; n++ {
		line, rest, _ := strings.Cut(src, "\n")
		src, p.now = rest, n
		p.line(n, p.uncomment(strings.TrimSuffix(line, "\r")))
	}
}

// uncomment blanks out HTML comments, which is how a person switches a rule off.
func (p *parser) uncomment(line string) string {
	out := ""
	for {
		if p.comment {
			_, rest, ok := strings.Cut(line, "-->")
			if !ok {
				return out
			}
			p.comment, line = false, rest
		}
		// Within a field the characters may be part of a value, such as a regular
		// expression; a comment begins a line of its own.
		if !strings.HasPrefix(strings.TrimSpace(line), "<!--") {
			return out + line
		}
		before, rest, _ := strings.Cut(line, "<!--")
		out += before
		p.comment, p.commentLine, line = true, p.now, rest
	}
}

func (p *parser) line(n int, line string) {
	text := strings.TrimSpace(line)
	if text == "" {
		p.blank = true
		return
	}
	afterBlank := p.blank
	p.blank = false
	if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") || strings.HasPrefix(text, "# ") || strings.HasPrefix(text, "## ") || strings.HasPrefix(text, "### ") {
		p.finish()
		return
	}
	key, value, col := splitField(line)
	if key == "Rule" {
		p.finish()
		p.start(n, col, value)
		return
	}
	if decorated(text) {
		p.finish()
		p.report(n, 1, "", hint.Wrap(fmt.Errorf("%q does not begin a rule", text), "write \"Rule: <id>\" without markup before it"))
		return
	}
	b := p.block
	if b == nil {
		if key == "When" || key == "Do" && isVerb(value) {
			p.report(n, 1, "", hint.Wrap(fmt.Errorf("%q stands outside of a rule", key+":"), "begin the block with a line \"Rule: <id>\""))
		}
		return
	}
	indented := line[0] == ' ' || line[0] == '\t'
	switch {
	case key != "":
		if first, ok := b.seen[key]; ok {
			p.fail(n, 1, fmt.Errorf("%s is given twice, first in line %d", key, first))
			return
		}
		b.seen[key] = n
		p.field = key
		if value != "" {
			p.value(n, col, value)
		} else if key != "When" && !isExamples(key) {
			p.fail(n, col, fmt.Errorf("%s has no value", key))
		}
	case afterBlank && !indented:
		p.finish() // prose after the block
	case indented && p.field != "", (p.field == "When" || isExamples(p.field)) && !mistyped(text):
		col := len(line) - len(strings.TrimLeft(line, " \t")) + 1
		p.value(n, col, text)
	default:
		p.unknownField(n, text)
	}
}

// unknownField handles a line within a block that is neither a field nor the
// continuation of one.
func (p *parser) unknownField(n int, text string) {
	name, _, ok := strings.Cut(text, ":")
	if !ok || strings.ContainsAny(name, " `") {
		if p.field == "Reason" {
			p.block.rule.Reason = join(p.block.rule.Reason, text) // markdown wraps text so
			return
		}
		p.fail(n, 1, hint.Wrap(fmt.Errorf("%q belongs to no field of rule %s", text, p.block.rule.ID), "indent it to go on with %s:, or put a blank line before text that is not part of the rule", p.field))
		return
	}
	err := fmt.Errorf("unknown field %q", name)
	if best := hint.Nearest(name, fields); best != "" {
		err = hint.Wrap(err, "did you mean %q?", best+":")
	} else {
		err = hint.Wrap(err, "the fields are %s; put a blank line between a rule and other text", strings.Join(fields, ", "))
	}
	p.fail(n, 1, err)
}

// decorated reports whether a line was probably meant to begin a rule.
func decorated(text string) bool {
	plain := strings.TrimLeft(text, "*_>#-+ `")
	name, _, ok := strings.Cut(plain, ":")
	return ok && plain != text && strings.EqualFold(strings.TrimRight(name, "*_` "), "Rule")
}

// mistyped reports whether a line looks like a field with a mistyped name.
func mistyped(text string) bool {
	name, _, ok := strings.Cut(text, ":")
	return ok && !strings.ContainsAny(name, " =") && hint.Nearest(name, fields) != ""
}

// splitField recognises "Key: value" for the known keys, whatever their case.
// col is where the value begins.
func splitField(line string) (key, value string, col int) {
	name, rest, ok := strings.Cut(line, ":")
	if !ok {
		return "", "", 0
	}
	for _, f := range fields {
		if strings.EqualFold(strings.TrimSpace(name), f) {
			value := strings.TrimSpace(rest)
			col := len(name) + 2 + len(rest) - len(strings.TrimLeft(rest, " \t"))
			return f, value, col
		}
	}
	return "", "", 0
}

func (p *parser) start(n, col int, id string) {
	d := p.defaults
	p.block = &block{
		line: n,
		seen: map[string]int{"Rule": n},
		rule: &rule.Rule{ID: id, Priority: rule.DefaultPriority, Scope: d.Scope, Agent: d.Agent, File: d.File, Line: n},
	}
	p.field = ""
	switch {
	case id == "":
		p.fail(n, col, hint.Wrap(fmt.Errorf("the rule has no id"), "write \"Rule: block-something\""))
	case strings.ContainsAny(id, " \t"):
		p.fail(n, col, hint.Wrap(fmt.Errorf("rule id %q contains a space", id), "write %q", strings.Join(strings.Fields(id), "-")))
	}
}

// value takes one line of the current field.
func (p *parser) value(n, col int, text string) {
	r := p.block.rule
	switch p.field {
	case "Priority":
		v, err := strconv.Atoi(text)
		if err != nil || v < -1_000_000 || v > 1_000_000 {
			p.fail(n, col, hint.Wrap(fmt.Errorf("priority %q is not a whole number from -1000000 to 1000000", text), "write \"Priority: 1000\"; rules without one have %d", rule.DefaultPriority))
			return
		}
		r.Priority = v
	case "Scope":
		s, ok := rule.ParseScope(strings.ToLower(text))
		if !ok {
			err := fmt.Errorf("unknown scope %q", text)
			p.fail(n, col, hint.Wrap(err, "the scopes are %s", strings.Join(rule.Scopes(), ", ")))
			return
		}
		r.Scope = s
	case "When":
		if threshold, ok := cutJudge(unbullet(text)); ok {
			c, err := judgment.ParseDirective(threshold)
			if err != nil {
				p.fail(n, col, err)
				return
			}
			r.Judge = append(r.Judge, c)
			return
		}
		c, err := parseDirective(unbullet(text), p.defaults)
		if err == nil {
			err = once(r.When, c)
		}
		if err != nil {
			p.fail(n, col+directiveOffset(err), err)
			return
		}
		r.When = append(r.When, c)
	case "Do":
		p.do(n, col, text)
	case "Reason":
		r.Reason = join(r.Reason, text)
	case "Examples":
		r.Examples = append(r.Examples, examples(text)...)
	case "Counterexamples":
		r.Counterexamples = append(r.Counterexamples, examples(text)...)
	}
}

func isExamples(field string) bool { return field == "Examples" || field == "Counterexamples" }

// examples reads a line of examples: one as a list item, or several.
func examples(text string) []string {
	if item := unbullet(text); item != text {
		return []string{item}
	}
	return splitExamples(text)
}

// cutJudge recognises the directive judge=, whose value holds operators of its own.
func cutJudge(text string) (threshold string, ok bool) {
	key, value, ok := strings.Cut(text, "=")
	return strings.TrimSpace(value), ok && strings.EqualFold(strings.TrimSpace(key), "judge")
}

// unbullet removes the mark of a markdown list item.
func unbullet(text string) string {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	return text
}

// do reads the effect. Anything but the three verdicts is guidance: text for the
// model that changes no verdict. What only looks like a verdict is refused, since
// reading it as guidance would switch the rule off without a word.
func (p *parser) do(n, col int, text string) {
	r := p.block.rule
	plain := strings.Trim(text, " `*_\"'.,;:!")
	verb, _, more := strings.Cut(plain, " ")
	verb = strings.ToLower(strings.TrimRight(verb, "`*_\"'.,;:!"))
	switch {
	case r.Do != "" && r.Do != rule.Guidance:
		p.fail(n, col, hint.Wrap(fmt.Errorf("text after \"Do: %s\"", r.Do), "put it into Reason:"))
	case r.Do == "" && isVerb(text):
		r.Do = rule.Do(strings.ToLower(text))
	case r.Do == "" && isVerb(verb) && (!more || verb == string(rule.Deny) || !strings.HasPrefix(strings.ToLower(text), verb+" ")):
		p.fail(n, col, hint.Wrap(fmt.Errorf("%q is neither a verdict nor guidance", text), "write \"Do: %s\" and put the rest into Reason:", verb))
	case r.Do == "" && !more:
		p.fail(n, col, hint.Wrap(fmt.Errorf("%q is neither a verdict nor guidance", text), "the verdicts are deny, ask and allow; guidance is a sentence"))
	default:
		r.Do = rule.Guidance
		r.Text = join(r.Text, text)
	}
}

func isVerb(s string) bool {
	switch rule.Do(strings.ToLower(s)) {
	case rule.Deny, rule.Ask, rule.Allow:
		return true
	}
	return false
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// finish closes the block being read and keeps its rule if it is whole.
func (p *parser) finish() {
	b := p.block
	p.block, p.field = nil, ""
	if b == nil || b.broken {
		return
	}
	switch {
	case b.rule.Do == "":
		p.report(b.line, 1, b.rule.ID, hint.Wrap(fmt.Errorf("rule %s has no Do: line", b.rule.ID), "add \"Do: deny\", ask, allow or a sentence of guidance"))
	case len(b.rule.When) == 0 && len(b.rule.Judge) > 0:
		p.report(b.line, 1, b.rule.ID, hint.Wrap(fmt.Errorf("rule %s has a judgment and no other condition", b.rule.ID), "every event would be judged; add at least \"tool=Bash\""))
	case len(b.rule.When) == 0:
		p.report(b.line, 1, b.rule.ID, hint.Wrap(fmt.Errorf("rule %s has no conditions", b.rule.ID), "add a When: block, for all tool calls \"event=PreToolUse\""))
	default:
		b.rule.When = jointly(b.rule.When)
		p.rules = append(p.rules, b.rule)
	}
}

func (p *parser) fail(line, col int, err error) {
	id := ""
	if p.block != nil {
		id = p.block.rule.ID
		p.block.broken = true
	}
	p.report(line, col, id, err)
}

func (p *parser) report(line, col int, id string, err error) {
	p.problems = append(p.problems, &Problem{File: p.defaults.File, Line: line, Col: col, Rule: id, Err: err})
}
