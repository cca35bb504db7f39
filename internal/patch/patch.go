// Package patch reads the text of an apply_patch call, which Codex takes as a tool
// of its own and as a command of the shell.
package patch

import "strings"

// Op is what a patch does to a file.
type Op string

// The operations. Move is the name that an updated file has afterwards.
const (
	Add    Op = "*** Add File:"
	Update Op = "*** Update File:"
	Delete Op = "*** Delete File:"
	Move   Op = "*** Move to:"
)

var ops = []Op{Add, Update, Delete, Move}

// Change is one header of a patch.
type Change struct {
	Op   Op
	File string
	// Added are the lines that the patch adds below the header.
	Added string
	// Removed are those that it takes away.
	Removed string
}

// Changes lists what the headers of a patch say, the files as they stand there.
func Changes(text string) []Change {
	var out []Change
	var added, removed strings.Builder
	take := func() {
		if len(out) > 0 {
			out[len(out)-1].Added, out[len(out)-1].Removed = added.String(), removed.String()
		}
		added.Reset()
		removed.Reset()
	}
	read(text, func(op Op, file string) {
		take()
		out = append(out, Change{Op: op, File: file})
	}, func(line string) { added.WriteString(line) }, func(line string) { removed.WriteString(line) })
	take()
	return out
}

// Files lists the files that a patch names.
func Files(text string) []string {
	var out []string
	read(text, func(_ Op, file string) { out = append(out, file) }, func(string) {}, func(string) {})
	return out
}

// read calls header, added and removed for the lines of a patch. Codex trims a line before it
// looks for a header, and so does this.
func read(text string, header func(op Op, file string), added, removed func(line string)) {
	for line := range strings.Lines(text) {
		if a, ok := strings.CutPrefix(line, "+"); ok {
			added(a)
			continue
		}
		if r, ok := strings.CutPrefix(line, "-"); ok {
			removed(r)
			continue
		}
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "*** ") {
			continue
		}
		for _, op := range ops {
			if name, ok := strings.CutPrefix(line, string(op)); ok {
				header(op, strings.TrimSpace(name))
			}
		}
	}
}
