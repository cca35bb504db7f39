package ledger

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fireharp/overseer/internal/journal"
)

// The bounds of what is indexed of one event: no word of a language or a path is
// longer, and a command line with more different words is data.
const (
	maxWord  = 48
	maxWords = 256
)

// Words are the different words of the texts, folded to lower case: runs of
// letters and digits, so that "rm -rf ./src/main.go" has rm, rf, src, main and
// go. Scripts that do not part words with spaces count every letter as one.
// Stores index these words and look for these words, so that nothing depends on
// how a database would split a text.
func Words(texts ...string) []string {
	out := make([]string, 0, 32)
	seen := make(map[string]bool, 32)
	add := func(word string) {
		if len(word) > maxWord {
			word = strings.ToValidUTF8(word[:maxWord], "")
		}
		word = strings.ToLower(word)
		if word != "" && !seen[word] && len(out) < maxWords {
			seen[word] = true
			out = append(out, word)
		}
	}
	for _, text := range texts {
		start := -1
		for i, r := range text {
			switch kindOf(r) {
			case letter:
				if start < 0 {
					start = i
				}
				continue
			case mark:
				continue // part of a word, but begins none
			}
			if start >= 0 {
				add(text[start:i])
				start = -1
			}
			if kindOf(r) == alone {
				add(string(r))
			}
		}
		if start >= 0 {
			add(text[start:])
		}
	}
	return out
}

// What a rune is to a word.
const (
	other  = iota
	letter // belongs to a word
	mark   // belongs to the letter before it
	alone  // is a word by itself
)

func kindOf(r rune) int {
	switch {
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9', 'A' <= r && r <= 'Z':
		return letter
	case r < utf8.RuneSelf:
		return other
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
		return alone
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return letter
	case unicode.IsMark(r):
		return mark
	}
	return other
}

// RecordWords are the words by which an event is found: those of its tool, its
// subject, its folder, the reason of its verdict and the rules that fired.
func RecordWords(r *journal.Record) []string {
	texts := []string{r.Tool, r.CWD, r.Reason}
	for _, reason := range r.Reasons {
		texts = append(texts, reason.Rule)
	}
	if r.Tool == "" {
		texts = append(texts, r.Event)
	}
	return Words(append(texts, r.Subject)...) // last, since it alone may have too many words
}
