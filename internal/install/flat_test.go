package install

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/agent"
	_ "github.com/fireharp/overseer/agent/cursor"
	"github.com/fireharp/overseer/internal/hint"
)

// flat is an agent like Cursor with two events of use.
type flat struct{ fake }

func (flat) Name() string  { return "flat" }
func (flat) Title() string { return "Flat Agent" }
func (flat) Capabilities() []agent.Capability {
	return []agent.Capability{
		{Event: "preToolUse", As: "PreToolUse", FailClosed: true},
		{Event: "stop", As: "Stop"},
		{Event: "thought", Skip: "fires for every thought"},
	}
}
func (flat) Settings() agent.Settings {
	return agent.Settings{
		User: ".flat/hooks.json", Project: ".flat/hooks.json", TimeoutSeconds: 30,
		Flat: true, Version: 1, CutsComments: true, FixedEvents: true,
	}
}

func flatScene(t *testing.T) *scene {
	t.Helper()
	s := newScene(t)
	s.Target = UserTarget(flat{}, s.home(), "")
	return s
}

const (
	flatPre  = `{"command": "/opt/bin/overseer hook preToolUse --agent flat", "timeout": 30, "failClosed": true}`
	flatStop = `{"command": "/opt/bin/overseer hook stop --agent flat", "timeout": 30}`
)

var (
	flatPreTight, flatStopTight = tight(flatPre), tight(flatStop)
	flatPreLines                = spread(flatPre, "      ", "  ")
	flatStopLines               = spread(flatStop, "      ", "  ")
	flatFile                    = "{\n  \"version\": 1,\n  \"hooks\": {\n    \"preToolUse\": [\n      " + flatPreLines + "\n    ],\n    \"stop\": [\n      " + flatStopLines + "\n    ]\n  }\n}\n"
)

// flatLayouts are settings before and after an install, to the byte.
var flatLayouts = []struct{ name, before, after string }{
	{"empty file", "", flatFile},
	{"version alone", "{\n  \"version\": 1\n}\n", flatFile},
	{"no version", `{"hooks":{"stop":[{"command":"x"}]}}`,
		`{"hooks":{"stop":[{"command":"x"},` + flatStopTight + `],"preToolUse":[` + flatPreTight + `]},"version":1}`},
	{"version is null", `{"version":null}`,
		`{"version":1,"hooks":{"preToolUse":[` + flatPreTight + `],"stop":[` + flatStopTight + `]}}`},
	{"another version", `{"version":2,"hooks":{}}`,
		`{"version":2,"hooks":{"preToolUse":[` + flatPreTight + `],"stop":[` + flatStopTight + `]}}`},
	{"foreign entries of the same event stay in front",
		"{\n  \"version\": 1,\n  \"hooks\": {\n    \"preToolUse\": [\n      { \"command\": \"./lint.sh\", \"matcher\": \"Shell\" }\n    ],\n    \"afterFileEdit\": [{ \"command\": \"fmt\" }]\n  }\n}\n",
		"{\n  \"version\": 1,\n  \"hooks\": {\n    \"preToolUse\": [\n      { \"command\": \"./lint.sh\", \"matcher\": \"Shell\" },\n      " + flatPreLines + "\n    ],\n    \"afterFileEdit\": [{ \"command\": \"fmt\" }],\n    \"stop\": [\n      " + flatStopLines + "\n    ]\n  }\n}\n"},
	{"hookmon is somebody else", `{"version":1,"hooks":{"stop":[{"command":"/opt/bin/hookmon --agent cursor --log-file /l"}]}}`,
		`{"version":1,"hooks":{"stop":[{"command":"/opt/bin/hookmon --agent cursor --log-file /l"},` + flatStopTight + `],"preToolUse":[` + flatPreTight + `]}}`},
	{"groups and other shapes are none of our business", `{"version":1,"hooks":{"stop":[1,null,"x",{"hooks":[{"command":"/opt/bin/overseer hook stop"}]}]}}`,
		`{"version":1,"hooks":{"stop":[1,null,"x",{"hooks":[{"command":"/opt/bin/overseer hook stop"}]},` + flatStopTight + `],"preToolUse":[` + flatPreTight + `]}}`},
	{"comments",
		"// mine\n{\n  // why\n  \"version\": 1, // one\n  \"hooks\": {\n    // what follows\n    \"stop\": [\n      // first\n      {\"command\": \"x\"} // last\n    ] // end\n  }\n  // over\n}\n// done\n",
		"// mine\n{\n  // why\n  \"version\": 1, // one\n  \"hooks\": {\n    // what follows\n    \"stop\": [\n      // first\n      {\"command\": \"x\"}, // last\n      " + flatStopLines + "\n    ], // end\n    \"preToolUse\": [\n      " + flatPreLines + "\n    ]\n  }\n  // over\n}\n// done\n"},
	{"nothing but comments", "{\n  // to do\n}\n",
		"{\n  // to do\n  \"version\": 1,\n" + strings.TrimPrefix(flatFile, "{\n  \"version\": 1,\n")},
	{"a comment on one line", "{\"version\":1 // one\n}",
		"{\"version\":1, // one\n\"hooks\":" + strings.ReplaceAll(spread(`{"preToolUse":[`+flatPre+`],"stop":[`+flatStop+`]}`, "", "  "), `": `, `":`) + "\n}"},
}

func TestFlatInstallWritesTheseBytes(t *testing.T) {
	t.Parallel()
	for _, tc := range flatLayouts {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := flatScene(t)
			s.write(s.Path, tc.before)
			s.install()
			if diff := cmp.Diff(tc.after, s.read(s.Path)); diff != "" {
				t.Fatalf("install (-want +got):\n%s", diff)
			}
			if p := s.install(); p.Changed() || len(p.Changes) > 0 {
				t.Errorf("a second install changes: %v", p.Changes)
			}
			st, err := Inspect(s.Target, s.Options)
			if err != nil || len(st.Entries) != 2 || len(st.Missing) > 0 {
				t.Errorf("inspect: %v, entries %v, missing %v", err, st.Entries, st.Missing)
			}
			s.remove()
			if diff := cmp.Diff(tc.before, s.read(s.Path)); diff != "" {
				t.Errorf("uninstall (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{".flat", ".flat/hooks.json"}, s.files()); diff != "" {
				t.Errorf("left behind (-want +got):\n%s", diff)
			}
		})
	}
}

// Where there was no file, none is left, also if somebody has written it anew.
func TestFlatRemoveOwnFile(t *testing.T) {
	t.Parallel()
	for _, rewritten := range []bool{false, true} {
		s := flatScene(t)
		s.install()
		if diff := cmp.Diff(flatFile, s.read(s.Path)); diff != "" {
			t.Errorf("install (-want +got):\n%s", diff)
		}
		if rewritten {
			s.write(s.Path, strings.ReplaceAll(flatFile, "  ", "\t"))
		}
		s.remove()
		if left := s.files(); len(left) > 0 {
			t.Errorf("rewritten %v: left %v", rewritten, left)
		}
	}
}

// What came since the install stays, and so does the version that it needs.
func TestFlatRemoveKeepsLaterChanges(t *testing.T) {
	t.Parallel()
	s := flatScene(t)
	s.install()
	s.write(s.Path, strings.Replace(flatFile, flatStopLines, "// later\n      {\"command\": \"x\"}, // more\n      "+flatStopLines+" // ours", 1))
	s.remove()
	want := "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      // later\n      {\"command\": \"x\"} // more // ours\n    ]\n  }\n}\n"
	if diff := cmp.Diff(want, s.read(s.Path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Entries of ours that differ are mended in their place.
func TestFlatUpdates(t *testing.T) {
	t.Parallel()
	const file = `{"version":1,"hooks":{"preToolUse":[%s],"stop":[` + `{"command":"/opt/bin/overseer hook stop --agent flat","timeout":30}` + `]}}`
	tests := []struct{ name, entries, want, change string }{
		{"a matcher goes", `{"matcher":"Shell","command":"/opt/bin/overseer hook preToolUse --agent flat","timeout":30,"failClosed":true},{"command":"x","matcher":"Shell"}`,
			flatPreTight + `,{"command":"x","matcher":"Shell"}`, "preToolUse: matcher updated"},
		{"a matcher that is no expression", `{"command":"/opt/bin/overseer hook preToolUse --agent flat","timeout":30,"failClosed":true,"matcher":"*"}`,
			flatPreTight, "preToolUse: matcher updated"},
		{"open at failure", `{"command":"/opt/bin/overseer hook preToolUse --agent flat","timeout":30,"failClosed":false}`,
			flatPreTight, "preToolUse: failClosed updated"},
		{"failure not thought of", `{"command":"/opt/bin/overseer hook preToolUse --agent flat","timeout":30}`,
			flatPreTight, "preToolUse: failClosed updated"},
		{"another place", `{"command":"'/a b/overseer' hook preToolUse --agent flat","timeout":30,"failClosed":true}`,
			flatPreTight, "preToolUse: command updated"},
		{"twice", flatPreTight + `,{"command":"x"},` + flatPreTight, flatPreTight + `,{"command":"x"}`,
			"preToolUse: 1 removed that would run twice or not for every tool"},
		{"of the form of other agents", `{"type":"command","command":"/opt/bin/overseer hook preToolUse --agent flat","timeout":30,"failClosed":true,"_overseer":"managed"}`,
			flatPreTight, "preToolUse: type, _overseer updated"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := flatScene(t)
			s.write(s.Path, fmt.Sprintf(file, tt.entries))
			p := s.install()
			if diff := cmp.Diff(fmt.Sprintf(file, tt.want), s.read(s.Path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{tt.change}, p.Changes); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFlatSkippedEventGoes(t *testing.T) {
	t.Parallel()
	s := flatScene(t)
	s.write(s.Path, `{"version":1,"hooks":{"thought":[{"command":"/opt/bin/overseer hook thought --agent flat"},{"command":"x"}]}}`)
	s.install()
	if got := s.read(s.Path); !strings.HasPrefix(got, `{"version":1,"hooks":{"thought":[{"command":"x"}],`) {
		t.Error(got)
	}
}

// TestFlatFaults: what makes the agent ignore the file is said, by install too.
func TestFlatFaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file, fault, warning string }{
		{"nothing is wrong", flatFile, "", ""},
		{"an empty file", `{}`, "", ""},
		{"no version", `{"hooks":{}}`, "{path}: Flat Agent ignores the whole file, which has no version", "-"},
		{"a version of another type", `{"version":"1","hooks":{}}`, `{path}:1:12: Flat Agent ignores the whole file for its version "1"`, ""},
		{"a version below one", `{"version":0}`, `{path}:1:12: Flat Agent ignores the whole file for its version 0`, ""},
		{"a broken version", `{"version":1.5}`, `{path}:1:12: Flat Agent ignores the whole file for its version 1.5`, ""},
		{"an event that it does not know", "{\"version\":1,\n\"hooks\":{\"PreToolUse\":[]}}", `{path}:2:10: Flat Agent rejects the whole file for an event that it does not know: "PreToolUse"`, ""},
		{"an address in a command", "{\"version\":1,\"hooks\":{\"stop\":[ // fine\n{\"command\":\"curl http://x\"}]}}",
			`{path}:2:23: Flat Agent drops everything from "//" to the end of the line, within strings too, and so rejects the whole file`, ""},
		{"an address behind a quote", `{"version":1,"a":"\"//"}`,
			`{path}:1:21: Flat Agent drops everything from "//" to the end of the line, within strings too, and so rejects the whole file`, ""},
		{"events of a wrong shape", `{"version":1,"hooks":[]}`, "-", "-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := flatScene(t)
			s.write(s.Path, tt.file)
			st, err := Inspect(s.Target, s.Options)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range st.Faults {
				if len(f.Events) == 0 {
					got = append(got, strings.ReplaceAll(f.At+": "+f.Text, s.Path, "{path}"))
				}
			}
			var want []string
			switch tt.fault {
			case "":
			case "-":
				if len(got) != 1 {
					t.Fatalf("faults %q", got)
				}
				return
			default:
				want = []string{tt.fault}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if tt.warning == "-" {
				return
			}
			p, err := PlanInstall(s.Target, s.Options)
			if err != nil || len(p.Warnings) != len(want) {
				t.Errorf("%v, warnings %q", err, p.Warnings)
			}
		})
	}
}

// TestFlatRefuses: a file that the agent could not read either is left alone.
func TestFlatRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, err string }{
		{"{\"version\":1, // a\n}", ":2:1: not valid JSON"},
		{"{\"version\":1 /* a */}", ":1:14: not valid JSON"},
		{"{\"version\":1,}", ":1:14: not valid JSON"},
		{"{\"hooks\":{\"stop\":{}}}", "hooks.stop is an object, want an array"},
		{"# x\n{}", ":1:1: not valid JSON"},
		{"{\"a\":\"\\\n// \"}", ":1:8: not valid JSON"},
	} {
		s := flatScene(t)
		s.write(s.Path, tt.file)
		_, err := PlanInstall(s.Target, s.Options)
		if err == nil || !strings.Contains(err.Error(), tt.err) || len(hint.Of(err)) == 0 {
			t.Errorf("%q: %v %q", tt.file, err, hint.Of(err))
		}
	}
}

// TestFlatRoundTrip makes settings with comments at random: neither an install nor
// a removal without a backup loses a comment or anything of others.
func TestFlatRoundTrip(t *testing.T) {
	t.Parallel()
	tried := 0
	for seed := range uint64(1500) {
		before := withComments(rand.New(rand.NewPCG(seed, 3)))
		tried++
		for _, step := range []func(*editor){
			func(e *editor) { e.install(flat{}, "", "/opt/bin/overseer") },
			func(e *editor) { e.remove(nil) },
		} {
			after := flatEdit(t, before, step)
			for _, c := range regexp.MustCompile(`//c\d+\.`).FindAllString(before, -1) {
				if strings.Count(after, c) != 1 {
					t.Errorf("seed %d: %s stands %d times in\n%s\nwhich was\n%s", seed, c, strings.Count(after, c), after, before)
				}
			}
			if diff := cmp.Diff(foreigners(t, before), foreigners(t, after)); diff != "" {
				t.Errorf("seed %d: (-before +after):\n%s\n%s\nbecame\n%s", seed, diff, before, after)
			}
			if again := flatEdit(t, after, step); again != after {
				t.Errorf("seed %d: once more\n%s\nbecame\n%s", seed, after, again)
			}
			if t.Failed() {
				return
			}
			before = after
		}
		doc, err := parse("x", []byte(before), flat{}.Settings())
		if err != nil || doc.has(ours{}) {
			t.Fatalf("seed %d: %v, left in\n%s", seed, err, before)
		}
	}
	if tried < 1500 {
		t.Errorf("%d tried", tried)
	}
}

func flatEdit(t *testing.T, text string, change func(*editor)) string {
	t.Helper()
	doc, err := parse("x", []byte(text), flat{}.Settings())
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	e := &editor{doc: doc, settings: flat{}.Settings()}
	change(e)
	out := string(doc.bytes())
	if len(e.changes) == 0 && out != text {
		t.Errorf("changed without saying so:\n%s\n%s", text, out)
	}
	return out
}

// withComments writes settings with comments on and between their lines. What
// stands within an entry of ours is ours.
func withComments(r *rand.Rand) string {
	entries := []string{`{"command":"x"}`, `{"command":"y","matcher":"Shell"}`, flatPreTight, flatStopTight, `{}`, `1`}
	lines := []string{"{"}
	list := func(open, end string, n int, item func(i int)) {
		lines = append(lines, open)
		for i := range n {
			item(i)
			if i < n-1 {
				lines[len(lines)-1] += ","
			}
		}
		lines = append(lines, end)
	}
	names := []string{"preToolUse", "stop", "thought"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	members := []string{"version", "hooks", "a"}[r.IntN(2):]
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	list("", "}", len(members), func(i int) {
		switch members[i] {
		case "hooks":
			list(`"hooks":{`, "}", r.IntN(4), func(i int) {
				list(fmt.Sprintf("%q:[", names[i]), "]", r.IntN(4), func(int) {
					lines = append(lines, entries[r.IntN(len(entries))])
				})
			})
		case "version":
			lines = append(lines, `"version": 1`)
		default:
			lines = append(lines, `"a":[1,2]`)
		}
	})
	often, n := 1+r.IntN(6), 0
	comment := func() string {
		if r.IntN(often) > 0 {
			return ""
		}
		n++
		return fmt.Sprintf("%*s//c%d.", r.IntN(4), "", n)
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line + comment())
		if c := comment(); c != "" {
			b.WriteString("\n" + c)
		}
		b.WriteString([]string{"\n", "\n  "}[r.IntN(2)])
	}
	if r.IntN(3) == 0 {
		return strings.TrimSpace(b.String())
	}
	return b.String()
}

// foreigners are the settings without comments, without what is ours, and without
// what is empty.
func foreigners(t *testing.T, text string) map[string]any {
	t.Helper()
	strict, _ := blankComments([]byte(text))
	var m map[string]any
	if err := json.Unmarshal(strict, &m); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	delete(m, "version")
	hooks, _ := m["hooks"].(map[string]any)
	for name, list := range hooks {
		var kept []any
		for _, v := range list.([]any) {
			if h, ok := v.(map[string]any); !ok || !strings.Contains(fmt.Sprint(h["command"]), "overseer") {
				kept = append(kept, v)
			}
		}
		if hooks[name] = kept; len(kept) == 0 {
			delete(hooks, name)
		}
	}
	if len(hooks) == 0 {
		delete(m, "hooks")
	}
	return m
}

// TestCursor installs for Cursor itself: exactly its events, the version, and
// failClosed where something can be stopped before it runs.
func TestCursor(t *testing.T) {
	t.Parallel()
	p, err := agent.Lookup("cursor")
	if err != nil {
		t.Fatal(err)
	}
	closed := map[string]bool{
		"preToolUse": true, "beforeShellExecution": true, "beforeMCPExecution": true,
		"beforeReadFile": true, "beforeTabFileRead": true, "subagentStart": true,
	}
	open := []string{
		"postToolUse", "postToolUseFailure", "afterTabFileEdit", "beforeSubmitPrompt", "sessionStart", "sessionEnd",
		"stop", "subagentStop", "preCompact", "afterAgentResponse",
	}
	s := newScene(t)
	s.Target = UserTarget(p, s.home(), "")
	s.Binary = "/opt//bin///overseer"
	if want := s.home() + "/.cursor/hooks.json"; posix && s.Path != want {
		t.Errorf("file %s, want %s", s.Path, want)
	}
	s.install()
	type entry struct {
		Command    string `json:"command"`
		Timeout    int    `json:"timeout"`
		FailClosed bool   `json:"failClosed,omitempty"`
	}
	type file struct {
		Version int                `json:"version"`
		Hooks   map[string][]entry `json:"hooks"`
	}
	want := file{1, map[string][]entry{}}
	for name := range closed {
		want.Hooks[name] = []entry{{"/opt/bin/overseer hook " + name + " --agent cursor", 30, true}}
	}
	for _, name := range open {
		want.Hooks[name] = []entry{{"/opt/bin/overseer hook " + name + " --agent cursor", 30, false}}
	}
	text := s.read(s.Path)
	var got file
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Contains(text, "//") {
		t.Error("the file has a //, which Cursor takes for a comment")
	}
	if s.install().Changed() {
		t.Error("a second install changes the file")
	}
	s.remove()
	if left := s.files(); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	// The example of its documents, by another hand, stays.
	const theirs = "{\n  \"version\": 1,\n  \"hooks\": {\n    \"afterFileEdit\": [{ \"command\": \"./hooks/format.sh\" }]\n  }\n}\n"
	s.write(s.Path, theirs)
	s.install()
	if err := os.Remove(s.State); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.backup()); err != nil {
		t.Fatal(err)
	}
	s.remove()
	if diff := cmp.Diff(theirs, s.read(s.Path)); diff != "" {
		t.Errorf("without a backup (-want +got):\n%s", diff)
	}
}
