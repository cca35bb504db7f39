package engine_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fireharp/overseer/agent"
	_ "github.com/fireharp/overseer/agent/claudecode"
	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/precedent"
	"github.com/fireharp/overseer/internal/rule"
)

// caseRow is a line of testdata/cases, see cases_test.go at the module's root.
type caseRow struct {
	ID, Expect, Tool string
	Input            map[string]any
}

func caseRows(t *testing.T) map[string][]caseRow {
	t.Helper()
	files, err := filepath.Glob("../../testdata/cases/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	out := map[string][]caseRow{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var r caseRow
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			out[r.Expect] = append(out[r.Expect], r)
		}
	}
	return out
}

// key is a test's key for signatures.
var key = make([]byte, precedent.KeySize)

// askAll asks about everything.
var askAll = []*rule.Rule{{ID: "ask-all", Do: rule.Ask, When: []rule.Condition{rule.Events{event.PreToolUse}}}}

// ruled are rulings by the first program, as the snapshot has them.
type ruled map[uint32][]precedent.Ruling

// judgeCase has the engine judge an act, given rulings, under a rule that asks
// about everything.
func judgeCase(t *testing.T, r caseRow, rulings ruled, threshold int) event.Verdict {
	t.Helper()
	payload, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": "/home/dev/repo", "hook_event_name": "PreToolUse", "tool_name": r.Tool, "tool_input": r.Input, "tool_use_id": "t",
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.Decode("", payload)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Decide(engine.Input{
		Event: &e, Home: "/home/dev", Repo: "/home/dev/repo", Rules: askAll, OnFault: event.Ask,
		Precedents: engine.Precedents{
			Key:      key,
			Settings: precedent.Settings{AllowThreshold: threshold, TopK: 1 << 20},
			Action:   func() string { return journal.Fingerprint(&e, nil) },
			Besides:  func() string { return journal.Besides(&e) },
			Find: func(s *precedent.Signature, _ bool) (found []precedent.Ruling, _, _ error) {
				for _, p := range s.Programs {
					found = append(found, rulings[p]...)
				}
				return found, nil, nil
			},
		},
	})
}

// allowed are n allows by a human for each of the cases.
func allowed(t *testing.T, n int, rows ...caseRow) ruled {
	t.Helper()
	out := ruled{}
	seen := map[string]bool{}
	for _, r := range rows {
		sig := judgeCase(t, r, nil, n).Signature
		parsed, err := precedent.Parse(sig)
		if err != nil || len(parsed.Programs) == 0 && r.Tool != "Bash" {
			t.Fatalf("%s: %q: %v", r.ID, sig, err)
		}
		for i := range n {
			if !seen[sig] && len(parsed.Programs) > 0 {
				first := parsed.Programs[0]
				out[first] = append(out[first], precedent.Ruling{Event: fmt.Sprintf("%s/%d", r.ID, i), Decision: event.Allow, Source: "approve", Time: time.Unix(1, 0), Signature: sig})
			}
		}
		seen[sig] = true
	}
	return out
}

// TestNoCaseVouchesForAWorseOne looks at every act that must not run, beside an
// allow for every act that may: none may become an allow, though here one ruling is
// enough. With all rulings at once no pair is left out.
func TestNoCaseVouchesForAWorseOne(t *testing.T) {
	t.Parallel()
	rows := caseRows(t)
	same := map[string]bool{} // an act may stand in two tables
	for _, r := range rows["stop"] {
		same[fmt.Sprint(r.Input)] = true
	}
	for _, pair := range []struct{ better, worse string }{{"run", "deny"}, {"run", "stop"}, {"stop", "deny"}} {
		rulings := allowed(t, 1, rows[pair.better]...)
		for _, r := range rows[pair.worse] {
			if pair.better == "stop" && same[fmt.Sprint(r.Input)] {
				continue
			}
			if v := judgeCase(t, r, rulings, 1); v.Decision != event.Ask {
				t.Errorf("%s became %s: %s %v, by %+v", r.ID, v.Decision, r.Tool, r.Input, v.Precedents)
			}
		}
	}
}

// TestCasesVouchForThemselves: what a human allowed three times is not asked about
// a fourth time, unless nobody can tell that it is still the same.
func TestCasesVouchForThemselves(t *testing.T) {
	t.Parallel()
	rows := caseRows(t)
	total, spoken := 0, 0
	for expect, list := range rows {
		for _, r := range list[:min(len(list), 300)] {
			total++
			switch v := judgeCase(t, r, allowed(t, 3, r), 3); v.Decision {
			case event.Allow:
				spoken++
				if v.Basis != event.ByPrecedent || len(v.Precedents) != 3 || v.Precedents[0].Score != 1 {
					t.Errorf("%s: %+v", r.ID, v)
				}
			case event.Ask:
			default:
				t.Errorf("%s (%s): %s", r.ID, expect, v.Decision)
			}
		}
	}
	t.Logf("%d of %d acts vouch for themselves", spoken, total)
	if spoken < total*8/10 {
		t.Errorf("only %d of %d acts vouch for themselves", spoken, total)
	}
}
