package glob_test

import (
	"testing"

	"github.com/fireharp/overseer/internal/glob"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, s string
		want       bool
	}{
		{"*", "", true}, {"a*c", "abbc", true}, {"a*c", "abb", false}, {"+*", "+main", true},
		{"?", "a", true}, {"?", "", false}, {"*.docker.sock*", "/x.docker.sock:/y", true}, {"a", "ab", false},
		{`\*`, "*", true}, {`\*`, "x", false}, {`a\b`, `a\b`, true},
	} {
		if got := glob.Match(tt.pattern, tt.s); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, tt.s, got)
		}
	}
}
