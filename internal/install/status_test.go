package install

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/agent"
)

func TestInspect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		provider agent.Provider
		scope    string
		text     string // BIN is a program that can be run
		entries  []Entry
		missing  []string
		faults   []Fault
	}{
		{name: "no file", missing: []string{"PreToolUse", "SessionEnd"}},
		{name: "empty", text: "{}", missing: []string{"PreToolUse", "SessionEnd"}},
		{
			name: "all well",
			text: "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[]},\n {\"matcher\":\"*\",\"hooks\":[{\"type\":\"command\",\"command\":\"BIN hook PreToolUse --agent fake\",\"timeout\":30,\"_overseer\":\"managed\"}]}],\n\"SessionEnd\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"BIN hook SessionEnd --agent fake\",\"timeout\":3}]}]}}",
			entries: []Entry{
				{Event: "PreToolUse", Group: 1, At: "PATH:2:26", Command: "BIN hook PreToolUse --agent fake", Program: "BIN", Matcher: "*", Marked: true},
				{Event: "SessionEnd", At: "PATH:3:25", Command: "BIN hook SessionEnd --agent fake", Program: "BIN"},
			},
		},
		{
			name: "another program that is gone, twice the fault, once the text", scope: ProjectScope,
			text: `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/gone/overseer hook PreToolUse --agent fake","timeout":30}]}],"SessionEnd":[{"hooks":[{"type":"command","command":"/gone/overseer hook SessionEnd --agent fake","timeout":3}]}]}}`,
			entries: []Entry{
				{Event: "PreToolUse", At: "PATH:1:35", Command: "/gone/overseer hook PreToolUse --agent fake", Program: "/gone/overseer"},
				{Event: "SessionEnd", At: "PATH:1:150", Command: "/gone/overseer hook SessionEnd --agent fake", Program: "/gone/overseer"},
			},
			faults: []Fault{
				{Events: []string{"PreToolUse", "SessionEnd"}, At: "PATH:1:35", Text: "the registered program cannot be run: stat /gone/overseer: no such file or directory", Mend: "overseer install --fake --scope project"},
				{Events: []string{"PreToolUse", "SessionEnd"}, At: "PATH:1:35", Text: "runs /gone/overseer, install writes BIN", Mend: "overseer install --fake --scope project"},
			},
		},
		{
			name: "weakened",
			text: `{"disableAllHooks":true,"hooks":{"PreToolUse":[{"matcher":"Read","hooks":[{"type":"command","command":"BIN hook PreToolUse --agent fake","timeout":0.001,"async":true}]}],"SessionEnd":[{"hooks":[{"command":"BIN hook SessionEnd --agent other","timeout":3,"_overseer":"managed"},{"type":"command","command":"BIN hook SessionEnd --agent fake","timeout":3}]}]}}`,
			entries: []Entry{
				{Event: "PreToolUse", At: "*", Command: "BIN hook PreToolUse --agent fake", Program: "BIN", Matcher: "Read"},
				{Event: "SessionEnd", At: "*", Command: "BIN hook SessionEnd --agent other", Program: "BIN", Marked: true},
				{Event: "SessionEnd", Handler: 1, At: "*", Command: "BIN hook SessionEnd --agent fake", Program: "BIN"},
			},
			faults: []Fault{
				{At: "*", Text: `"disableAllHooks" turns all hooks off`, Mend: "remove the key or set it to false"},
				{Events: []string{"PreToolUse"}, At: "*", Text: `registered only for the matcher "Read"`, Mend: "overseer install --fake"},
				{Events: []string{"PreToolUse"}, At: "*", Text: "timeout is 0.001, install writes 30", Mend: "overseer install --fake"},
				{Events: []string{"PreToolUse"}, At: "*", Text: "async is true, install writes no such key", Mend: "overseer install --fake"},
				{Events: []string{"SessionEnd"}, At: "*", Text: `command is "BIN hook SessionEnd --agent other", install writes "BIN hook SessionEnd --agent fake"`, Mend: "overseer install --fake"},
				{Events: []string{"SessionEnd"}, At: "*", Text: `type is missing, install writes "command"`, Mend: "overseer install --fake"},
				{Events: []string{"SessionEnd"}, At: "*", Text: "overseer is registered more than once", Mend: "overseer install --fake"},
			},
		},
		{
			name: "by way of a larger command, an unknown path and exec form",
			text: `{"hooks":{"PreToolUse":[{"hooks":[{"command":"BIN hook PreToolUse || true"}]}],"SessionEnd":[{"hooks":[{"type":"command","command":"$X/overseer hook SessionEnd","timeout":3}]}],"Noise":[{"hooks":[{"command":"BIN","args":["hook","Noise"]}]}]}}`,
			entries: []Entry{
				{Event: "SessionEnd", At: "*", Command: "$X/overseer hook SessionEnd"},
				{Event: "Noise", At: "*", Command: "BIN", Args: []string{"hook", "Noise"}, Program: "BIN"},
			},
			missing: []string{"PreToolUse"},
			faults: []Fault{
				{Events: []string{"PreToolUse"}, At: "*", Text: "a larger command runs overseer inside it: it is not managed, and what stands around it can change the answer", Mend: "remove the entry by hand"},
				{Events: []string{"SessionEnd"}, At: "*", Text: "its program is not named by a fixed path: $X/overseer hook SessionEnd", Mend: "overseer install --fake"},
				{Events: []string{"Noise"}, At: "*", Text: "overseer does not serve this event with this agent", Mend: "overseer install --fake"},
			},
		},
		{
			name: "a key that voids the file", provider: strict{},
			text:    "{\n \"$schema\": \"x\", \"description\": \"\"}",
			missing: []string{"PreToolUse", "SessionEnd"},
			faults:  []Fault{{At: "PATH:2:2", Text: `Fake Agent rejects the whole file because of the key "$schema"`, Mend: "remove the key"}},
		},
		{
			name: "all else that voids the file", provider: strict{},
			text:    bom + "{\"description\":\"\xff\",\"hooks\":{\"Noise\":null,\"Other\":null,\"SessionEnd\":[{\"hooks\":[{\"x\":1,\n\"x\":2}]}]}}",
			missing: []string{"PreToolUse", "SessionEnd"},
			faults: []Fault{
				{At: "*", Text: "Fake Agent rejects the whole file because of its byte order mark", Mend: "save the file without one"},
				{At: "*", Text: "Fake Agent rejects the whole file because of bytes that are not UTF-8", Mend: "save the file as UTF-8"},
				{At: "PATH:2:1", Text: `Fake Agent rejects the whole file because of the key "x", which stands twice`, Mend: "remove one of the two"},
				{At: "*", Text: "Fake Agent rejects the whole file because of hooks.Noise, which is null", Mend: "remove the key"},
			},
		},
		{
			name: "hooks is null", provider: strict{}, text: `{"hooks":null}`,
			missing: []string{"PreToolUse", "SessionEnd"},
			faults:  []Fault{{At: "*", Text: "Fake Agent rejects the whole file because of hooks, which is null", Mend: "remove the key"}},
		},
		{
			name: "nulls and marks that the other agent takes", text: bom + `{"hooks":{"Noise":null,"Other":[{"x":1,"x":2}]}}`,
			missing: []string{"PreToolUse", "SessionEnd"},
		},
		{
			name: "hooks of another form", text: `{"hooks":[]}`,
			missing: []string{"PreToolUse", "SessionEnd"},
			faults:  []Fault{{At: "PATH", Text: "PATH:1:10: hooks is an array, want an object", Mend: "mend the file by hand"}},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			if tc.provider != nil {
				s.Provider = tc.provider
			}
			if tc.scope != "" {
				s.Scope = tc.scope
			}
			s.Binary = program(t)
			if tc.text != "" {
				s.write(s.Path, strings.ReplaceAll(tc.text, "BIN", s.Binary))
			}
			st, err := Inspect(s.Target, s.Options)
			if err != nil {
				t.Fatal(err)
			}
			if st.Exists != (tc.text != "") || st.Installed() != (len(tc.entries) > 0) {
				t.Errorf("exists %v, installed %v", st.Exists, st.Installed())
			}
			plain := strings.NewReplacer(s.Binary, "BIN", s.Path, "PATH").Replace
			at := func(place string, want string) string {
				if want == "*" && strings.HasPrefix(place, s.Path+":1:") {
					return "*"
				}
				return plain(place)
			}
			for i := range st.Entries {
				e := &st.Entries[i]
				e.Command, e.Program = plain(e.Command), plain(e.Program)
				if i < len(tc.entries) {
					e.At = at(e.At, tc.entries[i].At)
				}
			}
			for i := range st.Faults {
				f := &st.Faults[i]
				f.Text = plain(f.Text)
				if i < len(tc.faults) {
					f.At = at(f.At, tc.faults[i].At)
				}
			}
			if diff := cmp.Diff(tc.entries, st.Entries); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.missing, st.Missing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.faults, st.Faults); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// program is the path of an executable called overseer.
func program(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overseer")
	if err := writeFile(path, nil, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// What install mends must be a fault before and none after, and what install
// leaves alone must be none.
func TestInspectAgreesWithInstall(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`,
		`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"command":"overseer hook PreToolUse"},{"command":"overseer hook PreToolUse"}]}]}}`,
		`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"command":"lint"},{"command":"/x/overseer hook PreToolUse"}]}],"Noise":[{"hooks":[{"_overseer":"managed"}]}]}}`,
	} {
		s := newScene(t)
		s.Binary = program(t)
		s.write(s.Path, text)
		st, err := Inspect(s.Target, s.Options)
		if err != nil || len(st.Faults)+len(st.Missing) == 0 {
			t.Errorf("%s: %v, nothing is wrong", text, err)
		}
		s.install()
		st, err = Inspect(s.Target, s.Options)
		if err != nil || len(st.Faults)+len(st.Missing) > 0 || len(st.Entries) != 2 {
			t.Errorf("%s: %v, after install: missing %v, faults %v", text, err, st.Missing, st.Faults)
		}
	}
}

func TestInspectRefuses(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.write(s.Path, "{\n//\n}")
	if _, err := Inspect(s.Target, s.Options); err == nil || !strings.Contains(err.Error(), s.Path+":2:1: not valid JSON") {
		t.Errorf("error = %v", err)
	}
	s.write(s.Path, "{}")
	s.Binary = "overseer"
	if _, err := Inspect(s.Target, s.Options); err == nil || !strings.Contains(err.Error(), "not absolute") {
		t.Errorf("error = %v", err)
	}
}

func TestInstallWarnsOfAUselessFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		provider   agent.Provider
		text, want string
	}{
		{fake{}, `{"disableAllHooks": true}`, `"disableAllHooks" turns all hooks off; remove the key or set it to false`},
		{fake{}, `{"disableAllHooks": false, "x": 1}`, ""},
		{strict{}, `{"x": 1, "hooks": null}`, `Fake Agent rejects the whole file because of the key "x"; remove the key`},
		{strict{}, `{"hooks": {"PreToolUse": null}}`, ""},
	}
	for _, tc := range tests {
		s := newScene(t)
		s.Provider = tc.provider
		s.write(s.Path, tc.text)
		if got := strings.Join(s.install().Warnings, "\n"); got != tc.want {
			t.Errorf("%s: warnings = %q, want %q", tc.text, got, tc.want)
		}
	}
}
