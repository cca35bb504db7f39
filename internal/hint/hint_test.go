package hint_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/hint"
)

func TestHints(t *testing.T) {
	t.Parallel()
	base := errors.New("it broke")
	err := hint.Wrap(fmt.Errorf("outer: %w", hint.Wrap(base, "inner %d", 1)), "outer")
	if err.Error() != "outer: it broke" {
		t.Errorf("the text changed: %v", err)
	}
	if !errors.Is(err, base) {
		t.Error("the cause is lost")
	}
	if diff := cmp.Diff([]string{"outer", "inner 1"}, hint.Of(err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if hint.Wrap(nil, "x") != nil || hint.Of(nil) != nil || hint.Of(base) != nil {
		t.Error("hints out of nothing")
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"event", "tool", "path", "cmd", "keyword", "safe_mode"}
	for word, want := range map[string]string{
		"tools": "tool", "Tool": "tool", "keywrod": "keyword", "safemode": "safe_mode", "evnt": "event",
		"colour": "", "x": "", "": "",
	} {
		if got := hint.Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
