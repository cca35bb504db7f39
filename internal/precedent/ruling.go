// Package precedent is what earlier human rulings say of an action: how an action
// is described so that others can be compared with it ([Signature]), which rulings
// are like it, and what they come to ([Weigh]). It is pure: it reads no file and
// has no clock.
package precedent

import (
	"time"

	"github.com/fireharp/overseer/event"
)

// Ruling is what a human said of one action.
type Ruling struct {
	// Event is the id of the event that announced the action.
	Event string
	// Decision is allow or deny.
	Decision event.Decision
	// By is the person, if known, Source how they said it, see journal.SourceOutcome
	// and its likes.
	By, Source string
	// Time is when they said it, in whole microseconds.
	Time time.Time
	// Signature describes the action, see [Signature.String].
	Signature string
}

// How a ruling was revealed that nobody pronounced: journal.SourceCompletion and
// journal.SourceRefusal.
const (
	completion = "completion"
	refusal    = "refusal"
)
