package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/redact"
)

// token is put together here, so that no scanner takes it for real.
var token = "gh" + "p_" + strings.Repeat("Ab3", 12)

// append1 records one event and returns its line.
func append1(t *testing.T, e event.Event, v event.Verdict, secrets *redact.Set) string {
	t.Helper()
	e.ID, e.Time = "ev_1", time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	dir := t.TempDir()
	r := journal.FromEvent(&e, &v, v.Decision, "", journal.Timings{}, secrets, "")
	if err := journal.Append(t.Context(), dir, r, journal.Options{Secrets: secrets}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "00000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b) {
		t.Errorf("no JSON: %s", b)
	}
	return string(b)
}

func TestSecretsAreNotRecorded(t *testing.T) {
	t.Parallel()
	at := "echo " + token
	e := event.Event{
		Agent: "claude", Name: "PreToolUse", CWD: "/" + token, Session: "s" + token, PermissionMode: token,
		Tool: event.Tool{Name: "Bash" + token, UseID: token, Command: at},
		Raw: json.RawMessage(`{"tool_input":{"command":"` + at + `"},"x":["` + token + `"],"password":"hunter2",` +
			`"a":{"password":6563877984,"count":1},"h":[{"name":"X-Api-Key","value":"plain one"}],"auth":{"basic":{"pass":"plain two"}}}`),
	}
	v := event.Verdict{
		Decision: event.Ask, Reason: at, Reasons: []event.Reason{{Rule: "r", Text: at, At: at}},
		Guidance: []string{at}, Faults: []string{at},
		Judgments: []event.Judgment{{Name: "n", Condition: at, Value: at, Model: at}},
	}
	line := append1(t, e, v, redact.Builtin)
	for _, s := range []string{token, token[:20], "hunter2", "6563877984", "plain one", "plain two"} {
		if strings.Contains(line, s) {
			t.Errorf("%s is in %s", s, line)
		}
	}
	if !strings.Contains(line, `"subject":"echo [redacted]"`) {
		t.Error(line)
	}
	if kept := append1(t, e, v, nil); strings.Count(kept, token) < 12 {
		t.Errorf("without redaction: %s", kept)
	}
}

// TestCutSecrets has a secret over every cut: no half of it may be kept.
func TestCutSecrets(t *testing.T) {
	t.Parallel()
	const inside = "Ab3Ab3Ab3"
	for _, size := range []int{64, 256, 1 << 10, 2 << 10, 12 << 10, 1 << 20} {
		for _, before := range []int{1, 5, 20, 39} {
			text := strings.Repeat("x ", size)[:size-before] + token + strings.Repeat(" y", 20<<10)
			raw, err := json.Marshal(map[string]any{"a": text, "b": map[string]string{"c": "\n" + text}, "d": []string{text, "é" + text}})
			if err != nil {
				t.Fatal(err)
			}
			long, err := json.Marshal(strings.Split(strings.Repeat(text[:min(size+50, 4<<10)]+"|", 400), "|"))
			if err != nil {
				t.Fatal(err)
			}
			for _, raw := range [][]byte{raw, long, []byte("no JSON " + text[8:])} {
				e := event.Event{Name: "PreToolUse", Tool: event.Tool{Name: "Bash", Command: text}, Raw: raw}
				line := append1(t, e, event.Verdict{Decision: event.Allow, Reason: text, Faults: []string{text}}, redact.Builtin)
				if i := strings.Index(line, inside); i >= 0 {
					t.Fatalf("%d bytes before %d: …%s…", before, size, line[max(0, i-50):i+50])
				}
				e.Tool = event.Tool{Name: "Bash", Command: strings.Repeat("y", 40<<10) + token + strings.Repeat(" x", size)[:2*size-before]}
				if line := append1(t, e, event.Verdict{Decision: event.Allow}, redact.Builtin); strings.Contains(line, inside) {
					t.Fatalf("%d bytes after %d: %s", before, size, line)
				}
				e.Tool = event.Tool{Name: "mcp__x", Input: raw}
				if line := append1(t, e, event.Verdict{Decision: event.Allow}, redact.Builtin); strings.Contains(line, inside) {
					t.Fatalf("%d bytes after %d: %s", before, size, line)
				}
			}
		}
	}
}

// TestRedact takes out what was recorded before.
func TestRedact(t *testing.T) {
	t.Parallel()
	r := journal.Record{
		Kind: journal.KindEvent, ID: "ev_" + token, Action: "aa", Tool: "Bash", CWD: "/repo", Subject: "x " + token, Note: token,
		Session: "sha256:00", ToolUseID: "toolu_1", Reasons: []event.Reason{{Rule: "r", Text: token}}, Guidance: []string{token},
		Payload: json.RawMessage(`{"n": 1, "token": "abc"}`),
	}
	got := journal.Redact(r, redact.Builtin)
	want := journal.Record{
		Kind: journal.KindEvent, ID: r.ID, Action: "aa", Tool: "Bash", CWD: "/repo", Subject: "x [redacted]", Note: "[redacted]",
		Session: "sha256:00", ToolUseID: "toolu_1", Reasons: []event.Reason{{Rule: "r", Text: "[redacted]"}}, Guidance: []string{"[redacted]"},
		Payload: json.RawMessage(`{"n": 1, "token": "[redacted]"}`),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Reasons[0].Text != token || r.Guidance[0] != token {
		t.Error("the record handed in was changed")
	}
	if diff := cmp.Diff(got, journal.Redact(got, redact.Builtin)); diff != "" {
		t.Error(diff)
	}
}
