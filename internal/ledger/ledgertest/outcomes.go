package ledgertest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

func outcome(target string, d event.Decision, until time.Time) journal.Record {
	return journal.Record{Kind: journal.KindOutcome, Target: target, Decision: d, By: "ada", Source: journal.SourceOutcome, Until: until, Note: "a note"}
}

func testOutcomes(t *testing.T, f *fixture) {
	id := f.append(journal.Record{}, journal.Record{})
	o := f.append(outcome(id[0], event.Deny, time.Time{}), outcome(id[0], journal.None, time.Time{}), outcome("ev_unknown", event.Allow, epoch.Add(time.Hour)))
	if in := f.takeIn(); in.Events != 2 || in.Outcomes != 3 || len(in.Faults) > 0 {
		t.Errorf("%+v", in)
	}
	want := []ledger.Outcome{
		{ID: o[0], Event: id[0], Time: epoch.Add(3 * time.Second), Decision: event.Deny, By: "ada", Source: journal.SourceOutcome, Note: "a note"},
		{ID: o[1], Event: id[0], Time: epoch.Add(4 * time.Second), Decision: journal.None, By: "ada", Source: journal.SourceOutcome, Note: "a note"},
	}
	got, err := f.s.Outcomes(t.Context(), id[0])
	if err != nil {
		t.Fatal(err)
	}
	f.same("outcomes", want, got)
	e, err := f.s.Get(t.Context(), id[0])
	if err != nil {
		t.Fatal(err)
	}
	f.same("outcomes of the entry", want, e.Outcomes)
	entries := f.tail(ledger.Query{})
	if len(entries) != 2 || len(entries[0].Outcomes) != 2 || len(entries[1].Outcomes) != 0 {
		t.Errorf("tail: %+v", entries)
	}
	if got, err := f.s.Outcomes(t.Context(), "ev_unknown"); err != nil || len(got) != 1 || !got[0].Until.Equal(epoch.Add(time.Hour)) {
		t.Errorf("an event that is not there: %v %v", got, err)
	}
}

func testApprovals(t *testing.T, f *fixture) {
	const n = 8
	now, later := epoch.Add(time.Hour), epoch.Add(2*time.Hour)
	var id []string
	for i := range n {
		r := journal.Record{Action: fmt.Sprintf("action %d", i)}
		if i == 6 {
			r.Action = ""
		}
		if i == 5 {
			r.Signature = "1.abcd shell theform - -"
		}
		id = append(id, f.append(r)...)
	}
	f.append(
		outcome(id[0], event.Allow, later),
		outcome(id[1], event.Allow, later), outcome(id[1], journal.None, time.Time{}), // taken back
		outcome(id[2], event.Allow, later), outcome(id[2], event.Deny, time.Time{}), // changed
		outcome(id[3], event.Allow, now),                                            // over
		outcome(id[4], event.Allow, time.Time{}),                                    // a ruling, no approval
		outcome(id[5], event.Deny, time.Time{}), outcome(id[5], event.Allow, later), // given in the end
		outcome(id[6], event.Allow, later), // of no action
		outcome("ev_unknown", event.Allow, later),
		outcome(id[7], event.Allow, later.Add(time.Hour)), outcome(id[7], event.Allow, later), // shortened
	)
	f.takeIn()
	got, err := f.s.Approvals(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	f.same("approvals", []approval.Approval{
		{Event: id[0], Action: "action 0", Until: later},
		{Event: id[5], Action: "action 5", Form: "theform", Until: later},
		{Event: id[7], Action: "action 7", Until: later},
	}, got)
	if got, err := f.s.Approvals(t.Context(), later); err != nil || len(got) != 0 {
		t.Errorf("afterwards: %v %v", got, err)
	}
}

// call is an event of a tool call.
func call(name, useID string, answered event.Decision) journal.Record {
	return journal.Record{Event: name, Tool: "Bash", Session: "s", ToolUseID: useID, Decision: answered, Answered: answered}
}

func testCompletions(t *testing.T, f *fixture) {
	pre, post, failed := event.PreToolUse, event.PostToolUse, event.PostToolUseFailure
	at := func(r journal.Record, seconds int) journal.Record {
		r.Time = epoch.Add(time.Duration(seconds) * time.Second)
		return r
	}
	with := func(r journal.Record, payload string) journal.Record { r.Payload = []byte(payload); return r }
	doing := func(r journal.Record, subject string) journal.Record { r.Subject = subject; return r }
	mode := func(r journal.Record, mode string) journal.Record { r.Mode = mode; return r }
	by := func(r journal.Record, tool string) journal.Record { r.Tool = tool; return r }
	other := func(r journal.Record) journal.Record { r.Session = "other"; return r }
	for i, tt := range []struct {
		name    string
		records []journal.Record // the first is the asked one
		want    int
	}{
		{"completed", []journal.Record{call(pre, "1", event.Ask), call(post, "1", event.Allow)}, 1},
		{"failed is completed", []journal.Record{call(pre, "1", event.Ask), with(call(failed, "1", event.Allow), `{"is_interrupt":false}`)}, 1},
		{"interrupted is not", []journal.Record{call(pre, "1", event.Ask), with(call(failed, "1", event.Allow), `{"is_interrupt":true}`)}, 0},
		{"completed twice", []journal.Record{call(pre, "1", event.Ask), call(post, "1", event.Allow), call(post, "1", event.Allow)}, 1},
		{"another call", []journal.Record{call(pre, "1", event.Ask), call(post, "2", event.Allow)}, 0},
		{"another session", []journal.Record{call(pre, "1", event.Ask), other(call(post, "1", event.Allow))}, 0},
		{"another agent", []journal.Record{call(pre, "1", event.Ask), {Agent: "codex", Event: post, Session: "s", ToolUseID: "1"}}, 0},
		{"no id", []journal.Record{call(pre, "", event.Ask), call(post, "", event.Allow)}, 0},
		{"another command", []journal.Record{doing(call(pre, "1", event.Ask), "git push --force"), doing(call(post, "1", event.Allow), "ls")}, 0},
		{"the same command", []journal.Record{doing(call(pre, "1", event.Ask), "git push"), doing(call(post, "1", event.Allow), "git push")}, 1},
		{"another tool", []journal.Record{call(pre, "1", event.Ask), by(call(post, "1", event.Allow), "Read")}, 0},
		{"in bypass mode", []journal.Record{mode(call(pre, "1", event.Ask), "bypassPermissions"), mode(call(post, "1", event.Allow), "bypassPermissions")}, 0},
		{"asked in auto mode", []journal.Record{mode(call(pre, "1", event.Ask), "auto"), mode(call(post, "1", event.Allow), "default")}, 0},
		{"ran in dontAsk mode", []journal.Record{mode(call(pre, "1", event.Ask), "default"), mode(call(post, "1", event.Allow), "dontAsk")}, 0},
		{"failed in bypass mode", []journal.Record{call(pre, "1", event.Ask), mode(call(failed, "1", event.Allow), "bypassPermissions")}, 0},
		{"in the mode for edits", []journal.Record{mode(call(pre, "1", event.Ask), "acceptEdits"), mode(call(post, "1", event.Allow), "acceptEdits")}, 1},
		{"no session", []journal.Record{{Event: pre, ToolUseID: "1", Answered: event.Ask}, {Event: post, ToolUseID: "1"}}, 0},
		{"allowed", []journal.Record{call(pre, "1", event.Allow), call(post, "1", event.Allow)}, 0},
		{"degraded to deny", []journal.Record{{Event: pre, Session: "s", ToolUseID: "1", Decision: event.Ask, Answered: event.Deny}, call(post, "1", event.Allow)}, 0},
		{"not a completion", []journal.Record{call(pre, "1", event.Ask), call(event.PermissionDenied, "1", event.Allow)}, 0},
		{"before it was asked", []journal.Record{at(call(pre, "1", event.Ask), 10), at(call(post, "1", event.Allow), 9)}, 0},
		{"in the other order", []journal.Record{at(call(pre, "1", event.Ask), 10), at(call(post, "1", event.Allow), 11)}, 1},
	} {
		for order := range 2 { // as they happened, and the other way round
			for _, atOnce := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%d/%v", tt.name, order, atOnce), func(t *testing.T) {
					f := &fixture{T: t, dir: filepath.Join(t.TempDir(), "journal"), s: f.s, n: f.n}
					records := slices.Clone(tt.records)
					for j := range records {
						// The cases share one ledger: each has calls of its own.
						if records[j].ToolUseID != "" {
							records[j].ToolUseID += fmt.Sprintf("-%d-%d-%v", i, order, atOnce)
						}
						records[j].ID = fmt.Sprintf("ev_%d-%d-%v-%d", i, order, atOnce, j)
						records[j] = f.record(records[j])
					}
					if order == 1 {
						slices.Reverse(records)
					}
					completions := 0
					for _, r := range records {
						f.append(r)
						if !atOnce {
							completions += f.takeIn().Completions
						}
					}
					completions += f.takeIn().Completions
					got, err := f.s.Outcomes(t.Context(), fmt.Sprintf("ev_%d-%d-%v-0", i, order, atOnce))
					if err != nil || len(got) != tt.want || completions != tt.want {
						t.Fatalf("%d completions, outcomes %+v %v, want %d", completions, got, err, tt.want)
					}
					for _, o := range got {
						if o.Decision != event.Allow || o.Source != journal.SourceCompletion || o.Time.Before(epoch) || !strings.HasPrefix(o.ID, "oc_") {
							t.Errorf("%+v", o)
						}
					}
				})
			}
		}
	}
}

// testOneCompletionForOneAsk: where an agent uses an id again, the latest ask counts.
func testOneCompletionForOneAsk(t *testing.T, f *fixture) {
	pre, post := event.PreToolUse, event.PostToolUse
	id := f.append(call(pre, "again", event.Ask), call(pre, "again", event.Ask), call(post, "again", event.Allow))
	if in := f.takeIn(); in.Completions != 1 {
		t.Errorf("%+v", in)
	}
	for i, want := range []int{0, 1} {
		if got, err := f.s.Outcomes(t.Context(), id[i]); err != nil || len(got) != want {
			t.Errorf("ask %d: %+v %v, want %d", i, got, err, want)
		}
	}
}

func testCompletionsInBulk(t *testing.T, f *fixture) {
	const n = 600 // more than a store takes in at once, probably
	for i := range n {
		f.append(call(event.PreToolUse, fmt.Sprint(i), event.Ask))
	}
	for i := range n {
		f.append(call(event.PostToolUse, fmt.Sprint(n-1-i), event.Allow))
	}
	if in := f.takeIn(); in.Events != 2*n || in.Completions != n {
		t.Errorf("%+v", in)
	}
}
