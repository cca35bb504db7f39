package policy

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/yamlfile"
)

// Agents is what the program knows of the agents.
type Agents struct {
	// Lookup finds an agent's name by any name it goes under.
	Lookup func(string) (string, bool)
	// Names are the names to suggest.
	Names []string
	// Events lists the events of an agent, or of all for "".
	Events func(agent string) []string
	// Shared is the name by which rules of all agents know an event of this agent;
	// nil where they are the same.
	Shared func(agent, event string) string
}

// Load reads a policy file. A missing one is an error that matches
// [fs.ErrNotExist]; all other errors are faults of the file, each with its place.
func Load(path string, known Agents) (*Policy, []error) {
	doc, err := yamlfile.Read(path)
	if err != nil {
		return nil, []error{err}
	}
	return compile(doc, known)
}

// Parse is [Load] for a file's content; path says where it belongs.
func Parse(path string, src []byte, known Agents) (*Policy, []error) {
	doc, err := yamlfile.Parse(path, src)
	if err != nil {
		return nil, []error{err}
	}
	return compile(doc, known)
}

// parser gathers the faults of one file: a person who mends it wants all of them.
type parser struct {
	Policy
	known  Agents
	root   string
	faults []error
	// unsure is set where the judgments have faults: a threshold on one that could
	// not be read is no second fault.
	unsure bool
}

var fileFields = []string{"rules", "judgments", "default-action"}

func compile(doc yamlfile.Node, known Agents) (*Policy, []error) {
	p := &parser{Policy: Policy{File: doc.File(), Default: event.Allow}, known: known}
	if abs, err := filepath.Abs(doc.File()); err == nil {
		p.root = filepath.ToSlash(filepath.Dir(abs))
	}
	if !doc.Empty() {
		p.file(doc)
	}
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	return &p.Policy, nil
}

func (p *parser) fault(err error) bool {
	if err != nil {
		p.faults = append(p.faults, err)
	}
	return err != nil
}

func (p *parser) warn(at yamlfile.Node, format string, args ...any) {
	p.Warnings = append(p.Warnings, at.Errorf(format, args...).Error())
}

func (p *parser) file(doc yamlfile.Node) {
	fields, err := doc.Fields("the policy")
	if p.fault(err) {
		return
	}
	var rules yamlfile.Node
	for _, f := range fields {
		switch f.Name {
		case "rules":
			rules = f.Value
		case "judgments":
			p.judgments(f.Value)
		case "default-action":
			d, err := f.Value.Word("default-action", "allow", "deny", "ask")
			if !p.fault(err) {
				p.Default, p.DefaultLine = event.Decision(d), f.Key.Line()
			}
		default:
			p.unknown(f, fileFields)
		}
	}
	if rules.Empty() { // none, or "rules:" with nothing behind it
		return
	}
	list, err := rules.List("rules")
	if p.fault(err) {
		return
	}
	for i, n := range list {
		if r := p.rule(n); r != nil {
			r.ID = id(i)
			p.Rules = append(p.Rules, r)
		}
	}
}

// unknown refuses a field. A key for the judgment model is told apart: its value
// is not only of no use here, the file is checked in.
func (p *parser) unknown(f yamlfile.Field, known []string) {
	if name := strings.ToLower(f.Name); strings.Contains(name, "api") && strings.Contains(name, "key") {
		p.fault(hint.Wrap(f.Key.Errorf("%q: a key is never read from a policy, which is checked in", f.Name),
			"take it out, have it revoked if the file was shared, and set HOOKMON_TYPESAFE_API_KEY"))
		return
	}
	p.fault(f.Unknown(known...))
}

var ruleFields = []string{"event", "agent", "tools", "paths", "commands", "action", "reason", "when", "on-error"}

// rule compiles one rule; nil after a fault.
func (p *parser) rule(n yamlfile.Node) *rule.Rule {
	fields, err := n.Fields("a rule")
	if p.fault(err) {
		return nil
	}
	faults := len(p.faults)
	r := &rule.Rule{Scope: rule.Policy, File: p.File, Line: n.Line()}
	var action, onError, name yamlfile.Node
	for _, f := range fields {
		v := f.Value
		var cond rule.Condition
		var err error
		switch f.Name {
		case "event":
			var s string
			s, err = v.Text("event")
			name, cond = v, onEvent(s)
		case "agent":
			err = p.agent(r, v)
		case "tools":
			var list []string
			list, err = v.Texts("tools")
			cond = tools(list)
		case "paths":
			cond, err = p.paths(v)
		case "commands":
			var list []string
			list, err = v.Texts("commands")
			cond = commands(list)
		case "action":
			action = f.Key
			var s string
			s, err = v.Word("action", "allow", "deny", "ask")
			r.Do = rule.Do(s)
		case "reason":
			if !v.Empty() {
				r.Reason, err = v.Text("reason")
				r.Reason = strings.TrimSpace(r.Reason)
			}
		case "when":
			p.when(r, v)
		case "on-error":
			onError = f.Key
			var s string
			s, err = v.Word("on-error", "allow", "deny", "ask")
			r.OnError = rule.Do(s)
		default:
			p.unknown(f, ruleFields)
		}
		if !p.fault(err) && cond != nil {
			r.When = append(r.When, cond)
		}
	}
	if len(p.faults) > faults {
		return nil
	}
	switch {
	case action == (yamlfile.Node{}):
		p.fault(hint.Wrap(n.Errorf("the rule has no action"), "add action: allow, deny or ask"))
		return nil
	case len(r.When) == 0:
		p.fault(hint.Wrap(n.Errorf("the rule says of no event what it is about"), "add event:, tools:, paths: or commands:, or set default-action: %s", r.Do))
		return nil
	}
	if onError != (yamlfile.Node{}) && len(r.Judge) == 0 {
		p.warn(onError, "on-error has no effect without when")
	}
	p.checkEvent(r, name)
	return r
}

// agent scopes the rule to one agent. One that this program does not know is no
// fault, since a policy is shared with those who use others; the rule just never
// fires here.
func (p *parser) agent(r *rule.Rule, v yamlfile.Node) error {
	s, err := v.Text("agent")
	if err != nil {
		return err
	}
	if name, ok := p.known.Lookup(s); ok {
		r.Agent = name
		return nil
	}
	r.Agent = s
	guess := ""
	if best := hint.Nearest(s, p.known.Names); best != "" {
		guess = fmt.Sprintf(" (did you mean %q?)", best)
	}
	p.warn(v, "no agent %q is known here, the rule never fires%s", s, guess)
	return nil
}

func (p *parser) paths(v yamlfile.Node) (rule.Condition, error) {
	const what = "paths"
	list, err := v.Texts(what)
	if err != nil {
		return nil, err
	}
	c := &paths{root: p.root, fold: runtime.GOOS == "darwin" || runtime.GOOS == "windows"}
	nodes, err := v.List(what)
	if err != nil {
		return nil, err
	}
	positive := false
	for i, s := range list {
		pat, err := parsePattern(s, c.fold)
		if err != nil {
			return nil, nodes[i].Errorf("path pattern %q: %w", s, err)
		}
		positive = positive || !pat.negate
		c.patterns = append(c.patterns, pat)
	}
	if !positive {
		return nil, hint.Wrap(v.Errorf("paths only takes back with \"!\" and selects nothing"), "put what it is to select before it")
	}
	return c, nil
}

// checkEvent warns of a rule that cannot have an effect because of its event.
func (p *parser) checkEvent(r *rule.Rule, at yamlfile.Node) {
	name, ok := "", false
	for _, c := range r.When {
		if e, is := c.(onEvent); is {
			name, ok = string(e), true
		}
	}
	if !ok {
		return
	}
	events := p.known.Events(r.Agent)
	if len(events) == 0 {
		return // an agent that is not known has been warned about
	}
	for _, e := range events {
		if e == name {
			if r.Do != rule.Allow && !p.anyAnswers(r.Agent, name) {
				p.warn(at, "%s takes no answer, so the rule cannot %s anything", name, r.Do)
			}
			return
		}
	}
	guess := ""
	if best := hint.Nearest(name, events); best != "" {
		guess = fmt.Sprintf(" (did you mean %q?)", best)
	}
	p.warn(at, "no agent here has an event %q, the rule never fires%s", name, guess)
}

// anyAnswers reports whether an agent that the rule is for takes an answer to the
// event.
func (p *parser) anyAnswers(agent, name string) bool {
	takes := func(agent string) bool {
		shared := name
		if p.known.Shared != nil {
			shared = p.known.Shared(agent, name)
		}
		return answered(agent, name, shared)
	}
	if agent != "" {
		return takes(agent)
	}
	for _, a := range p.known.Names {
		if a, ok := p.known.Lookup(a); ok && takes(a) {
			return true
		}
	}
	return false
}
