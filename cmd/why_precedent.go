package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/precedent"
)

// whyReport is what why prints; docs/json-output.md describes it.
type whyReport struct {
	ledger.Entry
	// Action is what the event's action does, as rulings see it.
	Action *comparedAction `json:"action_seen,omitempty"`
	// Compared are the rulings that the verdict rests on, with what they were about.
	Compared []compared `json:"compared,omitempty"`
}

// compared is a ruling and the action that it was given on.
type compared struct {
	event.Precedent
	comparedAction
}

// comparedAction is one side of a comparison.
type comparedAction struct {
	Subject string        `json:"subject,omitempty"`
	Effects []effect.Kind `json:"effects,omitempty"`
	Scopes  []string      `json:"scopes,omitempty"`
	// Gone is true where the ledger does not have the event any more.
	Gone bool `json:"gone,omitempty"`
}

func actionOf(e *ledger.Entry) comparedAction {
	a := comparedAction{Subject: e.Subject}
	if sig, err := precedent.Parse(e.Signature); err == nil {
		a.Effects, a.Scopes = sig.Kinds(), sig.Scopes()
	}
	return a
}

// compare looks up what the rulings were about that an event's verdict rests on.
func compare(ctx context.Context, store ledger.Store, e ledger.Entry) whyReport {
	r := whyReport{Entry: e}
	if len(e.Precedents) == 0 {
		return r
	}
	mine := actionOf(&e)
	r.Action = &mine
	for _, p := range e.Precedents {
		c := compared{Precedent: p}
		if other, err := store.Get(ctx, p.Event); err == nil {
			c.comparedAction = actionOf(&other)
		} else {
			c.Gone = true
		}
		r.Compared = append(r.Compared, c)
	}
	return r
}

// explainPrecedents shows both actions side by side. Rulings on the same action
// share one comparison.
func (w *world) explainPrecedents(r *whyReport) {
	if len(r.Compared) == 0 {
		return
	}
	fmt.Fprintln(w.stdout)
	t := newTable("PRECEDENTS", "RULED", "BY", "HOW", "WHEN", "SCORE")
	for _, c := range r.Compared {
		t.row(c.Event, string(c.Decision), firstOf(c.By, "-"), c.Source, w.when(c.Time), fmt.Sprintf("%.2f", c.Score))
	}
	t.print(w)
	mine := r.Action.lines()
	shown := map[string]bool{}
	for _, c := range r.Compared {
		theirs := c.lines()
		key := strings.Join(theirs, "\n")
		if shown[key] {
			continue
		}
		shown[key] = true
		fmt.Fprintln(w.stdout)
		t := newTable("COMPARED", "THIS", c.Event)
		for i, name := range []string{"action", "effects", "scopes"} {
			t.row(name, mine[i], theirs[i])
		}
		t.print(w)
	}
}

// lines are the rows of a comparison.
func (a *comparedAction) lines() []string {
	if a.Gone {
		return []string{"not in the ledger any more", "-", "-"}
	}
	var kinds []string
	for _, k := range a.Effects {
		kinds = append(kinds, string(k))
	}
	return []string{clean(a.Subject, 200), firstOf(strings.Join(kinds, ", "), "none known"), firstOf(strings.Join(a.Scopes, ", "), "-")}
}
