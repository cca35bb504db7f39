package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/hint"
)

// The entries of the fake agent in three ways of writing.
const (
	preLine = `{"matcher": "*", "hooks": [{"type": "command", "command": "/opt/bin/overseer hook PreToolUse --agent fake", "timeout": 30, "_overseer": "managed"}]}`
	endLine = `{"hooks": [{"type": "command", "command": "/opt/bin/overseer hook SessionEnd --agent fake", "timeout": 3, "_overseer": "managed"}]}`
)

var (
	preTight = tight(preLine)
	endTight = tight(endLine)
)

func tight(s string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(s)); err != nil {
		panic(err)
	}
	return b.String()
}

func spread(s, prefix, indent string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(s), prefix, indent); err != nil {
		panic(err)
	}
	return b.String()
}

// layouts are settings before and after an install, to the byte.
var layouts = []struct {
	name, before, after string
}{
	{
		"empty file", "",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      " + spread(preLine, "      ", "  ") + "\n    ],\n    \"SessionEnd\": [\n      " + spread(endLine, "      ", "  ") + "\n    ]\n  }\n}\n",
	},
	{
		"white space only", " \n\n",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      " + spread(preLine, "      ", "  ") + "\n    ],\n    \"SessionEnd\": [\n      " + spread(endLine, "      ", "  ") + "\n    ]\n  }\n}\n",
	},
	{
		"empty object without a final newline", "{}",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      " + spread(preLine, "      ", "  ") + "\n    ],\n    \"SessionEnd\": [\n      " + spread(endLine, "      ", "  ") + "\n    ]\n  }\n}",
	},
	{
		"four spaces, other keys keep place and order",
		"{\n    \"z\": 1.50,\n    \"a\": [1,2,   3],\n    \"model\": \"opus\"\n}\n",
		"{\n    \"z\": 1.50,\n    \"a\": [1,2,   3],\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"PreToolUse\": [\n            " + spread(preLine, "            ", "    ") + "\n        ],\n        \"SessionEnd\": [\n            " + spread(endLine, "            ", "    ") + "\n        ]\n    }\n}\n",
	},
	{
		"tabs and CRLF", "{\r\n\t\"a\": 1\r\n}\r\n",
		strings.ReplaceAll("{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t"+spread(preLine, "\t\t\t", "\t")+"\n\t\t],\n\t\t\"SessionEnd\": [\n\t\t\t"+spread(endLine, "\t\t\t", "\t")+"\n\t\t]\n\t}\n}\n", "\n", "\r\n"),
	},
	{
		"byte order mark, on one line", bom + `{"a": 1}`,
		bom + `{"a": 1, "hooks": {"PreToolUse": [` + preLine + `], "SessionEnd": [` + endLine + `]}}`,
	},
	{
		"minified", `{"a":1}`,
		`{"a":1,"hooks":{"PreToolUse":[` + preTight + `],"SessionEnd":[` + endTight + `]}}`,
	},
	{
		"padded on one line", `{ "a": 1, "b": 2 }`,
		`{ "a": 1, "b": 2, "hooks": {"PreToolUse": [` + preLine + `], "SessionEnd": [` + endLine + `]} }`,
	},
	{
		"hooks is empty", "{\n  \"hooks\": {},\n  \"b\": 2\n}",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      " + spread(preLine, "      ", "  ") + "\n    ],\n    \"SessionEnd\": [\n      " + spread(endLine, "      ", "  ") + "\n    ]\n  },\n  \"b\": 2\n}",
	},
	{
		"hooks is null, minified", `{"hooks":null}`,
		`{"hooks":{"PreToolUse":[` + preTight + `],"SessionEnd":[` + endTight + `]}}`,
	},
	{
		"an event is empty, another null", `{"hooks":{"SessionEnd": [ ],"PreToolUse":null}}`,
		`{"hooks":{"SessionEnd": [` + endTight + `],"PreToolUse":[` + preTight + `]}}`,
	},
	{
		"foreign hooks of the same event stay in front",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}]}\n    ]\n  }\n}\n",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}]},\n      " + spread(preLine, "      ", "  ") + "\n    ],\n    \"SessionEnd\": [\n      " + spread(endLine, "      ", "  ") + "\n    ]\n  }\n}\n",
	},
	{
		"braces share lines with brackets",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [{\n      \"hooks\": []\n    }]\n  }\n}\n",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [{\n      \"hooks\": []\n    }, " + spread(preLine, "    ", "  ") + "],\n    \"SessionEnd\": [\n      " + spread(endLine, "      ", "  ") + "\n    ]\n  }\n}\n",
	},
	{
		"keys with odd characters",
		`{"hooks.PreToolUse":[],"*":{"?":1},"a|b":"\u0000","":"\ud800","#":0,"@this":"` + "\u2028" + `"}`,
		`{"hooks.PreToolUse":[],"*":{"?":1},"a|b":"\u0000","":"\ud800","#":0,"@this":"` + "\u2028" + `","hooks":{"PreToolUse":[` + preTight + `],"SessionEnd":[` + endTight + `]}}`,
	},
	{
		"the key is spelled with an escape", `{"\u0068ooks":{"Pre\u0054oolUse":[]}}`,
		`{"\u0068ooks":{"Pre\u0054oolUse":[` + preTight + `],"SessionEnd":[` + endTight + `]}}`,
	},
	{
		"unknown events and misshapen groups are none of our business",
		`{"hooks":{"Other":[1,"x",{"hooks":3},{"hooks":[null]}],"PreToolUse":["x",[]]}}`,
		`{"hooks":{"Other":[1,"x",{"hooks":3},{"hooks":[null]}],"PreToolUse":["x",[],` + preTight + `],"SessionEnd":[` + endTight + `]}}`,
	},
	{
		"invalid UTF-8 elsewhere", "{\"a\":\"\xff\xfe\"}",
		"{\"a\":\"\xff\xfe\",\"hooks\":{\"PreToolUse\":[" + preTight + "],\"SessionEnd\":[" + endTight + "]}}",
	},
	{
		"a key twice that is not ours", `{"a":1,"a":2}`,
		`{"a":1,"a":2,"hooks":{"PreToolUse":[` + preTight + `],"SessionEnd":[` + endTight + `]}}`,
	},
	{
		"no indentation, spaces before colons and blank lines",
		"\n{\n\n\"a\" : 1,\n\n\"b\" : 2\n\n}\n\n",
		"\n{\n\n\"a\" : 1,\n\n\"b\" : 2,\n\"hooks\" : {\n\"PreToolUse\" : [\n" + strings.ReplaceAll(spread(preLine, "", ""), `": `, `" : `) + "\n],\n\"SessionEnd\" : [\n" + strings.ReplaceAll(spread(endLine, "", ""), `": `, `" : `) + "\n]\n}\n\n}\n\n",
	},
}

func TestInstallWritesTheseBytes(t *testing.T) {
	t.Parallel()
	for _, tc := range layouts {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.write(s.Path, tc.before)
			s.install()
			if diff := cmp.Diff(tc.after, s.read(s.Path)); diff != "" {
				t.Fatalf("install (-want +got):\n%s", diff)
			}
			if got := s.read(s.backup()); got != tc.before {
				t.Errorf("backup = %q", got)
			}
			if p := s.install(); p.Changed() || len(p.Changes) > 0 || p.Diff() != "" {
				t.Errorf("a second install changes: %v", p.Changes)
			}
			if got := s.read(s.Path); got != tc.after {
				t.Errorf("a second install wrote %q", got)
			}
			s.remove()
			if diff := cmp.Diff(tc.before, s.read(s.Path)); diff != "" {
				t.Errorf("uninstall (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{".fake", ".fake/settings.json"}, s.files()); diff != "" {
				t.Errorf("left behind (-want +got):\n%s", diff)
			}
		})
	}
}

// Without the state file, the backup alone must do; an empty file then becomes
// an empty object.
func TestRemoveWithoutState(t *testing.T) {
	t.Parallel()
	for _, tc := range layouts {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.write(s.Path, tc.before)
			s.install()
			os.Remove(s.State)
			s.remove()
			want := tc.before
			if strings.TrimSpace(want) == "" {
				want = "{}\n"
			}
			if diff := cmp.Diff(want, s.read(s.Path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What the person or the agent wrote since the install stays, and looks as if
// overseer had never been there.
func TestRemoveKeepsLaterChanges(t *testing.T) {
	t.Parallel()
	for _, tc := range layouts {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			edit := func(text string) string {
				i := strings.LastIndexByte(text, '}')
				head := strings.TrimRight(text[:i], " \t\r\n")
				return head + `, "later": true` + text[len(head):]
			}
			s := newScene(t)
			s.write(s.Path, tc.before)
			s.install()
			s.write(s.Path, edit(s.read(s.Path)))
			s.install() // must not take the present state for the one to give back
			s.remove()
			got := s.read(s.Path)
			if strings.TrimSpace(strings.TrimPrefix(tc.before, bom)) == "" || tc.before == "{}" {
				// Nothing tells what the white space would have been.
				if !jsonEqual(t, got, `{"later":true}`) {
					t.Errorf("got %q", got)
				}
				return
			}
			if diff := cmp.Diff(edit(tc.before), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := s.read(s.backup()); got != tc.before {
				t.Errorf("backup = %q", got)
			}
		})
	}
}

// Claude Code writes its settings anew when the person says "don't ask again":
// unknown keys of handlers go and the keys get an order of its own.
func TestRemoveAfterTheAgentsRewrite(t *testing.T) {
	t.Parallel()
	const original = `{"model": "x", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}]}}`
	rewrite := func(text string) string {
		var m map[string]any
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		m["permissions"] = map[string]any{"allow": []string{"Bash(ls)"}}
		b, err := json.MarshalIndent(m, "", "  ") // sorts the keys
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(b), "\"_overseer\": \"managed\",\n", "\n") + "\n"
	}
	for _, lost := range []bool{false, true} {
		s := newScene(t)
		s.write(s.Path, original)
		s.install()
		after := rewrite(s.read(s.Path))
		if strings.Contains(after, "managed") {
			t.Fatal("the marker is still there")
		}
		s.write(s.Path, after)
		if lost {
			os.Remove(s.State)
		}
		if p := s.install(); p.Changed() {
			t.Errorf("install after the rewrite: %v", p.Changes)
		}
		s.remove()
		if diff := cmp.Diff(rewrite(original), s.read(s.Path)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A file of a cloned repo must not be able to steer the terminal.
func TestTextIsPrintable(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.write(s.Path, `{"hooks":{"\u001b[2J":[{"matcher":"\u0007","hooks":[{"command":"/\u001bx/overseer hook","timeout":"\u009b"}]}],"PreToolUse":[{"matcher":"\u0007","hooks":[{"command":"/\u001bx/overseer hook","t\u009b":1}]}]}}`)
	st, err := Inspect(s.Target, s.Options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := PlanInstall(s.Target, s.Options)
	if err != nil {
		t.Fatal(err)
	}
	lines := append(p.Changes, p.Warnings...)
	for _, f := range st.Faults {
		lines = append(lines, f.Text)
	}
	if len(lines) < 6 {
		t.Errorf("only %q", lines)
	}
	for _, l := range lines {
		if strings.ContainsAny(l, "\x1b\a\u009b") {
			t.Errorf("control character in %q", l)
		}
	}
	s.write(s.Path, `{"hooks":{"\u001b":1}}`)
	if _, err := PlanInstall(s.Target, s.Options); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("error = %q", err)
	}
}

func jsonEqual(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	for s, v := range map[string]*any{a: &x, b: &y} {
		if err := json.Unmarshal([]byte(strings.TrimPrefix(s, bom)), v); err != nil {
			t.Fatalf("%v in %q", err, s)
		}
	}
	return cmp.Equal(x, y)
}

func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before, want, hint string
	}{
		{"comment", "{\n  // mine\n}", "PATH:2:3: not valid JSON, nothing is changed: invalid character '/' looking for beginning of object key string", "take it out"},
		{"trailing comma", "{\"a\": 1,}", "PATH:1:9: not valid JSON, nothing is changed: invalid character '}' looking for beginning of object key string", "take it out"},
		{"column counts characters", "{\"ä€😀\": x}", "PATH:1:9: not valid JSON, nothing is changed: invalid character 'x' looking for beginning of value", "mend"},
		{"cut off", "{\"a\": [1,\n", "PATH:2:1: not valid JSON, nothing is changed: unexpected end of JSON input", "mend"},
		{"cut off in a string", "{\"a", "PATH:1:4: not valid JSON, nothing is changed: unexpected end of JSON input", "mend"},
		{"two documents", "{} {}", "PATH:1:4: not valid JSON, nothing is changed: invalid character '{' after top-level value", "mend"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "PATH:1:1: not valid JSON, nothing is changed: invalid character 'ÿ' looking for beginning of value", "UTF-8"},
		{"zeros after a crash", "\x00\x00\x00", "PATH:1:1: not valid JSON, nothing is changed: invalid character '\\x00' looking for beginning of value", "mend"},
		{"after a byte order mark", bom + "[", "PATH:1:2: not valid JSON, nothing is changed: unexpected end of JSON input", "mend"},
		{"not an object", "\n []", "PATH:2:2: settings are an array, want an object", ""},
		{"hooks is a list", `{"hooks": []}`, "PATH:1:11: hooks is an array, want an object", "mend"},
		{"event is an object", "{\"hooks\": {\n\"PreToolUse\": {}}}", "PATH:2:15: hooks.PreToolUse is an object, want an array", "mend"},
		{"foreign event is a string", `{"hooks": {"X": "y"}}`, "PATH:1:17: hooks.X is a string, want an array", "mend"},
		{"hooks twice", `{"hooks": {}, "\u0068ooks": {}}`, "PATH:1:15: hooks stands twice in the file", "merge"},
		{"event twice", `{"hooks": {"A": [], "A": []}}`, "PATH:1:21: hooks.A stands twice in the file", "merge"},
		{"too deep", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "PATH:1:10001: not valid JSON, nothing is changed: invalid character '[' exceeded max depth", ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.write(s.Path, tc.before)
			_, err := PlanInstall(s.Target, s.Options)
			if err == nil {
				t.Fatal("no error")
			}
			if got := strings.ReplaceAll(err.Error(), s.Path, "PATH"); got != tc.want {
				t.Errorf("error\n got %s\nwant %s", got, tc.want)
			}
			if got := strings.Join(hint.Of(err), "\n"); !strings.Contains(got, tc.hint) {
				t.Errorf("hint = %q, want %q in it", got, tc.hint)
			}
			if got := s.read(s.Path); got != tc.before {
				t.Errorf("the file became %q", got)
			}
		})
	}
}

// own entries in states that install has to mend; each must end with the
// wanted bytes in one go.
func TestReinstall(t *testing.T) {
	t.Parallel()
	old := strings.ReplaceAll(preTight, "/opt/bin/overseer", "/old/overseer")
	bare := strings.ReplaceAll(preTight, `,"_overseer":"managed"`, "") // as Claude Code leaves it
	lint := `{"type":"command","command":"lint"}`
	oldHandler := `{"type":"command","command":"/old/overseer hook PreToolUse --agent fake","timeout":30}`
	newHandler := strings.ReplaceAll(oldHandler, "/old/", "/opt/bin/")
	marked := strings.TrimSuffix(newHandler, "}") + `,"_overseer":"managed"}`
	tests := []struct {
		name, before, after string // the array of PreToolUse
		changes             []string
	}{
		{"as install wrote it", "[" + preTight + "]", "[" + preTight + "]", nil},
		{"marker stripped: left alone", "[" + bare + "]", "[" + bare + "]", nil},
		{"keys in another order: left alone",
			`[{"hooks":[{"timeout":30,"command":"/opt/bin/overseer hook PreToolUse --agent fake","type":"command"}],"matcher":"*"}]`,
			`[{"hooks":[{"timeout":30,"command":"/opt/bin/overseer hook PreToolUse --agent fake","type":"command"}],"matcher":"*"}]`, nil},
		{"new path, in its place", `[{"hooks":[` + lint + `]},` + old + `,{"hooks":[` + lint + `]}]`,
			`[{"hooks":[` + lint + `]},` + preTight + `,{"hooks":[` + lint + `]}]`, []string{"PreToolUse: command updated"}},
		{"in a group with others, marker comes back with an update", `[{"hooks":[` + lint + `, ` + oldHandler + `, ` + lint + `]}]`,
			`[{"hooks":[` + lint + `, ` + marked + `, ` + lint + `]}]`, []string{"PreToolUse: command updated"}},
		{"weakened by hand", `[{"matcher":"Bash","hooks":[{"async":true,"type":"command","command":"true","timeout":30.0,"_overseer":"managed","if":"Bash(ls)"}]}]`,
			`[{"matcher":"*","hooks":[{"type":"command","command":"/opt/bin/overseer hook PreToolUse --agent fake","timeout":30,"_overseer":"managed"}]}]`,
			[]string{`PreToolUse: matcher "Bash" widened to every tool`, "PreToolUse: async, command, timeout, if updated"}},
		{"matcher of a wrong type", `[{"matcher":{"tool": "Bash"},"hooks":[` + newHandler + `]}]`,
			`[{"matcher":"*","hooks":[` + newHandler + `]}]`, []string{`PreToolUse: matcher "{\"tool\": \"Bash\"}" widened to every tool`}},
		{"a key twice in the handler", `[{"hooks":[{"command":"x","type":"command","command":"/opt/bin/overseer hook PreToolUse","timeout":30}]}]`,
			`[{"hooks":[{"type":"command","command":"/opt/bin/overseer hook PreToolUse --agent fake","timeout":30,"_overseer":"managed"}]}]`,
			[]string{"PreToolUse: command, command updated"}},
		{"moved into a narrow foreign group", `[{"matcher":"Bash","hooks":[` + lint + `,` + marked + `]}]`,
			`[{"matcher":"Bash","hooks":[` + lint + `]},` + preTight + `]`,
			[]string{"PreToolUse: 1 removed that would run twice or not for every tool", "PreToolUse: added"}},
		{"twice", "[" + old + "," + preTight + "]", "[" + preTight + "]",
			[]string{"PreToolUse: command updated", "PreToolUse: 1 removed that would run twice or not for every tool"}},
		{"three in one group", `[{"hooks":[` + oldHandler + `,` + oldHandler + `,` + oldHandler + `]}]`, `[{"hooks":[` + marked + `]}]`,
			[]string{"PreToolUse: command updated", "PreToolUse: 2 removed that would run twice or not for every tool"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			wrap := func(pre string) string { return `{"hooks":{"PreToolUse":` + pre + `,"SessionEnd":[` + endTight + `]}}` }
			s.write(s.Path, wrap(tc.before))
			p := s.install()
			if diff := cmp.Diff(wrap(tc.after), s.read(s.Path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.changes, p.Changes); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if p := s.install(); len(p.Changes) > 0 {
				t.Errorf("again: %v", p.Changes)
			}
		})
	}
}

func TestEventsByVersion(t *testing.T) {
	t.Parallel()
	late := strings.ReplaceAll(endTight, "SessionEnd", "Late")
	noise := strings.ReplaceAll(endTight, "SessionEnd", "Noise")
	tests := []struct {
		version string
		had     bool // Late and Noise stand in the file
		want    string
	}{
		{"", false, ""},
		{"2.1.197 (Claude Code)", false, ""},
		{"2.1.300", false, "Late: added"},
		{"v2.2", false, "Late: added"},
		{"2.1.300-beta.1", false, ""},
		{"unknown", false, ""},
		{"2.1.99999999999999999999", false, ""},
		{"", true, "Noise: removed"},
		{"2.1.299", true, "Late: removed, Noise: removed"},
		{"10.0.0", true, "Noise: removed, Late: timeout updated"},
	}
	for _, tc := range tests {
		t.Run(fmt.Sprint(tc.version, tc.had), func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.AgentVersion = tc.version
			text := `{"hooks":{"PreToolUse":[` + preTight + `],"SessionEnd":[` + endTight + `]`
			if tc.had {
				text += `,"Noise":[` + noise + `],"Late":[` + late + `]`
			}
			s.write(s.Path, text+"}}")
			got := strings.Join(s.install().Changes, ", ")
			if tc.version == "" && tc.had {
				got = strings.TrimSuffix(got, ", Late: timeout updated")
			}
			if got != tc.want {
				t.Errorf("changes = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestStatusMessageAndPositions(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.Provider = strict{}
	s.write(s.Path, `{"description":"mine"}`)
	s.install()
	text := s.read(s.Path)
	want := `"timeout":30,"statusMessage":"overseer","_overseer":"managed"}`
	if !strings.Contains(text, want) {
		t.Errorf("no %s in %s", want, text)
	}
	// Someone else's hook behind ours moves up when ours goes.
	s.write(s.Path, strings.Replace(text, `}]}],"SessionEnd"`, `}]},{"hooks":[{"type":"command","command":"lint"}]}],"SessionEnd"`, 1))
	p := s.remove()
	if len(p.Warnings) == 0 || !strings.HasPrefix(p.Warnings[0], "PreToolUse: the hooks behind overseer's moved up") {
		t.Errorf("warnings = %q", p.Warnings)
	}
	if got, want := s.read(s.Path), `{"description":"mine","hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"lint"}]}]}}`; got != want {
		t.Errorf("got %s", got)
	}
}

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
