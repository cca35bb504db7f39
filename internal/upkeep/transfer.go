package upkeep

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// Export writes the events that q selects as lines of JSON: each event as the
// journal has it, byte for byte, followed by what humans said of it, an outcome a
// line. It returns how many events it wrote.
func Export(ctx context.Context, s ledger.Store, q ledger.Query, to io.Writer) (int, error) {
	w := bufio.NewWriterSize(to, 64<<10)
	n := 0
	err := s.Each(ctx, q, func(r *ledger.Row, outcomes []ledger.Outcome) error {
		n++
		line, err := r.Line()
		if err != nil {
			return fmt.Errorf("%s: %w", r.ID, err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		for _, o := range outcomes {
			b, err := json.Marshal(outcomeLine{journal.Version, journal.KindOutcome, o.ID, o.Time, o.Decision, o.Event, o.By, o.Source, o.Until, o.Note})
			if err != nil {
				return err
			}
			if _, err := w.Write(append(b, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
	return n, errors.Join(err, w.Flush())
}

// outcomeLine is an outcome as it is exported, under the names of [journal.Record].
type outcomeLine struct {
	V        int            `json:"v"`
	Kind     string         `json:"kind"`
	ID       string         `json:"id"`
	Time     time.Time      `json:"time"`
	Decision event.Decision `json:"decision"`
	Target   string         `json:"target"`
	By       string         `json:"by,omitempty"`
	Source   string         `json:"source"`
	Until    time.Time      `json:"until,omitzero"`
	Note     string         `json:"note,omitempty"`
}

// columns are those of a CSV export.
var columns = []string{"time", "id", "agent", "caller", "event", "tool", "session", "cwd", "subject", "decision", "basis", "reason", "rules", "answered", "outcome", "outcome_by", "outcome_source", "outcome_time", "outcome_note"}

// ExportCSV writes the events that q selects as comma-separated values with a head
// line, one line an event, with the latest outcome. No cell can be taken for a
// formula by a spreadsheet, and none has a line break.
func ExportCSV(ctx context.Context, s ledger.Store, q ledger.Query, to io.Writer) (int, error) {
	w := csv.NewWriter(to)
	if err := w.Write(columns); err != nil {
		return 0, err
	}
	n := 0
	err := s.Each(ctx, q, func(row *ledger.Row, outcomes []ledger.Outcome) error {
		n++
		r, err := row.Record()
		if err != nil {
			return fmt.Errorf("%s: %w", row.ID, err)
		}
		var rules []string
		for _, reason := range r.Reasons {
			rules = append(rules, reason.Rule)
		}
		cells := []string{r.Time.Format(time.RFC3339Nano), r.ID, r.Agent, r.Caller, r.Event, r.Tool, r.Session, r.CWD, r.Subject, string(r.Decision), string(r.Basis), r.Reason, strings.Join(rules, " "), string(r.Answered)}
		last := []string{"", "", "", "", ""}
		if len(outcomes) > 0 {
			o := outcomes[len(outcomes)-1]
			last = []string{string(o.Decision), o.By, o.Source, o.Time.Format(time.RFC3339Nano), o.Note}
		}
		cells = append(cells, last...)
		for i, c := range cells {
			cells[i] = cell(c)
		}
		return w.Write(cells)
	})
	w.Flush()
	return n, errors.Join(err, w.Error())
}

// cell makes of a text one line that no spreadsheet takes for a formula. Source of
// the characters: owasp.org/www-community/attacks/CSV_Injection.
func cell(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '⏎'
		case r < ' ', r == 0x7f, r == 0x85, r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if t := strings.TrimLeft(s, " \u00a0\u3000\ufeff"); t != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(t)[0]) {
		return "'" + s
	}
	return s
}
