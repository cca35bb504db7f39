// Package hookmon holds what the hookmon face needs beside a policy: its
// settings, its log with one envelope a line, and its record of denies. The face
// itself is in package cmd.
package hookmon

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/policy"
	"github.com/fireharp/overseer/internal/redact"
	"github.com/fireharp/overseer/internal/rule"
)

// AgentName is the name that logs and policies of this face have for an agent:
// its documents say "claudecode" for what is "claude" elsewhere.
func AgentName(provider string) string {
	if provider == "claude" {
		return "claudecode"
	}
	return provider
}

// Acknowledgment is what is written for an event that is not blocked: "{}", which
// says nothing in every dialect. Codex's SessionEnd takes no output at all.
func Acknowledgment(e *event.Event) []byte {
	if e.Agent == "codex" && e.Name == event.SessionEnd {
		return nil
	}
	return []byte("{}\n")
}

// denial is one line of the policy log.
type denial struct {
	Time    string `json:"time"`
	Agent   string `json:"agent"`
	Event   string `json:"event"`
	Tool    string `json:"tool"`
	Path    string `json:"path"`
	Command string `json:"command"`
	Action  string `json:"action"`
	Reason  string `json:"reason"`

	// The first threshold of the rule, where it has one; all of them, where there
	// are more.
	Judgment          string  `json:"judgment,omitempty"`
	JudgmentValue     any     `json:"judgment_value,omitempty"`
	JudgmentCondition string  `json:"judgment_condition,omitempty"`
	JudgmentModel     string  `json:"judgment_model,omitempty"`
	Judgments         []fired `json:"judgments,omitempty"`
}

// fired is one threshold that was met.
type fired struct {
	Judgment  string `json:"judgment"`
	Value     any    `json:"value"`
	Condition string `json:"condition"`
}

// DenyRecord is the line of the policy log for a deny, without its line break and
// without the secrets of the command. The log that is promised raw is the other one.
func DenyRecord(now time.Time, s *rule.Subject, o *policy.Outcome) ([]byte, error) {
	e := s.Event
	d := denial{
		Time:    now.UTC().Format(time.RFC3339),
		Agent:   AgentName(e.Agent),
		Event:   e.NativeName(),
		Tool:    e.Tool.Name,
		Path:    redact.Text(o.Path(s)),
		Command: redact.Text(e.Tool.Command),
		Action:  string(o.Decision),
		Reason:  redact.Text(o.Reason()),
	}
	for i, j := range o.Judged {
		f := fired{Judgment: subject(j), Value: j.Of(j.Answer), Condition: j.Test()}
		if i == 0 {
			d.Judgment, d.JudgmentValue, d.JudgmentCondition, d.JudgmentModel = f.Judgment, f.Value, f.Condition, j.Answer.Model
		}
		if len(o.Judged) > 1 {
			d.Judgments = append(d.Judgments, f)
		}
	}
	return encode(d)
}

// encode is one line of JSON without escapes for HTML: a command keeps its "&&".
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// subject is the judgment, or the field of its answer, as a policy names it.
func subject(j policy.Judged) string {
	if j.Field != "" {
		return j.Judgment + "." + j.Field
	}
	return j.Judgment
}
