package install

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wild makes random settings in random spelling.
type wild struct{ *rand.Rand }

func (w wild) space() string {
	return []string{"", "", "", " ", "\n", "\r\n", "\t", "\n\n  "}[w.IntN(8)]
}

func (w wild) pick(s ...string) string { return s[w.IntN(len(s))] }

func (w wild) list(open, end string, n int, item func(i int) string) string {
	var b strings.Builder
	b.WriteString(open)
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(w.space() + item(i) + w.space())
	}
	if n == 0 {
		b.WriteString(w.space())
	}
	return b.String() + end
}

func (w wild) object(keys []string, value func(key string) string) string {
	return w.list("{", "}", len(keys), func(i int) string {
		return `"` + keys[i] + `"` + w.space() + ":" + w.space() + value(keys[i])
	})
}

func (w wild) keys(from ...string) []string {
	w.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	return from[:w.IntN(len(from)+1)]
}

func (w wild) value(depth int) string {
	switch n := w.IntN(8); {
	case n == 0 && depth > 0:
		return w.list("[", "]", w.IntN(4), func(int) string { return w.value(depth - 1) })
	case n == 1 && depth > 0:
		return w.object(w.keys("a", "b.c", "*", "hooks", `\"`, "é", ""), func(string) string { return w.value(depth - 1) })
	}
	return w.pick("null", "true", "-1.50e3", "0", `""`, `"x"`, `"\ud83d\ude00 \/ {[,]}"`, `"overseer hook PreToolUse"`, `"managed"`)
}

func (w wild) handlers() string {
	return w.list("[", "]", w.IntN(3), func(int) string {
		return w.object(w.keys("type", "command", "timeout", "_other"), func(string) string { return w.value(1) })
	})
}

func (w wild) groups() string {
	return w.list("[", "]", w.IntN(3), func(int) string {
		return w.object(w.keys("matcher", "hooks", "x"), func(key string) string {
			if key == "hooks" && w.IntN(5) > 0 {
				return w.handlers()
			}
			return w.value(1)
		})
	})
}

func (w wild) settings() string {
	text := w.object(w.keys("a", "hooks", "hooks.x", "permissions", "z"), func(key string) string {
		if key != "hooks" {
			return w.value(3)
		}
		if w.IntN(6) == 0 {
			return "null"
		}
		return w.object(w.keys("PreToolUse", "SessionEnd", "Noise", "Other"), func(string) string {
			if w.IntN(6) == 0 {
				return "null"
			}
			return w.groups()
		})
	})
	return w.pick("", "", bom) + w.space() + text + w.space()
}

// A handler that happens to be ours would rightly be changed.
func isOurs(text string) bool {
	return strings.Contains(text, `"overseer hook PreToolUse"`)
}

func TestRandomSettings(t *testing.T) {
	t.Parallel()
	n := 0
	for seed := range uint64(3000) {
		before := wild{rand.New(rand.NewPCG(seed, 7))}.settings()
		if isOurs(before) {
			continue
		}
		n++
		editRoundTrip(t, before)
		if n%50 == 0 {
			fileRoundTrip(t, before)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %q", seed, before)
		}
	}
	if n < 1500 {
		t.Errorf("only %d settings were tried", n)
	}
}

// edit runs one change of the fake agent's entries on a text.
func edit(t *testing.T, text string, change func(*editor)) string {
	t.Helper()
	doc, err := parse("x", []byte(text), fake{}.Settings())
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	e := &editor{doc: doc, own: ours{binaries: []string{"/opt/bin/overseer"}}, settings: fake{}.Settings()}
	change(e)
	if len(e.changes) == 0 {
		return text
	}
	return string(doc.bytes())
}

func add(binary string) func(*editor) {
	return func(e *editor) { e.install(fake{}, "2.1.400", binary) }
}

// editRoundTrip holds against one settings text all that must be true of any.
func editRoundTrip(t *testing.T, before string) {
	t.Helper()
	after := edit(t, before, add("/opt/bin/overseer"))
	foreignKept(t, before, after)
	if again := edit(t, after, add("/opt/bin/overseer")); again != after {
		t.Errorf("a second install made it %q", again)
	}
	moved := edit(t, after, add("'/other place/overseer'"))
	if want := strings.ReplaceAll(after, "/opt/bin/overseer", "'/other place/overseer'"); moved != want && !strings.Contains(before, "/opt/bin") {
		t.Errorf("another binary\n got %q\nwant %q", moved, want)
	}
	base, err := parse("x", []byte(before), fake{}.Settings())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := edit(t, moved, func(e *editor) { e.remove(base) }), string(base.bytes()); got != want {
		t.Errorf("removed with a backup\n got %q\nwant %q", got, want)
	}
	got := edit(t, moved, func(e *editor) { e.remove(nil) })
	if diff := cmp.Diff(withoutEmptyHooks(t, before), withoutEmptyHooks(t, got)); diff != "" {
		t.Errorf("removed without a backup (-want +got):\n%s", diff)
	}
}

// fileRoundTrip is the same through files.
func fileRoundTrip(t *testing.T, before string) {
	t.Helper()
	s := newScene(t)
	s.write(s.Path, before)
	s.install()
	after := s.read(s.Path)
	if s.install().Changed() || s.read(s.Path) != after {
		t.Errorf("a second install changed the file")
	}
	if st, err := Inspect(s.Target, s.Options); err != nil || len(st.Missing) > 0 || len(st.Entries) != 2 {
		t.Errorf("inspect: %v, missing %v, %d entries", err, st.Missing, len(st.Entries))
	}
	s.Binary = "/other place/overseer"
	s.install()
	s.remove()
	if got := s.read(s.Path); got != before {
		t.Errorf("uninstall\n got %q\nwant %q", got, before)
	}
	if exists(s.backup()) || exists(s.State) {
		t.Errorf("uninstall left %v", s.files())
	}
}

// withoutEmptyHooks decodes settings and drops events and hooks that say nothing.
func withoutEmptyHooks(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	doc, err := parse("x", []byte(text), fake{}.Settings())
	if err == nil {
		err = json.Unmarshal(doc.root.Pack(), &m)
	}
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	hooks, _ := m["hooks"].(map[string]any)
	for event, v := range hooks {
		if groups, ok := v.([]any); v == nil || ok && len(groups) == 0 {
			delete(hooks, event)
		}
	}
	if len(hooks) == 0 {
		delete(m, "hooks")
	}
	return m
}

// foreignKept checks that all that less holds is in more too, in the same
// order, and that more adds only at the end.
func foreignKept(t *testing.T, less, more string) {
	t.Helper()
	var path []string
	var check func(a, b any)
	check = func(a, b any) {
		switch x := a.(type) {
		case ordered:
			y, ok := b.(ordered)
			if !ok || len(y) < len(x) {
				t.Errorf("%v: %v became %v", path, a, b)
				return
			}
			for i := range x {
				if x[i].key != y[i].key {
					t.Errorf("%v: key %q became %q", path, x[i].key, y[i].key)
					return
				}
				path = append(path, x[i].key)
				check(x[i].value, y[i].value)
				path = path[:len(path)-1]
			}
			if len(path) > 2 && len(y) > len(x) {
				t.Errorf("%v: grew to %v", path, y)
			}
		case []any:
			y, ok := b.([]any)
			if !ok || len(y) < len(x) || len(path) != 2 && len(y) > len(x) {
				t.Errorf("%v: %v became %v", path, a, b)
				return
			}
			for i := range x {
				path = append(path, fmt.Sprint(i))
				check(x[i], y[i])
				path = path[:len(path)-1]
			}
		case nil:
			if b != nil && (len(path) > 2 || path[0] != "hooks") {
				t.Errorf("%v: null became %v", path, b)
			}
		default:
			if a != b {
				t.Errorf("%v: %v became %v", path, a, b)
			}
		}
	}
	check(decodeOrdered(t, less), decodeOrdered(t, more))
}

// ordered is a JSON object with its keys as they stand.
type ordered []struct {
	key   string
	value any
}

func decodeOrdered(t *testing.T, text string) any {
	t.Helper()
	text = strings.TrimPrefix(text, bom)
	if strings.TrimSpace(text) == "" {
		return ordered{}
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	token := func() json.Token {
		tok, err := dec.Token()
		if err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		return tok
	}
	var value func() any
	value = func() any {
		tok := token()
		switch tok {
		case json.Delim('{'):
			o := ordered{}
			for dec.More() {
				key := token().(string)
				o = append(o, struct {
					key   string
					value any
				}{key, value()})
			}
			token()
			return o
		case json.Delim('['):
			a := []any{}
			for dec.More() {
				a = append(a, value())
			}
			token()
			return a
		}
		return tok
	}
	return value()
}

func FuzzRoundTrip(f *testing.F) {
	for _, tc := range layouts {
		f.Add(tc.before)
		f.Add(tc.after)
	}
	for seed := range uint64(20) {
		f.Add(wild{rand.New(rand.NewPCG(seed, 9))}.settings())
	}
	f.Add("{\n  // c\n}")
	f.Add(`{"hooks":{"A":[{"hooks":[{"_overseer":"managed"}]}]}}`)
	f.Fuzz(func(t *testing.T, before string) {
		doc, err := parse("x", []byte(before), fake{}.Settings())
		if err != nil {
			return
		}
		if text := strings.TrimPrefix(before, bom); strings.TrimSpace(text) != "" && string(doc.bytes()) != before {
			t.Fatalf("not kept: %q became %q", before, doc.bytes())
		}
		if doc.check() != nil {
			return
		}
		own := ours{binaries: []string{"/opt/bin/overseer"}}
		if !doc.has(own) {
			editRoundTrip(t, before)
			return
		}
		// With entries of ours of any shape: install settles, remove leaves none.
		after := edit(t, before, add("/opt/bin/overseer"))
		if again := edit(t, after, add("/opt/bin/overseer")); again != after {
			t.Errorf("a second install made of %q\n%q", after, again)
		}
		got := edit(t, after, func(e *editor) { e.remove(nil) })
		if doc, err := parse("x", []byte(got), fake{}.Settings()); err != nil || doc.has(own) {
			t.Errorf("after uninstall: %v, %q", err, got)
		}
	})
}

func TestLargeFile(t *testing.T) {
	t.Parallel()
	before := `{"big":[` + strings.Repeat(`{"k":"vvvvvvvvvvvvvvvv","n":[1,2,3]},`, 150_000) + `0],"hooks":{"PreToolUse":[` + `{"hooks":[{"command":"` + strings.Repeat("(", 1<<20) + `"}]}` + `]}}`
	if len(before) < 5<<20 {
		t.Fatalf("only %d bytes", len(before))
	}
	s := newScene(t)
	s.write(s.Path, before)
	s.install()
	after := s.read(s.Path)
	want := before[:len(before)-3] + "," + preTight + `],"SessionEnd":[` + endTight + `]}}`
	if after != want {
		t.Error("the file is not as wanted")
	}
	s.remove()
	if s.read(s.Path) != before {
		t.Error("uninstall did not give the file back")
	}
}
