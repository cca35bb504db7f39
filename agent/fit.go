package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fireharp/overseer/event"
)

// Plan is a verdict cut down to what one agent can express for one event.
type Plan struct {
	// Decision is what the agent is to be told.
	Decision event.Decision
	// Reason goes with it: clean, bounded, and never empty for ask and deny.
	Reason string
	// Context is text for the model, "" where there is none or no way to hand it
	// over.
	Context string
	// Plain asks for the one form that every agent obeys: nothing on stdout, the
	// reason on stderr, exit 2.
	Plain bool
	// Lost says in words what the agent cannot express, "" if nothing.
	Lost string
}

// Fit finds out what of a verdict p can express for e. What it cannot is made
// stricter where that still prevents something (ask becomes deny, with the way
// to approve in the reason) and is dropped where nothing is left to prevent;
// either is named in Lost.
//
// An event that p does not list may well be one that an answer can stop, so a
// deny is given in the plain form.
func Fit(p Provider, e *event.Event, v *event.Verdict) Plan {
	c, known := find(p, e.NativeName())
	if !known {
		c.Deny = true
	}
	plan := Plan{Decision: v.Decision, Reason: clean(v.Reason, maxText)}
	loops := e.StopActive && c.After
	var lost []string
	lose := func(format string, args ...any) { lost = append(lost, fmt.Sprintf(format, args...)) }

	switch plan.Decision {
	case event.Allow, event.Deny:
	case event.Ask:
		switch {
		case c.Ask:
		case c.After:
			plan.Decision = event.Allow
			lose("ask: %s reports what has happened, nobody was asked", nameOf(e))
		case c.Deny:
			plan.Decision = event.Deny
			plan.Reason = needsApproval(p, e, v)
			lose("ask became deny: %s cannot ask at %s", p.Title(), nameOf(e))
		default:
			plan.Decision = event.Allow
			lose("ask: %s takes no answer to %s", p.Title(), nameOf(e))
		}
	default:
		plan.Decision = event.Deny
		lose("decision %q is none that overseer knows, so it denied", clean(string(v.Decision), 40))
	}

	if plan.Decision == event.Deny {
		switch {
		case loops:
			// The agent goes on because it was told to already; see quirk 10.
			plan.Decision = event.Allow
			lose("deny: the agent already goes on because of a %s hook, once more could loop", nameOf(e))
		case c.Deny:
		case c.Context:
			plan.Decision = event.Allow
			plan.Context = "overseer objects: " + orElse(plan.Reason, noReason)
			lose("deny became context: %s cannot block %s", p.Title(), nameOf(e))
		default:
			plan.Decision = event.Allow
			lose("deny: %s takes no answer to %s", p.Title(), nameOf(e))
		}
	}
	if plan.Decision != event.Allow {
		plan.Reason = orElse(plan.Reason, noReason)
	}

	if g := clean(strings.Join(v.Guidance, "\n"), maxText); g != "" {
		switch {
		case c.Context && !loops:
			plan.Context = clean(strings.TrimPrefix(plan.Context+"\n"+g, "\n"), maxText)
		case plan.Decision == event.Deny:
			plan.Reason = clean(plan.Reason+"\n"+g, maxText)
		default:
			lose("guidance could not be delivered with %s", nameOf(e))
		}
	}
	plan.Plain = plan.Decision == event.Deny && (v.Basis == event.ByFault || !known)
	plan.Lost = strings.Join(lost, "; ")
	return plan
}

// Explicit reports whether an allow rests on something that a person laid down
// for such actions, and not on nothing having spoken against it.
func Explicit(v *event.Verdict) bool {
	switch v.Basis {
	case event.ByRule, event.ByPolicy, event.ByPrecedent, event.ByApproval:
		return v.Decision == event.Allow && !v.Silent
	}
	return false
}

// Answer starts the answer that the plan calls for: the decision, and for a deny
// the reason on stderr and exit 2, which stand even where stdout is not
// understood. The caller adds the agent's JSON.
func (p Plan) Answer() Answer {
	a := Answer{Decision: p.Decision, Degraded: p.Lost}
	if p.Decision == event.Deny {
		a.Stderr, a.ExitCode = plain(p.Reason), 2
	}
	return a
}

// Folded is the plan with the context as part of the reason, for answers that
// have room for one text only.
func (p Plan) Folded() Plan {
	if p.Context != "" && p.Decision != event.Allow {
		p.Reason = clean(p.Reason+"\n"+p.Context, maxText)
		p.Context = ""
	}
	return p
}

const noReason = "overseer gave no reason"

// needsApproval is the reason of a deny that stands in for an ask: what the model
// is to tell its human, or the human themself where they are the one who reads it.
func needsApproval(p Provider, e *event.Event, v *event.Verdict) string {
	how := fmt.Sprintf("This needs a person's approval, and %s cannot ask for it here.", p.Title())
	by := clean(v.ApproveBy, 500)
	switch prompt := e.Name == event.UserPromptSubmit || e.Name == event.UserPromptExpansion; {
	case by == "" && prompt:
	case by == "":
		how += " Tell the user, and do not look for a way around it."
	case prompt:
		how += fmt.Sprintf(" To let it through, run `%s` in a terminal, then send it again unchanged.", by)
	default:
		how += fmt.Sprintf(" Tell the user: to let it through, run `%s` in a terminal of your own, then have it retried unchanged."+
			" Do not run that command yourself and do not look for a way around it.", by)
	}
	room := maxText - utf8.RuneCountInString(how) - 1
	return strings.TrimSpace(clean(v.Reason, room) + "\n" + how)
}

func nameOf(e *event.Event) string {
	return orElse(clean(e.NativeName(), 60), "an event without a name")
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
