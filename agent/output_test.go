package agent_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/fireharp/overseer/agent"
)

// TestOutput compares the bytes with those that encoding/json makes of the same
// value by its tags.
func TestOutput(t *testing.T) {
	t.Parallel()
	const odd = "a\"b\\c\n\t\x01é\u2028<&>\xff"
	for _, o := range []agent.Output{
		{Decision: "block"},
		{Decision: "block", Reason: odd},
		{Specific: &agent.Specific{Event: "PreToolUse"}},
		{Specific: &agent.Specific{Event: odd, Permission: "deny", PermissionReason: odd, Context: odd}},
		{Specific: &agent.Specific{Event: "PermissionRequest", Decision: &agent.Behavior{Behavior: "deny", Message: odd}}},
		{Specific: &agent.Specific{Event: "PermissionRequest", Decision: &agent.Behavior{}}},
		{Specific: &agent.Specific{Event: "Elicitation", Action: "decline"}},
		{Decision: "block", Reason: "r", Specific: &agent.Specific{Event: "Stop", Context: "c"}},
	} {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(o); err != nil {
			t.Fatal(err)
		}
		if got := o.Bytes(); string(got) != want.String() {
			t.Errorf("got  %s\nwant %s", got, want.String())
		}
	}
	if got := (agent.Output{}).Bytes(); got != nil {
		t.Errorf("nothing to say, said %s", got)
	}
}
