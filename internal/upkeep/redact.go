package upkeep

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fireharp/overseer/internal/atomicfile"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/redact"
)

// RedactOptions say what is looked at and what is a secret.
type RedactOptions struct {
	Deed    journal.Deed
	Since   time.Time
	Secrets *redact.Set
	Dry     bool
}

// Redacted is what [Redact] did or, when dry, would do.
type Redacted struct {
	Checkpoint string `json:"checkpoint,omitempty"`
	// Lines were rewritten in the journal, Rows in the ledger.
	Lines int `json:"lines"`
	Rows  int `json:"rows"`
	// Damaged lines hold secrets and cannot be rewritten before a repair sets them
	// aside.
	Damaged int `json:"damaged,omitempty"`
	// Aside is true if lines that were set aside before held secrets.
	Aside bool   `json:"set_aside,omitempty"`
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

// Redact takes secrets out of what the journal and the ledger, which has taken in
// the journal, have stored. The lines keep their place in the chain and the old
// hash; a checkpoint names both hashes. No file of the two holds a copy of what was
// taken out afterwards. It may be repeated after it was interrupted.
func Redact(ctx context.Context, s ledger.Store, dir string, o RedactOptions) (Redacted, error) {
	var out Redacted
	plan, err := journal.PlanRewrite(ctx, dir, o.Deed, o.Dry, func(l *journal.Line) (journal.Edit, error) {
		if !l.Sound() {
			if text := string(l.Raw); o.Secrets.Text(text) != text {
				out.Damaged++
			}
			return journal.Edit{}, nil
		}
		body, err := o.clean(l.Record)
		return journal.Edit{Body: body}, err
	})
	if err != nil {
		return out, err
	}
	defer plan.Discard()
	var vouched []string
	rewritten := plan.Rewritten
	err = o.rows(ctx, s, func(r *ledger.Row, _ []byte, v string) error {
		vouched = append(vouched, v)
		if rewritten.First == "" {
			rewritten.First = r.ID
		}
		rewritten.Last = r.ID
		return nil
	})
	if err != nil {
		return out, err
	}
	aside, err := o.aside(dir, o.Dry)
	if err != nil {
		return out, err
	}
	out.Aside, out.Lines, out.Rows, out.First, out.Last = aside, plan.Rewritten.Lines, len(vouched), rewritten.First, rewritten.Last
	if o.Dry {
		return out, nil
	}
	if len(vouched)+len(plan.Vouched) == 0 {
		return out, compact(ctx, s) // an earlier run may not have come so far
	}
	out.Checkpoint = o.Deed.ID
	rewritten.Lines = max(out.Lines, out.Rows)
	if err := announce(ctx, s, dir, o.Deed, rewritten, union(plan.Vouched, vouched), nil); err != nil {
		return out, err
	}
	if err := plan.Commit(); err != nil {
		return out, err
	}
	out.Rows = 0
	var batch [][]byte
	flush := func() error {
		n, err := s.Rewrite(ctx, batch)
		out.Rows += n
		batch = batch[:0]
		return err
	}
	err = o.rows(ctx, s, func(_ *ledger.Row, line []byte, _ string) error {
		if batch = append(batch, line); len(batch) == ledger.MaxKnown {
			return flush()
		}
		return nil
	})
	if err := errors.Join(err, flush()); err != nil {
		return out, err
	}
	return out, compact(ctx, s)
}

// compact leaves no copy behind of what was taken out.
func compact(ctx context.Context, s ledger.Store) error {
	if err := s.Compact(ctx); err != nil {
		return fmt.Errorf("the records are redacted, but copies may still lie in free space of the ledger's files, repeat the command to be rid of them: %w", err)
	}
	return nil
}

// clean is the body of a record without its secrets, nil if it has none.
func (o *RedactOptions) clean(r *journal.Record) ([]byte, error) {
	if r.Kind != journal.KindEvent && r.Kind != journal.KindOutcome || r.Time.Before(o.Since) {
		return nil, nil
	}
	return journal.RedactedBody(r, o.Secrets)
}

// rows calls do with every row of the ledger that holds secrets, the line that is
// to stand for it, and what a checkpoint has to vouch.
func (o *RedactOptions) rows(ctx context.Context, s ledger.Store, do func(r *ledger.Row, line []byte, vouched string) error) error {
	for _, kind := range []string{journal.KindEvent, journal.KindOutcome} {
		for r, err := range s.Rows(ctx, kind, true) {
			if err != nil {
				return err
			}
			if len(r.Hash) == 0 || r.Time.Before(o.Since) {
				continue
			}
			rec, err := r.Record()
			if err != nil {
				return err
			}
			body, err := o.clean(&rec)
			if err != nil {
				return err
			}
			if body == nil {
				continue
			}
			line, vouched := journal.Replace(body, hex.EncodeToString(r.Prev), hex.EncodeToString(r.Link))
			if err := do(&r, line, vouched); err != nil {
				return err
			}
		}
	}
	return nil
}

// aside takes secrets out of the lines that were set aside.
func (o *RedactOptions) aside(dir string, dry bool) (bool, error) {
	path := filepath.Join(dir, journal.SetAsideFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	text := o.Secrets.Text(string(b))
	if text == string(b) || dry {
		return text != string(b), nil
	}
	return true, atomicfile.Write(path, []byte(text), 0o600)
}
