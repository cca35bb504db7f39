// Package ledgertest checks that a backend keeps the contract of [ledger.Store].
// Every backend runs the same suite; what is particular to one it tests itself.
package ledgertest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
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
		"Rulings":           testRulings,
		"Refusals":          testRefusals,
		"Completions":       testCompletions,
		"CompletionsInBulk": testCompletionsInBulk,
		"OneCompletion":     testOneCompletionForOneAsk,
		"Faults":            testFaults,
		"ForgedOutcome":     testForgedOutcome,
		"Replaced":          testReplaced,
		"Pruned":            testPruned,
		"NewerJournal":      testNewerJournal,
		"Each":              testEach,
		"Rows":              testRows,
		"Put":               testPut,
		"Remove":            testRemove,
		"Rewrite":           testRewrite,
		"Settled":           testSettled,
		"Imported":          testImported,
		"Repeated":          testRepeated,
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
	if got, err := f.s.Rulings(t.Context(), time.Time{}, 10); len(got) != 0 || err != nil {
		t.Errorf("rulings on nothing: %v %v", got, err)
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
		{"until", ledger.Query{Until: epoch.Add(3 * time.Second)}, all[:2]},
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
