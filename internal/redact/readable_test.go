package redact_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/redact"
)

// TestReadable has ordinary text of developers, of which nothing may be hidden:
// neither line by line, nor as a whole, nor within JSON.
func TestReadable(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/readable.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := string(b)
	lines := strings.Split(strings.TrimSuffix(all, "\n"), "\n")
	for _, line := range lines {
		if got := redact.Text(line); got != line {
			t.Errorf("\n     %s\nbecame %s", line, got)
		}
		raw, err := json.Marshal(map[string]any{"command": line, "args": []string{line}, "nested": `{"x":` + string(must(json.Marshal(line))) + `}`})
		if err != nil {
			t.Fatal(err)
		}
		if got := redact.Builtin.JSON(raw); string(got) != string(raw) {
			t.Errorf("\n     %s\nbecame %s", raw, got)
		}
	}
	for i, line := range strings.Split(strings.TrimSuffix(redact.Text(all), "\n"), "\n") {
		if i >= len(lines) || line != lines[i] {
			t.Errorf("in the whole text, line %d became %s", i+1, line)
		}
	}
	twice := string(must(json.Marshal(string(must(json.Marshal(all))))))
	if got := redact.Text(twice); got != twice {
		t.Errorf("escaped: %d are hidden: %s", strings.Count(got, redact.Mark), around(got))
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// around gives what stands around the marks.
func around(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, redact.Mark)
		if i < 0 {
			return b.String()
		}
		b.WriteString("\n" + s[max(0, i-60):i+len(redact.Mark)])
		s = s[i+len(redact.Mark):]
	}
}
