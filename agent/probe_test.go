package agent_test

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/agent/agenttest"
	"github.com/fireharp/overseer/event"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	for _, p := range agent.All() {
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			agenttest.Probe(t, p)
		})
	}
}

// says checks that an error has the text, or that there is none where that is "".
func says(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDeniedByExit(t *testing.T) {
	t.Parallel()
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}`
	tests := []struct {
		name, stdout, stderr string
		code                 int
		want                 string
	}{
		{"nothing on stdout", "", "no", 2, ""},
		{"white space", " \n", "no", 2, ""},
		{"deny", deny + "\n", "no", 2, ""},
		{"exit 0", deny, "no", 0, "exit status 0 instead of 2: no"},
		{"exit 0 and silence", "", "", 0, "exit status 0 instead of 2"},
		{"exit 1, and only stdout says why", "why\nso", "\n", 1, "exit status 1 instead of 2: why"},
		{"no reason", deny, " \n", 2, "no reason to standard error"},
		{"deny twice", deny + deny, "no", 2, "goes on after"},
		{"text behind", deny + "\nbye", "no", 2, "goes on after the JSON: bye"},
		{"text before", "hi\n" + deny, "no", 2, "not JSON: hi"},
		{"allow", strings.Replace(deny, `"deny"`, `"allow"`, 1), "no", 2, `says "allow"`},
		{"another event", strings.Replace(deny, "PreToolUse", "Stop", 1), "no", 2, `event "Stop"`},
		{"no event", strings.Replace(deny, "PreToolUse", "", 1), "no", 2, `event ""`},
		{"no reason in the JSON", strings.Replace(deny, `"r"`, `""`, 1), "no", 2, "without a reason"},
		{"another form", `{"decision":"block","reason":"r"}`, "no", 2, "no deny"},
		{"half a document", deny[:20], "no", 2, "not JSON"},
		{"another type", `["deny"]`, "no", 2, "not JSON"},
		{"null", "null", "no", 2, "no deny"},
		{"steers the terminal", "\x1b]0;x\x07hi", "no", 2, "not JSON: ]0;xhi"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := agent.Answer{Stdout: []byte(tt.stdout), Stderr: []byte(tt.stderr), ExitCode: tt.code}
			says(t, agent.DeniedByExit(a, event.PreToolUse), tt.want)
		})
	}
}

func TestDeniedByJSON(t *testing.T) {
	t.Parallel()
	const deny = `{"permission":"deny","user_message":"no"}`
	tests := []struct {
		name, stdout, stderr string
		code                 int
		want                 string
	}{
		{"deny", deny + "\n", "", 0, ""},
		{"a warning beside it", deny, "warning", 0, ""},
		{"exit 2", "", "no", 2, ""},
		{"exit 2 with JSON", deny, "", 2, ""},
		{"exit 1", deny, "", 1, "exit status 1 instead of 0: {"},
		{"silence", " \n", "", 0, "no answer on standard output"},
		{"nothing to say", "{}", "", 0, "says nothing, not deny"},
		{"allow", `{"permission":"allow"}`, "", 0, `says "allow", not deny`},
		{"the last of two counts", `{"permission":"deny","permission":"allow"}`, "", 0, `says "allow"`},
		{"a key in another case", `{"Permission":"deny"}`, "", 0, "says nothing"},
		{"Claude Code's form", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`, "", 0, "says nothing"},
		{"text before", "hi\n" + deny, "", 0, "not JSON: hi"},
		{"text behind", deny + "bye", "", 0, "goes on after the JSON: bye"},
		{"null", "null", "", 0, "says nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			says(t, agent.DeniedByJSON(agent.Answer{Stdout: []byte(tt.stdout), Stderr: []byte(tt.stderr), ExitCode: tt.code}), tt.want)
		})
	}
}
