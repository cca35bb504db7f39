package journal

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
)

// fill sets every field of v, so that a field that encode forgets is noticed.
func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 600000, time.UTC)))
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.Set(reflect.ValueOf(json.RawMessage(`{"a":[1,"x"]}`)))
	case v.Kind() == reflect.String:
		v.SetString("a \"b\" \\ <c> & ü \n\t\x01 \u2028")
	case v.Kind() == reflect.Interface:
		v.Set(reflect.ValueOf(0.85))
	case v.CanInt():
		v.SetInt(7)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

func TestEncodeWritesEveryField(t *testing.T) {
	t.Parallel()
	var r Record
	fill(reflect.ValueOf(&r).Elem())
	r.Prev, r.Hash = "", "" // these are seal's
	judged := Record{Kind: "event", ID: "x"}
	for _, v := range []any{nil, "local", "a \"b\"\n", "", 0.0, 1.0, 0.1 + 0.2, -0.5, 1e-6, 1e-7, 9.99e-7, 1e-12, 1e-300, 1e20, 1e21, math.MaxFloat64} {
		judged.Judgments = append(judged.Judgments, event.Judgment{Name: "n", Value: v})
	}
	for _, want := range []Record{r, {V: 1, Kind: "event", ID: "x"}, {Kind: "event", ID: "x", Reasons: []event.Reason{{}}, Judgments: []event.Judgment{{}}}, judged} {
		line := encode(&want)
		var got Record
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if bytes.ContainsRune(line, '\n') {
			t.Errorf("more than one line: %q", line)
		}
		// The same members in the same order as encoding/json writes them.
		var std bytes.Buffer
		enc := json.NewEncoder(&std)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(want); err != nil {
			t.Fatal(err)
		}
		normal := strings.NewReplacer("\\u2028", "\u2028").Replace(strings.TrimSpace(std.String()))
		if diff := cmp.Diff(normal, string(line)); diff != "" {
			t.Errorf("encoding/json (-) and encode (+) differ\n%s", diff)
		}
	}
}

// TestJudgments writes what was answered, and null for what JSON cannot hold.
func TestJudgments(t *testing.T) {
	t.Parallel()
	v := event.Verdict{Judgments: []event.Judgment{
		{Name: "a", Rule: "r", Condition: ">= 0.85", Value: 0.92, Model: "m-1", Held: true},
		{Name: "b", Rule: "r", Condition: "== x", Value: strings.Repeat("x", 2<<10)},
		{Name: "c", Value: math.NaN()}, {Name: "c", Value: math.Inf(-1)}, {Name: "c", Value: []int{1}}, {Name: "c"},
	}}
	r := FromEvent(&event.Event{ID: "ev_1", Time: time.Now()}, &v, event.Allow, "", Timings{}, nil, "")
	line, err := r.body(nil)
	if err != nil {
		t.Fatal(err)
	}
	var got Record
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	want := append([]event.Judgment(nil), v.Judgments...)
	want[1].Value = strings.Repeat("x", 1<<10) + "…[+1024 bytes]"
	for i := 2; i < len(want); i++ {
		want[i].Value = nil
	}
	if diff := cmp.Diff(want, got.Judgments); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	v.Judgments = make([]event.Judgment, maxList+3)
	r = FromEvent(&event.Event{ID: "ev_1", Time: time.Now()}, &v, event.Allow, "", Timings{}, nil, "")
	if line, err = r.body(nil); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(line, []byte(`"condition"`)); n != maxList || !bytes.Contains(line, []byte("3 of 67 judgments are not recorded")) {
		t.Errorf("%d judgments in %s", n, line)
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a", "\"\\/", "\x00\x1f\x7f", "ü€😀", "\xff\xc3", "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var w writer
		w.quote(s)
		var got string
		if err := json.Unmarshal(w, &got); err != nil {
			t.Fatalf("%v in %s", err, w)
		}
		std, _ := json.Marshal(s)
		var want string
		_ = json.Unmarshal(std, &want)
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestBodyIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\x01", 1<<20) // six bytes each when encoded
	many := make([]string, 5000)
	reasons := make([]event.Reason, 5000)
	judgments := make([]event.Judgment, 5000)
	for i := range many {
		many[i] = long
		reasons[i] = event.Reason{Rule: long, Do: long, Text: long, At: long}
		judgments[i] = event.Judgment{Name: long, Rule: long, Condition: long, Value: long, Model: long}
	}
	r := Record{
		Kind: KindEvent, ID: "ev_1", Time: time.Now(), Agent: long, Caller: long, Event: long, Session: long, Turn: long, Tool: long,
		ToolUseID: long, CWD: long, Mode: long, Subject: long, Action: long, Reason: long, Reasons: reasons, Judgments: judgments,
		Guidance: many, Faults: many, ApprovedBy: long, Degraded: long, Target: long, By: long, Source: long, Note: long,
		Payload: json.RawMessage("[" + strings.Repeat("1,\n", 1<<20) + "1]"),
	}
	body, err := r.body(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(body)+chainSize > maxLine || bytes.ContainsRune(body, '\n') || !json.Valid(body) {
		t.Errorf("%d bytes, valid %v", len(body), json.Valid(body))
	}
	if len(r.Reasons) != 5000 || len(r.Judgments) != 5000 || len(r.Guidance[0]) != 1<<20 {
		t.Error("the caller's record was changed")
	}
	for _, bad := range []Record{{}, {ID: "x", Time: time.Now()}, {Kind: "event", Time: time.Now()}, {Kind: "event", ID: "x"}, {Kind: "event", ID: "x", Time: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)}} {
		if _, err := bad.body(nil); err == nil {
			t.Errorf("%+v was encoded", bad)
		}
	}
}
