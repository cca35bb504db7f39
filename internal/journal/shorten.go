package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fireharp/overseer/internal/redact"
)

// The bounds of what a record keeps.
const (
	maxString  = 1 << 10  // bytes of one string
	maxSubject = 16 << 10 // bytes of what an event is about: a person rules on it
	maxPayload = 32 << 10 // bytes of the payload
	maxList    = 64       // reasons, guidance, faults: of each
	maxID      = 128      // bytes of an id that the agent chose
	ellipsis   = "…"
	hashedID   = "sha256:" // begins what stands for an id
)

// limits bound what is kept of a payload: the bytes of a string, the items of a
// list or object, the members of the payload itself, and the nesting.
type limits struct{ text, items, members, depth int }

// A payload that is too large within one row of limits is cut with the next.
var cuts = [...]limits{
	{text: maxString, items: 1 << 20, members: 1 << 20, depth: 64},
	{text: 256, items: 64, members: 256, depth: 16},
	{text: 64, items: 16, members: 128, depth: 4},
}

// clip cuts a text to size bytes and says how many are gone. No half of a secret
// stays: they are taken out before.
func clip(secrets *redact.Set, s string, size int) string {
	if len(s) <= size {
		return secrets.Text(s)
	}
	n := size
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s%s[+%d bytes]", secrets.Part(s, 0, n), ellipsis, len(s)-n)
}

// clipMiddle is clip for a text whose end tells as much as its beginning: padding
// must not hide what comes behind it.
func clipMiddle(secrets *redact.Set, s string, size int) string {
	if len(s) <= size {
		return secrets.Text(s)
	}
	head, tail := size-size/4, len(s)-size/4
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s%s[+%d bytes]%s%s", secrets.Part(s, 0, head), ellipsis, tail-head, ellipsis, secrets.Part(s, tail, len(s)))
}

// WasCut reports whether a recorded text is not all that there was.
func WasCut(s string) bool { return strings.Contains(s, ellipsis+"[+") }

// shorten copies JSON without insignificant whitespace, with long strings and
// long lists cut and the cuts marked, so that 64 MiB become at most size bytes, and
// without secrets, of which no half stays at a cut. Unknown fields are kept. What
// is no JSON is kept as the beginning of a string.
func shorten(secrets *redact.Set, raw []byte, size int) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	for _, l := range cuts {
		s := shortener{limits: l, in: raw, size: size, secrets: secrets}
		switch err := s.run(); {
		case err == nil:
			return s.out
		case errors.Is(err, errNotJSON):
			var w writer
			w.quote(clip(secrets, string(raw), maxString))
			return json.RawMessage(w)
		}
	}
	return omitted(len(raw))
}

// omitted stands for a payload of which nothing is kept.
func omitted(size int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"%s":"%d bytes"}`, ellipsis, size))
}

var (
	errTooLarge = errors.New("too large")
	errNotJSON  = errors.New("not JSON")
)

// shortener is one attempt. It follows the structure of the JSON and no more; the
// result is checked as a whole when it is small.
type shortener struct {
	limits
	in   []byte
	at   int
	out  []byte
	size int

	secrets *redact.Set
}

func (s *shortener) run() error {
	if err := s.value(0, redact.Place{}); err != nil {
		return err
	}
	if s.peek() != 0 || !json.Valid(s.out) {
		return errNotJSON
	}
	if len(s.out) > s.size {
		return errTooLarge
	}
	if !utf8.Valid(s.out) {
		s.out = bytes.ToValidUTF8(s.out, []byte("\uFFFD"))
	}
	return nil
}

// peek skips whitespace and returns the next byte, 0 at the end.
func (s *shortener) peek() byte {
	for ; s.at < len(s.in); s.at++ {
		switch c := s.in[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (s *shortener) value(depth int, p redact.Place) error {
	if len(s.out) > s.size {
		return errTooLarge
	}
	switch s.peek() {
	case '"':
		_, err := s.string(p)
		return err
	case '{', '[':
		return s.items(depth, p)
	}
	start := s.at
	for s.at < len(s.in) && bytes.IndexByte([]byte(" \t\r\n,:]}"), s.in[s.at]) < 0 {
		s.at++
	}
	if s.at-start > s.text { // a number of a thousand digits
		s.mark(s.at - start)
		return nil
	}
	if c := s.in[min(start, len(s.in)-1)]; s.secrets != nil && p.Number() && (c == '-' || '0' <= c && c <= '9') {
		s.out = append(s.out, `"`+redact.Mark+`"`...)
		return nil
	}
	s.out = append(s.out, s.in[start:s.at]...)
	return nil
}

// mark writes the string that stands for n bytes of something.
func (s *shortener) mark(n int) {
	s.out = fmt.Appendf(s.out, `"%s[%d bytes]"`, ellipsis, n)
}

// items copies the list or object that begins here.
func (s *shortener) items(depth int, p redact.Place) error {
	start, open := s.at, s.in[s.at]
	before := ""
	s.at++
	if depth == s.depth {
		_, err := s.skip()
		s.mark(s.at - start)
		return err
	}
	limit := s.limits.items
	if depth == 0 {
		limit = s.members
	}
	s.out = append(s.out, open)
	for n := 0; ; n++ {
		switch c := s.peek(); {
		case c == ']' && open == '[', c == '}' && open == '{':
			s.at++
			s.out = append(s.out, c)
			return nil
		case n > 0 && c == ',':
			s.at++
			s.out = append(s.out, c)
		case n > 0 || c == 0:
			return errNotJSON
		}
		if n == limit {
			more, err := s.skip()
			if open == '{' {
				s.out = fmt.Appendf(s.out, `"%s":"+%d"}`, ellipsis, more)
			} else {
				s.out = fmt.Appendf(s.out, `"%s[+%d]"]`, ellipsis, more)
			}
			return err
		}
		if open == '{' {
			if s.peek() != '"' {
				return errNotJSON
			}
			name, err := s.string(redact.Place{})
			if err != nil {
				return err
			}
			if s.peek() != ':' {
				return errNotJSON
			}
			s.at++
			s.out = append(s.out, ':')
			at := s.at
			if err := s.value(depth+1, p.Member(name)); err != nil {
				return err
			}
			if s.at-at <= s.text {
				p = p.With(name, string(bytes.Trim(s.in[at:s.at], "\" \t\r\n")))
			}
			continue
		}
		at := s.at
		if err := s.value(depth+1, p.Item(before)); err != nil {
			return err
		}
		before = ""
		if s.at-at <= s.text {
			before = string(bytes.Trim(s.in[at:s.at], "\" \t\r\n"))
		}
	}
}

// skip passes over the rest of the list or object that s is in, its end included,
// and counts the items.
func (s *shortener) skip() (items int, err error) {
	items = 1
	for depth := 0; s.at < len(s.in); s.at++ {
		switch s.in[s.at] {
		case '"':
			end := stringEnd(s.in, s.at)
			if end < 0 {
				return 0, errNotJSON
			}
			s.at = end - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				s.at++
				return items, nil
			}
			depth--
		case ',':
			if depth == 0 {
				items++
			}
		}
	}
	return 0, errNotJSON
}

// string copies the string that begins here, and returns its beginning.
func (s *shortener) string(p redact.Place) (string, error) {
	end := stringEnd(s.in, s.at)
	if end < 0 {
		return "", errNotJSON
	}
	text := s.in[s.at+1 : end-1]
	s.at = end
	n := len(text)
	if n > s.text {
		n = cutAt(text, s.text)
	}
	kept, known := text[:n], ""
	if s.secrets != nil {
		known = redact.Unquote(kept)
		around := known
		if n < len(text) {
			if more := redact.Unquote(text[:cutAt(text, n+redact.Margin)]); strings.HasPrefix(more, known) {
				around = more
			}
		}
		if out := s.secrets.In(p, around, len(known)); out != known {
			var w writer
			w.quote(out)
			kept = w[1 : len(w)-1]
		}
	}
	s.out = append(append(s.out, '"'), kept...)
	if n < len(text) {
		s.out = fmt.Appendf(s.out, "%s[+%d bytes]", ellipsis, len(text)-n)
	}
	s.out = append(s.out, '"')
	return known, nil
}

// stringEnd is the index after the string that begins at in[at], -1 if it has no
// end.
func stringEnd(in []byte, at int) int {
	for i := at + 1; ; {
		j := bytes.IndexByte(in[i:], '"')
		if j < 0 {
			return -1
		}
		quote := i + j
		slashes := 0
		for in[quote-1-slashes] == '\\' {
			slashes++
		}
		i = quote + 1
		if slashes%2 == 0 {
			return i
		}
	}
}

// cutAt is the largest cut of a JSON string's inside up to limit that splits
// neither an escape sequence, nor a surrogate pair, nor a rune.
func cutAt(text []byte, limit int) int {
	n := 0
	for n < len(text) {
		size := 1
		switch c := text[n]; {
		case c == '\\' && n+1 < len(text) && text[n+1] == 'u':
			size = 6
			if pair := text[n:min(len(text), n+12)]; len(pair) == 12 && surrogates(pair) {
				size = 12
			}
		case c == '\\':
			size = 2
		case c >= utf8.RuneSelf:
			_, size = utf8.DecodeRune(text[n:])
		}
		if n+size > limit {
			break
		}
		n += size
	}
	return min(n, len(text))
}

// surrogates reports whether the text is \uD8xx\uDCxx, one rune in two escapes.
func surrogates(pair []byte) bool {
	half := func(b []byte, digits string) bool {
		return b[0] == '\\' && b[1] == 'u' && (b[2] == 'd' || b[2] == 'D') && bytes.IndexByte([]byte(digits), b[3]) >= 0
	}
	return half(pair, "89abAB") && half(pair[6:], "cdefCDEF")
}
