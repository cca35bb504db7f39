//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/e2e/model"
)

// Codex skips hooks that the person has not reviewed, without a word. doctor
// finds that out, and after the review they hold without any flag.
func TestCodexTrust(t *testing.T) {
	t.Parallel()
	w := newWorld(t, codex)
	w.rules(denyRule)
	for _, h := range w.codexHooks() {
		if h.TrustStatus != "untrusted" {
			t.Errorf("a new hook is %s to Codex, want untrusted", h.TrustStatus)
		}
	}
	if out, err := w.tryOverseer("doctor"); err == nil || !strings.Contains(err.Error(), "trust") {
		t.Errorf("doctor is content with hooks that Codex skips: %v\n%s", err, out)
	}
	w.run(options{trusted: true}, model.Shell("touch forbidden-1"))
	w.exists("forbidden-1") // the gap that doctor reports

	w.trustHooks()
	for _, h := range w.codexHooks() {
		if h.TrustStatus != "trusted" {
			t.Errorf("after the review a hook is %s to Codex, want trusted", h.TrustStatus)
		}
	}
	m := w.run(options{trusted: true}, model.Shell("touch forbidden-2"))
	w.missing("forbidden-2")
	w.told(m, 0, denyReason)
	w.overseer("install", "--codex") // once more changes nothing, so the trust holds
	for _, h := range w.codexHooks() {
		if h.TrustStatus != "trusted" {
			t.Errorf("after a second install a hook is %s to Codex, want trusted", h.TrustStatus)
		}
	}
	if out, err := w.tryOverseer("doctor"); err != nil {
		t.Errorf("doctor still complains: %v\n%s", err, out)
	}
}

// Where Codex would ask the person, its PermissionRequest comes first, and
// overseer's answer to that holds: an allow spares the person the question, an
// ask leaves it to them, a deny settles it.
func TestCodexPermissionRequest(t *testing.T) {
	cases := []struct {
		name, do  string
		yes       bool
		asked     int
		runs      bool
		modelHear string
	}{
		{"allow", "allow", false, 0, true, ""},
		{"ask, yes", "ask", true, 1, true, ""},
		{"ask, no", "ask", false, 1, false, "rejected by user"},
		{"deny", "deny", true, 0, false, "the pumice rule"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, codex)
			w.rules("Rule: e2e-permission\nWhen:\n  event=PermissionRequest\n  cmd=/touch/\nDo: " + c.do + "\nReason: the pumice rule.")
			w.trustHooks()
			p := &person{yes: c.yes}
			m := w.runWith(p, options{careful: true}, model.Shell("touch marker"))
			if len(p.asked) != c.asked {
				t.Errorf("the person was asked %d times, want %d: %+v", len(p.asked), c.asked, p.asked)
			}
			if c.runs {
				w.exists("marker")
			} else {
				w.missing("marker")
				w.told(m, 0, c.modelHear)
			}
		})
	}
}
