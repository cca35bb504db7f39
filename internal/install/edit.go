package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/fireharp/overseer/agent"
)

// editor changes a document and notes what it did.
type editor struct {
	suffix   string // of every command
	doc      *document
	own      ours
	settings agent.Settings
	changes  []string
	warnings []string
}

func (e *editor) note(format string, args ...any) {
	e.changes = append(e.changes, printable(fmt.Sprintf(format, args...)))
}

// install leaves each wanted event with exactly one handler of ours, in a
// group that lets every call through. It changes what is there in its place
// and adds only at the end, for Codex ties the person's consent to positions.
func (e *editor) install(p agent.Provider, version, prefix string) {
	standings := map[string]standing{}
	for _, c := range p.Capabilities() {
		standings[c.Event] = standingOf(c, version)
	}
	e.version()
	if v := find(e.doc.object(), "hooks"); v != nil && !isNull(v.Value) {
		hooks := v.Value.(*hujson.Object)
		for i := len(hooks.Members) - 1; i >= 0; i-- { // from the end: members may go
			name := nameOf(hooks.Members[i])
			if standings[name] == foreign && e.dropAll(name, &hooks.Members[i].Value) {
				removeMember(hooks, i)
			}
		}
	}
	for _, c := range p.Capabilities() {
		if standings[c.Event] == foreign {
			continue
		}
		h := handler(p, c, prefix, e.suffix)
		kept, had := e.keepOne(c.Event, h)
		if !kept && (had || standings[c.Event] == wanted) {
			e.add(c.Event, h)
			e.note("%s: added", c.Event)
		}
	}
}

// version adds the number that the agent demands at the top of its file. A wrong
// one is the person's to mend.
func (e *editor) version() {
	n := e.settings.Version
	if n == 0 {
		return
	}
	switch v := e.doc.find("version"); {
	case v == nil:
		e.doc.appendMember(e.doc.object(), e.doc.rootSpot(e.doc.root), member("version", hujson.Int(int64(n))))
	case isNull(v.Value):
		v.Value = hujson.Int(int64(n))
	default:
		return
	}
	e.note("version: added")
}

// keepOne brings the handler of ours that may stay up to date and takes out
// the others. kept is false if none may stay, had if there was none at all.
func (e *editor) keepOne(event string, want *hujson.Object) (kept, had bool) {
	groups, mine := e.mine(event, e.doc.find("hooks", event))
	keep := slices.IndexFunc(mine, func(p place) bool {
		_, all := matcherOf(p.in)
		return all || e.doc.flat || e.allOurs(p.list)
	})
	had = len(mine) > 0
	if keep >= 0 {
		e.update(event, mine[keep], want)
		mine = slices.Delete(mine, keep, keep+1)
	}
	if len(mine) > 0 {
		e.takeOut(event, mine, groups)
		e.note("%s: %d removed that would run twice or not for every tool", event, len(mine))
	}
	return keep >= 0, had
}

func (e *editor) allOurs(list *hujson.Array) bool {
	for _, v := range list.Elements {
		if h, ok := v.Value.(*hujson.Object); !ok || !e.own.has(h) {
			return false
		}
	}
	return true
}

// update makes the handler in its place what want says.
func (e *editor) update(event string, p place, want *hujson.Object) {
	// Without groups the matcher is a key of the handler like any other.
	if text, all := matcherOf(p.in); !all && !e.doc.flat {
		find(p.in, "matcher").Value = hujson.String("*")
		e.note("%s: matcher %q widened to every tool", event, text)
	}
	keys := drift(p.h, want)
	if len(keys) == 0 {
		return
	}
	for i := len(p.h.Members) - 1; i >= 0; i-- {
		m := &p.h.Members[i]
		w := find(want, nameOf(*m))
		if w == nil || find(p.h, nameOf(*m)) != &m.Value {
			removeMember(p.h, i)
		} else if !same(m.Value.Value, w.Value) {
			m.Value.Value = w.Value
		}
	}
	for _, m := range want.Members {
		if find(p.h, nameOf(m)) == nil {
			e.doc.appendMember(p.h, spot{}, m) // after its siblings, as they stand
		}
	}
	e.note("%s: %s updated", event, strings.Join(keys, ", "))
}

// add registers the event with a new group at the end.
func (e *editor) add(event string, h *hujson.Object) {
	at := e.doc.rootSpot(e.doc.root)
	hooks, at := child[hujson.Object](e.doc, e.doc.object(), at, "hooks")
	groups, at := child[hujson.Array](e.doc, hooks, at, event)
	entry := h
	if !e.doc.flat {
		entry = group(event, h)
	}
	e.doc.appendElement(groups, at, hujson.Value{Value: entry})
}

// child finds the container under the key of obj, which stands at c, and the
// container's own spot. It makes one where there is none, or null.
func child[T any, P interface {
	*T
	hujson.ValueTrimmed
}](d *document, obj *hujson.Object, c spot, name string) (P, spot) {
	for i := range obj.Members {
		m := &obj.Members[i]
		if nameOf(*m) != name {
			continue
		}
		if isNull(m.Value.Value) {
			m.Value.Value = P(new(T))
		}
		return m.Value.Value.(P), c.inside(m.Name.BeforeExtra)
	}
	d.appendMember(obj, c, member(name, P(new(T))))
	m := &obj.Members[len(obj.Members)-1]
	return m.Value.Value.(P), c.inside(m.Name.BeforeExtra)
}

// remove takes out all entries of ours, and the containers that are empty
// without them, unless base, the file before the install, had them.
func (e *editor) remove(base *document) {
	root := e.doc.object()
	for i := len(root.Members) - 1; i >= 0; i-- {
		hooks, ok := root.Members[i].Value.Value.(*hujson.Object)
		if !ok || nameOf(root.Members[i]) != "hooks" {
			continue
		}
		before := len(e.changes)
		for j := len(hooks.Members) - 1; j >= 0; j-- {
			ev := &hooks.Members[j]
			name := nameOf(*ev)
			if e.dropAll(name, &ev.Value) && !restore(&ev.Value, base.find("hooks", name)) {
				removeMember(hooks, j)
			}
		}
		if len(e.changes) > before && len(hooks.Members) == 0 && hooks.AfterExtra.IsStandard() && !restore(&root.Members[i].Value, base.find("hooks")) {
			removeMember(root, i)
		}
	}
	if n := e.settings.Version; n != 0 && len(e.changes) > 0 && len(root.Members) == 1 && base.find("version") == nil {
		if v := find(root, "version"); v != nil && same(v.Value, hujson.Int(int64(n))) {
			removeMember(root, 0)
		}
	}
	if len(e.changes) > 0 && len(root.Members) == 0 && base != nil {
		restore(&e.doc.root, &base.root)
	}
	slices.Reverse(e.changes) // the file's order
}

// restore puts an emptied container back to how it was before the install. It
// is false if the container was not there.
func restore(v, before *hujson.Value) bool {
	if before == nil {
		return false
	}
	switch t := before.Value.(type) {
	case *hujson.Object:
		if len(t.Members) == 0 {
			v.Value = t
		}
	case *hujson.Array:
		if len(t.Elements) == 0 {
			v.Value = t
		}
	default:
		if isNull(before.Value) {
			v.Value = before.Value
		}
	}
	return true
}

// find follows the keys down from the root; nil if the way ends. A nil
// document has nothing.
func (d *document) find(keys ...string) *hujson.Value {
	if d == nil {
		return nil
	}
	v := &d.root
	for _, k := range keys {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		if v = find(obj, k); v == nil {
			return nil
		}
	}
	return v
}

// mine finds our handlers in the value of one event, which may be nil.
func (e *editor) mine(event string, v *hujson.Value) (groups *hujson.Array, mine []place) {
	if v == nil {
		return nil, nil
	}
	groups, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, nil
	}
	e.doc.each(event, groups, func(p place) bool {
		if e.own.has(p.h) {
			mine = append(mine, p)
		}
		return true
	})
	return groups, mine
}

// dropAll takes our handlers out of one event and reports whether that left
// its array empty.
func (e *editor) dropAll(event string, v *hujson.Value) bool {
	groups, mine := e.mine(event, v)
	if len(mine) == 0 {
		return false
	}
	e.takeOut(event, mine, groups)
	e.note("%s: removed", event)
	return len(groups.Elements) == 0 && groups.AfterExtra.IsStandard()
}

// takeOut removes handlers of one event and the groups that held nothing else.
func (e *editor) takeOut(event string, mine []place, groups *hujson.Array) {
	moved := false
	emptied := map[int]bool{}
	for len(mine) > 0 {
		if e.doc.flat {
			emptied[mine[0].group] = true
			mine = mine[1:]
			continue
		}
		in, gone := mine[0], map[int]bool{}
		for len(mine) > 0 && mine[0].group == in.group {
			gone[mine[0].handler] = true
			mine = mine[1:]
		}
		moved = removeElements(in.list, gone) || moved
		if len(in.list.Elements) == 0 {
			emptied[in.group] = true
		}
	}
	moved = removeElements(groups, emptied) || moved
	if moved && e.settings.TrustByPosition {
		e.warnings = append(e.warnings, printable(fmt.Sprintf(
			"%s: the hooks behind overseer's moved up; the agent skips them until they are reviewed again (/hooks)", event)))
	}
}
