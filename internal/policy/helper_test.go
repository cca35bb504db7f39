package policy_test

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/policy"
)

// known stands in for the agents that the program links.
func known() policy.Agents {
	names := map[string]string{"claudecode": "claude", "claude": "claude", "cursor": "cursor", "codex": "codex"}
	events := map[string][]string{
		"claude": {"PreToolUse", "PostToolUse", "Stop"},
		"cursor": {"preToolUse", "beforeShellExecution", "afterFileEdit"},
		"codex":  {"PreToolUse", "PermissionRequest"},
	}
	return policy.Agents{
		Lookup: func(s string) (string, bool) { n, ok := names[s]; return n, ok },
		Names:  []string{"claudecode", "codex", "cursor"},
		Events: func(agent string) (out []string) {
			for name, list := range events {
				if agent == "" || agent == name {
					out = append(out, list...)
				}
			}
			return out
		},
	}
}

func parse(t *testing.T, src string) *policy.Policy {
	t.Helper()
	p, faults := policy.Parse("/repo/.hookmon-policy.yaml", []byte(src), known())
	if len(faults) > 0 {
		t.Fatalf("%v\n%s", faults, src)
	}
	return p
}

// faults are the errors with their hints, one a line.
func faults(errs []error) string {
	var b strings.Builder
	for _, err := range errs {
		b.WriteString(strings.Join(append([]string{err.Error()}, hint.Of(err)...), " | ") + "\n")
	}
	return b.String()
}
