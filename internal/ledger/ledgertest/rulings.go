package ledgertest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/precedent"
)

func testRulings(t *testing.T, f *fixture) {
	asked := func(i int) journal.Record {
		r := call(event.PreToolUse, fmt.Sprint(i), event.Ask)
		r.Signature = fmt.Sprintf("signature %d", i)
		return r
	}
	said := func(target, source string, d event.Decision) journal.Record {
		r := outcome(target, d, time.Time{})
		r.Source = source
		return r
	}
	const n = 11
	var id []string
	for i := range n {
		r := asked(i)
		if i == 8 {
			r.Signature = ""
		}
		id = append(id, f.append(r)...)
	}
	deny, allow, outcomeSource := event.Deny, event.Allow, journal.SourceOutcome
	f.append(
		said(id[0], outcomeSource, deny),
		said(id[1], journal.SourceApprove, allow),
		call(event.PostToolUse, "2", event.Allow),                           // completed
		said(id[3], outcomeSource, deny), said(id[3], outcomeSource, allow), // changed
		said(id[4], outcomeSource, allow), said(id[4], outcomeSource, journal.None), // taken back
		said(id[5], outcomeSource, event.Ask),                                       // not decided
		said(id[6], outcomeSource, deny), call(event.PostToolUse, "6", event.Allow), // a person's word weighs more
		said(id[7], outcomeSource, journal.None), call(event.PostToolUse, "7", event.Allow), // also one that takes back
		said(id[8], outcomeSource, allow), // has no signature
		said("ev_unknown", outcomeSource, allow),
		said(id[9], journal.SourceRefusal, deny),
		said(id[10], journal.SourceRefusal, deny), said(id[10], outcomeSource, allow),
	)
	f.takeIn()
	all, err := f.s.Rulings(t.Context(), time.Time{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) time.Time { return epoch.Add(time.Duration(n+i) * time.Second) }
	ruling := func(i int, d event.Decision, by, source string, when int) precedent.Ruling {
		return precedent.Ruling{Event: id[i], Decision: d, By: by, Source: source, Time: at(when), Signature: fmt.Sprintf("signature %d", i)}
	}
	want := []precedent.Ruling{
		ruling(0, deny, "ada", outcomeSource, 1),
		ruling(1, allow, "ada", journal.SourceApprove, 2),
		ruling(2, allow, "", journal.SourceCompletion, 3),
		ruling(3, allow, "ada", outcomeSource, 5),
		ruling(6, deny, "ada", outcomeSource, 9),
		ruling(9, deny, "ada", journal.SourceRefusal, 15),
		ruling(10, allow, "ada", outcomeSource, 17),
	}
	slices.Reverse(want)
	f.same("rulings", want, all)
	for _, tt := range []struct {
		since time.Time
		limit int
		want  []precedent.Ruling
	}{{time.Time{}, 3, want[:3]}, {at(9), 100, want[:3]}, {at(9).Add(time.Microsecond), 100, want[:2]}, {at(100), 100, nil}, {time.Time{}, 0, nil}} {
		got, err := f.s.Rulings(t.Context(), tt.since, tt.limit)
		if err != nil {
			t.Fatal(err)
		}
		f.same(fmt.Sprint("rulings since ", tt.since, " limit ", tt.limit), tt.want, got)
	}
}

// testRefusals has an agent report that a person refused. Which one does, and how,
// docs/agents.md tells.
func testRefusals(t *testing.T, f *fixture) {
	with := func(r journal.Record, payload string) journal.Record { r.Payload = []byte(payload); return r }
	failed := func(id, payload string) journal.Record {
		return with(call(event.PostToolUseFailure, id, event.Allow), payload)
	}
	const no = `{"failure_type":"permission_denied","is_interrupt":false}`
	asked := call(event.PreToolUse, "1", event.Ask)
	for i, tt := range []struct {
		name    string
		records []journal.Record // the first is the asked one
		want    event.Decision
	}{
		{"refused", []journal.Record{asked, failed("1", no)}, event.Deny},
		{"refused twice", []journal.Record{asked, failed("1", no), failed("1", no)}, event.Deny},
		{"interrupted", []journal.Record{asked, failed("1", `{"failure_type":"permission_denied","is_interrupt":true}`)}, ""},
		{"failed otherwise", []journal.Record{asked, failed("1", `{"failure_type":"timeout"}`)}, event.Allow},
		{"said by the output", []journal.Record{asked, with(call(event.PostToolUse, "1", event.Allow), `{"tool_response":{"stdout":"rejected by the user"}}`)}, event.Allow},
		{"by a classifier", []journal.Record{asked, call(event.PermissionDenied, "1", event.Allow)}, ""},
		{"another call", []journal.Record{asked, failed("2", no)}, ""},
		{"not asked", []journal.Record{call(event.PreToolUse, "1", event.Allow), failed("1", no)}, ""},
		{"silence", []journal.Record{asked}, ""},
	} {
		for order := range 2 {
			name := fmt.Sprintf("%s/%d", tt.name, order)
			records := slices.Clone(tt.records)
			for j := range records {
				records[j].ToolUseID += fmt.Sprintf("-%d-%d", i, order)
				records[j].ID = fmt.Sprintf("ev_%d-%d-%d", i, order, j)
				records[j] = f.record(records[j])
			}
			if order == 1 {
				slices.Reverse(records)
			}
			f.append(records...)
			in := f.takeIn()
			got, err := f.s.Outcomes(t.Context(), fmt.Sprintf("ev_%d-%d-0", i, order))
			if err != nil {
				t.Fatal(err)
			}
			var d event.Decision
			if len(got) > 0 {
				d = got[0].Decision
			}
			if d != tt.want || len(got) > 1 || in.Refusals != len(got) && d == event.Deny {
				t.Errorf("%s: %+v, %d refusals, want %q", name, got, in.Refusals, tt.want)
			}
			if d == event.Deny && got[0].Source != journal.SourceRefusal {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}
