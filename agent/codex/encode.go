package codex

import (
	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// Encode answers an event. Codex goes on with whatever it does not understand,
// so a deny is JSON with no member too many and also the reason on stderr with
// exit 2; exit 2 without stderr would run the tool (quirk 4). Where both are
// given stderr is what counts, so everything to be said is in the reason.
func (p provider) Encode(e *event.Event, v *event.Verdict) agent.Answer {
	plan := agent.Fit(p, e, v).Folded()
	a := plan.Answer()
	switch plan.Decision {
	case event.Deny:
		if !plan.Plain {
			a.Stdout = deny(e.Name, plan.Reason).Bytes()
		}
	case event.Allow:
		// An allow in words is a fault on PreToolUse (quirk 4). On
		// PermissionRequest it lifts the sandbox, so only what a person laid down
		// gives it; else Codex asks.
		if e.Name == event.PermissionRequest && agent.Explicit(v) {
			a.Stdout = agent.Output{Specific: &agent.Specific{
				Event: e.Name, Decision: &agent.Behavior{Behavior: "allow"},
			}}.Bytes()
		} else if plan.Context != "" {
			a.Stdout = agent.Output{Specific: &agent.Specific{Event: e.Name, Context: plan.Context}}.Bytes()
		}
	}
	return a // an ask is left to Codex's own question
}

func deny(name, reason string) agent.Output {
	switch name {
	case event.PreToolUse:
		return agent.Output{Specific: &agent.Specific{Event: name, Permission: "deny", PermissionReason: reason}}
	case event.PermissionRequest:
		return agent.Output{Specific: &agent.Specific{
			Event: name, Decision: &agent.Behavior{Behavior: "deny", Message: reason},
		}}
	}
	return agent.Output{Decision: "block", Reason: reason}
}
