package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestNothingAtStart: a hook starts for every event, so none of our packages may
// have anything to do at the start of the program: no map, no regular expression, no
// closure in a package's variables. Only the codecs put themselves on their list, and what
// only tests link is of no matter.
func TestNothingAtStart(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	allowed := []string{"agent", "agent/claudecode", "agent/codex", "agent/cursor", "internal/ledger/ledgertest"}
	seen := 0
	for line := range strings.Lines(string(out)) {
		name, ok := strings.CutPrefix(line, "init "+module+"/")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, " ")
		seen++
		if !slices.Contains(allowed, name) {
			t.Errorf("%s makes something at every start; let it be made when it is first needed, see internal/lazy: %s", name, line)
		}
	}
	if seen == 0 {
		t.Error("no start was traced")
	}
}
