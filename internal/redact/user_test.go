package redact_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/redact"
)

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, pattern, in, want string }{
		{"all that matches", `acme-\d+`, "x acme-1 acme-22 y acme-z", "x [redacted] [redacted] y acme-z"},
		{"the group that is called so", `cust(?P<secret>\d+)x`, "cust12x cust3", "cust[redacted]x cust3"},
		{"the group in one alternative", `cust(?P<secret>\d+)x|acme-\d+`, "cust12x acme-22 y", "cust[redacted]x [redacted] y"},
		{"the group that is optional", `cust(?P<secret>\d+)?x`, "cust12x custx", "cust[redacted]x [redacted]"},
		{"other groups are none", `(a)(b)`, "xaby", "x[redacted]y"},
		{"with the built-in set", `acme`, "TOKEN=hunter2 acme", "TOKEN=[redacted] [redacted]"},
		{"over a secret", `TOKEN=\S+`, "TOKEN=hunter2 x", "[redacted] x"},
		{"its own mark", `[a-z]{5,}`, "a [redacted] bbbbbb", "a [redacted] [redacted]"},
		{"documented, names", documented[0].Expr, "my Api_Key : abc def", "my [redacted] def"},
		{"documented, keys", documented[1].Expr, "x" + aws + "y", "x[redacted]y"},
		{"documented, base64 also takes paths", documented[2].Expr, "cat /home/bob/go/src/example/project/internal/authentication", "cat [redacted]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := redact.New(redact.Pattern{Expr: tt.pattern, At: "config.toml:1:1"})
			if f := s.Faults(); len(f) > 0 {
				t.Fatal(f)
			}
			got := s.Text(tt.in)
			if got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if again := s.Text(got); again != got {
				t.Errorf("redacted again: %s", again)
			}
		})
	}
}

// TestPatternsInJSON has patterns that speak of a name and its value.
func TestPatternsInJSON(t *testing.T) {
	t.Parallel()
	s := redact.New(redact.Pattern{Expr: `customer\s*[:=]\s*\S+`}, redact.Pattern{Expr: `^ssn=(?P<secret>\d+)$`})
	got := string(s.JSON(json.RawMessage(`{"customer":"bob","other":"bob","ssn":"123","n":"customer: eve"}`)))
	if want := `{"customer":"[redacted]","other":"bob","ssn":"[redacted]","n":"[redacted]"}`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestBrokenPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, want, hint string }{
		{`(acme`, `missing closing )`, `\(`},
		{`[acme`, `missing closing ]`, `\[`},
		{`*acme`, `missing argument to repetition operator`, `\*`},
		{`(?<!x)acme`, `invalid`, `look-around`},
		{`(a)\1`, `invalid escape sequence`, `back-references`},
		{`\d*`, `it matches the empty text`, `{8,}`},
		{`.+`, `it matches everything`, `what comes before`},
		{`\S+|\s+`, `it matches everything`, `what comes before`},
	} {
		t.Run(tt.pattern, func(t *testing.T) {
			t.Parallel()
			s := redact.New(redact.Pattern{Expr: tt.pattern, At: "/x/config.toml:3:5"}, redact.Pattern{Expr: "acme", At: "/x/config.toml:4:5"})
			s.Text("x")
			if got := s.Met(); len(got) != 1 {
				t.Errorf("met %v", got)
			}
			faults := s.Faults()
			if len(faults) != 1 {
				t.Fatalf("%d faults: %v", len(faults), faults)
			}
			if got := faults[0].Error(); !strings.HasPrefix(got, "/x/config.toml:3:5: the pattern ") || !strings.Contains(got, tt.want) {
				t.Error(got)
			}
			if h := strings.Join(hint.Of(faults[0]), "|"); !strings.Contains(h, tt.hint) {
				t.Error(h)
			}
			if got := s.Text("TOKEN=hunter2 acme 1"); got != "TOKEN=[redacted] [redacted] 1" {
				t.Errorf("the others: %s", got)
			}
		})
	}
}

// TestEmptyGroup has patterns that are in force and yet may hide nothing.
func TestEmptyGroup(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, in, want string }{
		{`(?P<secret>)x`, "a x", "a x"},
		{`cust=(?P<secret>\w*)`, "cust=ab cust=", "cust=[redacted] cust="},
		{`cust=(?:(?P<secret>a|)b)`, "cust=ab", "cust=[redacted]b"},
	} {
		s := redact.New(redact.Pattern{Expr: tt.pattern, At: "/x/config.toml:3:5"})
		faults := s.Faults()
		if len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "/x/config.toml:3:5: the pattern ") || !strings.Contains(strings.Join(hint.Of(faults[0]), "|"), "instead of *") {
			t.Errorf("%s: faults %v", tt.pattern, faults)
		}
		if got := s.Text(tt.in); got != tt.want {
			t.Errorf("%s: %s became %s, want %s", tt.pattern, tt.in, got, tt.want)
		}
	}
}

// FuzzNeed compares a person's patterns with and without looking first for what
// they need.
func FuzzNeed(f *testing.F) {
	f.Add("SecreT: x", `(?i)(api[_-]?key|secret|token|password)\s*[:=]\s*\S+`)
	f.Add("a\u017fecret=1", `(?i)secret=\d`)
	f.Add("aaaaaaaaaaaaaaaaaaaa", `(?:[a-c]{12,})x?`)
	f.Add("ab", `(?:xy|ab)+|c`)
	f.Fuzz(func(t *testing.T, text, expr string) {
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 100 || strings.Contains(text, "[") {
			return
		}
		s := redact.New(redact.Pattern{Expr: expr})
		if len(s.Faults()) > 0 || strings.Contains(expr, "secret>") {
			return
		}
		for _, m := range re.FindAllString(text, -1) {
			if m != "" && len(m) > 12 && strings.Contains(s.Text(text), m) {
				t.Errorf("%q in %q is not hidden: %q", m, text, s.Text(text))
			}
		}
		if re.MatchString(text) && re.FindString(text) != "" && s.Text(text) == text {
			t.Errorf("%q: nothing of %q is hidden", expr, text)
		}
	})
}
