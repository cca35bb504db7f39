package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// JSON returns raw without the secrets in its strings, at any depth, also in
// strings that are JSON themselves. A member's name tells too: of {"password":
// "x"} the value goes. Names and structure stay, and valid JSON stays valid, with
// the bytes of what has no secret as they were. What is no JSON is redacted as
// text.
func (s *Set) JSON(raw json.RawMessage) json.RawMessage {
	if s == nil || len(raw) == 0 {
		return raw
	}
	if !json.Valid(raw) {
		return json.RawMessage(s.Text(string(raw)))
	}
	out, _ := s.json(string(raw))
	return json.RawMessage(out)
}

// Place is where in a JSON document a string stands, as far as that tells whether
// it is a secret. The zero Place tells nothing.
type Place struct {
	name   string // of the member
	before string // the string before it in its list
	secret bool   // by the names above it
	pair   bool   // its object has the name of a secret
	user   bool   // its object, or one around it, tells of a user or of signing in
}

// Member is the place of the value called name of an object in p.
func (p Place) Member(name string) Place {
	q := Place{name: name, secret: secretName(name) || p.secret && !describes(name)}
	switch strings.ToLower(name) {
	case "value":
		q.secret = q.secret || p.pair
	case "pass", "pw":
		q.secret = q.secret || p.user
	case "auth", "basic", "basicauth", "basic_auth", "login", "credentials":
		q.user = true
	}
	return q
}

// With is the place of an object after its member name with the string value, of
// which the members that follow know: {"name": "X-Api-Key", "value": "x"}.
func (p Place) With(name, value string) Place {
	switch strings.ToLower(name) {
	case "name", "key", "header":
		p.pair = secretName(value)
	case "user", "username", "user_name", "login", "email":
		p.user = p.user || value != ""
	}
	return p
}

// Number reports whether even a number is secret here.
func (p Place) Number() bool { return p.secret && isPassword(p.name) }

// Item is the place of an item of a list in p that follows the string before.
func (p Place) Item(before string) Place {
	return Place{name: p.name, before: before, secret: p.secret, user: p.user}
}

// describes reports whether a member tells about a secret that its object holds.
func describes(name string) bool {
	switch strings.ToLower(name) {
	case "description", "title", "kind", "type", "name", "id", "path", "file", "url", "format", "message", "text", "enum", "pattern", "required", "$ref":
		return true
	}
	return false
}

// In gives the first n bytes of a string that stands at place p of a JSON document,
// as [Set.Part] does.
func (s *Set) In(p Place, text string, n int) string {
	switch {
	case s == nil:
		return text[:n]
	case n == 0:
		return ""
	case p.secret && !isReference(text):
		return Mark
	case strings.HasPrefix(p.before, "-") && s.follows(p.before, text):
		return Mark
	case n == len(text) && isJSON(text):
		out, _ := s.json(text)
		return out
	}
	if p.name != "" && len(s.user) > 0 && s.named(p.name, text[:min(len(text), n+Margin)]) {
		return Mark
	}
	return s.Part(text, 0, n)
}

// follows reports whether a word is a secret by the one before it, as in
// ["--token", "x"].
func (s *Set) follows(before, word string) bool {
	if len(before) > Margin || len(word) > Margin {
		return false
	}
	return len(s.find(before+" "+word)) > len(s.find(before))+len(s.find(word))
}

// named reports whether a person's own pattern takes a member for a secret when it
// is written as an assignment.
func (s *Set) named(name, text string) bool {
	for _, between := range []string{"=", ": "} {
		start := len(name) + len(between)
		all := name + between + text
		lower := strings.ToLower(all)
		for _, u := range s.user {
			for _, x := range u.find(all, lower, nil) {
				if x.to > start && (x.from < start || len(u.find(text, lower[start:], nil)) == 0) {
					return true
				}
			}
		}
	}
	return false
}

// isJSON reports whether a string holds a JSON object or list.
func isJSON(text string) bool {
	t := strings.TrimSpace(text)
	return len(t) > 1 && (t[0] == '{' && t[len(t)-1] == '}' || t[0] == '[' && t[len(t)-1] == ']') && json.Valid([]byte(t))
}

// json redacts valid JSON. Only what changes is written anew.
func (s *Set) json(text string) (out string, changed bool) {
	w := walker{s: s, in: text}
	w.value(0, Place{})
	if w.copied == 0 {
		return text, false
	}
	return string(append(w.out, text[w.copied:]...)), true
}

// walker goes through valid JSON.
type walker struct {
	s      *Set
	in     string
	out    []byte
	copied int // in[:copied] is in out
}

// space returns the index of the next byte that is no whitespace.
func (w *walker) space(at int) int {
	for at < len(w.in) && (w.in[at] == ' ' || w.in[at] == '\t' || w.in[at] == '\n' || w.in[at] == '\r') {
		at++
	}
	return at
}

// value goes through the value at or after at and returns where it ends, and it as
// a string if it is one.
func (w *walker) value(at int, p Place) (end int, str string) {
	at = w.space(at)
	switch w.in[at] {
	case '"':
		return w.string(at, p)
	case '{', '[':
		return w.items(at, p), ""
	}
	end = at
	for end < len(w.in) && strings.IndexByte(",]} \t\r\n", w.in[end]) < 0 {
		end++
	}
	if c := w.in[at]; p.Number() && (c == '-' || digit(c)) {
		w.put(at, end, Mark)
	}
	return end, ""
}

func (w *walker) items(at int, p Place) int {
	object := w.in[at] == '{'
	before := ""
	for at = w.space(at + 1); w.in[at] != '}' && w.in[at] != ']'; {
		if object {
			var name, value string
			at, name = w.string(at, Place{})
			at, value = w.value(w.space(at)+1, p.Member(name)) // behind the colon
			p = p.With(name, value)
		} else {
			at, before = w.value(at, p.Item(before))
		}
		if at = w.space(at); w.in[at] == ',' {
			at = w.space(at + 1)
		}
	}
	return at + 1
}

func (w *walker) string(at int, p Place) (end int, str string) {
	for end = at + 1; w.in[end] != '"'; end++ {
		if w.in[end] == '\\' {
			end++
		}
	}
	end++
	str = Unquote(w.in[at+1 : end-1])
	if t := w.s.In(p, str, len(str)); t != str {
		w.put(at, end, t)
	}
	return end, str
}

// put writes text as a string in place of in[from:to].
func (w *walker) put(from, to int, text string) {
	w.out = append(append(w.out, w.in[w.copied:from]...), quote(text)...)
	w.copied = to
}

// Unquote is the text of what stands between the quotes of a JSON string.
func Unquote[T string | []byte](inside T) string {
	s := string(inside)
	if strings.IndexByte(s, '\\') < 0 && utf8.ValidString(s) {
		return s
	}
	var out string
	if json.Unmarshal([]byte(`"`+s+`"`), &out) != nil {
		return s
	}
	return out
}

// quote is text as a JSON string, without the escapes for HTML.
func quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}
