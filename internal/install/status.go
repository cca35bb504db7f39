package install

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/fireharp/overseer/agent"
)

// Status is what one settings file holds of overseer. Nothing in it says that
// the agent obeys: only running the commands found shows that.
type Status struct {
	Target Target
	// Exists is false when there is no settings file.
	Exists bool
	// Entries are overseer's own handlers in the file's order.
	Entries []Entry
	// Missing are the events that install would add, in the agent's order.
	Missing []string
	// Faults are what keeps the entries from working as install means them.
	Faults []Fault
}

// Entry is one handler of overseer's in a settings file.
type Entry struct {
	Event string
	// Group and Handler are the positions under the event, from zero; Codex
	// ties trust to them.
	Group, Handler int
	// At is the place: path:line:col.
	At string
	// Command is the command line exactly as found, with any control characters.
	// With Args the agent starts the program itself; without, as also where entries
	// have no groups, it hands the line to a shell.
	Command string
	Args    []string
	// Program is the program in Command, "" if only running it would tell.
	Program string
	// Matcher is the group's matcher as found.
	Matcher string
	// Marked is true if the entry still has the marker.
	Marked bool
}

// Fault is one thing that is wrong, and what mends it.
type Fault struct {
	// Events are those that it concerns; none if it is the file as a whole.
	Events []string
	// At is the first place: path:line:col, or the path.
	At   string
	Text string
	// Mend is a command to run or what to do by hand.
	Mend string
}

// Installed reports whether the file has any entry of overseer's.
func (s Status) Installed() bool { return len(s.Entries) > 0 }

// Inspect reads the target and says what is registered there and what is wrong
// with it. Hooks that install would refuse to edit are a fault of the status;
// an error means that the file could not be read or is not strict JSON.
func Inspect(t Target, o Options) (Status, error) {
	s := Status{Target: t}
	if !filepath.IsAbs(t.Path) {
		return s, fmt.Errorf("the path of the settings file is not absolute: %q", t.Path)
	}
	f, err := readFile(filepath.Clean(t.Path))
	if err != nil {
		return s, err
	}
	s.Exists = f.exists
	doc, err := parse(t.Path, f.data, t.Provider.Settings())
	if err != nil {
		return s, err
	}
	i := inspector{Status: &s, doc: doc, own: ours{binaries: []string{o.Binary}}, o: o}
	if o.Binary != "" {
		if i.prefix, err = commandPrefix(o.Binary); err != nil {
			return s, err
		}
	}
	if i.suffix, err = commandSuffix(t, o); err != nil {
		return s, err
	}
	i.file()
	i.entries()
	return s, nil
}

type inspector struct {
	*Status
	doc    *document
	own    ours
	o      Options
	prefix string
	suffix string
}

// fault notes a fault, once for all the events that have it.
func (i *inspector) fault(event, at, mend, format string, args ...any) {
	f := Fault{At: at, Text: printable(fmt.Sprintf(format, args...)), Mend: mend}
	for k := range i.Faults {
		if same := &i.Faults[k]; event != "" && same.Text == f.Text && same.Mend == mend {
			if !slices.Contains(same.Events, event) {
				same.Events = append(same.Events, event)
			}
			return
		}
	}
	if event != "" {
		f.Events = []string{event}
	}
	i.Faults = append(i.Faults, f)
}

// stale notes a fault of an entry that install would mend.
func (i *inspector) stale(e Entry, format string, args ...any) {
	mend := "overseer install --" + i.Target.Provider.Name()
	if i.Target.Scope == ProjectScope {
		mend += " --scope project"
	}
	i.fault(e.Event, e.At, mend, format, args...)
}

// file finds what is wrong with the file as a whole.
func (i *inspector) file() {
	if err := i.doc.check(); err != nil {
		i.fault("", i.Target.Path, "mend the file by hand", "%v", err)
	}
	set := i.Target.Provider.Settings()
	for _, m := range i.doc.object().Members {
		if lit, ok := m.Value.Value.(hujson.Literal); ok && nameOf(m) == set.OffSwitch && set.OffSwitch != "" && lit.Bool() {
			i.fault("", i.doc.at(m.Name.StartOffset), "remove the key or set it to false", "%q turns all hooks off", set.OffSwitch)
		}
	}
	if len(set.TopKeys) > 0 {
		i.void(set.TopKeys)
	}
	if set.Version != 0 {
		i.version()
	}
	if set.FixedEvents {
		i.unknown()
	}
	if set.CutsComments {
		if _, at := blankComments(i.doc.text); at >= 0 {
			i.fault("", i.doc.at(at), `write it without "//"`,
				"%s drops everything from \"//\" to the end of the line, within strings too, and so rejects the whole file", i.Target.Provider.Title())
		}
	}
}

// version finds a file with hooks that the agent ignores for its version.
func (i *inspector) version() {
	title, set := i.Target.Provider.Title(), i.Target.Provider.Settings()
	mend := fmt.Sprintf(`write "version": %d at the top`, set.Version)
	v := i.doc.find("version")
	if v == nil {
		if i.doc.find("hooks") != nil {
			i.fault("", i.Target.Path, mend, "%s ignores the whole file, which has no version", title)
		}
		return
	}
	if lit, ok := v.Value.(hujson.Literal); !ok || lit.Kind() != '0' || lit.Int() < 1 || float64(lit.Int()) != lit.Float() {
		i.fault("", i.doc.at(v.StartOffset), mend, "%s ignores the whole file for its version %s", title, plain(v))
	}
}

// unknown finds event names for which the agent rejects the whole file.
func (i *inspector) unknown() {
	v := i.doc.find("hooks")
	if v == nil {
		return
	}
	hooks, ok := v.Value.(*hujson.Object)
	if !ok {
		return
	}
	known := i.Target.Provider.Capabilities()
	for _, m := range hooks.Members {
		if name := nameOf(m); !slices.ContainsFunc(known, func(c agent.Capability) bool { return c.Event == name }) {
			i.fault("", i.doc.at(m.Name.StartOffset), "remove the event, unless your "+i.Target.Provider.Title()+" is new enough to know it",
				"%s rejects the whole file for an event that it does not know: %q", i.Target.Provider.Title(), name)
		}
	}
}

// void finds what makes an agent with a typed reader reject the whole file.
// Each was tried on Codex 0.171: it lists no hook then and fails open.
func (i *inspector) void(topKeys []string) {
	fault := func(offset int, mend, why string, args ...any) {
		i.fault("", i.doc.at(offset), mend, "%s rejects the whole file because of %s", i.Target.Provider.Title(), fmt.Sprintf(why, args...))
	}
	if i.doc.bom != "" {
		fault(0, "save the file without one", "its byte order mark")
	}
	if !utf8.Valid(i.doc.text) {
		fault(0, "save the file as UTF-8", "bytes that are not UTF-8")
	}
	root := i.doc.object()
	for _, m := range root.Members {
		if name := nameOf(m); !slices.Contains(topKeys, name) {
			fault(m.Name.StartOffset, "remove the key", "the key %q", name)
		}
	}
	twice := func(obj *hujson.Object) {
		seen := map[string]bool{}
		for _, m := range obj.Members {
			name := nameOf(m)
			if seen[name] {
				fault(m.Name.StartOffset, "remove one of the two", "the key %q, which stands twice", name)
			}
			seen[name] = true
		}
	}
	twice(root)
	hooks := i.doc.find("hooks")
	if hooks == nil {
		return
	}
	if isNull(hooks.Value) {
		fault(hooks.StartOffset, "remove the key", "hooks, which is null")
	}
	for v := range hooks.All() {
		if obj, ok := v.Value.(*hujson.Object); ok {
			twice(obj)
		}
	}
	for _, c := range i.Target.Provider.Capabilities() {
		if v := i.doc.find("hooks", c.Event); v != nil && isNull(v.Value) {
			fault(v.StartOffset, "remove the key", "hooks.%s, which is null", c.Event)
		}
	}
}

// entries finds overseer's entries, what differs from what install writes, and
// what is missing.
func (i *inspector) entries() {
	p := i.Target.Provider
	standings := map[string]standing{}
	for _, c := range p.Capabilities() {
		standings[c.Event] = standingOf(c, i.o.AgentVersion)
	}
	count := map[string]int{}
	for h := range i.doc.all() {
		at := i.doc.at(h.offset)
		if !i.own.has(h.h) {
			if i.own.wraps(h.h) {
				i.fault(h.event, at, "remove the entry by hand",
					"a larger command runs overseer inside it: it is not managed, and what stands around it can change the answer")
			}
			continue
		}
		e := i.entry(h, at)
		i.Entries = append(i.Entries, e)
		count[h.event]++
		_, all := matcherOf(h.in)
		switch {
		case standings[h.event] == foreign:
			i.stale(e, "overseer does not serve this event with this agent")
			continue
		case count[h.event] == 2:
			i.stale(e, "overseer is registered more than once")
		case !all && !i.doc.flat: // else the handler's drift tells
			i.stale(e, "registered only for the matcher %q", e.Matcher)
		}
		i.drift(h, e)
	}
	for _, c := range p.Capabilities() {
		if standings[c.Event] == wanted && count[c.Event] == 0 {
			i.Missing = append(i.Missing, c.Event)
		}
	}
}

func (i *inspector) entry(h place, at string) Entry {
	e := Entry{Event: h.event, Group: h.group, Handler: h.handler, At: at}
	e.Command, _ = str(h.h, "command")
	e.Program, _ = i.own.program(h.h)
	if strings.Contains(e.Program, unknown) {
		e.Program = ""
	}
	e.Matcher, _ = matcherOf(h.in)
	mark, _ := str(h.h, markerKey)
	e.Marked = mark == markerValue
	if v := find(h.h, "args"); v != nil && !i.doc.flat {
		if args, ok := v.Value.(*hujson.Array); ok {
			for _, a := range args.Elements {
				lit, _ := a.Value.(hujson.Literal)
				e.Args = append(e.Args, lit.String())
			}
		}
	}
	return e
}

// drift finds where an entry is not what install would write.
func (i *inspector) drift(h place, e Entry) {
	if filepath.IsAbs(e.Program) {
		switch info, err := os.Stat(e.Program); {
		case err != nil:
			i.stale(e, "the registered program cannot be run: %v", err)
		case info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0:
			i.stale(e, "the registered program %s is not executable", e.Program)
		}
	}
	// First as if its program were the right one, then the program.
	prefix, err := commandPrefix(e.Program)
	if err != nil {
		i.stale(e, "its program is not named by a fixed path: %s", e.Command)
		return
	}
	want := handler(i.Target.Provider, agent.CapabilityOf(i.Target.Provider, h.event), prefix, i.suffix)
	for _, key := range drift(h.h, want) {
		switch found, expected := find(h.h, key), find(want, key); {
		case found == nil:
			i.stale(e, "%s is missing, install writes %s", key, plain(expected))
		case expected == nil:
			i.stale(e, "%s is %s, install writes no such key", key, plain(found))
		default:
			i.stale(e, "%s is %s, install writes %s", key, plain(found), plain(expected))
		}
	}
	if i.prefix != "" && prefix != i.prefix {
		i.stale(e, "runs %s, install writes %s", prefix, i.prefix)
	}
}

// plain is a value as JSON without the white space around it.
func plain(v *hujson.Value) string {
	c := hujson.Value{Value: v.Value}.Clone()
	c.Minimize()
	return string(c.Pack())
}
