package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// MaxPayload is the largest payload that is judged; a longer one is a fault.
const MaxPayload = 64 << 20

// Payload is one hook payload: a JSON object whose members are found by their
// exact names. (encoding/json matches struct fields without regard to case, so
// that "Tool_Name" would stand in for "tool_name".) Of members that occur twice
// the last one counts, as it does in the agents' own parsers.
type Payload struct {
	raw     []byte
	members object
}

// ParsePayload reads one JSON object. A byte order mark and white space around
// it are dropped, bytes that are not UTF-8 become U+FFFD. Anything else around
// the object, or another value than an object, is an error. The payload keeps
// data and must not be used after data changes.
func ParsePayload(data []byte) (*Payload, error) {
	if len(data) > MaxPayload {
		return nil, fmt.Errorf("payload of %d bytes is over the limit of %d", len(data), MaxPayload)
	}
	data = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\ufeff")))
	if len(data) == 0 {
		return nil, errors.New("payload is empty")
	}
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	// The standard library's check also bounds the nesting, which gjson's would
	// follow until the stack is gone.
	if !json.Valid(data) {
		return nil, fmt.Errorf("payload is not JSON: %w", syntaxError(data))
	}
	if data[0] != '{' {
		return nil, fmt.Errorf("payload is a JSON %s, want an object", kind(data[0]))
	}
	return &Payload{raw: data, members: membersOf(gjson.ParseBytes(data))}, nil
}

// Raw is the whole payload: valid UTF-8, valid JSON.
func (p *Payload) Raw() json.RawMessage { return p.raw }

// Has reports whether the payload has a member of this name, of whatever type.
func (p *Payload) Has(name string) bool { return p.members.get(name).Exists() }

// Get is the named member as it came, nil if there is none.
func (p *Payload) Get(name string) json.RawMessage { return p.slice(p.members.get(name)) }

// String is the first of the named members that is a string and not empty.
func (p *Payload) String(names ...string) string {
	for _, n := range names {
		if v := p.members.get(n); v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

// Strings are the texts in the named member, if that is an array.
func (p *Payload) Strings(name string) []string {
	var out []string
	if v := p.members.get(name); v.IsArray() {
		v.ForEach(func(_, m gjson.Result) bool {
			if m.Type == gjson.String && m.Str != "" {
				out = append(out, m.Str)
			}
			return true
		})
	}
	return out
}

// Number is the named member if that is a number, else 0.
func (p *Payload) Number(name string) float64 {
	if v := p.members.get(name); v.Type == gjson.Number {
		return v.Num
	}
	return 0
}

// Bool reports whether one of the named members is true.
func (p *Payload) Bool(names ...string) bool {
	for _, n := range names {
		if p.members.get(n).Type == gjson.True {
			return true
		}
	}
	return false
}

// value is the first of the named members that exists and is not null.
func (p *Payload) value(names ...string) gjson.Result {
	for _, n := range names {
		if v := p.members.get(n); v.Type != gjson.Null {
			return v
		}
	}
	return gjson.Result{}
}

// slice is the part of the payload that a top-level value was read from.
func (p *Payload) slice(v gjson.Result) json.RawMessage {
	if v.Raw == "" {
		return nil
	}
	return p.raw[v.Index : v.Index+len(v.Raw) : v.Index+len(v.Raw)]
}

// object holds a JSON object's members in their order.
type object []member

type member struct {
	name  string
	value gjson.Result
}

func membersOf(v gjson.Result) object {
	o := make(object, 0, 16)
	v.ForEach(func(k, m gjson.Result) bool {
		o = append(o, member{k.Str, m})
		return true
	})
	return o
}

func (o object) get(name string) gjson.Result {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].name == name {
			return o[i].value
		}
	}
	return gjson.Result{}
}

// syntaxError finds out what json.Valid does not tell.
func syntaxError(data []byte) error {
	var v json.RawMessage
	err := json.Unmarshal(data, &v)
	var s *json.SyntaxError
	if errors.As(err, &s) {
		return fmt.Errorf("%w (at byte %d)", err, s.Offset)
	}
	return err
}

func kind(first byte) string {
	switch first {
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
