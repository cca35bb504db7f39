package agent_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/agent/agenttest"
	"github.com/fireharp/overseer/event"
)

const page = "../docs/agents.md"

// TestDocs holds the page's tables against what the code answers.
func TestDocs(t *testing.T) {
	t.Parallel()
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(old)
	for _, p := range agent.All() {
		head := fmt.Sprintf("<!-- table %s -->\n", p.Name())
		before, rest, ok := strings.Cut(text, head)
		_, after, ok2 := strings.Cut(rest, "<!-- end -->")
		if !ok || !ok2 {
			t.Fatalf("%s has no table for %s", page, p.Name())
		}
		text = before + head + table(p) + "<!-- end -->" + after
	}
	agenttest.Golden(t, page, []byte(text))
}

func table(p agent.Provider) string {
	var b strings.Builder
	b.WriteString("| event | deny | ask | allow | context | registered |\n|---|---|---|---|---|---|\n")
	for _, c := range p.Capabilities() {
		answer := func(v event.Verdict) agent.Answer {
			v.Reason = "because"
			e := agent.Named(p, c.Event)
			return p.Encode(&e, &v)
		}
		deny := answer(event.Verdict{Decision: event.Deny, Basis: event.ByRule})
		denied := "–"
		switch {
		case deny.Decision == event.Deny && len(deny.Stdout) > 0 && deny.ExitCode == 2:
			denied = "JSON + exit 2"
		case deny.Decision == event.Deny && len(deny.Stdout) > 0:
			denied = "JSON"
		case deny.Decision == event.Deny:
			denied = "exit 2"
		case bytes.Contains(deny.Stdout, []byte("because")):
			denied = "context"
		}
		if c.After && deny.Decision == event.Deny {
			denied = "feedback: " + denied
		}
		ask := answer(event.Verdict{Decision: event.Ask, Basis: event.ByRule})
		asked := "–"
		switch {
		case ask.Decision == event.Ask && len(ask.Stdout) > 0:
			asked = "asks"
		case ask.Decision == event.Ask:
			asked = "own prompt"
		case ask.Decision == event.Deny:
			asked = "deny"
		}
		allowed := "silence"
		approves := func(b event.Basis, mode string) bool {
			e := agent.Named(p, c.Event)
			e.PermissionMode = mode
			return bytes.Contains(p.Encode(&e, &event.Verdict{Decision: event.Allow, Basis: b}).Stdout, []byte(`"allow"`))
		}
		switch {
		case approves(event.ByDefault, "plan"):
			allowed = "says so (all but faults)"
		case approves(event.ByDefault, ""):
			allowed = "approves (all but faults; quirk 12)"
		case approves(event.ByRule, ""):
			allowed = "approves (rule, policy, precedent, approval)"
		}
		context := "–"
		mind := event.Verdict{Decision: event.Allow, Basis: event.ByFault, Guidance: []string{"mind"}}
		if bytes.Contains(answer(mind).Stdout, []byte("mind")) {
			context = "yes"
		}
		registered := "yes"
		switch {
		case c.Skip != "":
			registered = "no: " + c.Skip
		case c.Since != "":
			registered = "from " + c.Since
		}
		name := c.Event
		if c.As != "" && !strings.EqualFold(c.As, name) {
			name += " = " + c.As
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", name, denied, asked, allowed, context, registered)
	}
	return b.String()
}

// TestQuirks: every quirk that the code cites is on the page, and the page's
// numbers have no holes.
func TestQuirks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, quirks, _ := strings.Cut(string(text), "\n## Quirks\n")
	quirks, _, _ = strings.Cut(quirks, "\n## ")
	known := map[string]bool{}
	for i, m := range regexp.MustCompile(`(?m)^(\d+)\. `).FindAllStringSubmatch(quirks, -1) {
		if m[1] != fmt.Sprint(i+1) {
			t.Errorf("quirk %s stands at place %d", m[1], i+1)
		}
		known[m[1]] = true
	}
	cite := regexp.MustCompile(`quirk\s+(?://\s*)?(\d+)`)
	cited := 0
	err = filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") {
			return err
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range cite.FindAllSubmatch(src, -1) {
			cited++
			if !known[string(m[1])] {
				t.Errorf("%s cites quirk %s, which %s does not know", file, m[1], page)
			}
		}
		return nil
	})
	if err != nil || cited < 10 {
		t.Errorf("%d citations found, %v", cited, err)
	}
}

// TestCapabilities: the tables list each event once and do not contradict
// themselves.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	for _, p := range agent.All() {
		seen := map[string]bool{}
		for _, c := range p.Capabilities() {
			switch {
			case seen[strings.ToLower(c.Event)]:
				t.Errorf("%s lists %s twice", p.Name(), c.Event)
			case c.Ask && c.After:
				t.Errorf("%s asks at %s, after the fact", p.Name(), c.Event)
			case c.Grant && !c.Ask:
				t.Errorf("%s grants at %s and never asks", p.Name(), c.Event)
			}
			e := agent.Named(p, strings.ToUpper(c.Event))
			switch {
			case e.NativeName() != c.Event || e.Agent != p.Name():
				t.Errorf("%s names %s %s", p.Name(), c.Event, e.NativeName())
			case c.As != "" && (e.Name != c.As || agent.CapabilityOf(p, c.As).As != c.As):
				t.Errorf("%s: %s is %q to rules, want %q", p.Name(), c.Event, e.Name, c.As)
			case e.AboutToRun() && !c.Deny:
				t.Errorf("%s cannot deny %s", p.Name(), c.Event)
			case c.FailClosed && !e.AboutToRun():
				t.Errorf("%s: nothing is about to run at %s", p.Name(), c.Event)
			}
			seen[strings.ToLower(c.Event)] = true
		}
		s := p.Settings()
		for name, seconds := range s.Timeouts {
			if !seen[strings.ToLower(name)] || seconds <= 0 || seconds > s.TimeoutSeconds {
				t.Errorf("%s: timeout of %d s for %s", p.Name(), seconds, name)
			}
		}
		for _, a := range append(p.Aliases(), p.Name(), strings.ToUpper(p.Name())) {
			if q, err := agent.Lookup(a); err != nil || q.Name() != p.Name() {
				t.Errorf("Lookup(%q): %v", a, err)
			}
		}
	}
	if _, err := agent.Lookup("nobody"); err == nil || err.Error() != `unknown agent "nobody" (known: claude, codex, cursor)` {
		t.Errorf("Lookup of nobody: %v", err)
	}
}
