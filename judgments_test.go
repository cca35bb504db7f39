package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
)

// TestJudgmentStatsReadsAll has more events than are read at a time, some of them
// old, and each with an answer of its own.
func TestJudgmentStatsReadsAll(t *testing.T) {
	t.Parallel()
	const events, old = 2500, 700
	home, run := scratch(t)
	for i := range events {
		e := event.Event{ID: fmt.Sprintf("ev_%05d", i), Time: time.Now(), Agent: "claude", Name: event.PreToolUse}
		if i < old {
			e.Time = e.Time.AddDate(0, 0, -10)
		}
		v := event.Verdict{Decision: event.Allow, Basis: event.ByDefault, Judgments: []event.Judgment{
			{Name: "n", Rule: "r", Condition: ">= 0.9", Value: float64(i) / events, Model: "m"},
		}}
		r := journal.FromEvent(&e, &v, event.Allow, "", journal.Timings{}, nil, "")
		if err := journal.Append(t.Context(), filepath.Join(home, ".overseer", "journal"), r, journal.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for since, want := range map[string]int{"": events, "7d": events - old, "1w": events - old, "2w": events, "24h": events - old, "2020-02-03": events} {
		stdout, stderr, code := run(nil, "judgments", "stats", "--json", "--since", since)
		var got struct {
			Answered int
			Spread   struct{ Min, Max float64 }
		}
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || stderr != "" {
			t.Fatalf("since %q: %v, exit %d, %s", since, err, code, stderr)
		}
		if low := float64(events-want) / events; got.Answered != want || got.Spread.Min != low || got.Spread.Max != float64(events-1)/events {
			t.Errorf("since %q: %+v, want %d answers from %v on", since, got, want, low)
		}
	}
}
