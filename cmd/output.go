package cmd

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"
)

// jsonFlag adds --json to a reading command.
func jsonFlag(c *cobra.Command, v *bool) {
	c.Flags().BoolVar(v, "json", false, "print one JSON object a line (docs/json-output.md)")
}

// printJSON prints one value as one line of JSON, without escaping what is legal
// in JSON.
func (w *world) printJSON(v any) error {
	e := json.NewEncoder(w.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// table is an aligned table for people.
type table struct {
	lines []string
}

func newTable(head ...string) *table {
	t := &table{}
	t.row(head...)
	return t
}

// row adds a line. Text is cut to one printable line, so that what an agent
// wrote cannot move the cursor or fake a line of ours.
func (t *table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = clean(c, 100)
	}
	t.lines = append(t.lines, strings.Join(cells, "\t"))
}

func (t *table) print(w *world) {
	tw := tabwriter.NewWriter(w.stdout, 0, 0, 2, ' ', 0)
	for _, l := range t.lines {
		fmt.Fprintln(tw, l)
	}
	tw.Flush()
}

// clean makes one printable line of at most max runes; 0 sets no limit.
func clean(s string, max int) string {
	n := 0
	var b strings.Builder
	for _, c := range s {
		if n++; max > 0 && n > max {
			return b.String() + "…"
		}
		switch {
		case c == '\n':
			b.WriteString("⏎")
		case !unicode.IsPrint(c):
			b.WriteByte(' ')
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// shortPath writes the home folder as ~.
func (w *world) shortPath(p string) string {
	home := w.getenv("HOME")
	if rest, ok := strings.CutPrefix(p, home+"/"); ok && home != "" {
		return "~/" + rest
	}
	return p
}

// user is the person's name on this machine, "" if it is not known.
func (w *world) user() string { return firstOf(w.getenv("USER"), w.getenv("LOGNAME")) }

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
