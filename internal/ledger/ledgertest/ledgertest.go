// Package ledgertest checks that a backend keeps the contract of [ledger.Store].
// Every backend runs the same suite; what is particular to one it tests itself.
package ledgertest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

// Run runs the suite. fresh makes a new, empty ledger and returns what opens a
// store on it, as another process would; Run closes the stores.
func Run(t *testing.T, fresh func(t *testing.T) (open func() (ledger.Store, error))) {
	for name, test := range map[string]func(*testing.T, *fixture){
		"Empty":             testEmpty,
		"RoundTrip":         testRoundTrip,
		"Tail":              testTail,
		"ExactlyOnce":       testExactlyOnce,
		"Search":            testSearch,
		"SearchIsNoSyntax":  testSearchIsNoSyntax,
		"Get":               testGet,
		"Outcomes":          testOutcomes,
		"Approvals":         testApprovals,
		"Completions":       testCompletions,
		"CompletionsInBulk": testCompletionsInBulk,
		"Faults":            testFaults,
		"ForgedOutcome":     testForgedOutcome,
		"Replaced":          testReplaced,
		"Pruned":            testPruned,
		"NewerJournal":      testNewerJournal,
		"WrongTypes":        testWrongTypes,
		"HostileRecords":    testHostileRecords,
		"Cancelled":         testCancelled,
		"Progress":          testProgress,
		"ManyReaders":       testManyReaders,
		"ReadersAndWriters": testReadersAndWriters,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fixture{T: t, dir: filepath.Join(t.TempDir(), "journal"), again: fresh(t)}
			if err := os.Mkdir(f.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			f.s = f.open()
			test(t, f)
		})
	}
}

// fixture is a ledger with its journal.
type fixture struct {
	*testing.T
	dir   string
	again func() (ledger.Store, error)
	s     ledger.Store
	n     int
}

func (f *fixture) open() ledger.Store {
	f.Helper()
	s, err := f.again()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.Error(err)
		}
	})
	return s
}

// epoch is when the fixture's events begin; they are a second apart.
var epoch = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

// record fills in what every record needs: an id that tells its number, a time
// and an agent.
func (f *fixture) record(r journal.Record) journal.Record {
	f.n++
	if r.Kind == "" {
		r.Kind = journal.KindEvent
	}
	if r.ID == "" {
		prefix := "ev"
		if r.Kind == journal.KindOutcome {
			prefix = "oc"
		}
		r.ID = fmt.Sprintf("%s_01K%023d", prefix, f.n)
	}
	if r.Time.IsZero() {
		r.Time = epoch.Add(time.Duration(f.n) * time.Second)
	}
	if r.Kind == journal.KindEvent && r.Agent == "" {
		r.Agent = "claude"
	}
	return r
}

// append adds records to the journal and returns their ids.
func (f *fixture) append(records ...journal.Record) []string {
	f.Helper()
	var ids []string
	for _, r := range records {
		r = f.record(r)
		if err := journal.Append(f.Context(), f.dir, r, journal.Options{}); err != nil {
			f.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

func (f *fixture) takeIn() ledger.Intake {
	f.Helper()
	in, err := f.s.TakeIn(f.Context(), f.dir, nil)
	if err != nil {
		f.Fatal(err)
	}
	if end, err := journal.End(f.dir); err != nil || in.End != end {
		f.Errorf("taken in to %v, the journal ends at %v, %v", in.End, end, err)
	}
	return in
}

func (f *fixture) tail(q ledger.Query) []ledger.Entry {
	f.Helper()
	out, err := f.s.Tail(f.Context(), q)
	if err != nil {
		f.Fatal(err)
	}
	return out
}

func ids(entries []ledger.Entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.ID)
	}
	return out
}

func (f *fixture) same(what string, want, got any) {
	f.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

func testEmpty(t *testing.T, f *fixture) {
	f.same("intake", ledger.Intake{}, f.takeIn())
	if got := f.tail(ledger.Query{}); len(got) != 0 {
		t.Errorf("tail of nothing: %v", got)
	}
	if got, err := f.s.Search(t.Context(), "x", 10); len(got) != 0 || err != nil {
		t.Errorf("search in nothing: %v %v", got, err)
	}
	if _, err := f.s.Get(t.Context(), "ev_1"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("get of nothing: %v", err)
	}
	if got, err := f.s.Outcomes(t.Context(), "ev_1"); len(got) != 0 || err != nil {
		t.Errorf("outcomes of nothing: %v %v", got, err)
	}
	if got, err := f.s.Approvals(t.Context(), epoch); len(got) != 0 || err != nil {
		t.Errorf("approvals of nothing: %v %v", got, err)
	}
	if in, err := f.s.TakeIn(t.Context(), filepath.Join(f.dir, "missing"), nil); err != nil || in.Events != 0 {
		t.Errorf("a journal that is not there: %+v %v", in, err)
	}
}

func testRoundTrip(t *testing.T, f *fixture) {
	s := NewSample(7)
	var want []journal.Record
	for range 50 {
		r := s.Next()
		f.append(r)
		want = append(want, r)
	}
	if in := f.takeIn(); in.Events != 50 || len(in.Faults) > 0 {
		t.Errorf("%+v", in)
	}
	got := f.tail(ledger.Query{N: 100})
	if len(got) != 50 {
		t.Fatalf("%d entries", len(got))
	}
	for i, e := range got {
		if e.Hash == "" || i > 0 && e.Prev != got[i-1].Hash {
			t.Errorf("%s: prev %q, hash %q", e.ID, e.Prev, e.Hash)
		}
		e.V, e.Prev, e.Hash = 0, "", ""
		f.same(e.ID, want[i], e.Record)
	}
}

func testTail(t *testing.T, f *fixture) {
	var all []string
	for i := range 30 {
		r := journal.Record{Session: fmt.Sprint("s", i%3), Decision: event.Allow, Agent: "claude"}
		if i%10 == 4 {
			r.Decision = event.Deny
		}
		if i%10 == 7 {
			r.Agent, r.Decision = "codex", event.Ask
		}
		all = append(all, f.append(r)...)
	}
	f.takeIn()
	pick := func(numbers ...int) []string {
		var out []string
		for _, n := range numbers {
			out = append(out, all[n])
		}
		return out
	}
	for _, tt := range []struct {
		name string
		q    ledger.Query
		want []string
	}{
		{"default", ledger.Query{}, all[10:]},
		{"three", ledger.Query{N: 3}, all[27:]},
		{"more than there are", ledger.Query{N: 1000}, all},
		{"denied", ledger.Query{Decision: event.Deny}, pick(4, 14, 24)},
		{"allowed", ledger.Query{Decision: event.Allow, N: 2}, pick(28, 29)},
		{"agent", ledger.Query{Agent: "codex"}, pick(7, 17, 27)},
		{"agent is no prefix", ledger.Query{Agent: "cod"}, nil},
		{"session", ledger.Query{Session: "s1", N: 2}, pick(25, 28)},
		{"since", ledger.Query{Since: epoch.Add(29 * time.Second)}, pick(28, 29)},
		{"before", ledger.Query{Before: all[3]}, all[:3]},
		{"before, the newest of them", ledger.Query{Before: all[20], N: 2}, all[18:20]},
		{"before the first", ledger.Query{Before: all[0]}, nil},
		{"before none", ledger.Query{Before: "ev_x"}, nil},
		{"before, denied", ledger.Query{Before: all[24], Decision: event.Deny}, pick(4, 14)},
		{"all together", ledger.Query{Agent: "claude", Decision: event.Deny, Session: "s2", Since: epoch, N: 1}, pick(14)},
		{"negative", ledger.Query{N: -1}, all[10:]},
		{"no SQL", ledger.Query{Agent: `' OR 1=1 --`}, nil},
	} {
		f.same(tt.name, tt.want, ids(f.tail(tt.q)))
	}
}

func testExactlyOnce(t *testing.T, f *fixture) {
	want := f.append(journal.Record{}, journal.Record{})
	f.takeIn()
	if in := f.takeIn(); in.Events+in.Duplicates != 0 {
		t.Errorf("taken in again: %+v", in)
	}
	f.s = f.open() // another process
	if in := f.takeIn(); in.Events+in.Duplicates != 0 {
		t.Errorf("taken in by another: %+v", in)
	}
	want = append(want, f.append(journal.Record{})...)
	if in := f.takeIn(); in.Events != 1 {
		t.Errorf("the new one: %+v", in)
	}
	// An id that is there already, in whatever form, is not taken twice.
	f.append(journal.Record{ID: want[0], Reason: "another"})
	if in := f.takeIn(); in.Events != 0 || in.Duplicates != 1 {
		t.Errorf("a known id: %+v", in)
	}
	f.same("entries", want, ids(f.tail(ledger.Query{})))
	if e, err := f.s.Get(t.Context(), want[0]); err != nil || e.Reason != "" {
		t.Errorf("the first one won: %v %v", e, err)
	}
}

func testSearch(t *testing.T, f *fixture) {
	id := f.append(
		journal.Record{Tool: "Bash", Subject: "rm -rf ./build/Output", CWD: "/home/dev/shop"},
		journal.Record{Tool: "Edit", Subject: "/home/dev/shop/src/main.go"},
		journal.Record{Event: event.UserPromptSubmit, Subject: "Räume bitte das Verzeichnis auf: 東京タワー"},
		journal.Record{Tool: "Bash", Subject: "git push --force origin main", Reason: "pushing is seen by others",
			Reasons: []event.Reason{{Rule: "ask-before-push", Do: "ask"}}},
		journal.Record{Tool: "mcp__db__query", Subject: `{"sql":"DROP TABLE users"}`},
		journal.Record{Tool: "Bash", Subject: "echo " + strings.Repeat("x", 500)},
	)
	f.takeIn()
	for _, tt := range []struct {
		text string
		want []int
	}{
		{"bash", []int{5, 3, 0}},
		{"rm -rf", []int{0}},
		{"RF build", []int{0}},
		{"output", []int{0}},
		{"main", []int{3, 1}},
		{"src/main.go", []int{1}},
		{"shop", []int{1, 0}},
		{"räume", []int{2}},
		{"VERZEICHNIS", []int{2}},
		{"東京", []int{2}},
		{"タワー", []int{2}},
		{"ask-before-push", []int{3}},
		{"seen others", []int{3}},
		{"drop table", []int{4}},
		{"mcp__db__query", []int{4}},
		{"UserPromptSubmit", []int{2}},
		{"rm main", nil},
		{"mai", nil},
		{strings.Repeat("x", 500), []int{5}},
		{"bash bash BASH", []int{5, 3, 0}},
	} {
		var want []string
		for _, i := range tt.want {
			want = append(want, id[i])
		}
		got, err := f.s.Search(t.Context(), tt.text, 10)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		}
		f.same(tt.text, want, ids(got))
	}
	if got, err := f.s.Search(t.Context(), "bash", 2); err != nil || len(got) != 2 || got[0].ID != id[5] {
		t.Errorf("limit 2: %v %v", ids(got), err)
	}
	if got, err := f.s.Search(t.Context(), "bash", 0); err != nil || len(got) != 3 {
		t.Errorf("limit 0: %v %v", ids(got), err)
	}
}

func testSearchIsNoSyntax(t *testing.T, f *fixture) {
	id := f.append(journal.Record{Subject: "near not or and words event match"})
	f.takeIn()
	for _, tt := range []struct {
		text  string
		found bool
	}{
		{`near`, true}, {`NEAR(near not)`, true}, {`not`, true}, {`or`, true}, {`near OR missing`, false}, {`NOT`, true}, {`AND`, true},
		{`"near`, true}, {`near"`, true}, {`'near'`, true}, {`near*`, true}, {`words:near`, true}, {`words: near`, true}, {`^near`, true}, {`-near`, true},
		{`near + not`, true}, {`(near`, true}, {`near)`, true}, {`{near not}`, true}, {`near; DROP TABLE events`, false}, {`%near%`, true}, {`near_not`, true},
		{``, false}, {`   `, false}, {`"`, false}, {`*`, false}, {`""`, false}, {"\x00", false}, {"near\x00not", true}, {"\xff\xfe", false}, {"near\xff", true}, {`😀`, false}, {`' OR ''='`, true},
		{strings.Repeat("near ", 10000), true}, {strings.Repeat("(", 10000), false},
	} {
		got, err := f.s.Search(t.Context(), tt.text, 10)
		var want []string
		if tt.found {
			want = id
		}
		if diff := cmp.Diff(want, ids(got)); diff != "" || err != nil {
			t.Errorf("%.40q: %v %s", tt.text, err, diff)
		}
	}
	// Many different words are still one question.
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "w%d ", i)
	}
	if got, err := f.s.Search(t.Context(), many.String(), 10); err != nil || len(got) != 0 {
		t.Errorf("many words: %v %v", ids(got), err)
	}
}

func testGet(t *testing.T, f *fixture) {
	a, b, c := "ev_01KB0000000000000000000AAA", "ev_01KB0000000000000000000AAB", "ev_01KC0000000000000000000AAA"
	f.append(journal.Record{ID: a}, journal.Record{ID: b}, journal.Record{ID: c}, journal.Record{ID: "ev_test"}, journal.Record{ID: "ev_test-2"})
	f.takeIn()
	for _, tt := range []struct{ id, want string }{
		{a, a}, {b, b}, {strings.ToLower(a), a}, {strings.TrimPrefix(c, "ev_"), c}, {"01kc", c}, {"ev_01KC", c}, {" ev_01kc\n", c}, {"EV_01KC", c},
		{"ev_test", "ev_test"}, {"ev_test-", "ev_test-2"},
	} {
		if got, err := f.s.Get(t.Context(), tt.id); err != nil || got.ID != tt.want {
			t.Errorf("%q: %v %v, want %s", tt.id, got.ID, err, tt.want)
		}
	}
	var ambiguous *ledger.AmbiguousError
	_, err := f.s.Get(t.Context(), "01KB")
	if !errors.Is(err, ledger.ErrAmbiguous) || !errors.As(err, &ambiguous) {
		t.Fatalf("got %v", err)
	}
	f.same("candidates", []string{a, b}, ambiguous.Candidates)
	if _, err := f.s.Get(t.Context(), ""); !errors.Is(err, ledger.ErrAmbiguous) {
		t.Errorf("the empty id: %v", err)
	}
	for _, id := range []string{"ev_02", "x", "%", "ev_01K_", "ev_01KC0000000000000000000AAA0", "' OR 1=1 --", "\xff"} {
		if e, err := f.s.Get(t.Context(), id); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("%q: %v %v", id, e.ID, err)
		}
	}
}

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
		{Event: id[5], Action: "action 5", Until: later},
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

// damage changes the only segment's bytes.
func (f *fixture) damage(change func(lines []string) []string) {
	f.Helper()
	file := filepath.Join(f.dir, "00000001.jsonl")
	b, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	lines := change(strings.SplitAfter(string(b), "\n"))
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
		f.Fatal(err)
	}
}

func testFaults(t *testing.T, f *fixture) {
	id := f.append(journal.Record{}, journal.Record{Decision: event.Deny}, journal.Record{}, journal.Record{})
	f.damage(func(l []string) []string {
		l[1] = strings.Replace(l[1], `"deny"`, `"allow"`, 1)
		l[2] = l[2][:len(l[2])/2] + "\n"
		return append(l, "garbage\n", "{half")
	})
	id = append(id, f.append(journal.Record{})...) // isolates the half line
	kinds := func(list []journal.Fault) (out []journal.FaultKind) {
		for _, x := range list {
			out = append(out, x.Kind)
		}
		return out
	}
	want := []journal.FaultKind{journal.Edited, journal.Torn, journal.Gap, journal.Unreadable, journal.Unreadable}
	in := f.takeIn()
	f.same("faults of the intake", want, kinds(in.Faults))
	f.same("entries", []string{id[0], id[3], id[4]}, ids(f.tail(ledger.Query{})))
	if in := f.takeIn(); len(in.Faults) > 0 {
		t.Errorf("reported again: %v", in.Faults)
	}
	f.s = f.open()
	got, err := f.s.Faults(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f.same("faults later", in.Faults, got)
	if in.Faults[0].ID != id[1] {
		t.Errorf("the edited line is not named: %+v", in.Faults[0])
	}
	// A half line at the end is waited for.
	f.damage(func(l []string) []string { return append(l, "{half") })
	if in := f.takeIn(); len(in.Faults) > 0 || in.Events > 0 {
		t.Errorf("%+v", in)
	}
}

// testForgedOutcome appends to the file what an agent might: no line of a writer.
func testForgedOutcome(t *testing.T, f *fixture) {
	id := f.append(journal.Record{Action: "a"})
	f.damage(func(l []string) []string {
		return append(l, `{"v":1,"kind":"outcome","id":"oc_1","time":"2026-05-04T03:02:01Z","target":"`+id[0]+`","decision":"allow","until":"2099-01-01T00:00:00Z"}`+"\n")
	})
	in := f.takeIn()
	if in.Outcomes != 0 || len(in.Faults) != 1 {
		t.Errorf("%+v", in)
	}
	if got, err := f.s.Approvals(t.Context(), epoch); err != nil || len(got) > 0 {
		t.Errorf("%v %v", got, err)
	}
}

func testReplaced(t *testing.T, f *fixture) {
	first := f.append(journal.Record{}, journal.Record{}, journal.Record{})
	f.takeIn()
	if err := os.RemoveAll(f.dir); err != nil {
		t.Fatal(err)
	}
	if in := f.takeInGone(); in.Events != 0 {
		t.Errorf("%+v", in)
	}
	second := f.append(journal.Record{})
	if in := f.takeIn(); in.Events != 1 || !in.Replaced {
		t.Errorf("%+v", in)
	}
	third := f.append(journal.Record{})
	if in := f.takeIn(); in.Events != 1 || in.Replaced {
		t.Errorf("%+v", in)
	}
	f.same("entries", slices.Concat(first, second, third), ids(f.tail(ledger.Query{})))
}

func (f *fixture) takeInGone() ledger.Intake {
	f.Helper()
	in, err := f.s.TakeIn(f.Context(), f.dir, nil)
	if err != nil {
		f.Fatal(err)
	}
	return in
}

func testPruned(t *testing.T, f *fixture) {
	var want []string
	for range 3 {
		r := f.record(journal.Record{})
		want = append(want, r.ID)
		if err := journal.Append(t.Context(), f.dir, r, journal.Options{SegmentSize: 10}); err != nil {
			t.Fatal(err)
		}
	}
	f.takeIn()
	r := f.record(journal.Record{})
	want = append(want, r.ID)
	if err := journal.Append(t.Context(), f.dir, r, journal.Options{SegmentSize: 10}); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := os.Remove(filepath.Join(f.dir, fmt.Sprintf("%08d.jsonl", n+1))); err != nil {
			t.Fatal(err)
		}
	}
	if in := f.takeIn(); in.Events != 1 || in.Replaced || len(in.Faults) > 0 {
		t.Errorf("%+v", in)
	}
	f.same("entries", want, ids(f.tail(ledger.Query{})))
}

// craft appends JSON that no Record gives as the second line of the chain.
func (f *fixture) craft(body string) {
	f.Helper()
	f.damage(func(l []string) []string {
		r := journal.Line{Raw: []byte(strings.TrimSuffix(l[0], "\n"))}
		r.Decode()
		body = body[:len(body)-1] + `,"prev":"` + r.Record.Hash + `"}`
		sum := sha256.Sum256([]byte(body))
		return append(l, body[:len(body)-1]+`,"hash":"`+hex.EncodeToString(sum[:])+"\"}\n")
	})
}

func testNewerJournal(t *testing.T, f *fixture) {
	id := f.append(journal.Record{})
	f.craft(`{"v":2,"kind":"event","id":"ev_x","time":"2026-05-04T03:02:01Z"}`)
	for range 2 {
		if _, err := f.s.TakeIn(t.Context(), f.dir, nil); !errors.Is(err, journal.ErrNewer) {
			t.Errorf("got %v", err)
		}
	}
	f.same("entries", id, ids(f.tail(ledger.Query{})))
}

// testWrongTypes has a sound line whose members are of other types than ours. One
// such line must not keep people from the others.
func testWrongTypes(t *testing.T, f *fixture) {
	id := f.append(journal.Record{})
	f.craft(`{"v":1,"kind":"event","id":"ev_x","time":"2026-05-04T03:02:01Z","session":5,"timings":[],"reasons":"x","subject":"odd"}`)
	id = append(id, append([]string{"ev_x"}, f.append(journal.Record{})...)...)
	if in := f.takeIn(); in.Events != 3 || len(in.Faults) > 0 {
		t.Errorf("%+v", in)
	}
	f.same("entries", id, ids(f.tail(ledger.Query{})))
	if e, err := f.s.Get(t.Context(), "ev_x"); err != nil || e.Subject != "odd" {
		t.Errorf("%+v %v", e, err)
	}
}

func testHostileRecords(t *testing.T, f *fixture) {
	long := strings.Repeat("ä\x00'\"\\", 100000)
	id := f.append(
		journal.Record{Agent: long, Caller: long, Event: long, Session: long, Tool: long, ToolUseID: long, CWD: long, Subject: long, Reason: long, Answered: event.Ask},
		journal.Record{Agent: "'; DROP TABLE events; --", Decision: "perhaps", Subject: "\x00\x01\u202e"},
		journal.Record{Time: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Second)},
		journal.Record{Time: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)},
		journal.Record{Payload: []byte(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`)},
		journal.Record{Payload: []byte("not\nJSON")},
		journal.Record{Subject: strings.Repeat("many different words ", 10000)},
	)
	f.append(journal.Record{Kind: "unheard of", ID: "x"}, journal.Record{Kind: journal.KindOutcome, ID: "oc_aimless"})
	in := f.takeIn()
	if in.Events != len(id) || in.Outcomes != 0 || len(in.Faults) != 2 {
		t.Errorf("%+v", in)
	}
	f.same("entries", id, ids(f.tail(ledger.Query{})))
	if e, err := f.s.Get(t.Context(), id[3]); err != nil || e.Time.Year() != 9999 {
		t.Errorf("%v %v", e.Time, err)
	}
}

func testCancelled(t *testing.T, f *fixture) {
	f.append(journal.Record{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.s.TakeIn(ctx, f.dir, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := f.s.Tail(ctx, ledger.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if in := f.takeIn(); in.Events != 1 {
		t.Errorf("%+v", in)
	}
}

func testProgress(t *testing.T, f *fixture) {
	for range 600 {
		f.append(journal.Record{})
	}
	var last, total int64
	in, err := f.s.TakeIn(t.Context(), f.dir, func(done, all int64) {
		if done <= last || done > all {
			t.Errorf("%d of %d after %d", done, all, last)
		}
		last, total = done, all
	})
	if err != nil || in.Events != 600 || last == 0 || last != total {
		t.Errorf("%+v %v: %d of %d", in, err, last, total)
	}
}

func testManyReaders(t *testing.T, f *fixture) {
	const n = 500
	for range n {
		f.append(journal.Record{})
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for range 6 {
		s := f.open()
		wg.Go(func() {
			in, err := s.TakeIn(t.Context(), f.dir, nil)
			if err != nil || in.Duplicates > 0 {
				t.Errorf("%+v %v", in, err)
			}
			if got, err := s.Tail(t.Context(), ledger.Query{N: 2 * n}); err != nil || len(got) != n {
				t.Errorf("%d entries, %v", len(got), err)
			}
			mu.Lock()
			defer mu.Unlock()
			sum += in.Events
		})
	}
	wg.Wait()
	if sum != n {
		t.Errorf("%d events were taken in, want %d", sum, n)
	}
}

func testReadersAndWriters(t *testing.T, f *fixture) {
	const writers, each = 4, 100
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				r := journal.Record{Kind: journal.KindEvent, ID: fmt.Sprintf("ev_%d-%d", w, i), Time: epoch}
				if err := journal.Append(t.Context(), f.dir, r, journal.Options{SegmentSize: 10000}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	for range 3 {
		s := f.open()
		reading.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if in, err := s.TakeIn(t.Context(), f.dir, nil); err != nil || len(in.Faults)+in.Duplicates > 0 {
					t.Errorf("%+v %v", in, err)
					return
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	f.takeIn()
	if got := f.tail(ledger.Query{N: 2 * writers * each}); len(got) != writers*each {
		t.Errorf("%d entries", len(got))
	}
}
