package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fireharp/overseer/agent"
)

// denies checks that a hook's standard output does not undo the deny that its
// exit status says: it is empty, or exactly one JSON document that says deny for
// this event. With text around it no agent reads it, and one of another form
// makes Claude Code 2.1.197 run the tool in spite of exit 2 (docs/agents.md).
func denies(stdout []byte, event string) error {
	if len(bytes.TrimSpace(stdout)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(stdout))
	var o agent.Output
	if err := d.Decode(&o); err != nil {
		return fmt.Errorf("its standard output is not JSON: %s", firstLine(stdout))
	}
	if err := d.Decode(&struct{}{}); err != io.EOF {
		return fmt.Errorf("its standard output goes on after the JSON: %s", firstLine(stdout[d.InputOffset():]))
	}
	switch s := o.Specific; {
	case s == nil:
		return fmt.Errorf("its standard output says no deny: %s", firstLine(stdout))
	case s.Event != event:
		return fmt.Errorf("its standard output answers the event %q, not %s", s.Event, event)
	case s.Permission != "deny":
		return fmt.Errorf("its standard output says %q, not deny", s.Permission)
	case s.PermissionReason == "":
		return errors.New("its standard output denies without a reason")
	}
	return nil
}
