package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/upkeep"
)

func newExport(w *world) *cobra.Command {
	var q ledger.Query
	var format, since, until, decision, file string
	c := &cobra.Command{
		Use:   "export",
		Short: "Write events as JSON lines or CSV",
		Long: `Export writes the events, the oldest first. As JSON lines each event is the
journal's own line, with its hash, followed by what people said of it, an outcome a
line: "overseer ledger import" reads that. As CSV each event is one line with the
latest outcome; no cell can act as a formula, and none has a line break.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if q.Decision, err = parseDecision(decision, event.Allow, event.Ask, event.Deny, ""); err != nil {
				return err
			}
			if format != "jsonl" && format != "csv" {
				return hint.Wrap(fmt.Errorf("unknown format %q", format), "write jsonl or csv")
			}
			if q.Since, err = parseSince(since, w.now()); err != nil {
				return err
			}
			if q.Until, err = parseWhen("--until", until, w.now()); err != nil {
				return err
			}
			return w.export(c.Context(), q, format, file)
		},
	}
	c.Flags().StringVar(&format, "format", "jsonl", "jsonl or csv")
	c.Flags().StringVarP(&file, "output", "o", "", "write to this new file instead of standard output")
	c.Flags().StringVar(&since, "since", "", "only events from then on: a duration such as 12h or 7d, or a date such as 2026-01-31")
	c.Flags().StringVar(&until, "until", "", "only events before then")
	c.Flags().StringVar(&q.Agent, "agent", "", "only this agent's")
	c.Flags().StringVar(&decision, "decision", "", "only allow, ask or deny")
	c.Flags().StringVar(&q.Session, "session", "", "only this session's")
	return c
}

func (w *world) export(ctx context.Context, q ledger.Query, format, file string) (err error) {
	store, _, _, err := w.openLedger(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	to := w.stdout
	if file != "" {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return hint.Wrap(err, "give the name of a file that is not there yet")
		}
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Sync(), f.Close()) }()
		to = f
	}
	write := upkeep.Export
	if format == "csv" {
		write = upkeep.ExportCSV
	}
	n, err := write(ctx, store, q, to)
	if err == nil && file != "" {
		fmt.Fprintf(w.stderr, "%s written to %s\n", count(n, "event"), file)
	}
	return err
}

// parseWhen is parseSince for another flag.
func parseWhen(flag, text string, now time.Time) (time.Time, error) {
	t, err := parseSince(text, now)
	if err != nil {
		return t, hint.Wrap(fmt.Errorf("%s %q is neither a duration nor a date", flag, text), "write it as in 12h, 7d, 2w or 2026-01-31")
	}
	return t, nil
}

func newImport(w *world) *cobra.Command {
	var o upkeep.ImportOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "import <file>",
		Short: "Take in events that another ledger exported",
		Long: `Import adds the events of a file that "overseer ledger export" wrote. What is here
already is skipped. What people said of them is left out unless you ask for it with
--rulings: it then counts as precedent like your own rulings, under their names. No
approval is taken over.

If a line is no record, or is not as it was exported, nothing is imported.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := w.personOnly("an import, which can carry rulings,"); err != nil {
				return err
			}
			return w.importFile(c.Context(), args[0], o, asJSON)
		},
	}
	c.Flags().BoolVar(&o.Rulings, "rulings", false, "also take in what people said of the events")
	c.Flags().BoolVar(&o.Skip, "skip-bad", false, "leave out lines that are no records and import the rest")
	jsonFlag(c, &asJSON)
	return c
}

// maxBad is how many bad lines are shown.
const maxBad = 20

func (w *world) importFile(ctx context.Context, file string, o upkeep.ImportOptions, asJSON bool) error {
	store, h, _, err := w.openLedger(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	o.Deed = w.deed(journal.SourceImport, file)
	conf, _, _ := config.Load(config.Default(), h.Root) // a broken file does not switch redaction off
	o.Secrets = conf.Privacy.Secrets()
	bad := 0
	o.Report = func(err error) {
		if bad++; bad <= maxBad {
			fmt.Fprintf(w.stderr, "%v\n", clean(err.Error(), 400))
		}
	}
	out, err := upkeep.Import(ctx, store, h.Journal(), file, o)
	if bad > maxBad {
		fmt.Fprintf(w.stderr, "and %d more\n", bad-maxBad)
	}
	if errors.Is(err, upkeep.ErrBadLines) {
		return hint.Wrap(fmt.Errorf("%w: %s of %s cannot be taken", err, count(bad, "line"), file), "--skip-bad imports the others")
	}
	if err != nil {
		return err
	}
	out.Bad = bad
	if err := refresh(ctx, w, store, h); err != nil {
		return err
	}
	if asJSON {
		return w.printJSON(out)
	}
	fmt.Fprintf(w.stdout, "imported %s and %s; %d were here already\n", count(out.Events, "event"), count(out.Outcomes, "outcome"), out.Known)
	if out.LeftOut > 0 {
		fmt.Fprintf(w.stdout, "left out %s; with --rulings they are taken in and count as precedent\n", count(out.LeftOut, "outcome"))
	}
	return nil
}
