package upkeep_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/sqlite"
	"github.com/fireharp/overseer/internal/upkeep"
)

var epoch = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

// world is a journal with its ledger.
type world struct {
	*testing.T
	dir, db string
	s       *sqlite.Store
	in      ledger.Intake
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "journal"), db: filepath.Join(t.TempDir(), "ledger.db")}
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w.open()
	t.Cleanup(func() { w.s.Close() })
	return w
}

func (w *world) open() {
	w.Helper()
	var err error
	if w.s, err = sqlite.Open(w.Context(), w.db); err != nil {
		w.Fatal(err)
	}
}

// add appends events 1 to n, a second apart; number 3 is asked, 4 completes it, and
// a human rules on number 2.
func (w *world) add(n int, segment int64) {
	w.Helper()
	for i := 1; i <= n; i++ {
		r := journal.Record{
			Kind: journal.KindEvent, ID: fmt.Sprintf("ev_%03d", i), Time: epoch.Add(time.Duration(i) * time.Second),
			Agent: "claude", Event: event.PreToolUse, Session: "s", Tool: "Bash", ToolUseID: fmt.Sprint(i), Subject: fmt.Sprintf("command number %d", i), Decision: event.Allow, Answered: event.Allow,
		}
		switch i {
		case 3:
			r.Decision, r.Answered = event.Ask, event.Ask
		case 4:
			r.Event, r.ToolUseID, r.Subject = event.PostToolUse, "3", "command number 3"
		}
		w.append(r, segment)
	}
	w.append(journal.Record{Kind: journal.KindOutcome, ID: "oc_x", Time: epoch.Add(time.Hour), Target: "ev_002", Decision: event.Deny, By: "dev", Source: journal.SourceOutcome}, segment)
	w.takeIn()
}

func (w *world) append(r journal.Record, segment int64) {
	w.Helper()
	if err := journal.Append(w.Context(), w.dir, r, journal.Options{SegmentSize: segment}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) takeIn() {
	w.Helper()
	var err error
	if w.in, err = w.s.TakeIn(w.Context(), w.dir, nil); err != nil {
		w.Fatal(err)
	}
}

func (w *world) verify() upkeep.Report {
	w.Helper()
	rep, err := upkeep.Verify(w.Context(), w.s, w.dir, w.in.End)
	if err != nil {
		w.Fatal(err)
	}
	return rep
}

// whole fails if anything is found.
func (w *world) whole(when string) {
	w.Helper()
	for _, f := range w.verify().Findings {
		w.Errorf("%s: %+v", when, f)
	}
	if problems, _, err := upkeep.Check(w.Context(), w.s); err != nil || len(problems) > 0 {
		w.Errorf("%s: %v %v", when, problems, err)
	}
}

// sql changes the ledger's file behind its back.
func (w *world) sql(statements string) {
	w.Helper()
	if err := w.s.Close(); err != nil {
		w.Fatal(err)
	}
	db, err := driver.Open("file:" + w.db)
	if err != nil {
		w.Fatal(err)
	}
	if _, err := db.Exec(statements); err != nil {
		w.Fatal(err)
	}
	if err := db.Close(); err != nil {
		w.Fatal(err)
	}
	w.open()
	w.takeIn()
}

// TestTampering changes the ledger's file. Every change is found and named.
func TestTampering(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, sql, kind, id string }{
		{"decision of an event", `UPDATE events SET decision = 'deny' WHERE id = 'ev_005'`, "edited", "ev_005"},
		{"agent of an event", `UPDATE events SET agent = 'codex' WHERE id = 'ev_005'`, "edited", "ev_005"},
		{"time of an event", `UPDATE events SET time = time + 1 WHERE id = 'ev_005'`, "edited", "ev_005"},
		{"content of an event", `UPDATE events SET body = (SELECT body FROM events WHERE id = 'ev_006') WHERE id = 'ev_005'`, "edited", "ev_005"},
		{"garbage", `UPDATE events SET body = x'0102030405' WHERE id = 'ev_005'`, "unreadable", "ev_005"},
		{"hash", `UPDATE events SET hash = zeroblob(32) WHERE id = 'ev_005'`, "edited", "ev_005"},
		{"removed", `DELETE FROM events WHERE id = 'ev_005'`, "inserted", "ev_005"},
		{"the last removed", `DELETE FROM events WHERE id = 'ev_009'`, "inserted", "ev_009"},
		{"moved", `UPDATE events SET seq = 100 WHERE id = 'ev_005'`, "gap", "ev_006"},
		{"inserted", `INSERT INTO events SELECT 200, 'ev_200', time, agent, session, event, tool, decision, NULL, 0, prev, hash, body, link FROM events WHERE id = 'ev_005'`, "edited", "ev_200"},
		{"outcome", `UPDATE outcomes SET decision = 'allow' WHERE id = 'oc_x'`, "edited", "oc_x"},
		{"who ruled", `UPDATE outcomes SET by_whom = 'boss' WHERE id = 'oc_x'`, "edited", "oc_x"},
		{"outcome removed", `DELETE FROM outcomes WHERE id = 'oc_x'`, "inserted", "oc_x"},
		{"outcome forged", `INSERT INTO outcomes (id, event_id, time, decision, by_whom, source, note) VALUES ('oc_f', 'ev_007', 1, 'allow', 'dev', 'ledger outcome', '')`, "inserted", "oc_f"},
		{"completion of what was not run", `INSERT INTO outcomes (id, event_id, time, decision, by_whom, source, note) VALUES ('oc_003', 'ev_003', 1, 'deny', '', 'refusal', '')`, "inserted", "oc_003"},
		{"completion by a beginning of an id", `UPDATE outcomes SET event_id = '003' WHERE id = 'oc_004'`, "inserted", "oc_004"},
		{"completion turned round", `UPDATE outcomes SET decision = 'deny' WHERE id = 'oc_004'`, "edited", "oc_004"},
		{"completion made a refusal", `UPDATE outcomes SET decision = 'deny', source = 'refusal' WHERE id = 'oc_004'`, "edited", "oc_004"},
		{"completion made newer", `UPDATE outcomes SET time = time + 86400000000 WHERE id = 'oc_004'`, "edited", "oc_004"},
		{"completion made an approval", `UPDATE outcomes SET until = time + 86400000000 WHERE id = 'oc_004'`, "edited", "oc_004"},
		{"completion by somebody", `UPDATE outcomes SET by_whom = 'boss' WHERE id = 'oc_004'`, "edited", "oc_004"},
		{"completion removed", `DELETE FROM outcomes WHERE id = 'oc_004'`, "removed", "ev_003"},
		{"event without a hash", `INSERT INTO events SELECT 200, 'ev_200', time, agent, session, event, tool, decision, NULL, 0, prev, x'', body, link FROM events WHERE id = 'ev_005'`, "edited", "ev_200"},
		{"completion forged", `INSERT INTO outcomes (id, event_id, time, decision, by_whom, source, note) VALUES ('oc_004', 'ev_007', 1, 'allow', '', 'completion', '')`, "inserted", "oc_004"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.add(9, 0)
			w.whole("before")
			w.sql(tt.sql)
			for _, f := range w.verify().Findings {
				if f.Kind != tt.kind || f.ID != tt.id || f.Settled != "" {
					continue
				}
				if problems, _, err := upkeep.Check(t.Context(), w.s); strings.HasPrefix(tt.name, "completion") && (err != nil || len(problems) == 0) {
					t.Errorf("check: %q %v", problems, err)
				}
				return
			}
			t.Errorf("want %s %s, got %+v", tt.kind, tt.id, w.verify().Findings)
		})
	}
}

// TestForgedJournal changes the journal and computes the hashes again, as somebody
// may who knows the format: the ledger has what was there.
func TestForgedJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(9, 0)
	plan, err := journal.PlanRewrite(t.Context(), w.dir, journal.Deed{ID: "cp_1", Time: epoch, Source: journal.SourceRedact}, false, func(l *journal.Line) (journal.Edit, error) {
		body, _, _, _ := journal.Split(l.Raw)
		switch l.Record.ID {
		case "ev_005":
			return journal.Edit{Body: []byte(strings.Replace(string(body), `"decision":"allow"`, `"decision":"deny"`, 1))}, nil
		case "ev_007":
			return journal.Edit{Remove: true}, nil
		}
		return journal.Edit{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Commit(); err != nil { // without a checkpoint
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range w.verify().Findings {
		found[f.Kind+" "+f.ID] = true
		if f.Kind == "unvouched" && f.ID != "ev_005" {
			found["unvouched tombstone"] = true
		}
	}
	for _, want := range []string{"unvouched ev_005", "unfinished ev_005", "unvouched tombstone"} {
		if !found[want] {
			t.Errorf("%q is not among %v", want, found)
		}
	}
}

func deed(source string) journal.Deed {
	return upkeep.NewDeed(epoch.Add(2*time.Hour), "dev", source, "")
}

// TestLife does to one ledger all that may be done to it, and looks at it each time.
func TestLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(400, 4000)
	w.whole("at first")
	retire := func(cutoff time.Time) int {
		t.Helper()
		w.takeIn()
		n, err := upkeep.Retire(t.Context(), w.s, w.dir, deed(journal.SourceKeep), w.in.End, cutoff)
		if err != nil {
			t.Fatal(err)
		}
		w.takeIn()
		return n
	}
	if n := retire(epoch); n != 0 {
		t.Errorf("%d young segments went", n)
	}
	// The files' own times are of today.
	old := epoch.Add(time.Minute)
	for n := 1; n < 20; n++ {
		if err := os.Chtimes(filepath.Join(w.dir, journal.SegmentName(n)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if n := retire(epoch.Add(100 * time.Second)); n == 0 {
		t.Error("no segment went")
	}
	w.whole("after segments went")
	pruned, err := upkeep.Prune(t.Context(), w.s, w.dir, upkeep.PruneOptions{Deed: deed(journal.SourcePrune), Before: epoch.Add(200 * time.Second)})
	if err != nil || pruned.Events != 196 || pruned.Protected != 3 || pruned.Lines == 0 {
		t.Errorf("%+v %v", pruned, err)
	}
	w.takeIn()
	w.whole("after a prune")
	pruned, err = upkeep.Prune(t.Context(), w.s, w.dir, upkeep.PruneOptions{Deed: deed(journal.SourcePrune), MaxSize: 1})
	if err != nil || pruned.Events != 201 || pruned.SizeAfter >= pruned.SizeBefore {
		t.Errorf("%+v %v", pruned, err)
	}
	w.takeIn()
	w.whole("after a prune by size")
	w.append(journal.Record{Kind: journal.KindEvent, ID: "ev_new", Time: epoch.Add(3 * time.Hour), Agent: "claude"}, 0)
	w.takeIn()
	w.whole("after a new event")
	if n := retire(epoch.Add(24 * time.Hour)); n == 0 {
		t.Log("no more segments went")
	}
	w.whole("after more segments went")
	for _, id := range []string{"ev_002", "ev_003", "ev_004", "ev_new"} {
		if _, err := w.s.Get(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if err := w.s.Close(); err != nil {
		t.Fatal(err)
	}
	rebuilt, err := sqlite.Rebuild(t.Context(), w.db, w.dir, nil)
	if err != nil || len(rebuilt.Lost) > 0 || rebuilt.Unreadable > 0 || rebuilt.SavedEvents+rebuilt.JournalEvents != 4 {
		t.Errorf("%+v %v", rebuilt, err)
	}
	w.open()
	w.takeIn()
	w.whole("after it was made anew")
	for id, want := range map[string]int{"ev_002": 1, "ev_003": 1} {
		if o, err := w.s.Outcomes(t.Context(), id); err != nil || len(o) != want {
			t.Errorf("%s: %+v %v", id, o, err)
		}
	}
}

// TestDamagedFile overwrites pages of the file at many places: what can be read is
// saved, no human outcome is lost that the journal has, and what is lost is named.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	for page := 1; page < 60; page += 7 {
		t.Run(fmt.Sprint("page ", page), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.add(300, 0)
			if err := w.s.Close(); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(w.db, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			fi, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			at := int64(page) * 4096 % fi.Size()
			if _, err := f.WriteAt([]byte(strings.Repeat("\xa5garbage", 500)), at); err != nil {
				t.Fatal(err)
			}
			f.Close()
			rebuilt, err := sqlite.Rebuild(t.Context(), w.db, w.dir, nil)
			if err != nil || len(rebuilt.Lost) > 0 || rebuilt.SavedEvents+rebuilt.JournalEvents != 300 {
				t.Errorf("%+v %v", rebuilt, err)
			}
			w.open()
			w.takeIn()
			w.whole("after it was made anew")
			if o, err := w.s.Outcomes(context.Background(), "ev_002"); err != nil || len(o) != 1 {
				t.Errorf("%+v %v", o, err)
			}
		})
	}
}
