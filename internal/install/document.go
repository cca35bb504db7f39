package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/hint"
)

const bom = "\xef\xbb\xbf"

// document is a settings file as a syntax tree that keeps every byte.
type document struct {
	path string
	flat bool // entries stand in an event's array without groups
	bom  string
	text []byte // what the tree was parsed from, without the byte order mark
	root hujson.Value
	open bool     // the file ends without an end of line, and the tree with one
	last position // the last that was asked for
	style
}

// parse reads a file of the agent that has set: strict JSON, with comments if the
// agent drops them, with or without a byte order mark. An empty file is read as an
// empty object. An error names file:line:col.
func parse(path string, data []byte, set agent.Settings) (*document, error) {
	d := &document{path: path, flat: set.Flat}
	d.text = bytes.TrimPrefix(data, []byte(bom))
	if len(d.text) < len(data) {
		d.bom = bom
	}
	if len(bytes.TrimSpace(d.text)) == 0 {
		d.text = []byte("{}\n")
	}
	// The standard library is the judge of what is strict JSON: the agents void
	// the whole file for a trailing comma, and most for a comment.
	var raw json.RawMessage
	if err := json.Unmarshal(Strict(d.text, set), &raw); err != nil {
		return nil, d.syntaxError(err)
	}
	tree := d.text
	if d.open = set.CutsComments && tree[len(tree)-1] != '\n'; d.open {
		tree = append(bytes.Clone(tree), '\n') // without it a comment has no end to hujson
	}
	var err error
	if d.root, err = hujson.Parse(tree); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, ok := d.root.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("%s: settings are %s, want an object", d.at(d.root.StartOffset), kind(d.root.Value))
	}
	d.style = styleOf(d.text, d.root)
	return d, nil
}

// Strict is the text of a settings file as the JSON that its agent reads: without
// a byte order mark, and with spaces for the comments where the agent drops them.
func Strict(data []byte, s agent.Settings) []byte {
	data = bytes.TrimPrefix(data, []byte(bom))
	if s.CutsComments {
		data, _ = blankComments(data)
	}
	return data
}

func (d *document) syntaxError(err error) error {
	var syn *json.SyntaxError
	if !errors.As(err, &syn) {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	offset := int(syn.Offset)
	if offset < len(d.text) || offset > 0 && !strings.Contains(syn.Error(), "unexpected end") {
		offset-- // Offset counts the byte that is wrong.
	}
	wrapped := fmt.Errorf("%s: not valid JSON, nothing is changed: %w", d.at(offset), err)
	if _, lax := hujson.Parse(d.text); lax == nil {
		return hint.Wrap(wrapped, "agents read this file as strict JSON and ignore all of it if it has a comment or a trailing comma: take it out")
	}
	if bytes.HasPrefix(d.text, []byte{0xff, 0xfe}) || bytes.HasPrefix(d.text, []byte{0xfe, 0xff}) {
		return hint.Wrap(wrapped, "the file is UTF-16; save it as UTF-8")
	}
	return hint.Wrap(wrapped, "mend the file at that place, then run the command again")
}

// at renders a place in the file as path:line:col, both counted from one. It
// goes on from the place before, for places are mostly asked for in order.
func (d *document) at(offset int) string {
	offset = max(0, min(offset, len(d.text)))
	if offset < d.last.offset {
		d.last = position{}
	}
	step := d.text[d.last.offset:offset]
	if n := bytes.Count(step, []byte("\n")); n > 0 {
		d.last.line += n
		d.last.col = 0
		step = step[bytes.LastIndexByte(step, '\n')+1:]
	}
	d.last.col += utf8.RuneCount(step)
	d.last.offset = offset
	return fmt.Sprintf("%s:%d:%d", d.path, d.last.line+1, d.last.col+1)
}

// position is a place in a text, its line and column counted from zero.
type position struct{ offset, line, col int }

func (d *document) bytes() []byte {
	out := append([]byte(d.bom), d.root.Pack()...)
	if d.open {
		out = bytes.TrimSuffix(out, []byte("\n"))
	}
	return out
}

func (d *document) object() *hujson.Object { return d.root.Value.(*hujson.Object) }

// empty reports whether the document says nothing.
func (d *document) empty() bool { return len(d.object().Members) == 0 }

// check refuses hooks that are not of the documented form: there is no place
// to add to, or no telling which of two the agent reads.
func (d *document) check() error {
	v, err := d.single(d.object(), "hooks", "")
	if err != nil || v == nil || isNull(v.Value) {
		return err
	}
	hooks, ok := v.Value.(*hujson.Object)
	if !ok {
		return hint.Wrap(fmt.Errorf("%s: hooks is %s, want an object", d.at(v.StartOffset), kind(v.Value)),
			"mend or remove the key, then run the command again")
	}
	for _, m := range hooks.Members {
		name := nameOf(m)
		v, err := d.single(hooks, name, "hooks.")
		if err != nil {
			return err
		}
		if _, ok := v.Value.(*hujson.Array); !ok && !isNull(v.Value) {
			return hint.Wrap(fmt.Errorf("%s: hooks.%s is %s, want an array", d.at(v.StartOffset), printable(name), kind(v.Value)),
				"mend or remove the key, then run the command again")
		}
	}
	return nil
}

// single finds the value of a key that must not stand twice; nil if absent.
func (d *document) single(obj *hujson.Object, name, parent string) (*hujson.Value, error) {
	var found *hujson.Value
	for i := range obj.Members {
		m := &obj.Members[i]
		if nameOf(*m) != name {
			continue
		}
		if found != nil {
			return nil, hint.Wrap(fmt.Errorf("%s: %s%s stands twice in the file", d.at(m.Name.StartOffset), parent, printable(name)),
				"merge the two by hand, then run the command again")
		}
		found = &m.Value
	}
	return found, nil
}

// has reports whether the document holds an entry of ours.
func (d *document) has(own ours) bool {
	for range d.handlers(own) {
		return true
	}
	return false
}

// printable keeps what a file says from steering the terminal.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

func nameOf(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	return name.String()
}

// find returns the last value of the key, which is the one that counts; nil if
// there is none.
func find(obj *hujson.Object, name string) *hujson.Value {
	for i := len(obj.Members) - 1; i >= 0; i-- {
		if nameOf(obj.Members[i]) == name {
			return &obj.Members[i].Value
		}
	}
	return nil
}

// str is the value of a string key; false if it is absent or another type.
func str(obj *hujson.Object, name string) (string, bool) {
	v := find(obj, name)
	if v == nil || v.Value.Kind() != '"' {
		return "", false
	}
	return v.Value.(hujson.Literal).String(), true
}

func isNull(v hujson.ValueTrimmed) bool { return v.Kind() == 'n' }

func kind(v hujson.ValueTrimmed) string {
	switch v.Kind() {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	}
	return "an object"
}

func member(name string, v hujson.ValueTrimmed) hujson.ObjectMember {
	return hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{Value: v}}
}

// removeMember takes out the i-th member and leaves all other bytes.
func removeMember(obj *hujson.Object, i int) {
	last := len(obj.Members) - 1
	gone := obj.Members[i]
	notes := comments(gone.Name.BeforeExtra, gone.Name.AfterExtra, gone.Value.BeforeExtra, gone.Value.AfterExtra)
	switch {
	case last == 0:
		obj.AfterExtra = notes.before(blank(obj.AfterExtra))
	case i == 0:
		obj.Members[1].Name.BeforeExtra = notes.before(lead(obj.Members[1].Name.BeforeExtra, gone.Name.BeforeExtra))
	case i == last:
		obj.Members[i-1].Value.AfterExtra = nil // else a trailing comma
		obj.AfterExtra = notes.before(obj.AfterExtra)
	default:
		obj.Members[i+1].Name.BeforeExtra = notes.before(obj.Members[i+1].Name.BeforeExtra)
	}
	obj.Members = slices.Delete(obj.Members, i, i+1)
}

// removeElements takes out the elements that gone names and leaves all other
// bytes. It reports whether an element that stays moved up.
func removeElements(arr *hujson.Array, gone map[int]bool) (moved bool) {
	if len(gone) == 0 {
		return false
	}
	first, last := arr.Elements[0].BeforeExtra, len(arr.Elements)-1
	kept := arr.Elements[:0]
	var left notes
	for i, v := range arr.Elements {
		if gone[i] {
			left = append(left, comments(v.BeforeExtra, v.AfterExtra)...)
			continue
		}
		moved = moved || len(kept) < i
		if len(kept) == 0 && i > 0 {
			v.BeforeExtra = lead(v.BeforeExtra, first)
		}
		v.BeforeExtra, left = left.before(v.BeforeExtra), nil
		kept = append(kept, v)
	}
	arr.Elements = kept
	if len(kept) == 0 {
		arr.AfterExtra = left.before(blank(arr.AfterExtra))
		return false
	}
	if gone[last] {
		kept[len(kept)-1].AfterExtra = nil // else a trailing comma
		arr.AfterExtra = left.before(arr.AfterExtra)
	}
	return moved
}
