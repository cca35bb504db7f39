package ledger_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want string
	}{
		{"rm -rf ./src/main.go", "rm rf src main go"},
		{"Git GIT git", "git"},
		{"mcp__db__query", "mcp db query"},
		{"Äpfel ÀÉ", "äpfel àé"},
		{"cafe\u0301 x", "cafe\u0301 x"},
		{"\u0301x", "x"},
		{"東京tower", "東 京 tower"},
		{"v1.26 0x1F", "v1 26 0x1f"},
		{"a\x00b\xffc", "a b c"},
		{"😀 - !", ""},
		{"", ""},
		{strings.Repeat("x", 60) + " " + strings.Repeat("x", 70), strings.Repeat("x", 48)},
		{strings.Repeat("ä", 60), strings.Repeat("ä", 24)},
		{"x" + strings.Repeat("ä", 60), "x" + strings.Repeat("ä", 23)},
	} {
		if got := strings.Join(ledger.Words(tt.text), " "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := ledger.Words("a b", "b c"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("several texts: %v", got)
	}
}

// FuzzWords checks what stores rely on: a word is one word, of valid UTF-8.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"rm -rf /", "İstanbul ǅ", "\u0301", "กำ", "ﬀ", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range ledger.Words(text) {
			if again := ledger.Words(w); len(again) != 1 || again[0] != w || !utf8.ValidString(w) || strings.ContainsAny(w, "\" \x00") {
				t.Errorf("%q has the word %q, which has %q", text, w, again)
			}
		}
	})
}

func TestRecordWords(t *testing.T) {
	t.Parallel()
	r := journal.Record{
		Event: event.PreToolUse, Tool: "Bash", Subject: "git push", CWD: "/repo", Reason: "seen by others", Session: "secret",
		Reasons: []event.Reason{{Rule: "ask-push", Text: "not this"}}, Payload: []byte(`{"x":"nor this"}`),
	}
	want := []string{"bash", "repo", "seen", "by", "others", "ask", "push", "git"}
	if diff := cmp.Diff(want, ledger.RecordWords(&r)); diff != "" {
		t.Error(diff)
	}
	many := journal.Record{Event: event.Stop, Reason: "reason", Subject: strings.Repeat("a b c ", 3)}
	for i := range 1000 {
		many.Subject += " w" + string(rune('a'+i%26)) + strings.Repeat("x", i/26)
	}
	if got := ledger.RecordWords(&many); len(got) != 256 || got[0] != "reason" || got[1] != "stop" {
		t.Errorf("%d words, the first %v", len(got), got[:2])
	}
}
