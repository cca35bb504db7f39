//go:build unix

package e2e

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/fireharp/overseer/e2e/model"
)

// entry is one event as `overseer ledger tail --json` prints it, as far as the
// tests care.
type entry struct {
	ID        string `json:"id"`
	Agent     string `json:"agent"`
	Event     string `json:"event"`
	ToolUseID string `json:"tool_use_id"`
	Decision  string `json:"decision"`
	Basis     string `json:"basis"`
	Reason    string `json:"reason"`
	Answered  string `json:"answered"`
	Outcomes  []struct {
		Decision string `json:"decision"`
		Source   string `json:"source"`
	} `json:"outcomes"`
}

// ledger lists what overseer recorded in this world, the oldest first.
func (w *world) ledger() []entry {
	w.Helper()
	out := w.overseer("ledger", "tail", "-n", "1000", "--json")
	var all []entry
	dec := json.NewDecoder(strings.NewReader(out))
	for dec.More() {
		var e entry
		if err := dec.Decode(&e); err != nil {
			w.Fatalf("ledger tail --json: %v\n%s", err, out)
		}
		all = append(all, e)
	}
	return all
}

// recorded asserts that the ledger holds the event of a step once, with this
// decision and basis, and gives it back. The script's steps before this one must
// be tool calls too.
func (w *world) recorded(m *model.Server, step int, event, decision, basis string) entry {
	w.Helper()
	before := slices.DeleteFunc(w.ledger(), func(e entry) bool { return e.Event != "PreToolUse" })
	calls := m.Calls()
	if step >= len(calls) || step >= len(before) {
		w.Fatalf("step %d: the agent got %d steps, the ledger has %d PreToolUse", step, len(calls), len(before))
	}
	// In code mode the call that is judged is one that the model's JavaScript
	// makes, and has an id of its own.
	id := before[step].ToolUseID
	if id == "" || w.agent != codexInCodeMode && id != calls[step].ID {
		w.Errorf("step %d is recorded with the tool-use id %q, want %q", step, id, calls[step].ID)
	}
	return w.recordedOnce(decision, basis, func(e entry) bool { return e.Event == event && e.ToolUseID == id })
}

// recordedOnce is recorded for events that belong to no step.
func (w *world) recordedOnce(decision, basis string, which func(entry) bool) entry {
	w.Helper()
	all := w.ledger()
	found := slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return !which(e) })
	if len(found) != 1 {
		w.Fatalf("the ledger has the event %d times, want once: %+v", len(found), all)
	}
	e := found[0]
	if e.Decision != decision || e.Basis != basis || e.Agent != w.agent.name {
		w.Errorf("recorded %s by %s for %s, want %s by %s for %s", e.Decision, e.Basis, e.Agent, decision, basis, w.agent.name)
	}
	return e
}

// eventID finds the id of an event in a text, "" if there is none.
func eventID(text string) string { return eventIDs.FindString(text) }

// eventIDs matches "ev_" and a ULID.
var eventIDs = regexp.MustCompile(`ev_[0-9A-HJKMNP-TV-Z]{26}`)
