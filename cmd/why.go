package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/ledger"
)

func newWhy(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "why <event-id>",
		Short: "Explain a past verdict",
		Long: `Why shows an event, the verdict on it, every rule that fired, what the agent was
told and what a person said of it. A verdict by precedent is shown beside the actions
that a person ruled on. The beginning of an id is enough.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if strings.Trim(strings.ToLower(args[0]), "ev_ ") == "" {
				return hint.Wrap(fmt.Errorf("%q names no event", args[0]), `"overseer ledger tail" shows the newest events with their ids`)
			}
			store, _, _, err := w.openLedger(c.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			e, err := store.Get(c.Context(), args[0])
			if err != nil {
				return explain(err)
			}
			r := compare(c.Context(), store, e)
			if asJSON {
				return w.printJSON(&r)
			}
			w.explainEntry(&r)
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

// explainEntry prints an event and all that its verdict rests on.
func (w *world) explainEntry(r *whyReport) {
	e := &r.Entry
	line := func(label, format string, args ...any) {
		text := clean(fmt.Sprintf(format, args...), 0)
		if text != "" {
			fmt.Fprintf(w.stdout, "%-10s %s\n", label, text)
		}
	}
	line("event", "%s  %s", e.ID, e.Time.Local().Format(time.DateTime))
	agent := e.Agent
	if e.Caller != "" {
		agent = fmt.Sprintf("%s (through %s's settings)", e.Caller, e.Agent)
	}
	line("agent", "%s, session %s", agent, firstOf(e.Session, "unknown"))
	line("what", "%s", strings.TrimSpace(e.Event+" "+e.Tool))
	line("folder", "%s", w.shortPath(e.CWD))
	if e.Machine != "" {
		line("machine", "%s on %s", firstOf(e.User, "somebody"), e.Machine)
	}
	line("subject", "%s", e.Subject)

	fmt.Fprintln(w.stdout)
	line("verdict", "%s, by %s", e.Decision, e.Basis)
	line("reason", "%s", e.Reason)
	if e.Answered != e.Decision && e.Answered != "" {
		line("answered", "%s", e.Answered)
	}
	line("degraded", "%s", e.Degraded)
	if e.ApprovedBy != "" {
		line("approval", "given for %s", e.ApprovedBy)
	}
	w.explainRules(e)
	w.explainJudgments(e)
	w.explainPrecedents(r)
	for _, g := range e.Guidance {
		line("guidance", "%s", g)
	}
	for _, f := range e.Faults {
		line("fault", "%s", f)
	}
	w.explainOutcomes(e)
	if t := e.Timings; t != nil {
		fmt.Fprintln(w.stdout)
		line("time", "%s (input %s, decode %s, judge %s)", micros(t.Total), micros(t.Read), micros(t.Decode), micros(t.Judge))
	}
}

func (w *world) explainRules(e *ledger.Entry) {
	if len(e.Reasons) == 0 {
		return
	}
	fmt.Fprintln(w.stdout)
	t := newTable("RULES THAT FIRED", "DO", "", "WHERE", "REASON")
	for _, r := range e.Reasons {
		mark := ""
		if r.Settled {
			mark = "settled it"
		}
		t.row(r.Rule, r.Do, mark, w.shortPath(r.At), r.Text)
	}
	t.print(w)
}

func (w *world) explainJudgments(e *ledger.Entry) {
	if len(e.Judgments) == 0 {
		return
	}
	fmt.Fprintln(w.stdout)
	t := newTable("JUDGMENTS", "ANSWER", "THRESHOLD", "", "RULE", "MODEL")
	for _, j := range e.Judgments {
		answer, held := "none", "not met"
		if j.Value != nil {
			answer = fmt.Sprint(j.Value)
		}
		if j.Held {
			held = "met"
		}
		t.row(j.Name, answer, j.Condition, held, j.Rule, j.Model)
	}
	t.print(w)
}

func (w *world) explainOutcomes(e *ledger.Entry) {
	if len(e.Outcomes) == 0 {
		return
	}
	fmt.Fprintln(w.stdout)
	t := newTable("OUTCOMES", "TIME", "BY", "HOW", "NOTE")
	for _, o := range e.Outcomes {
		how := o.Source
		if !o.Until.IsZero() {
			how += ", until " + w.when(o.Until)
		}
		t.row(string(o.Decision), w.when(o.Time), firstOf(o.By, "-"), how, o.Note)
	}
	t.print(w)
}

func micros(n int64) string { return (time.Duration(n) * time.Microsecond).String() }
