package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/constitution"
	"github.com/fireharp/overseer/internal/doctor"
	"github.com/fireharp/overseer/internal/guard"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/rule"
)

func newRules(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "Inspect the rules in force in this folder",
		Args:  subcommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRulesList(w), newRulesShow(w), newRulesValidate(w))
	return c
}

// ruleJSON is a rule as the reading commands print it (docs/json-output.md).
type ruleJSON struct {
	ID              string   `json:"id"`
	Priority        int      `json:"priority"`
	Scope           string   `json:"scope"`
	Agent           string   `json:"agent,omitempty"`
	When            []string `json:"when"`
	Do              string   `json:"do"`
	OnError         string   `json:"on_error,omitempty"`
	Text            string   `json:"text,omitempty"`
	Reason          string   `json:"reason,omitempty"`
	Examples        []string `json:"examples,omitempty"`
	Counterexamples []string `json:"counterexamples,omitempty"`
	At              string   `json:"at"`
	Project         bool     `json:"project,omitempty"`
}

func toRuleJSON(r *rule.Rule) ruleJSON {
	j := ruleJSON{
		ID: r.ID, Priority: r.Priority, Scope: r.Scope.String(), Agent: r.Agent, When: []string{},
		Do: string(r.Do), Text: r.Text, Reason: r.Reason, Examples: r.Examples, Counterexamples: r.Counterexamples, At: r.At(), Project: r.FromProject,
	}
	j.When = append(j.When, conditions(r)...)
	if r.OnError != "" {
		j.OnError = string(r.OnError)
	}
	return j
}

// conditions are a rule's conditions as they are written, those that a model
// judges last.
func conditions(r *rule.Rule) []string {
	var out []string
	for _, c := range r.When {
		out = append(out, strings.Split(c.String(), "\n")...) // one about an effect has several directives
	}
	for _, c := range r.Judge {
		if r.Scope == rule.Policy {
			out = append(out, "when: "+c.String())
		} else {
			out = append(out, "judge="+strings.ReplaceAll(c.String(), " ", ""))
		}
	}
	return out
}

// rulesHere loads the rules for the present folder, the built-in ones first and
// those of policy files last.
func (w *world) rulesHere() (home.Home, []*rule.Rule, home.Loaded, error) {
	h, err := w.home()
	if err != nil {
		return h, nil, home.Loaded{}, err
	}
	l := h.Load([]string{w.cwd()}, agent.Names(), "")
	l.LoadPolicies(knownAgents(), w.hookmonSettings([]string{w.cwd()}).PolicyFile, w.cwd())
	rules := append(guard.Rules(guardPlaces(h, w)), l.Rules...)
	for _, p := range l.Policies {
		rules = append(rules, p.Rules...)
		if r := p.DefaultRule(); r != nil {
			rules = append(rules, r)
		}
	}
	return h, rules, l, nil
}

func newRulesList(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the rules in force, those of the project included",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, rules, l, err := w.rulesHere()
			if err != nil {
				return err
			}
			t := newTable("RULE", "DO", "PRIORITY", "SCOPE", "WHERE", "REASON")
			for _, r := range rules {
				if asJSON {
					if err := w.printJSON(toRuleJSON(r)); err != nil {
						return err
					}
					continue
				}
				t.row(r.ID, string(r.Do), priorityText(r), scopeText(r), w.shortPath(r.At()), firstOf(r.Text, r.Reason))
			}
			if !asJSON {
				t.print(w)
			}
			w.warnLoaded(l)
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

func priorityText(r *rule.Rule) string {
	if r.File == guard.BuiltIn || r.Scope == rule.Policy {
		return "-"
	}
	return fmt.Sprint(r.Priority)
}

func scopeText(r *rule.Rule) string {
	switch {
	case r.File == guard.BuiltIn:
		return guard.BuiltIn
	case r.Agent != "" && r.Scope != rule.Policy:
		return r.Agent
	}
	return r.Scope.String()
}

func newRulesShow(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show <id>",
		Short: "Show one rule whole",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			_, rules, _, err := w.rulesHere()
			if err != nil {
				return err
			}
			var ids []string
			found := false
			for _, r := range rules {
				ids = append(ids, r.ID)
				if r.ID != args[0] {
					continue
				}
				found = true
				if asJSON {
					if err := w.printJSON(toRuleJSON(r)); err != nil {
						return err
					}
					continue
				}
				w.printRule(r)
			}
			if found {
				return nil
			}
			err = fmt.Errorf("no rule %q is in force here", args[0])
			if best := hint.Nearest(args[0], ids); best != "" {
				return hint.Wrap(err, "did you mean %q?", best)
			}
			return hint.Wrap(err, `"overseer rules list" shows them all`)
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

// printRule prints a rule in the form in which it is written.
func (w *world) printRule(r *rule.Rule) {
	// A project's rules are read here before they are trusted: what is in them must
	// not be able to draw on the terminal.
	fmt.Fprintf(w.stdout, "# %s\nRule: %s\n", clean(w.shortPath(r.At()), 0), clean(r.ID, 0))
	switch {
	case r.File == guard.BuiltIn:
	case r.Scope == rule.Policy && r.Agent == "":
		fmt.Fprintf(w.stdout, "Scope: %s\n", r.Scope)
	case r.Scope == rule.Policy:
		fmt.Fprintf(w.stdout, "Scope: %s\nAgent: %s\n", r.Scope, r.Agent)
	default:
		fmt.Fprintf(w.stdout, "Priority: %d\nScope: %s\n", r.Priority, r.Scope)
	}
	fmt.Fprintln(w.stdout, "When:")
	for _, c := range conditions(r) {
		fmt.Fprintf(w.stdout, "  %s\n", clean(c, 0))
	}
	if r.OnError != "" {
		fmt.Fprintf(w.stdout, "On-Error: %s\n", r.OnError)
	}
	fmt.Fprintf(w.stdout, "Do: %s\n", clean(firstOf(r.Text, string(r.Do)), 0))
	if r.Reason != "" {
		fmt.Fprintf(w.stdout, "Reason: %s\n", clean(r.Reason, 0))
	}
	w.printExamples("Examples", r.Examples)
	w.printExamples("Counterexamples", r.Counterexamples)
}

func (w *world) printExamples(field string, examples []string) {
	if len(examples) == 0 {
		return
	}
	fmt.Fprintf(w.stdout, "%s:\n", field)
	for _, ex := range examples {
		fmt.Fprintf(w.stdout, "  - %s\n", clean(ex, 0))
	}
}

func newRulesValidate(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "validate",
		Short: "Check all rule files and that each rule fires on its examples alone",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			h, _, l, err := w.rulesHere()
			if err != nil {
				return err
			}
			problems := validate(h, l)
			for _, p := range problems {
				w.printProblem(p)
			}
			w.warnRules(l.Rules)
			w.warnSkipped(l)
			n := len(l.Rules)
			for _, p := range l.Policies {
				n += len(p.Rules)
				for _, text := range p.Warnings {
					fmt.Fprintf(w.stderr, "warning: %s\n", text)
				}
			}
			if len(problems) > 0 {
				are := "are"
				if n == 1 {
					are = "is"
				}
				fmt.Fprintf(w.stderr, "%s %s in force, %s\n", count(n, "rule"), are, count(len(problems), "fault"))
				return errSilent
			}
			fmt.Fprintf(w.stdout, "%s, no faults\n", count(n, "rule"))
			return nil
		},
	}
}

// validate lists all faults of the loaded files, those of the examples included.
func validate(h home.Home, l home.Loaded) []error {
	problems := l.Problems
	for _, r := range l.Rules {
		problems = append(problems, constitution.NeverFires(r, doctor.Events(r.Agent))...)
		problems = append(problems, constitution.CheckExamples(r, h.User)...)
	}
	return problems
}

// warnRules says what is no fault and yet probably not meant.
func (w *world) warnRules(rules []*rule.Rule) {
	seen := map[string]*rule.Rule{}
	for _, r := range rules {
		if first, ok := seen[r.ID]; ok {
			fmt.Fprintf(w.stderr, "warning: %s: rule %s has the same id as the one in %s\n", r.At(), r.ID, first.At())
		}
		seen[r.ID] = r
	}
}

// warnLoaded reports on standard error what is wrong with the loaded files.
func (w *world) warnLoaded(l home.Loaded) {
	for _, p := range l.Problems {
		w.printProblem(p)
	}
	w.warnSkipped(l)
}

func (w *world) warnSkipped(l home.Loaded) {
	for _, s := range l.Skipped {
		fmt.Fprintln(w.stderr, clean("skipped until \"overseer trust\": "+s, 0))
	}
}

// printProblem prints a fault with its hints.
func (w *world) printProblem(err error) {
	fmt.Fprintln(w.stderr, clean(err.Error(), 0))
	for _, h := range hint.Of(err) {
		fmt.Fprintln(w.stderr, clean("  hint: "+h, 0))
	}
}
