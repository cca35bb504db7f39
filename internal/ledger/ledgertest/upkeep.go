package ledgertest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

func testEach(t *testing.T, f *fixture) {
	var all []string
	for i := range 1203 {
		r := journal.Record{Agent: "claude", Decision: event.Allow}
		if i%100 == 3 {
			r.Agent, r.Decision = "codex", event.Ask
		}
		all = append(all, f.append(r)...)
	}
	f.append(outcome(all[3], event.Deny, time.Time{}))
	f.takeIn()
	each := func(q ledger.Query) (ids []string, outcomes int) {
		err := f.s.Each(t.Context(), q, func(r *ledger.Row, o []ledger.Outcome) error {
			line, err := r.Line()
			if err != nil || !journal.Genuine(line) || r.Kind != journal.KindEvent {
				t.Errorf("%s: %v", r.ID, err)
			}
			ids = append(ids, r.ID)
			outcomes += len(o)
			_, err = f.s.Get(t.Context(), r.ID) // the store may be used meanwhile
			return err
		})
		if err != nil {
			t.Error(err)
		}
		return ids, outcomes
	}
	ids, outcomes := each(ledger.Query{})
	f.same("all", all, ids)
	f.same("outcomes", 1, outcomes)
	ids, _ = each(ledger.Query{N: 3, Agent: "codex"})
	f.same("the first three", []string{all[3], all[103], all[203]}, ids)
	ids, _ = each(ledger.Query{N: 700})
	f.same("two pages", all[:700], ids)
	ids, _ = each(ledger.Query{Since: epoch.Add(2 * time.Second), Until: epoch.Add(4 * time.Second)})
	f.same("two seconds", all[1:3], ids)
	stop := errors.New("stop")
	n := 0
	err := f.s.Each(t.Context(), ledger.Query{}, func(*ledger.Row, []ledger.Outcome) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
}

// rows reads all rows of a kind.
func (f *fixture) rows(kind string) (out []ledger.Row) {
	f.Helper()
	for r, err := range f.s.Rows(f.Context(), kind, true) {
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func rowIDs(rows []ledger.Row) (out []string) {
	for _, r := range rows {
		out = append(out, r.ID)
	}
	return out
}

// lines reads the journal's lines as they are.
func (f *fixture) lines() [][]byte {
	f.Helper()
	b, err := os.ReadFile(filepath.Join(f.dir, "00000001.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
}

func testRows(t *testing.T, f *fixture) {
	id := f.append(journal.Record{Decision: event.Ask, Subject: "a"}, journal.Record{Agent: "codex", Subject: "b"})
	until := epoch.Add(time.Hour)
	id = append(id, f.append(outcome(id[0], event.Allow, until))...)
	deed := journal.Deed{ID: "cp_1", Time: epoch, By: "dev", Source: journal.SourceVerify}
	if err := journal.Checkpoint(t.Context(), f.dir, deed, journal.Span{Lines: 1}, nil, nil); err != nil {
		t.Fatal(err)
	}
	f.takeIn()
	lines := f.lines()
	events, outcomes, checkpoints := f.rows(journal.KindEvent), f.rows(journal.KindOutcome), f.rows(journal.KindCheckpoint)
	f.same("ids", [][]string{id[:2], id[2:], {"cp_1"}}, [][]string{rowIDs(events), rowIDs(outcomes), rowIDs(checkpoints)})
	for i, r := range append(append(events, outcomes...), checkpoints...) {
		line, err := r.Line()
		if err != nil || !bytes.Equal(line, lines[i]) || !bytes.Equal(r.Hash, r.Link) {
			t.Errorf("%s: %v\n%s\n%s", r.ID, err, line, lines[i])
		}
	}
	if r := events[0]; r.Agent != "claude" || r.Decision != event.Ask || !r.Time.Equal(epoch.Add(time.Second)) {
		t.Errorf("%+v", r)
	}
	if o := outcomes[0].Outcome; o.Event != id[0] || o.Decision != event.Allow || !o.Until.Equal(until) || o.ID != id[2] {
		t.Errorf("%+v", o)
	}
	for r, err := range f.s.Rows(t.Context(), journal.KindEvent, false) {
		if err != nil || len(r.Body) > 0 || len(r.Hash) == 0 {
			t.Errorf("without bodies: %+v %v", r, err)
		}
	}
	known, err := f.s.Known(t.Context(), append(id, "cp_1", "ev_x"))
	if err != nil || len(known) != 4 || known[id[1]].Agent != "codex" || known[id[2]].Kind != journal.KindOutcome {
		t.Errorf("%+v %v", known, err)
	}
	if size, err := f.s.Size(t.Context()); err != nil || size <= 0 {
		t.Errorf("%d %v", size, err)
	}
	if found, err := f.s.Check(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%v %v", found, err)
	}
	if err := f.s.Sync(t.Context()); err != nil {
		t.Error(err)
	}
}

func testPut(t *testing.T, f *fixture) {
	id := f.append(call(event.PreToolUse, "1", event.Ask), journal.Record{Subject: "found"})
	id = append(id, f.append(outcome(id[1], event.Deny, time.Time{}))...)
	lines := f.lines()
	completion := ledger.Outcome{ID: "oc_c", Event: id[0], Time: epoch, Decision: event.Allow, Source: journal.SourceCompletion}
	for i, want := range []ledger.Intake{{Events: 2, Outcomes: 2}, {Duplicates: 4}} {
		got, err := f.s.Put(t.Context(), lines, []ledger.Outcome{completion})
		if err != nil {
			t.Fatal(err)
		}
		f.same(fmt.Sprint("time ", i), want, got)
	}
	// The place in the journal has not moved, and nothing is damage.
	if in := f.takeIn(); in.Duplicates != 3 || in.Events != 0 || len(in.Faults) > 0 {
		t.Errorf("%+v", in)
	}
	if found, err := f.s.Search(t.Context(), "found", 1); err != nil || len(found) != 1 || len(found[0].Outcomes) != 1 {
		t.Errorf("%+v %v", found, err)
	}
	f.append(call(event.PostToolUse, "1", event.Allow))
	f.takeIn()
	if got, err := f.s.Outcomes(t.Context(), id[0]); err != nil || len(got) != 1 || got[0].ID != "oc_c" {
		t.Errorf("%+v %v", got, err)
	}
	edited := bytes.Replace(lines[1], []byte("found"), []byte("false"), 1)
	if _, err := f.s.Put(t.Context(), [][]byte{edited}, nil); err == nil {
		t.Error("an edited line was stored")
	}
}

func testRemove(t *testing.T, f *fixture) {
	id := f.append(call(event.PreToolUse, "1", event.Ask), call(event.PostToolUse, "1", event.Allow), journal.Record{Subject: "stays"}, journal.Record{Subject: "goes"})
	oc := f.append(outcome(id[2], event.Deny, time.Time{}), outcome(id[3], event.Deny, time.Time{}))
	f.takeIn()
	rows := f.rows(journal.KindEvent)
	deed := journal.Deed{ID: "cp_1", Time: epoch, Source: journal.SourcePrune}
	hex := func(b []byte) string { return fmt.Sprintf("%x", b) }
	line, _, err := journal.Tombstone(deed, journal.Span{Lines: 2, First: id[0], Last: id[1]}, "", hex(rows[1].Link))
	if err != nil {
		t.Fatal(err)
	}
	events, outcomes, err := f.s.Remove(t.Context(), []string{id[0], id[1], id[3], oc[1], "ev_x"}, [][]byte{line})
	if err != nil || events != 3 || outcomes != 2 { // the completion and oc[1]
		t.Errorf("%d events, %d outcomes, %v", events, outcomes, err)
	}
	f.same("entries", id[2:3], ids(f.tail(ledger.Query{})))
	f.same("outcomes", oc[:1], rowIDs(f.rows(journal.KindOutcome)))
	marks := f.rows(journal.KindRemoved)
	if len(marks) != 1 || !bytes.Equal(marks[0].Link, rows[1].Link) || bytes.Equal(marks[0].Hash, marks[0].Link) {
		t.Errorf("%+v", marks)
	}
	for _, word := range []string{"goes", "Bash"} {
		if got, err := f.s.Search(t.Context(), word, 10); err != nil || len(got) > 0 {
			t.Errorf("%s: %v %v", word, ids(got), err)
		}
	}
	if err := f.s.Compact(t.Context()); err != nil {
		t.Error(err)
	}
	if found, err := f.s.Check(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%v %v", found, err)
	}
	f.same("entries", id[2:3], ids(f.tail(ledger.Query{})))
	f.append(journal.Record{})
	if in := f.takeIn(); in.Events != 1 || in.Replaced {
		t.Errorf("%+v", in)
	}
}

func testRewrite(t *testing.T, f *fixture) {
	id := f.append(journal.Record{Subject: "login hunter2", Session: "s"}, journal.Record{Subject: "other"})
	r := outcome(id[0], event.Deny, time.Time{})
	r.Note = "hunter2 is a secret"
	id = append(id, f.append(r)...)
	f.takeIn()
	var lines [][]byte
	for _, line := range f.lines() {
		body, prev, hash, _ := journal.Split(line)
		if bytes.Contains(body, []byte("hunter2")) {
			line, _ := journal.Replace(bytes.ReplaceAll(body, []byte("hunter2"), []byte("[redacted]")), prev, hash)
			lines = append(lines, line)
		}
	}
	if n, err := f.s.Rewrite(t.Context(), lines); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	for word, want := range map[string][]string{"hunter2": nil, "redacted": id[:1], "login": id[:1]} {
		if got, err := f.s.Search(t.Context(), word, 10); err != nil {
			t.Error(err)
		} else {
			f.same(word, want, ids(got))
		}
	}
	e, err := f.s.Get(t.Context(), id[0])
	if err != nil || e.Subject != "login [redacted]" || e.Session != "s" || len(e.Outcomes) != 1 || e.Outcomes[0].Note != "[redacted] is a secret" {
		t.Errorf("%+v %v", e, err)
	}
	row := f.rows(journal.KindEvent)[0]
	if line, err := row.Line(); err != nil || !bytes.Equal(line, lines[0]) || bytes.Equal(row.Hash, row.Link) {
		t.Errorf("%v\n%s\n%s", err, line, lines[0])
	}
	if err := f.s.Compact(t.Context()); err != nil {
		t.Error(err)
	}
	if found, err := f.s.Check(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%v %v", found, err)
	}
	// The journal still has the lines as they were: the same, not others.
	if err := os.Rename(f.dir, f.dir+"-old"); err != nil {
		t.Fatal(err)
	}
	f.dir += "-old"
	if in := f.takeIn(); in.Events+in.Outcomes != 0 || len(in.Faults) > 0 {
		t.Errorf("%+v", in)
	}
	lines[1][40] = '!'
	if _, err := f.s.Rewrite(t.Context(), lines); err == nil {
		t.Error("an edited line was stored")
	}
}

// testSettled has a fault that a checkpoint names.
func testSettled(t *testing.T, f *fixture) {
	f.append(journal.Record{}, journal.Record{Decision: event.Deny}, journal.Record{})
	f.damage(func(l []string) []string {
		l[1] = strings.Replace(l[1], `"deny"`, `"allow"`, 1)
		return append(l, "{half\n")
	})
	if in := f.takeIn(); len(in.Faults) != 2 {
		t.Fatalf("%+v", in)
	}
	known, err := f.s.Faults(t.Context())
	if err != nil || len(known) != 2 {
		t.Fatal(known, err)
	}
	deed := journal.Deed{ID: "cp_1", Time: epoch, By: "dev", Source: journal.SourceVerify}
	if err := journal.Checkpoint(t.Context(), f.dir, deed, journal.Span{}, nil, []string{known[0].Key()}); err != nil {
		t.Fatal(err)
	}
	f.takeIn()
	if got, err := f.s.Faults(t.Context()); err != nil || len(got) != 1 || got[0] != known[1] {
		t.Errorf("%v %v", got, err)
	}
}

// testImported has records of another ledger: they complete nothing and approve
// nothing by themselves.
func testImported(t *testing.T, f *fixture) {
	imported := func(r journal.Record) journal.Record { r.Imported = "cp_1"; return r }
	asked := call(event.PreToolUse, "1", event.Ask)
	asked.Action = "a"
	id := f.append(imported(asked), imported(call(event.PostToolUse, "1", event.Allow)))
	f.append(imported(outcome(id[0], event.Allow, epoch.Add(time.Hour))))
	if in := f.takeIn(); in.Events != 2 || in.Outcomes != 1 || in.Completions != 0 {
		t.Errorf("%+v", in)
	}
	if got, err := f.s.Approvals(t.Context(), epoch); err != nil || len(got) > 0 {
		t.Errorf("%v %v", got, err)
	}
}

// testRepeated has another line with an id that is known.
func testRepeated(t *testing.T, f *fixture) {
	id := f.append(journal.Record{}, journal.Record{})
	f.takeIn()
	f.append(journal.Record{ID: id[0], Reason: "another"})
	in := f.takeIn()
	if in.Duplicates != 1 || len(in.Faults) != 1 || in.Faults[0].Kind != journal.Repeated || in.Faults[0].ID != id[0] {
		t.Errorf("%+v", in)
	}
	if got, err := f.s.Faults(t.Context()); err != nil || len(got) != 1 {
		t.Errorf("%v %v", got, err)
	}
}
