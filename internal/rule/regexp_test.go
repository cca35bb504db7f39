package rule

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/hint"
)

func TestNeededText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, want string }{
		{`rm`, "rm"},
		{`(?:^|\s)rm\s+-rf`, " -rf"[1:]},
		{`git\s+push`, "push"},
		{`ab+c`, "ab"},
		{`abc*d`, "ab"},
		{`abc?`, "ab"},
		{`abc{2,3}de`, "ab"},
		{`a|b`, ""},
		{`(?i)rm`, ""},
		{`(?P<x>a)bc`, "bc"},
		{`a\.b`, "a.b"},
		{`\x41bc`, ""},
		{`\Qa.b\E`, ""},
		{`[abc]def`, "def"},
		{`[^]a]x`, "x"},
		{`[[:alpha:]]x`, "x"},
		{`^$`, ""},
	} {
		if got := neededText(tt.source); got != tt.want {
			t.Errorf("neededText(%q) = %q, want %q", tt.source, got, tt.want)
		}
	}
}

// TestNeededTextIsNeeded makes expressions and texts at random: whatever an
// expression matches must contain its needed text.
func TestNeededTextIsNeeded(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	atoms := []string{"a", "b", "c", "ab", `\.`, ".", `\s`, `\b`, "[ab]", "[^a]", "(a|b)", "(?:ab)", "(c)", "a*", "b?", "c+", "a{0,2}", "(ab)*", "|", "^", "$", "é", "{", `\d`, "(?:a|)", `\\`}
	letters := []string{"a", "b", "c", ".", " ", "é", "{", "1", `\`}
	pick := func(from []string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(from[rng.IntN(len(from))])
		}
		return b.String()
	}
	matched := 0
	for range 60_000 {
		source := pick(atoms, 1+rng.IntN(6))
		re, err := regexp.Compile(source)
		if err != nil {
			continue
		}
		needed := neededText(source)
		for range 6 {
			text := pick(letters, rng.IntN(8))
			if re.MatchString(text) {
				matched++
				if !strings.Contains(text, needed) {
					t.Fatalf("%q matches %q, which lacks %q", source, text, needed)
				}
			}
		}
	}
	if matched < 10_000 {
		t.Fatalf("only %d matches were tried", matched)
	}
}

func TestCheckRegexp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, err, hint string }{
		{`rm\s+-rf`, "", ""},
		{`rm(?!x)`, "regular expression: invalid or unsupported Perl syntax: (?!", "lookahead"},
		{`(?<=a)b`, "regular expression: invalid named capture: (?<=a)b", "lookahead"},
		{`(a)\1`, `regular expression: invalid escape sequence: \1`, "back-references"},
		{`a(`, "regular expression: missing closing ): a(", ""},
	} {
		err := CheckRegexp(tt.source)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.err {
			t.Errorf("CheckRegexp(%q) = %q, want %q", tt.source, got, tt.err)
		}
		if hints := strings.Join(hint.Of(err), " "); !strings.Contains(hints, tt.hint) {
			t.Errorf("CheckRegexp(%q): hint %q, want one about %q", tt.source, hints, tt.hint)
		}
	}
}
