package ledgertest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

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
	// The content is in the journal; what tells the faults apart is kept.
	for i := range in.Faults {
		in.Faults[i].Stored, in.Faults[i].Content = in.Faults[i].Key(), ""
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
