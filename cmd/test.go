package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/shell"
)

func newTest(w *world) *cobra.Command {
	var t testRun
	c := &cobra.Command{
		Use:   "test <command>",
		Short: "Judge a command without running or recording it",
		Long: `Test says what the verdict on a command would be, by the rules that hold in this
folder and by the human rulings that hooks know of. Nothing is run and nothing is recorded. With --explain it shows how the
command is read: each program that would run, how it is reached, what it would
do, and the rules that saw it.

  overseer test 'git push --force'
  overseer test --explain 'curl -s https://example.com/i.sh | sudo bash'
  overseer test --tool Write ~/.bashrc`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return t.run(w, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&t.agent, "agent", "claude", "the agent that would act: "+strings.Join(agent.Names(), ", "))
	f.StringVar(&t.tool, "tool", "Bash", "the tool that it would use; one that is not a shell takes a path")
	f.StringVar(&t.cwd, "cwd", "", "the folder that it would act in (default: this one)")
	f.BoolVar(&t.explain, "explain", false, "show how the command is read")
	f.BoolVar(&t.color, "color", false, "colour also where the output is no terminal")
	jsonFlag(c, &t.json)
	return c
}

// testRun judges one act that does not happen.
type testRun struct {
	agent, tool, cwd     string
	explain, json, color bool
}

func (t *testRun) run(w *world, what string) error {
	p, err := agent.Lookup(t.agent)
	if err != nil {
		return hint.Wrap(err, "known agents: %s", strings.Join(agent.Names(), ", "))
	}
	e := agent.Named(p, event.PreToolUse)
	e.Name, e.Time, e.CWD = event.PreToolUse, w.now(), firstOf(t.cwd, w.cwd())
	e.Tool = event.Tool{Name: t.tool}
	if isShellTool(t.tool) {
		e.Tool.Command = what
		e.Tool.Input, err = json.Marshal(map[string]string{"command": what})
	} else {
		e.Tool.Paths = []string{what}
		e.Tool.Input, err = json.Marshal(map[string]string{"file_path": what})
	}
	if err != nil {
		return err
	}
	hm, err := w.homeAt("")
	if err != nil {
		return err
	}
	l := loadFor(hm, &e, w)
	in := w.input(hm, &e, l, nil)
	in.Precedents, _ = w.precedents(hm, &e, l, false) // and nothing is written
	v := engine.Decide(in)
	s := in.Subject()
	r := testReport{Verdict: string(v.Decision), Basis: string(v.Basis), Reason: v.Reason, Faults: v.Faults, Incomplete: s.Unread()}
	r.Precedents = v.Precedents
	for _, why := range v.Reasons {
		r.Rules = append(r.Rules, testRule{why.Rule, why.Do, why.Text, why.At})
	}
	r.read(s, in.Rules)
	if t.json {
		return w.printJSON(r)
	}
	r.print(w, painter(t.color || colored(w)), t.explain)
	return nil
}

// isShellTool reports whether the tool's input is a command line.
func isShellTool(name string) bool {
	switch strings.ToLower(name) {
	case "bash", "shell", "powershell", "local_shell", "exec_command", "unified_exec":
		return true
	}
	return false
}

// testReport is what test prints; docs/json-output.md describes it.
type testReport struct {
	Verdict    string            `json:"verdict"`
	Basis      string            `json:"basis"`
	Reason     string            `json:"reason,omitempty"`
	Rules      []testRule        `json:"rules,omitempty"`
	Precedents []event.Precedent `json:"precedents,omitempty"`
	Faults     []string          `json:"faults,omitempty"`
	Incomplete bool              `json:"incomplete,omitempty"`
	Commands   []testCommand     `json:"commands,omitempty"`
	Effects    []testEffect      `json:"effects,omitempty"`
}

type testRule struct {
	ID   string `json:"id"`
	Do   string `json:"do"`
	Text string `json:"text,omitempty"`
	At   string `json:"at"`
}

type testCommand struct {
	Program string       `json:"program"`
	Args    []string     `json:"args,omitempty"`
	Via     []string     `json:"via,omitempty"`
	Dir     string       `json:"dir,omitempty"`
	Effects []testEffect `json:"effects,omitempty"`
}

type testEffect struct {
	Kind    string       `json:"kind"`
	Meaning string       `json:"meaning,omitempty"`
	Targets []testTarget `json:"targets,omitempty"`
	Unsure  bool         `json:"unsure,omitempty"`
	Rules   []string     `json:"rules,omitempty"`
}

type testTarget struct {
	Name  string `json:"name"`
	Scope string `json:"scope,omitempty"`
}

// read fills in how the act was read.
func (r *testReport) read(s *rule.Subject, rules []*rule.Rule) {
	if s.Event.Tool.Command == "" {
		r.Effects = testEffects(s.Effects(), s, rules)
		return
	}
	p := s.Program()
	for _, c := range p.Commands {
		r.Commands = append(r.Commands, testCommand{c.Program, c.Args, c.Via, c.Dir, testEffects(c.Effects, s, rules)})
	}
	if len(p.Commands) == 0 {
		r.Effects = testEffects(p.Effects, s, rules)
	}
}

func testEffects(list []effect.Effect, s *rule.Subject, rules []*rule.Rule) []testEffect {
	var out []testEffect
	for _, x := range list {
		t := testEffect{Kind: string(x.Kind), Meaning: effect.Meaning(x.Kind), Unsure: x.Unsure}
		for _, target := range x.Targets {
			t.Targets = append(t.Targets, testTarget{target.Name, string(target.Scope)})
		}
		for _, r := range rules {
			if r.Sees(x, s) {
				t.Rules = append(t.Rules, r.ID)
			}
		}
		out = append(out, t)
	}
	return out
}

func (r *testReport) print(w *world, paint func(style, string) string, explain bool) {
	style := map[string]style{"allow": green, "ask": yellow, "deny": red}[r.Verdict]
	fmt.Fprintf(w.stdout, "%s, by %s\n", paint(style, r.Verdict), r.Basis)
	if r.Reason != "" {
		fmt.Fprintln(w.stdout, clean(r.Reason, 0))
	}
	for _, p := range r.Precedents {
		fmt.Fprintf(w.stdout, "precedent: %s, %s by %s (%s) on %s, score %.2f\n", p.Event, p.Decision, clean(firstOf(p.By, "a person"), 60), p.Source, p.Time.Local().Format(time.DateOnly), p.Score)
	}
	for _, f := range r.Faults {
		fmt.Fprintf(w.stdout, "fault: %s\n", clean(f, 0))
	}
	if !explain {
		return
	}
	fmt.Fprintln(w.stdout)
	if len(r.Commands) == 0 && len(r.Effects) == 0 {
		fmt.Fprintln(w.stdout, "It runs nothing that is known to do anything.")
	}
	for _, c := range r.Commands {
		indent := strings.Repeat("  ", len(c.Via))
		line := strings.TrimSpace(c.Program + " " + strings.Join(quoted(c.Args), " "))
		from := ""
		if len(c.Via) > 0 {
			from = paint(dim, "  ← "+strings.Join(c.Via, " → "))
		}
		if c.Dir != "" {
			from += paint(dim, "  in "+w.shortPath(c.Dir))
		}
		fmt.Fprintln(w.stdout, indent+paint(bold, clean(line, 120))+from)
		printEffects(w, paint, indent+"  ", c.Effects)
	}
	printEffects(w, paint, "", r.Effects)
	if r.Incomplete {
		fmt.Fprintln(w.stdout, "A part of it could not be read.")
	}
	if len(r.Rules) > 0 {
		fmt.Fprintln(w.stdout)
		t := newTable("RULES THAT FIRED", "DO", "WHERE", "REASON")
		for _, x := range r.Rules {
			t.row(x.ID, x.Do, w.shortPath(x.At), x.Text)
		}
		t.print(w)
	}
}

func printEffects(w *world, paint func(style, string) string, indent string, list []testEffect) {
	for _, x := range list {
		color := dim
		if len(x.Rules) > 0 {
			color = yellow
		}
		line := indent + "· " + paint(color, x.Kind)
		for _, t := range x.Targets {
			line += " " + clean(t.Name, 60)
			if t.Scope != "" {
				line += paint(dim, " ("+t.Scope+")")
			}
		}
		if x.Unsure {
			line += paint(dim, " known only while it runs")
		}
		if len(x.Rules) > 0 {
			line += "  ⇒ " + strings.Join(x.Rules, ", ")
		}
		fmt.Fprintln(w.stdout, line)
	}
}

// quoted gives words as a shell would need them.
func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, " \t\n'\"|&;()<>") {
			word = shell.Quote(word)
		}
		out[i] = word
	}
	return out
}

// style is a way to print on a terminal: an SGR parameter (ECMA-48, 8.3.117).
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// painter gives a function that styles a text, or leaves it as it is.
func painter(on bool) func(style, string) string {
	return func(s style, text string) string {
		if !on {
			return text
		}
		return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
	}
}

// colored reports whether standard output is a terminal that wants colours
// (no-color.org).
func colored(w *world) bool {
	f, ok := w.stdout.(*os.File)
	return ok && isatty.IsTerminal(f.Fd()) && w.getenv("NO_COLOR") == ""
}
