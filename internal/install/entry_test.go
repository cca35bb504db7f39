package install

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/fireharp/overseer/agent"
)

func TestCommandPrefix(t *testing.T) {
	t.Parallel()
	tests := []struct{ binary, want, err string }{
		{binary: "/usr/local/bin/overseer", want: "/usr/local/bin/overseer"},
		{binary: "//usr///local//bin/overseer", want: "/usr/local/bin/overseer"},
		{binary: "/a/../b/overseer", want: "/a/../b/overseer"}, // lexical cleaning would be wrong behind a symlink
		{binary: "/Users/a b/overseer", want: "'/Users/a b/overseer'"},
		{binary: "/it's/overseer", want: `'/it'\''s/overseer'`},
		{binary: `/a"b$c~d*e;f&g(h)i|j<k>l!m#n=o[p]q{r}s?t^u%v/overseer`, want: `'/a"b$c~d*e;f&g(h)i|j<k>l!m#n=o[p]q{r}s?t^u%v/overseer'`},
		{binary: `/back\slash/overseer`, want: `'/back\slash/overseer'`},
		{binary: "/日本/👩‍💻/overseer", want: "'/日本/👩‍💻/overseer'"},
		{binary: `C:\Users\me\overseer.exe`, want: "C:/Users/me/overseer.exe"},
		{binary: `C:\\Program Files\overseer.exe`, want: `"C:/Program Files/overseer.exe"`},
		{binary: `C:\$x y\overseer.exe`, err: "cannot be quoted"},
		{binary: `\\server\share\overseer.exe`, err: "network path"},
		{binary: "overseer", err: "not absolute"},
		{binary: "./overseer", err: "not absolute"},
		{binary: "", err: "not absolute"},
		{binary: "/a\nb/overseer", err: "control character"},
		{binary: "/a\x00b/overseer", err: "control character"},
		{binary: "/a\xffb/overseer", err: "UTF-8"},
	}
	for _, tc := range tests {
		t.Run(tc.binary, func(t *testing.T) {
			t.Parallel()
			got, err := commandPrefix(tc.binary)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("error = %v, want %q in it", err, tc.err)
				}
				return
			}
			if err != nil || got != tc.want {
				t.Fatalf("got %s, %v; want %s", got, err, tc.want)
			}
			h := handler(fake{}, agent.Capability{Event: "PreToolUse"}, got, "")
			command, _ := str(h, "command")
			if strings.Contains(command, "//") {
				t.Errorf("// in %s", command)
			}
			h.Members = h.Members[:len(h.Members)-1] // without the marker, the command must do
			if !(ours{}).has(h) {
				t.Errorf("not recognised: %s", command)
			}
			if !posix || strings.HasPrefix(tc.binary, "C:") {
				return
			}
			// A real shell must see the one word.
			out, err := exec.Command("sh", "-c", "printf '<%s>' "+command).Output()
			want := "<" + strings.ReplaceAll(strings.ReplaceAll(tc.binary, "///", "/"), "//", "/") + "><hook><PreToolUse><--agent><fake>"
			if err != nil || string(out) != want {
				t.Errorf("sh reads %q, %v; want %q", out, err, want)
			}
		})
	}
}

func TestOwnCommands(t *testing.T) {
	t.Parallel()
	tests := []struct {
		command, program string // program "" means: not ours
		wrapped          bool
	}{
		{command: "/usr/bin/overseer hook PreToolUse --agent claude", program: "/usr/bin/overseer"},
		{command: "overseer hook", program: "overseer"},
		{command: "'/Users/a b/overseer' hook PreToolUse", program: "/Users/a b/overseer"},
		{command: `"/Users/a b/overseer" "hook" PreToolUse`, program: "/Users/a b/overseer"},
		{command: `/Users/a\ b/overseer hook PreToolUse`, program: "/Users/a b/overseer"},
		{command: `"/a \"b\" \$c\d/overseer" hook X`, program: `/a "b" $c\d/overseer`},
		{command: `'/it'\''s/overseer' hook X`, program: "/it's/overseer"},
		{command: `"C:/Program Files/overseer.exe" hook X`, program: "C:/Program Files/overseer.exe"},
		{command: `'C:\Tools\Overseer.EXE' hook X`, program: `C:\Tools\Overseer.EXE`},
		{command: `~/go/bin/overseer hook X`, program: "~/go/bin/overseer"},
		{command: `"$HOME/go/bin/overseer" hook X`, program: "\x00/go/bin/overseer"},
		{command: "  OVERSEER_X=1   /x/overseer  hook  X 2>/dev/null # mine", program: "/x/overseer"},
		{command: "/x/our-tool hook X", program: "/x/our-tool"}, // the binary that runs now

		{command: ""},
		{command: "overseer"},
		{command: "overseer hookmon --agent claude"},
		{command: "overseer doctor hook"},
		{command: "overseer --config x hook X"},
		{command: "echo overseer hook"},
		{command: "my-overseer hook X"},
		{command: "overseer-hook PreToolUse"},
		{command: "/opt/overseer/run hook X"},
		{command: "overseer.sh hook X"},
		{command: `my\overseer hook X`},
		{command: "$OVERSEER hook X"},
		{command: "overseer$X hook X"},
		{command: "overseer $(echo hook) X"},
		{command: "bash -c 'overseer hook X'"},
		{command: "OVERSEER hook X"},
		{command: "cat <<E\noverseer hook X\nE"},
		{command: "overseer hook X '"},
		{command: "overseer hook " + strings.Repeat("x", longestCommand)},
		{command: strings.Repeat("(", mostParens+1) + "overseer hook" + strings.Repeat(")", mostParens+1)},

		{command: "overseer hook X || true", wrapped: true},
		{command: "tee log | overseer hook X", wrapped: true},
		{command: "true; overseer hook X", wrapped: true},
		{command: "(overseer hook X)", wrapped: true},
		{command: "if true; then overseer hook X; fi", wrapped: true},
		{command: "echo $(overseer hook X)", wrapped: true},
	}
	for _, tc := range tests {
		t.Run(tc.command[:min(60, len(tc.command))], func(t *testing.T) {
			t.Parallel()
			own := ours{binaries: []string{"/y/our-tool"}}
			h := &hujson.Object{Members: []hujson.ObjectMember{member("command", hujson.String(tc.command))}}
			program, ok := own.program(h)
			if ok != (tc.program != "") || ok && program != tc.program {
				t.Errorf("program = %q, %v; want %q", program, ok, tc.program)
			}
			if got := own.wraps(h); got != (tc.wrapped || ok) {
				t.Errorf("wraps = %v", got)
			}
			h.Members = append(h.Members, member(markerKey, hujson.String(markerValue)))
			if !own.has(h) {
				t.Error("not recognised by the marker")
			}
		})
	}
}

func TestOwnHandlers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, handler string
		want          bool
	}{
		{"args, no shell", `{"command":"/a b/overseer","args":["hook","X"]}`, true},
		{"args of another word", `{"command":"/a b/overseer","args":["doctor"]}`, false},
		{"args of another program", `{"command":"/a b/other","args":["hook"]}`, false},
		{"no args in the list", `{"command":"overseer hook X","args":[]}`, false},
		{"args not a list", `{"command":"overseer hook X","args":"hook"}`, false},
		{"an arg that is no string", `{"command":"overseer","args":[{"hook":1}]}`, false},
		{"marker of another value", `{"_overseer":"ignored","command":"lint"}`, false},
		{"marker of another type", `{"_overseer":true,"command":"lint"}`, false},
		{"the last of two commands counts", `{"command":"overseer hook X","command":"lint"}`, false},
		{"command of another type", `{"command":["overseer","hook"]}`, false},
		{"not in the command", `{"type":"prompt","prompt":"overseer hook X"}`, false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v, err := hujson.Parse([]byte(tc.handler))
			if err != nil {
				t.Fatal(err)
			}
			if got := (ours{}).has(v.Value.(*hujson.Object)); got != tc.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestAtLeast(t *testing.T) {
	t.Parallel()
	tests := []struct {
		have, want   string
		newer, known bool
	}{
		{"2.1.332", "2.1.332", true, true},
		{"2.1.197", "2.1.332", false, true},
		{"2.1.1000", "2.1.332", true, true},
		{"2.2", "2.1.332", true, true},
		{"2.1", "2.1.0", true, true},
		{"2.1.332 (Claude Code)", "2.1.332", true, true},
		{"codex-cli 0.171.0", "0.124", true, true},
		{"v1.2.3+build", "1.2.3", true, true},
		{"1.2.3-rc.1", "1.2.3", false, true},
		{"1.2.4-rc.1", "1.2.3", true, true},
		{"", "1.0", false, false},
		{"latest", "1.0", false, false},
		{"1", "1.0", false, false},
		{"1.x", "1.0", false, false},
		{"-1.2", "1.0", false, false},
		{"1..2", "1.0", false, false},
	}
	for _, tc := range tests {
		t.Run(tc.have+" "+tc.want, func(t *testing.T) {
			t.Parallel()
			newer, known := atLeast(tc.have, tc.want)
			if newer != tc.newer || known != tc.known {
				t.Errorf("got %v, %v", newer, known)
			}
		})
	}
}
