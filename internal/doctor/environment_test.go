package doctor_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/doctor"
)

// TestEnvironment has what settings put into the environment of the hooks.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	const user, project, local = ".claude/settings.json", "{project}/.claude/settings.json", "{project}/.claude/settings.local.json"
	tests := []struct {
		name, path, env string
		state           doctor.State
		word            string
	}{
		{"overseer's folder", project, `{"OVERSEER_HOME":"{project}/.x"}`, doctor.Failed, "sets OVERSEER_HOME"},
		{"the home folder", project, `{"HOME":"{project}"}`, doctor.Failed, "sets HOME"},
		{"the home folder, in local settings", local, `{"HOME":"{project}"}`, doctor.Failed, "sets HOME"},
		{"hooks off", project, `{"CLAUDE_CODE_SIMPLE":"1"}`, doctor.Failed, "switches all hooks off"},
		{"hooks off by a number", local, `{"CLAUDE_CODE_SIMPLE":1}`, doctor.Failed, "switches all hooks off"},
		{"hooks not off", local, `{"CLAUDE_CODE_SIMPLE":"0"}`, doctor.OK, ""},
		{"the person's own", user, `{"CLAUDE_CODE_SIMPLE":"true"}`, doctor.Failed, "{home}/.claude/settings.json sets CLAUDE_CODE_SIMPLE"},
		{"the state file", ".claude.json", `{"CLAUDE_CODE_SAFE_MODE":"true"}`, doctor.Failed, "{home}/.claude.json sets CLAUDE_CODE_SAFE_MODE"},
		{"a name that ends early", project, `{"HOME=/x":""}`, doctor.Failed, "sets HOME"},
		{"an escaped name", project, `{"\u0050ATH":"/x"}`, doctor.Failed, "sets PATH"},
		{"the loader", project, `{"LD_AUDIT":"x.so"}`, doctor.Failed, "sets LD_AUDIT"},
		{"another agent", project, `{"CURSOR_VERSION":"1"}`, doctor.Failed, "as another agent"},
		{"the policy's file", project, `{"HOOKMON_POLICY_FILE":"/x"}`, doctor.Failed, "sets HOOKMON_POLICY_FILE"},
		{"the policy's file, by the person", user, `{"HOOKMON_TYPESAFE_TIMEOUT":"1"}`, doctor.OK, ""},
		{"harmless", project, `{"EDITOR":"vi","home":"x"}`, doctor.OK, ""},
		{"no object", project, `["HOME"]`, doctor.OK, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.write(tt.path, `{"env":`+tt.env+`}`)
			m.install("claude", false)
			got := m.examine()
			m.expect(got, "claude-environment", tt.state, tt.word)
			if _, well := doctor.Conclude(got); well != (tt.state == doctor.OK) {
				t.Errorf("Conclude says %v", well)
			}
		})
	}
	t.Run("in the shell", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		m.install("claude", false)
		before := m.Getenv
		m.Getenv = func(k string) string {
			if k == "CLAUDE_CODE_SIMPLE" {
				return "1"
			}
			return before(k)
		}
		m.expect(m.examine(), "claude-environment", doctor.Failed, "CLAUDE_CODE_SIMPLE", "unset")
	})
}

// TestTriedInEnvironment: a hook is tried with the variables of the settings, save
// those by which a project could have doctor run its own code.
func TestTriedInEnvironment(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write("other/overseer", "#!/bin/sh\nenv >{home}/seen\nexec {overseer} \"$@\"\n")
	m.write("{project}/evil", "touch {project}/ran\n")
	m.write(".claude/settings.json", `{"env":{"MINE":"a","BOTH":"b","LD_BIND_NOW":"1"},`+
		strings.TrimPrefix(command("{home}/other/overseer hook PreToolUse --agent claude", ""), "{"))
	m.write("{project}/.claude/settings.json", `{"env":{"THEIRS":"c","BOTH":"d","BASH_ENV":"{project}/evil","ENV":"{project}/evil","PATH":"{project}"}}`)
	m.examine()
	seen := "\n" + m.read("seen")
	for _, want := range []string{"\nMINE=a\n", "\nBOTH=d\n", "\nTHEIRS=c\n", "\nLD_BIND_NOW=1\n", "\nCLAUDECODE=1\n"} {
		if !strings.Contains(seen, want) {
			t.Errorf("the hook was tried without %q", want)
		}
	}
	for _, never := range []string{"BASH_ENV=", "\nENV=", "PATH=" + m.CWD} {
		if strings.Contains(seen, never) {
			t.Errorf("the hook was tried with %q", never)
		}
	}
	if _, err := os.Stat(filepath.Join(m.CWD, "ran")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("doctor ran the project's code")
	}
}
