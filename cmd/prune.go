package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/upkeep"
)

func newPrune(w *world) *cobra.Command {
	var o upkeep.PruneOptions
	var older, size string
	var asJSON bool
	c := &cobra.Command{
		Use:   "prune",
		Short: "Remove old events",
		Long: `Prune removes events from the ledger and the journal by age, by the ledger's size,
or both, and gives their space back. Events on which a person ruled stay, with the
ruling, unless --outcomes says that those go too where both are old enough. A
checkpoint says what was removed, so that "overseer ledger verify" can tell it from
tampering.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !o.Dry {
				if err := w.personOnly("removing events"); err != nil {
					return err
				}
			}
			var err error
			if o.Before, err = parseWhen("--older-than", older, w.now()); err != nil {
				return err
			}
			if o.MaxSize, err = parseSize(size); err != nil {
				return err
			}
			if o.Before.IsZero() && o.MaxSize == 0 {
				return hint.Wrap(fmt.Errorf("nothing says what is to go"), "give --older-than 90d, --max-size 500MB or both")
			}
			return w.prune(c.Context(), o, asJSON)
		},
	}
	c.Flags().StringVar(&older, "older-than", "", "remove events from before then: a duration such as 90d, or a date such as 2026-01-31")
	c.Flags().StringVar(&size, "max-size", "", "remove the oldest events until the ledger's file takes so much, such as 500MB")
	c.Flags().BoolVar(&o.Outcomes, "outcomes", false, "also remove events on which a person ruled, and the rulings")
	c.Flags().BoolVar(&o.Dry, "dry-run", false, "only say what would be removed")
	jsonFlag(c, &asJSON)
	return c
}

func (w *world) prune(ctx context.Context, o upkeep.PruneOptions, asJSON bool) error {
	store, h, _, err := w.openLedger(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	o.Deed = w.deed(journal.SourcePrune, "")
	out, err := upkeep.Prune(ctx, store, h.Journal(), o)
	if err != nil {
		return err
	}
	if !o.Dry {
		if err := refresh(ctx, w, store, h); err != nil {
			return err
		}
	}
	if asJSON {
		return w.printJSON(out)
	}
	verb := "removed"
	if o.Dry {
		verb = "would remove"
	}
	fmt.Fprintf(w.stdout, "%s %s and %s, %s of the journal\n", verb, count(out.Events, "event"), count(out.Outcomes, "outcome"), count(out.Lines, "line"))
	if out.Protected > 0 {
		fmt.Fprintf(w.stdout, "kept %s on which a person ruled; --outcomes removes them too\n", count(out.Protected, "old event"))
	}
	if !o.Dry {
		fmt.Fprintf(w.stdout, "the ledger took %.1f MiB and takes %.1f MiB\n", float64(out.SizeBefore)/(1<<20), float64(out.SizeAfter)/(1<<20))
	}
	return nil
}

// parseSize reads a size such as 500MB or 2GiB, "" as 0.
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimRight(text, "BbIiKkMmGgTt ")
	unit := strings.ToLower(strings.TrimSpace(text[len(digits):]))
	factor, ok := map[string]float64{
		"": 1, "b": 1, "k": 1e3, "kb": 1e3, "kib": 1 << 10, "m": 1e6, "mb": 1e6, "mib": 1 << 20, "g": 1e9, "gb": 1e9, "gib": 1 << 30, "t": 1e12, "tb": 1e12, "tib": 1 << 40,
	}[unit]
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !ok || !(n*factor >= 1 && n*factor <= 1e15) {
		return 0, hint.Wrap(fmt.Errorf("--max-size %q is no size", text), "write it as in 500MB or 2GiB")
	}
	return int64(n * factor), nil
}

func newRedact(w *world) *cobra.Command {
	var o upkeep.RedactOptions
	var since string
	var asJSON bool
	c := &cobra.Command{
		Use:   "redact",
		Short: "Take secrets out of what is already recorded",
		Long: `Redact looks for secrets in what the journal and the ledger have recorded, with the
patterns of today, and replaces them by "[redacted]". No copy of them stays in the
two. A checkpoint names the lines' hashes before and after, so that "overseer ledger
verify" can tell it from tampering.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !o.Dry {
				if err := w.personOnly("changing what was recorded"); err != nil {
					return err
				}
			}
			var err error
			if o.Since, err = parseSince(since, w.now()); err != nil {
				return err
			}
			return w.redact(c.Context(), o, asJSON)
		},
	}
	c.Flags().StringVar(&since, "since", "", "only events from then on: a duration such as 12h or 7d, or a date such as 2026-01-31 (default: all)")
	c.Flags().BoolVar(&o.Dry, "dry-run", false, "only say how many would change")
	jsonFlag(c, &asJSON)
	return c
}

func (w *world) redact(ctx context.Context, o upkeep.RedactOptions, asJSON bool) error {
	h, c, err := w.ledgerHome()
	if err != nil {
		return err
	}
	if o.Secrets = c.Privacy.Secrets(); o.Secrets == nil {
		return hint.Wrap(fmt.Errorf("redaction is switched off"), "set privacy.redact = true in %s/%s", w.shortPath(h.Root), config.File)
	}
	store, _, _, err := w.openLedger(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	o.Deed = w.deed(journal.SourceRedact, "")
	out, err := upkeep.Redact(ctx, store, h.Journal(), o)
	if err != nil {
		return err
	}
	backups, _ := filepath.Glob(h.Ledger(c) + ".damaged-*")
	if asJSON {
		return w.printJSON(out)
	}
	verb := "redacted"
	if o.Dry {
		verb = "would redact"
	}
	fmt.Fprintf(w.stdout, "%s %s of the ledger, %s of the journal\n", verb, count(out.Rows, "record"), count(out.Lines, "line"))
	if out.Aside {
		fmt.Fprintf(w.stdout, "%s lines that were set aside\n", verb)
	}
	if out.Damaged > 0 {
		fmt.Fprintf(w.stderr, "warning: %s of the journal may hold secrets; \"overseer ledger repair\" sets them aside, then redact again\n", count(out.Damaged, "damaged line"))
	}
	for _, b := range backups {
		fmt.Fprintf(w.stderr, "warning: not looked at: %s, which an earlier repair kept\n", w.shortPath(b))
	}
	return nil
}
