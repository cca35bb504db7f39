package agenttest

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// Probe runs the agent's probe with cat for a hook and decodes what the hook was
// given: it is the event that the trial speaks of, and nobody else's. Of the
// provider's own answers to it only a deny is taken for one.
func Probe(t *testing.T, p agent.Provider) {
	t.Helper()
	prober, ok := p.(agent.Prober)
	if !ok {
		t.Fatalf("%s is no agent.Prober", p.Name())
	}
	dir := t.TempDir()
	trial := agent.Trial{
		Line: "cat", Settings: filepath.Join(dir, "settings.json"),
		Command: `echo "$HOME" 'x' && rm -rf \` + "\nCURSOR_HOOK_EOF\n", CWD: dir, Home: dir,
		Session: "s1", ID: "id1",
	}
	var e event.Event
	for _, project := range []bool{false, true} {
		trial.Project = project
		proc := prober.Probe(trial)
		c := exec.Command(proc.Argv[0], proc.Argv[1:]...)
		c.Dir, c.Env, c.Stdin = proc.Dir, append(c.Environ(), proc.Env...), bytes.NewReader(proc.Stdin)
		payload, err := c.Output()
		if err != nil {
			t.Fatalf("%q: %v", proc.Argv, err)
		}
		if bytes.Count(payload, []byte("\n")) != 1 {
			t.Errorf("the payload is not one line: %s", payload)
		}
		if got := agent.Sniff(payload); got != p.Name() {
			t.Errorf("Sniff takes the probe for one of %q", got)
		}
		if e, err = p.Decode("", payload); err != nil {
			t.Fatal(err)
		}
		if e.Name != event.PreToolUse || e.Session != trial.Session || e.CWD != dir || e.Tool.Command != trial.Command ||
			!strings.HasSuffix(e.Tool.UseID, trial.ID) || e.Caller != "" {
			t.Errorf("the probe is %+v", e)
		}
	}
	for _, d := range []event.Decision{event.Allow, event.Ask, event.Deny} {
		for _, b := range []event.Basis{event.ByRule, event.ByFault} {
			a := p.Encode(&e, &event.Verdict{Decision: d, Basis: b, Reason: "because"})
			if err := prober.Denied(a); (err == nil) != (a.Decision == event.Deny) {
				t.Errorf("%s by %s: answer %q %q %d, Denied says %v", d, b, a.Stdout, a.Stderr, a.ExitCode, err)
			}
		}
	}
}
