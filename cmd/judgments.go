package cmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/ledger"
)

func newJudgments(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "judgments",
		Short: "See how judgments were answered and tune their thresholds",
		Args:  subcommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newJudgmentStats(w))
	return c
}

func newJudgmentStats(w *world) *cobra.Command {
	var name, since string
	var asJSON bool
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show how the answers spread and what other thresholds would have changed",
		Long: `Stats counts over the recorded events, for each judgment, how its answers spread,
which models gave them, which rules weighed them, and at how many events other
thresholds would have held. It asks no model.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			from, err := parseSince(since, w.now())
			if err != nil {
				return err
			}
			all, events, err := w.judgmentStats(c.Context(), from)
			if err != nil {
				return err
			}
			if all, err = selectJudgment(all, name); err != nil {
				return err
			}
			if len(all) == 0 && !asJSON {
				fmt.Fprintf(w.stdout, "no judgment was weighed at %s\n", count(events, "recorded event"))
			}
			for i := range all {
				if asJSON {
					if err := w.printJSON(&all[i]); err != nil {
						return err
					}
					continue
				}
				if i > 0 {
					fmt.Fprintln(w.stdout)
				}
				w.printJudgment(&all[i])
			}
			return nil
		},
	}
	c.Flags().StringVar(&name, "judgment", "", "only this judgment, and its confidence")
	c.Flags().StringVar(&since, "since", "", "only events from then on: a duration such as 12h or 7d, or a date such as 2026-01-31")
	jsonFlag(c, &asJSON)
	return c
}

// page is how many events are held in memory at a time.
const page = 1000

// judgmentStats counts what was recorded since then. It also returns how many
// events there are.
func (w *world) judgmentStats(ctx context.Context, since time.Time) ([]judgment.Stats, int, error) {
	store, _, _, err := w.openLedger(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer store.Close()
	var tally judgment.Tally
	events := 0
	for q := (ledger.Query{N: page, Since: since}); ; {
		entries, err := store.Tail(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		for _, e := range entries {
			var fired []string
			for _, r := range e.Reasons {
				fired = append(fired, r.Rule)
			}
			tally.Add(e.Time, e.Judgments, fired)
		}
		events += len(entries)
		if len(entries) < page {
			break
		}
		q.Before = entries[0].ID
	}
	// What is declared here tells the options that nobody chose and the levels; what
	// was recorded elsewhere is shown without.
	_, _, l, err := w.rulesHere()
	if err != nil {
		return nil, 0, err
	}
	var specs []judgment.Spec
	for _, p := range l.Policies {
		specs = append(specs, p.Judgments...)
	}
	return tally.Stats(specs), events, nil
}

// selectJudgment keeps one judgment and its confidence; name "" keeps all.
func selectJudgment(all []judgment.Stats, name string) ([]judgment.Stats, error) {
	if name == "" || len(all) == 0 {
		return all, nil
	}
	var names []string
	var out []judgment.Stats
	for _, s := range all {
		names = append(names, s.Judgment)
		if s.Judgment == name || s.Judgment == name+"."+judgment.Confidence {
			out = append(out, s)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	err := fmt.Errorf("no recorded event was judged by %q", name)
	if best := hint.Nearest(name, names); best != "" {
		return nil, hint.Wrap(err, "did you mean %q?", best)
	}
	return nil, hint.Wrap(err, "recorded are %s", clean(strings.Join(names, ", "), 200))
}

// parseSince reads how long ago something was, or when: a duration, whole days or
// weeks ("7d", "2w"), a date in the person's zone, or a time as in RFC 3339.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.DateTime, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		number, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.ParseUint(number, 10, 16); ok && err == nil {
			return now.AddDate(0, 0, -int(n)*days), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, hint.Wrap(fmt.Errorf("--since %q is neither a duration nor a date", text), "write it as in 12h, 7d, 2w or 2026-01-31")
}

// printJudgment prints one judgment's tables.
func (w *world) printJudgment(s *judgment.Stats) {
	what := firstOf(string(s.Type), "never answered")
	fmt.Fprintf(w.stdout, "%s  %s, %s, %d answered, %d not\n", clean(s.Judgment, 100), what, count(s.Events, "event"), s.Answered, s.Unanswered)
	var models []string
	for _, m := range s.Models {
		models = append(models, fmt.Sprintf("%s (%d)", clean(m.Name, 100), m.N))
	}
	switch len(models) {
	case 0:
	case 1:
		fmt.Fprintf(w.stdout, "answered by %s\n", clean(s.Models[0].Name, 100))
	default:
		fmt.Fprintf(w.stdout, "warning: answered by %d models, for each of which a threshold means something else: %s\n", len(models), strings.Join(models, ", "))
	}
	w.printValues(s)
	fmt.Fprintln(w.stdout)
	t := newTable("RULE", "THRESHOLD", "WEIGHED", "HELD", "FIRED", "BEFORE")
	for _, r := range s.Rules {
		t.row(r.Rule, r.Condition, strconv.Itoa(r.Weighed), strconv.Itoa(r.Held), strconv.Itoa(r.Fired), firstOf(strings.Join(r.Earlier, ", "), "-"))
	}
	t.print(w)
	for _, r := range s.Rules {
		if len(r.Thresholds) > 0 {
			w.printThresholds(&r)
		}
	}
}

// printValues prints how the answers spread.
func (w *world) printValues(s *judgment.Stats) {
	if p := s.Spread; p != nil {
		fmt.Fprintln(w.stdout)
		t := newTable("MIN", "25%", "MEDIAN", "75%", "MAX")
		t.row(decimal(p.Min), decimal(p.Q1), decimal(p.Median), decimal(p.Q3), decimal(p.Max))
		t.print(w)
	}
	var bars []judgment.Count
	for i, n := range s.Histogram {
		bars = append(bars, judgment.Count{Name: fmt.Sprintf("%.1f – %.1f", float64(i)/10, float64(i+1)/10), N: n})
	}
	w.printBars("ANSWER", bars)
	bars = nil
	for i, n := range s.Levels {
		bars = append(bars, judgment.Count{Name: strconv.Itoa(i), N: n})
	}
	w.printBars("LEVEL", bars)
	w.printBars("OPTION", s.Options)
}

// printBars prints a histogram that is not wider than a terminal.
func (w *world) printBars(head string, bars []judgment.Count) {
	if len(bars) == 0 {
		return
	}
	const width = 40
	most := slices.MaxFunc(bars, func(a, b judgment.Count) int { return a.N - b.N }).N
	fmt.Fprintln(w.stdout)
	t := newTable(head, "EVENTS")
	for _, b := range bars {
		n := 0
		if b.N > 0 {
			n = max(1, b.N*width/most)
		}
		t.row(b.Name, strings.TrimRight(fmt.Sprintf("%-7d %s", b.N, strings.Repeat("█", n)), " "))
	}
	t.print(w)
}

// printThresholds prints what other thresholds of a rule would have changed.
func (w *world) printThresholds(r *judgment.RuleStats) {
	fmt.Fprintln(w.stdout)
	t := newTable("IF "+r.Rule+" HAD", "HELD", "CHANGE", "RULE MATCHED")
	for _, c := range r.Thresholds {
		change := "present"
		if !c.Present {
			change = fmt.Sprintf("%+d", c.Change)
		}
		t.row(c.Condition, strconv.Itoa(c.Held), change, strconv.Itoa(c.Matched))
	}
	t.print(w)
}

// decimal writes a number with as many places as people compare.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
