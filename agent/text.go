package agent

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds, in characters, what is said to an agent: Claude Code moves
// hook output of about 10,000 characters out of the conversation (quirk 8).
const maxText = 4000

// clean makes s fit to be shown in a terminal and to a model: valid UTF-8, no
// control characters but line breaks and tabs, nothing that turns the direction
// of writing, no more than max characters.
func clean(s string, max int) string {
	if len(s) > 8*max { // before the work, not after it
		s = s[:8*max]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0xFEFF:
			return -1
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	const cut = " … (cut)"
	n := 0
	for i := range s {
		if n == max-utf8.RuneCountInString(cut) {
			return strings.TrimSpace(s[:i]) + cut
		}
		n++
	}
	return s
}

// plain is text for stderr. Gemini CLI and Qwen Code read stderr as the answer
// when stdout is empty and stderr is JSON, so a reason never is.
func plain(s string) []byte {
	if json.Valid([]byte(s)) {
		s = "overseer: " + s
	}
	return []byte(s + "\n")
}
