package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/sqlite"
	"github.com/fireharp/overseer/internal/upkeep"
)

// deed is what this process does to what was recorded.
func (w *world) deed(source, note string) journal.Deed {
	return upkeep.NewDeed(w.now(), w.user(), source, note)
}

func newVerify(w *world) *cobra.Command {
	var acknowledge, asJSON bool
	var note string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Prove that nobody changed what was recorded",
		Long: `Verify computes the hash chain of the journal and of the ledger again, compares
the two, and names every event that was edited, removed, moved or inserted. What
rotation, prune, redact and repair did is known from their checkpoints. It exits
with 1 if anything is wrong.

With --acknowledge a person takes note of what it found: it is then no longer
reported by other commands, and stays on record.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if acknowledge {
				if err := w.personOnly("taking note of faults"); err != nil {
					return err
				}
			}
			return w.verify(c.Context(), acknowledge, note, asJSON)
		},
	}
	c.Flags().BoolVar(&acknowledge, "acknowledge", false, "take note of what is found, so that it is not reported any more")
	c.Flags().StringVar(&note, "note", "", "with --acknowledge: why, for the record")
	jsonFlag(c, &asJSON)
	return c
}

func (w *world) verify(ctx context.Context, acknowledge bool, note string, asJSON bool) error {
	store, h, in, err := w.openLedger(quietly(ctx))
	if err != nil {
		return err
	}
	defer store.Close()
	rep, err := upkeep.Verify(ctx, store, h.Journal(), in.End)
	if err != nil {
		return err
	}
	if ahead, err := in.Ahead(h.Journal()); err != nil {
		return err
	} else if ahead && !in.Replaced {
		f := journal.Fault{At: in.End, Kind: journal.Cut}
		rep.Findings = append(rep.Findings, upkeep.Finding{Kind: string(f.Kind), In: "journal", At: f.At.String(), Key: f.Key(), Text: f.Kind.Text()})
	}
	if asJSON {
		if err := w.printJSON(rep); err != nil {
			return err
		}
	} else {
		w.printReport(&rep)
	}
	wrong := rep.Wrong()
	if acknowledge && wrong > 0 {
		var keys []string
		for _, f := range rep.Findings {
			if f.Settled == "" {
				keys = append(keys, f.Key)
			}
		}
		if err := journal.Checkpoint(ctx, h.Journal(), w.deed(journal.SourceVerify, note), journal.Span{}, nil, keys); err != nil {
			return err
		}
		if _, err := store.TakeIn(ctx, h.Journal(), nil); err != nil {
			return err
		}
		fmt.Fprintf(w.stderr, "%s on record as known; what is found from now on is new\n", count(len(keys), "finding"))
		return nil
	}
	if wrong > 0 {
		return errSilent
	}
	return nil
}

// printReport writes what verify found for people.
func (w *world) printReport(rep *upkeep.Report) {
	for _, f := range rep.Findings {
		at := ""
		if f.At != "" {
			at = " " + f.At
		}
		fmt.Fprintf(w.stdout, "%s%s: %s %s: %s\n", f.In, at, f.Kind, clean(firstOf(f.ID, "?"), 0), f.Text)
		if f.Expected != "" {
			fmt.Fprintf(w.stdout, "  expected %s\n", clean(f.Expected, 0))
		}
		if f.Found != "" {
			fmt.Fprintf(w.stdout, "  found    %s\n", clean(f.Found, 0))
		}
		if f.Settled != "" {
			fmt.Fprintf(w.stdout, "  known since %s\n", f.Settled)
		}
	}
	state := "the chain is whole"
	if n := rep.Wrong(); n > 0 {
		state = count(n, "finding")
	} else if len(rep.Findings) > 0 {
		state = "nothing new"
	}
	fmt.Fprintf(w.stdout, "journal: %s in %s", count(rep.Lines, "line"), count(rep.Segments, "segment"))
	if rep.Removed > 0 {
		fmt.Fprintf(w.stdout, ", %d removed by overseer", rep.Removed)
	}
	fmt.Fprintf(w.stdout, "; ledger: %s, %s; %s\n", count(rep.Events, "event"), count(rep.Outcomes, "outcome"), state)
	if rep.Head != "" {
		fmt.Fprintf(w.stdout, "head %s\n", rep.Head)
	}
}

func newCheck(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Look for damage in the ledger's own file",
		Long: `Check has SQLite look for damage in the ledger's file and its index of words,
unpacks every record and compares it with its hash, and looks at who may read the
files. It exits with 1 if anything is wrong; "overseer ledger repair" makes the file
anew.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return w.check(c.Context(), asJSON) },
	}
	jsonFlag(c, &asJSON)
	return c
}

// checked is what check prints as JSON.
type checked struct {
	File     string   `json:"file"`
	Records  int      `json:"records"`
	Size     int64    `json:"size"`
	Problems []string `json:"problems,omitempty"`
}

func (w *world) check(ctx context.Context, asJSON bool) error {
	h, c, err := w.ledgerHome()
	if err != nil {
		return err
	}
	out := checked{File: h.Ledger(c)}
	store, _, in, err := w.openLedger(ctx)
	switch {
	case errors.Is(err, ledger.ErrCorrupt):
		out.Problems = []string{err.Error()}
	case err != nil:
		return err
	default:
		defer store.Close()
		if out.Problems, out.Records, err = upkeep.Check(ctx, store); err != nil {
			return err
		}
		if out.Size, err = store.Size(ctx); err != nil {
			return err
		}
		if ahead, err := in.Ahead(h.Journal()); err != nil {
			return err
		} else if ahead {
			out.Problems = append(out.Problems, fmt.Sprintf("the ledger has read the journal to %v, which is behind its end", in.End))
		}
	}
	out.Problems = append(out.Problems, modes(h, c)...)
	if asJSON {
		if err := w.printJSON(out); err != nil {
			return err
		}
	} else {
		for _, p := range out.Problems {
			fmt.Fprintln(w.stdout, clean(p, 0))
		}
		if len(out.Problems) == 0 {
			fmt.Fprintf(w.stdout, "%s: %s in %.1f MiB, sound\n", w.shortPath(out.File), count(out.Records, "record"), float64(out.Size)/(1<<20))
		}
	}
	if len(out.Problems) > 0 {
		fmt.Fprintln(w.stderr, `hint: "overseer ledger repair" makes the ledger anew and keeps the old file`)
		return errSilent
	}
	return nil
}

// modes lists the files that others may read or write.
func modes(h home.Home, c config.Config) []string {
	db := h.Ledger(c)
	var out []string
	paths := []string{filepath.Dir(db), db, db + "-wal", db + "-shm", h.Journal(), h.Approvals()}
	segments, _ := filepath.Glob(filepath.Join(h.Journal(), "*"))
	for _, p := range append(paths, segments...) {
		if fi, err := os.Stat(p); err == nil && fi.Mode().Perm()&0o077 != 0 {
			out = append(out, fmt.Sprintf("%s can be used by others: its mode is %o", p, fi.Mode().Perm()))
		}
	}
	return out
}

func newRepair(w *world) *cobra.Command {
	var rebuild, asJSON bool
	c := &cobra.Command{
		Use:   "repair",
		Short: "Make a damaged ledger anew and set damaged journal lines aside",
		Long: `Repair makes the ledger's file anew, if it is damaged, of what can still be read of
it and of the journal, and keeps the old file beside it. What is in neither is
named. Damaged lines of the journal move to journal/set-aside.txt; a checkpoint
says so. Nothing is deleted.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := w.personOnly("repairing the record"); err != nil {
				return err
			}
			return w.repair(c.Context(), rebuild, asJSON)
		},
	}
	c.Flags().BoolVar(&rebuild, "rebuild", false, "make the ledger anew even if it is sound")
	jsonFlag(c, &asJSON)
	return c
}

// repaired is what repair prints as JSON.
type repaired struct {
	Problems []string        `json:"problems,omitempty"`
	Ledger   *sqlite.Rebuilt `json:"ledger,omitempty"`
	SetAside int             `json:"set_aside"`
}

func (w *world) repair(ctx context.Context, rebuild, asJSON bool) error {
	h, c, err := w.ledgerHome()
	if err != nil {
		return err
	}
	var out repaired
	store, _, _, err := w.openLedger(quietly(ctx))
	switch {
	case err == nil:
		if out.Problems, _, err = upkeep.Check(ctx, store); err != nil {
			return errors.Join(err, store.Close())
		}
		store.Close()
	case errors.Is(err, ledger.ErrCorrupt):
		out.Problems = []string{err.Error()}
	default:
		return err
	}
	if rebuild && c.Ledger.Backend != "sqlite" {
		return errors.New("a ledger that is a server's is not made anew from here: others have their events there too")
	}
	if c.Ledger.Backend == "sqlite" && (len(out.Problems) > 0 || rebuild) {
		rebuilt, err := sqlite.Rebuild(ctx, h.Ledger(c), h.Journal(), w.progress("taking in the journal"))
		if err != nil {
			return err
		}
		out.Ledger = &rebuilt
	}
	if store, _, _, err = w.openLedger(quietly(ctx)); err != nil {
		return err
	}
	defer store.Close()
	if out.SetAside, err = upkeep.SetAside(ctx, store, h.Journal(), w.deed(journal.SourceRepair, "")); err != nil {
		return err
	}
	if err := refresh(ctx, w, store, h); err != nil {
		return err
	}
	if asJSON {
		return w.printJSON(out)
	}
	for _, p := range out.Problems {
		fmt.Fprintf(w.stdout, "was damaged: %s\n", clean(p, 0))
	}
	if r := out.Ledger; r != nil {
		fmt.Fprintf(w.stdout, "ledger made anew: %s and %s of the journal, %s and %s that only the old file had\n",
			count(r.JournalEvents, "event"), count(r.JournalOutcomes, "outcome"), count(r.SavedEvents, "event"), count(r.SavedOutcomes, "outcome"))
		if r.Backup != "" {
			fmt.Fprintf(w.stdout, "the old file is kept: %s\n", w.shortPath(r.Backup))
		}
		for _, id := range r.Lost {
			fmt.Fprintf(w.stdout, "could not be saved: %s\n", clean(id, 0))
		}
		if r.Unreadable > 0 {
			fmt.Fprintf(w.stdout, "could not be read: %s of the old file; what stood there and is not in the journal is gone\n", count(r.Unreadable, "place"))
		}
	} else {
		fmt.Fprintln(w.stdout, "the ledger is sound")
	}
	if out.SetAside > 0 {
		fmt.Fprintf(w.stdout, "set aside %s of the journal: %s\n", count(out.SetAside, "damaged line"), w.shortPath(filepath.Join(h.Journal(), journal.SetAsideFile)))
	}
	return nil
}

// ledgerHome finds the folder and its settings, which must be there.
func (w *world) ledgerHome() (home.Home, config.Config, error) {
	h, err := w.home()
	if err != nil {
		return h, config.Config{}, err
	}
	if !h.Exists() {
		return h, config.Config{}, hint.Wrap(fmt.Errorf("%s does not exist", h.Root), `run "overseer init"`)
	}
	c, _, err := config.Load(config.Default(), h.Root)
	return h, c, err
}

// quiet is the key for a context whose command tells of faults itself.
type quiet struct{}

func quietly(ctx context.Context) context.Context { return context.WithValue(ctx, quiet{}, true) }

// maxWarned is how many faults a reading command shows before it sums up.
const maxWarned = 3

// warnOfFaults tells of what is wrong with the journal, every time until a person
// has taken note of it.
func (w *world) warnOfFaults(ctx context.Context, store ledger.Store) {
	if ctx.Value(quiet{}) != nil {
		return
	}
	faults, err := store.Faults(ctx)
	if err != nil || len(faults) == 0 {
		return
	}
	for i, f := range faults {
		if i == maxWarned {
			fmt.Fprintf(w.stderr, "warning: journal: and %d more\n", len(faults)-i)
			break
		}
		fmt.Fprintf(w.stderr, "warning: journal: %v\n", f)
	}
	fmt.Fprintln(w.stderr, `hint: "overseer ledger verify" tells more, "overseer ledger repair" sets damaged lines aside, "overseer ledger verify --acknowledge" ends this warning`)
}

// retire removes journal segments that the ledger has and that are old enough.
func (w *world) retire(ctx context.Context, store ledger.Store, h home.Home, keep time.Duration, in ledger.Intake) {
	if in.Unread != nil {
		return // and nothing can be written
	}
	d := w.deed(journal.SourceKeep, "")
	d.By = "" // nobody asked for it
	if _, err := upkeep.Retire(ctx, store, h.Journal(), d, in.End, w.now().Add(-keep)); err != nil && !errors.Is(err, ledger.ErrReadOnly) && !errors.Is(err, journal.ErrReadOnly) {
		fmt.Fprintf(w.stderr, "warning: %v\n", err)
	}
}
