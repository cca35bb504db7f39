package install

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a file is written, so that what is added looks like the rest.
type style struct {
	lines       bool   // members stand on lines of their own
	newline     string // "\n" or "\r\n"
	unit        string // one step of indentation
	beforeColon string
	afterColon  string
	comma       string // what follows a comma on the same line
}

// styleOf reads the style off the outermost members; an empty object gets
// two-space indentation, which is what both agents write.
func styleOf(text []byte, root hujson.Value) style {
	s := style{lines: true, newline: "\n", unit: "  ", afterColon: " ", comma: " "}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		s.newline = "\r\n"
	}
	obj := root.Value.(*hujson.Object)
	if len(obj.Members) == 0 {
		return s
	}
	first := obj.Members[0]
	if oneLine(first.Name.AfterExtra) && oneLine(first.Value.BeforeExtra) {
		s.beforeColon, s.afterColon = string(first.Name.AfterExtra), string(first.Value.BeforeExtra)
	}
	if s.lines = !oneLine(first.Name.BeforeExtra); s.lines {
		s.unit = strings.TrimPrefix(indentOf(first.Name.BeforeExtra), indentOf(root.BeforeExtra))
		return s
	}
	s.comma = s.afterColon
	if len(obj.Members) > 1 && oneLine(obj.Members[1].Name.BeforeExtra) {
		s.comma = string(obj.Members[1].Name.BeforeExtra)
	}
	return s
}

func oneLine(e hujson.Extra) bool { return bytes.IndexByte(e, '\n') < 0 }

// indentOf is what stands after the last line break of e.
func indentOf(e hujson.Extra) string { return string(e[bytes.LastIndexByte(e, '\n')+1:]) }

// spot is the line that a value begins on: its indentation, and whether the
// value has the line to itself and may spread over more.
type spot struct {
	indent string
	lines  bool
}

func (s style) rootSpot(root hujson.Value) spot {
	return spot{indent: indentOf(root.BeforeExtra), lines: s.lines}
}

// inside is the spot of a member or element that follows before, in a
// container at c.
func (c spot) inside(before hujson.Extra) spot {
	if oneLine(before) {
		return spot{indent: c.indent}
	}
	return spot{indent: indentOf(before), lines: true}
}

// appendMember adds m as the last member of obj, which stands at c.
func (s style) appendMember(obj *hujson.Object, c spot, m hujson.ObjectMember) {
	var here spot
	m.Name.AfterExtra, m.Value.BeforeExtra = hujson.Extra(s.beforeColon), hujson.Extra(s.afterColon)
	said := comments(obj.AfterExtra)
	if n := len(obj.Members); n > 0 {
		prev := obj.Members[n-1]
		m.Name.BeforeExtra, here = s.next(prev.Name.BeforeExtra, prev.Value.Value, n, c)
		obj.AfterExtra = s.end(obj.AfterExtra)
	} else {
		m.Name.BeforeExtra, obj.AfterExtra, here = s.first(c)
	}
	m.Name.BeforeExtra = said.before(m.Name.BeforeExtra)
	s.lay(&m.Value, here)
	obj.Members = append(obj.Members, m)
}

// appendElement adds v as the last element of arr, which stands at c.
func (s style) appendElement(arr *hujson.Array, c spot, v hujson.Value) {
	var here spot
	said := comments(arr.AfterExtra)
	if n := len(arr.Elements); n > 0 {
		prev := arr.Elements[n-1]
		v.BeforeExtra, here = s.next(prev.BeforeExtra, prev.Value, n, c)
		arr.AfterExtra = s.end(arr.AfterExtra)
	} else {
		v.BeforeExtra, arr.AfterExtra, here = s.first(c)
	}
	v.BeforeExtra = said.before(v.BeforeExtra)
	s.lay(&v, here)
	arr.Elements = append(arr.Elements, v)
}

// end is the white space at a container's end, after the comments there have
// moved up to what is added.
func (s style) end(e hujson.Extra) hujson.Extra {
	if e.IsStandard() {
		return e
	}
	return hujson.Extra(s.newline + indentOf(e))
}

// first is the white space around the only child of a container at c.
func (s style) first(c spot) (before, after hujson.Extra, child spot) {
	if !c.lines {
		return nil, nil, c
	}
	child = spot{indent: c.indent + s.unit, lines: true}
	return hujson.Extra(s.newline + child.indent), hujson.Extra(s.newline + c.indent), child
}

// next is the white space before a child that follows a sibling, as the n-th.
func (s style) next(sibling hujson.Extra, value hujson.ValueTrimmed, n int, c spot) (hujson.Extra, spot) {
	if !oneLine(sibling) {
		indent := indentOf(sibling)
		return hujson.Extra(s.newline + indent), spot{indent: indent, lines: true}
	}
	comma := hujson.Extra(s.comma)
	if n > 1 {
		comma = sibling // the gap after the comma before it
	}
	// [{ … }, { … }] over several lines: the closing brace tells the indent.
	var end hujson.Extra
	switch v := value.(type) {
	case *hujson.Object:
		end = v.AfterExtra
	case *hujson.Array:
		end = v.AfterExtra
	}
	if !oneLine(end) {
		return comma, spot{indent: indentOf(end), lines: true}
	}
	return comma, spot{indent: c.indent}
}

// lay writes the white space inside a value made by us that stands at c.
func (s style) lay(v *hujson.Value, c spot) {
	switch t := v.Value.(type) {
	case *hujson.Object:
		members := t.Members
		t.Members = nil
		for _, m := range members {
			s.appendMember(t, c, m)
		}
	case *hujson.Array:
		elements := t.Elements
		t.Elements = nil
		for _, e := range elements {
			s.appendElement(t, c, e)
		}
	}
}
