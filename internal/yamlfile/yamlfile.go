// Package yamlfile reads YAML files strictly: every value knows its place, every
// field must be known, and an error says file:line:col and what to write instead.
// The hookmon face's policy and settings are read with it.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fireharp/overseer/internal/hint"
)

// MaxSize bounds a file. A policy of a thousand rules has a tenth of it.
const MaxSize = 4 << 20

// Read reads a file and parses it. A file that is missing is an error that
// matches [fs.ErrNotExist]; one that is no regular file (a pipe would block) or
// is larger than [MaxSize] is an error as well.
func Read(path string) (Node, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return Node{}, err
	case st.IsDir():
		return Node{}, fmt.Errorf("%s is a folder", path)
	case !st.Mode().IsRegular():
		return Node{}, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Node{}, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return Node{}, fmt.Errorf("read %s: %w", path, err)
	}
	if len(src) > MaxSize {
		return Node{}, fmt.Errorf("%s is larger than %d MiB", path, MaxSize>>20)
	}
	return Parse(path, src)
}

// Missing reports whether err says that there is no such file.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Parse reads the one document of a file; file is the name in errors. An empty
// file is a node for which [Node.Empty] is true.
func Parse(file string, src []byte) (Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(src))
	var doc, more yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return Node{file: file}, nil
	} else if err != nil {
		return Node{}, syntax(file, err)
	}
	switch err := d.Decode(&more); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return Node{}, syntax(file, err)
	default:
		return Node{}, Node{file: file, n: &more}.Errorf("a second document: only one is read")
	}
	if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
		return Node{file: file, n: doc.Content[0]}, nil
	}
	return Node{file: file}, nil
}

// syntax gives the parser's error the form of all others.
func syntax(file string, err error) error {
	var le *yaml.LoadError
	if errors.As(err, &le) && le.Mark.Line > 0 {
		return fmt.Errorf("%s:%d:%d: %s", file, le.Mark.Line, max(le.Mark.Column, 1), le.Message)
	}
	return fmt.Errorf("%s:1:1: %s", file, strings.TrimPrefix(err.Error(), "yaml: "))
}

// Node is one value of a file.
type Node struct {
	file string
	n    *yaml.Node
}

// Empty reports whether there is no value: an empty file, a field with nothing
// behind it, or null.
func (n Node) Empty() bool {
	v := n.value()
	return v == nil || v.Kind == yaml.ScalarNode && v.ShortTag() == "!!null"
}

// File is the name of the node's file.
func (n Node) File() string { return n.file }

// Line is the node's line, 1 for an empty file.
func (n Node) Line() int {
	if n.n == nil {
		return 1
	}
	return n.n.Line
}

// Errorf makes an error that begins with the node's file:line:col.
func (n Node) Errorf(format string, args ...any) error {
	line, col := 1, 1
	if n.n != nil {
		line, col = max(n.n.Line, 1), max(n.n.Column, 1)
	}
	return fmt.Errorf("%s:%d:%d: %w", n.file, line, col, fmt.Errorf(format, args...))
}

// value is the node behind an alias. An alias of an alias does not occur.
func (n Node) value() *yaml.Node {
	if n.n != nil && n.n.Kind == yaml.AliasNode {
		return n.n.Alias
	}
	return n.n
}

// Field is one member of a mapping.
type Field struct {
	Name string
	// Key and Value are the places of the name and of what stands behind it.
	Key, Value Node
}

// Fields lists the members of a mapping in their order. A name that occurs twice
// is an error, and so is one that is not a plain word. The mapping's own name is
// what, in the error if it is none.
func (n Node) Fields(what string) ([]Field, error) {
	v := n.value()
	if v == nil || v.Kind != yaml.MappingNode {
		return nil, n.Errorf("%s is %s, want a mapping of names to values", what, n.kind())
	}
	seen := make(map[string]bool, len(v.Content)/2)
	out := make([]Field, 0, len(v.Content)/2)
	for i := 0; i+1 < len(v.Content); i += 2 {
		key := Node{file: n.file, n: v.Content[i]}
		name := key.value()
		if name.Kind != yaml.ScalarNode {
			return nil, key.Errorf("%s: a name is %s, want a word", what, key.kind())
		}
		if seen[name.Value] {
			return nil, key.Errorf("%s: %q stands twice", what, name.Value)
		}
		seen[name.Value] = true
		out = append(out, Field{Name: name.Value, Key: key, Value: Node{file: n.file, n: v.Content[i+1]}})
	}
	return out, nil
}

// Unknown is the error for a field that is none of the known ones.
func (f Field) Unknown(known ...string) error {
	err := f.Key.Errorf("unknown field %q", f.Name)
	if best := hint.Nearest(f.Name, known); best != "" {
		return hint.Wrap(err, "did you mean %q?", best)
	}
	return hint.Wrap(err, "the fields are %s", strings.Join(known, ", "))
}

// List lists the elements of a sequence.
func (n Node) List(what string) ([]Node, error) {
	v := n.value()
	if v == nil || v.Kind != yaml.SequenceNode {
		err := n.Errorf("%s is %s, want a list", what, n.kind())
		if v != nil && v.Kind == yaml.ScalarNode && !n.Empty() {
			return nil, hint.Wrap(err, "write %s: [%q]", what, v.Value)
		}
		return nil, err
	}
	out := make([]Node, 0, len(v.Content))
	for _, e := range v.Content {
		out = append(out, Node{file: n.file, n: e})
	}
	return out, nil
}

// Text is a scalar as it is written. No value at all is an error.
func (n Node) Text(what string) (string, error) {
	v := n.value()
	if v == nil || v.Kind != yaml.ScalarNode || n.Empty() {
		return "", n.Errorf("%s is %s, want text", what, n.kind())
	}
	return v.Value, nil
}

// Texts is a list of texts, none of which is empty.
func (n Node) Texts(what string) ([]string, error) {
	list, err := n.List(what)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, hint.Wrap(n.Errorf("%s is an empty list", what), "leave the field out if it is not to filter")
	}
	out := make([]string, 0, len(list))
	for _, e := range list {
		s, err := e.Text("an element of " + what)
		if err != nil {
			return nil, err
		}
		if s == "" {
			return nil, e.Errorf("an element of %s is empty", what)
		}
		out = append(out, s)
	}
	return out, nil
}

// Word is a text that must be one of the known words.
func (n Node) Word(what string, known ...string) (string, error) {
	s, err := n.Text(what)
	if err != nil {
		return "", hint.Wrap(err, "write one of %s", strings.Join(known, ", "))
	}
	for _, k := range known {
		if s == k {
			return s, nil
		}
	}
	err = n.Errorf("%s %q is not known", what, s)
	if best := hint.Nearest(s, known); best != "" {
		return "", hint.Wrap(err, "did you mean %q?", best)
	}
	return "", hint.Wrap(err, "write one of %s", strings.Join(known, ", "))
}

// Value is the node as plain Go data: a string, int, float64, bool, nil, or a
// []any or map[string]any of such.
func (n Node) Value() (any, error) {
	v := n.value()
	if v == nil {
		return nil, nil
	}
	var out any
	if err := v.Decode(&out); err != nil {
		return nil, n.Errorf("%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return out, nil
}

// kind names what the node is, for errors.
func (n Node) kind() string {
	v := n.value()
	switch {
	case n.Empty():
		return "empty"
	case v.Kind == yaml.MappingNode:
		return "a mapping"
	case v.Kind == yaml.SequenceNode:
		return "a list"
	case v.ShortTag() == "!!int" || v.ShortTag() == "!!float":
		return "a number"
	case v.ShortTag() == "!!bool":
		return "true or false"
	}
	return "text"
}
