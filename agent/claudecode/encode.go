package claudecode

import (
	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// Encode answers an event. A deny is given three times over: as JSON, on stderr
// and by exit 2, so that it holds where one of them is not understood (quirk 2).
func (p provider) Encode(e *event.Event, v *event.Verdict) agent.Answer {
	if e.Caller != "" && e.Caller != p.Name() {
		return agent.AnswerCaller(e, v)
	}
	plan := agent.Fit(p, e, v)
	switch plan.Decision {
	case event.Deny:
		return deny(e, plan)
	case event.Ask:
		return ask(e, plan)
	}
	return allow(e, v, plan)
}

func deny(e *event.Event, plan agent.Plan) agent.Answer {
	a := plan.Answer()
	switch e.Name {
	case event.PermissionRequest:
		// Exit 2 has no effect here, not even for a fault (quirk 6), and the
		// person may answer first (quirk 7).
		return agent.Answer{
			Decision: a.Decision, Degraded: a.Degraded,
			Stdout: agent.Output{Specific: &agent.Specific{
				Event:    e.Name,
				Decision: &agent.Behavior{Behavior: "deny", Message: plan.Reason},
			}}.Bytes(),
		}
	case event.PreToolUse, event.PreSkillShellCommand, "PreModelSwitch":
		if !plan.Plain {
			a.Stdout = agent.Output{Specific: &agent.Specific{
				Event:      e.Name,
				Permission: "deny", PermissionReason: plan.Reason, Context: plan.Context,
			}}.Bytes()
		}
		return a
	case event.UserPromptSubmit, event.UserPromptExpansion, event.PostToolUse, event.Stop, event.SubagentStop:
		plan = plan.Folded()
		a = plan.Answer()
		if !plan.Plain {
			a.Stdout = agent.Output{Decision: "block", Reason: plan.Reason}.Bytes()
		}
		return a
	case "Elicitation", "ElicitationResult":
		if !plan.Plain {
			a.Stdout = agent.Output{Specific: &agent.Specific{Event: e.Name, Action: "decline"}}.Bytes()
		}
		return a
	}
	// PreCompact, ConfigChange and the task events are documented to heed exit 2;
	// a JSON form is not, and one that does not fit would undo it (quirk 2).
	return a
}

func ask(e *event.Event, plan agent.Plan) agent.Answer {
	a := plan.Answer()
	if e.Name == event.PreToolUse { // elsewhere the agent's own question stays
		a.Stdout = agent.Output{Specific: &agent.Specific{
			Event:      e.Name,
			Permission: "ask", PermissionReason: plan.Reason, Context: plan.Context,
		}}.Bytes()
	}
	return a
}

func allow(e *event.Event, v *event.Verdict, plan agent.Plan) agent.Answer {
	a := plan.Answer()
	s := agent.Specific{Event: e.Name, Context: plan.Context}
	if e.Name == event.PreToolUse && approves(e, v) {
		s.Permission, s.PermissionReason = "allow", plan.Reason
	}
	if s != (agent.Specific{Event: e.Name}) {
		a.Stdout = agent.Output{Specific: &s}.Bytes()
	}
	return a
}

// approves reports whether an allow is to skip the person's own prompt. What a
// person laid down always does. What merely nothing spoke against does too, as
// [answer] default_allow = "approve" promises, but never where overseer itself
// failed, and not in the two modes with which a person has refused more than
// overseer knows of: an approval makes the agent change files in plan mode, and
// run in dontAsk mode what is on no allow list (quirk 12).
func approves(e *event.Event, v *event.Verdict) bool {
	switch v.Basis {
	case event.ByDefault, event.ByJudgment:
		return v.Decision == event.Allow && !v.Silent && e.PermissionMode != "plan" && e.PermissionMode != "dontAsk"
	}
	return agent.Explicit(v)
}
