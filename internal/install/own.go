package install

import (
	"iter"
	"strings"

	"github.com/tailscale/hujson"
	"mvdan.cc/sh/v3/syntax"
)

// The bounds of what is parsed as a command of ours. No path has more, and a
// cloned project's settings must not keep the parser busy: its time grows with
// the square of the depth.
const (
	longestCommand = 4 << 10
	mostParens     = 100
)

// ours tells overseer's own entries from everybody else's.
type ours struct {
	// binaries also count as overseer, whatever their files are called.
	binaries []string
}

// place is a handler in a document.
type place struct {
	event          string
	group, handler int
	in             *hujson.Object // the group, or where there are none the handler
	list           *hujson.Array  // the group's handlers, nil where there are no groups
	h              *hujson.Object
	offset         int
}

// handlers yields overseer's own handlers in the file's order. What is not of
// the documented form is passed over.
func (d *document) handlers(own ours) iter.Seq[place] {
	return func(yield func(place) bool) {
		for p := range d.all() {
			if own.has(p.h) && !yield(p) {
				return
			}
		}
	}
}

// all yields every handler, ours or not.
func (d *document) all() iter.Seq[place] {
	return func(yield func(place) bool) {
		for _, m := range d.object().Members {
			hooks, ok := m.Value.Value.(*hujson.Object)
			if !ok || nameOf(m) != "hooks" {
				continue
			}
			for _, ev := range hooks.Members {
				if groups, ok := ev.Value.Value.(*hujson.Array); ok && !d.each(nameOf(ev), groups, yield) {
					return
				}
			}
		}
	}
}

// each yields the handlers of one event.
func (d *document) each(event string, groups *hujson.Array, yield func(place) bool) bool {
	for g, gv := range groups.Elements {
		in, ok := gv.Value.(*hujson.Object)
		if !ok {
			continue
		}
		if d.flat {
			if !yield(place{event: event, group: g, in: in, h: in, offset: gv.StartOffset}) {
				return false
			}
			continue
		}
		lv := find(in, "hooks")
		if lv == nil {
			continue
		}
		list, ok := lv.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for i, hv := range list.Elements {
			h, ok := hv.Value.(*hujson.Object)
			if ok && !yield(place{event, g, i, in, list, h, hv.StartOffset}) {
				return false
			}
		}
	}
	return true
}

// has reports whether the handler is ours: by the marker, whatever else was
// changed in it, or by its command.
func (o ours) has(h *hujson.Object) bool {
	if mark, _ := str(h, markerKey); mark == markerValue {
		return true
	}
	_, ok := o.program(h)
	return ok
}

// program is the program that the handler runs, if that is overseer's hook.
func (o ours) program(h *hujson.Object) (string, bool) {
	command, ok := str(h, "command")
	if !ok {
		return "", false
	}
	// With args the agent starts the program itself, without a shell.
	if v := find(h, "args"); v != nil {
		args, ok := v.Value.(*hujson.Array)
		if !ok || len(args.Elements) == 0 {
			return "", false
		}
		first, _ := args.Elements[0].Value.(hujson.Literal)
		return command, first.Kind() == '"' && first.String() == "hook" && o.named(command)
	}
	file := parseCommand(command)
	if file == nil || len(file.Stmts) != 1 {
		return "", false
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok {
		return "", false
	}
	return o.call(call)
}

// wraps reports whether the handler runs overseer's hook somewhere inside a
// larger command, such as a pipe or a list.
func (o ours) wraps(h *hujson.Object) bool {
	command, _ := str(h, "command")
	file := parseCommand(command)
	if file == nil {
		return false
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && !found {
			_, found = o.call(call)
		}
		return !found
	})
	return found
}

func parseCommand(command string) *syntax.File {
	if len(command) > longestCommand || strings.Count(command, "(") > mostParens {
		return nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	return file
}

// call is the program of a simple command, if that is overseer and its first
// argument is the word hook.
func (o ours) call(c *syntax.CallExpr) (string, bool) {
	if len(c.Args) < 2 || text(c.Args[1].Parts) != "hook" {
		return "", false
	}
	program := text(c.Args[0].Parts)
	return program, o.named(program)
}

func (o ours) named(program string) bool {
	base := baseName(program)
	if base == "overseer" || strings.EqualFold(base, "overseer.exe") {
		return true
	}
	for _, b := range o.binaries {
		if b != "" && base == baseName(b) {
			return true
		}
	}
	return false
}

// unknown stands in a word for what only running it can tell.
const unknown = "\x00"

// text is what the shell makes of a word's parts.
func text(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value, ""))
		case *syntax.SglQuoted:
			if p.Dollar {
				b.WriteString(unknown)
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				if lit, ok := inner.(*syntax.Lit); ok {
					b.WriteString(unescape(lit.Value, "\"\\$`"))
				} else {
					b.WriteString(unknown)
				}
			}
		default:
			b.WriteString(unknown)
		}
	}
	return b.String()
}

// unescape drops the backslash before a character that it quotes: any, or
// within double quotes only those of the set.
func unescape(s, set string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (set == "" || strings.IndexByte(set, s[i+1]) >= 0) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
