package ledger

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
)

// Reveals is the outcome that the event end gives to the event asked, if it gives
// one: both are of one tool call, asked was answered with ask, and end came later and
// says how the call ended. Imported events prove nothing. Of several asked events of a
// call a store has this outcome for the latest before an end.
func Reveals(asked, end *journal.Record) (Outcome, bool) {
	a, how := callOf(asked)
	e, ended := callOf(end)
	if a == "" || a != e || how != askedHalf || ended == askedHalf || end.Time.Before(asked.Time) {
		return Outcome{}, false
	}
	if ended == refusedHalf {
		return RefusalOutcome(asked.ID, end), true
	}
	return CompletionOutcome(asked.ID, end), true
}

// Call names the tool call that an event is a half of, "" if of none. asked is true
// for the half that was answered with ask, false for an end.
func Call(r *journal.Record) (call string, asked bool) {
	call, how := callOf(r)
	return call, how == askedHalf
}

// The halves of a call.
const (
	askedHalf = iota
	ranHalf
	refusedHalf
)

func callOf(r *journal.Record) (call string, half int) {
	if r.Kind != journal.KindEvent || r.Imported != "" || r.Session == "" || r.ToolUseID == "" {
		return "", 0
	}
	call = strings.Join([]string{r.Agent, r.Session, r.ToolUseID, r.Tool, r.Subject}, "\x00") // as Prepared.Call
	// completes looks into the payload of a whole line.
	ran, refused := completes(r, []byte(`{"payload":`+string(r.Payload)+`}`))
	switch {
	case ran:
		return call, ranHalf
	case refused:
		return call, refusedHalf
	case r.Answered == event.Ask && slices.Contains(asks, r.Mode):
		return call, askedHalf
	}
	return "", 0
}
