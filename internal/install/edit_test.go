package install

import (
	"bytes"
	"encoding/json"
	"fmt"
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
