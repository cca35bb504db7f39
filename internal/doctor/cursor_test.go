package doctor_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/doctor"
)

func TestCursorSound(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.install("cursor", false)
	m.install("cursor", true)
	got := m.examine()
	for name, words := range map[string][]string{
		"cursor-user":               {"enforces", "{home}/.cursor/hooks.json:"},
		"cursor-user-rm-rf-root":    {"denied by rule block-rm-rf-root"},
		"cursor-user-entries":       {"events"},
		"cursor-project":            {"enforces", "{project}/.cursor/hooks.json:"},
		"cursor-project-rm-rf-root": {"denied by rule block-rm-rf-root"},
		"cursor-hooks-on":           nil,
	} {
		m.expect(got, name, doctor.OK, words...)
	}
	m.expect(got, "cursor-program", doctor.Absent, "not on the PATH")
	if text, well := doctor.Conclude(got); !well {
		t.Error(text)
	}
}

// TestCursorAbsent: of an agent that is not in use there is one line.
func TestCursorAbsent(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write("bin/cursor", "#!/bin/sh\n")
	m.write("{project}/.cursor/hooks.json", "{ broken, and no business of ours")
	n := 0
	got := m.examine()
	for _, r := range got {
		if strings.HasPrefix(r.Name, "cursor") {
			n++
		}
	}
	m.expect(got, "cursor-user", doctor.Absent, "not in use", "{home}/.cursor")
	if n != 1 {
		t.Errorf("%d lines", n)
	}
}

// cursorSettings is hooks.json with one entry for preToolUse.
func cursorSettings(line, more string) string {
	return fmt.Sprintf(`{"version":1,"hooks":{"preToolUse":[{"command":%q%s}]}}`, line, more)
}

// TestCursorHooks has entries in the person's own hooks.json.
func TestCursorHooks(t *testing.T) {
	t.Parallel()
	const hook = " hook preToolUse --agent cursor"
	other := cursorSettings("{home}/other/overseer"+hook, "")
	tests := []struct {
		name     string
		script   string // {home}/other/overseer
		settings string
		state    doctor.State
		words    []string
	}{
		{"a wrapper that passes all on", "#!/bin/sh\nexec {overseer} \"$@\"\n", other, doctor.Failed, []string{"a wrapper decides"}},
		{"as Cursor starts it", "#!/bin/sh\n[ \"$PWD\" = {home}/.cursor ] && [ \"$CURSOR_PROJECT_DIR\" = {project} ] && [ -n \"$CURSOR_VERSION\" ] || exit 9\nexec {overseer} \"$@\"\n", other, doctor.Failed, []string{"a wrapper decides"}},
		{"says nothing", "#!/bin/sh\ncat >/dev/null\n", other, doctor.Failed, []string{"no answer on standard output", "overseer install --cursor"}},
		{"fails", "#!/bin/sh\necho no such library >&2\nexit 1\n", other, doctor.Failed, []string{"exit status 1 instead of 0: no such library"}},
		{"is killed", "#!/bin/sh\nkill -9 $$\n", "{\"version\":1,\"hooks\":{\"preToolUse\":[{\"command\":\"{home}/other/overseer" + hook + "\"}]}}", doctor.Failed, []string{"NOT enforcing"}},
		{"prints before the JSON", "#!/bin/sh\necho hello\nexec {overseer} \"$@\"\n", other, doctor.Failed, []string{"not JSON: hello"}},
		{"prints after the JSON", "#!/bin/sh\n{overseer} \"$@\"\necho bye\n", other, doctor.Failed, []string{"goes on after the JSON: bye"}},
		{"hangs", "#!/bin/sh\nsleep 600\n", cursorSettings("{home}/other/overseer"+hook, `,"timeout":1`), doctor.Failed, []string{"no answer within 1s"}},
		{"allows everything", "#!/bin/sh\necho '{\"permission\":\"allow\"}'\n", other, doctor.Failed, []string{`says "allow", not deny`}},
		{"denies everything and is no overseer", "#!/bin/sh\necho '{\"permission\":\"deny\"}'\n", other, doctor.Failed, []string{"did not record"}},
		{"program is gone", "", cursorSettings("{home}/gone/overseer"+hook, ""), doctor.Failed, []string{"exit status 127", "overseer install --cursor"}},
		{"Claude Code's dialect", "", cursorSettings("{overseer} hook PreToolUse --agent claude", ""), doctor.OK, []string{"enforces"}},
		{"Codex's dialect", "", cursorSettings("{overseer} hook preToolUse --agent codex", ""), doctor.Failed, []string{`dialect of "codex"`}},
		{"no agent named", "", cursorSettings("{overseer} hook", ""), doctor.OK, []string{"enforces"}},
		{"arguments apart, which Cursor does not know", "", cursorSettings("{overseer}", `,"args":["hook","preToolUse","--agent","cursor"]`), doctor.Failed, []string{"not JSON"}},
		{"with its type and a matcher for all", "", cursorSettings("{overseer}"+hook, `,"type":"command","matcher":"*","async":true`), doctor.OK, []string{"enforces"}},
		{"for one tool only", "", cursorSettings("{overseer}"+hook, `,"matcher":"Write"`), doctor.Failed, []string{`matcher "Write" only`}},
		{"not a command", "", cursorSettings("{overseer}"+hook, `,"type":"prompt","prompt":"x"`), doctor.Failed, []string{`type is "prompt"`}},
		{"no type", "", cursorSettings("{overseer}"+hook, `,"type":null`), doctor.Failed, []string{`type is null`}},
		{"no time", "", cursorSettings("{overseer}"+hook, `,"timeout":null`), doctor.Failed, []string{"timeout is null"}},
		{"another event only", "", `{"version":1,"hooks":{"stop":[{"command":"{overseer} hook stop --agent cursor"}]}}`, doctor.Failed, []string{"no entry for preToolUse"}},
		{"a comment", "", "{ // mine\n" + cursorSettings("{overseer}"+hook, "")[1:] + " // and this", doctor.OK, []string{"hooks.json:2:"}},
		{"broken settings", "", "{\n \"hooks\": {,\n", doctor.Failed, []string{"{home}/.cursor/hooks.json:2:"}},
		{"somebody else's text where an entry should be", "", `{"version":1,"hooks":{"preToolUse":["x",{"command":"{overseer}` + hook + `"}]}}`, doctor.OK, []string{"enforces"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			if tt.script != "" {
				m.write("other/overseer", tt.script)
			}
			m.write(".cursor/hooks.json", tt.settings)
			m.expect(m.examine(), "cursor-user", tt.state, tt.words...)
		})
	}
}

// TestCursorVoid has what makes Cursor reject a file in which all else is well.
func TestCursorVoid(t *testing.T) {
	t.Parallel()
	const hook = "{overseer} hook preToolUse --agent cursor"
	tests := []struct{ name, settings, result, word string }{
		{"no version", `{"hooks":{"preToolUse":[{"command":"` + hook + `"}]}}`, "cursor-user-entries", "no version"},
		{"an unknown event", `{"version":1,"hooks":{"beforeLunch":[],"preToolUse":[{"command":"` + hook + `"}]}}`, "cursor-user-entries", "beforeLunch"},
		{"an address in a command", `{"version":1,"hooks":{"stop":[{"command":"curl http://x"}],"preToolUse":[{"command":"` + hook + `"}]}}`, "cursor-user-entries", `from "//"`},
		{"somebody else's bad entry", `{"version":1,"hooks":{"stop":[{"command":"x","matcher":"("}],"preToolUse":[{"command":"` + hook + `"}]}}`, "cursor-hooks-on", `hooks.stop[0] has the matcher "("`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.write(".cursor/hooks.json", tt.settings)
			got := m.examine()
			m.expect(got, tt.result, doctor.Failed, tt.word)
			if _, well := doctor.Conclude(got); well {
				t.Error("Conclude says that all is well")
			}
		})
	}
}

func TestCursorLoginShell(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.install("cursor", false)
	m.write(".profile", "echo welcome\n")
	m.expect(m.examine(), "cursor-user", doctor.Failed, "not JSON: welcome", "Cursor runs hooks by a login shell", "profile")
}

// TestCursorCloned is TestCloned for Cursor, whose entries go through a shell with
// a here document after them.
func TestCursorCloned(t *testing.T) {
	t.Parallel()
	const hook = " hook preToolUse --agent cursor"
	tests := []struct {
		name, settings string
		state          doctor.State
	}{
		{"a program of the project's", cursorSettings("{project}/overseer"+hook, ""), doctor.Failed},
		{"a relative path", cursorSettings("./overseer"+hook, ""), doctor.Failed},
		{"more after the arguments", cursorSettings("{overseer}"+hook+"; touch {project}/ran", ""), doctor.Absent},
		{"a comment that swallows the here document", cursorSettings("{overseer}"+hook+" #", ""), doctor.Failed},
		{"a here document of its own", cursorSettings("{overseer}"+hook+" <<'CURSOR_HOOK_EOF'\nCURSOR_HOOK_EOF\ntouch {project}/ran", ""), doctor.Absent},
		{"arguments apart, and a shell's words for a path", cursorSettings("touch {project}/ran;/overseer", `,"args":["hook","preToolUse","--agent","cursor"]`), doctor.Failed},
		{"another event's name", cursorSettings("{overseer} hook PreToolUse --agent cursor", ""), doctor.Failed},
		{"the person's own program", cursorSettings("{overseer}"+hook, ""), doctor.OK},
		{"the person's own program in quotes", cursorSettings("'{overseer}'"+hook, ""), doctor.OK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.write(".cursor/argv.json", "")
			m.write("{project}/overseer", "#!/bin/sh\ntouch {project}/ran\nexec {overseer} \"$@\"\n")
			odd := filepath.Join(m.CWD, "touch "+m.CWD, "ran;")
			if err := os.MkdirAll(odd, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(m.Program, filepath.Join(odd, "overseer")); err != nil {
				t.Fatal(err)
			}
			m.write("{project}/.cursor/hooks.json", tt.settings)
			m.expect(m.examine(), "cursor-project", tt.state)
			if _, err := os.Stat(filepath.Join(m.CWD, "ran")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("doctor ran a command of the project's")
			}
		})
	}
}
