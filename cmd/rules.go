package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/constitution"
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
	ID       string   `json:"id"`
	Priority int      `json:"priority"`
	Scope    string   `json:"scope"`
	Agent    string   `json:"agent,omitempty"`
	When     []string `json:"when"`
	Do       string   `json:"do"`
	Text     string   `json:"text,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Examples []string `json:"examples,omitempty"`
	At       string   `json:"at"`
	Project  bool     `json:"project,omitempty"`
}

func toRuleJSON(r *rule.Rule) ruleJSON {
	j := ruleJSON{
		ID: r.ID, Priority: r.Priority, Scope: r.Scope.String(), Agent: r.Agent, When: []string{},
		Do: string(r.Do), Text: r.Text, Reason: r.Reason, Examples: r.Examples, At: r.At(), Project: r.FromProject,
	}
	for _, c := range r.When {
		j.When = append(j.When, c.String())
	}
	return j
}

// rulesHere loads the rules for the present folder, the built-in ones first.
func (w *world) rulesHere() (home.Home, []*rule.Rule, home.Loaded, error) {
	h, err := w.home()
	if err != nil {
		return h, nil, home.Loaded{}, err
	}
	l := h.Load(w.cwd(), agent.Names(), "")
	return h, append(guard.Rules(guardPlaces(h, w)), l.Rules...), l, nil
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
	if r.File == guard.BuiltIn {
		return "-"
	}
	return fmt.Sprint(r.Priority)
}

func scopeText(r *rule.Rule) string {
	switch {
	case r.File == guard.BuiltIn:
		return guard.BuiltIn
	case r.Agent != "":
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
	fmt.Fprintf(w.stdout, "# %s\nRule: %s\n", w.shortPath(r.At()), r.ID)
	if r.File != guard.BuiltIn {
		fmt.Fprintf(w.stdout, "Priority: %d\nScope: %s\n", r.Priority, r.Scope)
	}
	fmt.Fprintln(w.stdout, "When:")
	for _, c := range r.When {
		fmt.Fprintf(w.stdout, "  %s\n", c)
	}
	fmt.Fprintf(w.stdout, "Do: %s\n", firstOf(r.Text, string(r.Do)))
	if r.Reason != "" {
		fmt.Fprintf(w.stdout, "Reason: %s\n", r.Reason)
	}
	if len(r.Examples) > 0 {
		fmt.Fprintf(w.stdout, "Examples:\n  - %s\n", strings.Join(r.Examples, "\n  - "))
	}
}

func newRulesValidate(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "validate",
		Short: "Check all rule files and that each rule fires on its examples",
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
			if len(problems) > 0 {
				fmt.Fprintf(w.stderr, "%d rules are in force, %s\n", len(l.Rules), count(len(problems), "fault"))
				return errSilent
			}
			fmt.Fprintf(w.stdout, "%s, no faults\n", count(len(l.Rules), "rule"))
			return nil
		},
	}
}

// validate lists all faults of the loaded files, those of the examples included.
func validate(h home.Home, l home.Loaded) []error {
	problems := l.Problems
	for _, r := range l.Rules {
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
		for _, c := range r.When {
			events, ok := c.(rule.Events)
			if !ok {
				continue
			}
			for _, name := range events {
				if !knownEvent(name) {
					fmt.Fprintf(w.stderr, "warning: %s: rule %s: no agent here has an event %q%s\n", r.At(), r.ID, name, didYouMean(name, eventNames()))
				}
			}
		}
	}
}

func eventNames() []string {
	var out []string
	for _, p := range agent.All() {
		for _, c := range p.Capabilities() {
			out = append(out, c.Event)
		}
	}
	return out
}

func knownEvent(name string) bool {
	for _, n := range eventNames() {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

func didYouMean(word string, known []string) string {
	if best := hint.Nearest(word, known); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
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
		fmt.Fprintf(w.stderr, "skipped until \"overseer trust\": %s\n", s)
	}
}

// printProblem prints a fault with its hints.
func (w *world) printProblem(err error) {
	fmt.Fprintf(w.stderr, "%v\n", err)
	for _, h := range hint.Of(err) {
		fmt.Fprintf(w.stderr, "  hint: %s\n", h)
	}
}
