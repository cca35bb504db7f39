package engine

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/guard"
	"github.com/fireharp/overseer/internal/precedent"
	"github.com/fireharp/overseer/internal/program"
	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/shell"
	"github.com/fireharp/overseer/internal/toolcall"
)

// Precedents is what human rulings are told from.
type Precedents struct {
	// Key is the person's own, for signatures. Without one there is no precedent.
	Key []byte
	// Settings weigh what is found.
	precedent.Settings
	// Action identifies the event's very action, Besides all of its arguments that are
	// no command, file or content. Both are called at most once.
	Action, Besides func() string
	// Find gives the rulings that may be about an action. asked is true where an ask is
	// at stake: only then can rulings that allow change anything, and looking for the
	// newest may take its time. What is noted is recorded as a fault and changes
	// nothing; after err, something that denies may be missing.
	Find func(s *precedent.Signature, asked bool) (found []precedent.Ruling, noted, err error)
}

// tool kinds, see [precedent.Signature].
const (
	shellTool = "shell"
	fileTool  = "file"
	otherTool = "other"
)

// precedents lets human rulings on other actions decide where no hard rule did,
// and gives the action's signature for the record, none where there is no action.
func (in *Input) precedents(s *rule.Subject, v settled, hits []*rule.Rule) (_ settled, act precedent.Signature, noted error) {
	e := in.Event
	if len(in.Precedents.Key) == 0 || !e.AboutToRun() || e.Tool.Name == "" {
		return v, act, nil
	}
	// What was not read whole is like nothing that was ruled on. It is asked about.
	if s.Exhausted() {
		return v, act, nil
	}
	var a precedent.Action
	s.Aside(func() { a = in.action(s) })
	act = a.Signature
	hard := v.Basis == event.ByRule && v.Decision != event.Ask
	if hard || in.Precedents.Find == nil {
		return v, act, nil
	}
	// A fault or a guard rule is nothing that a precedent could lift.
	asked := v.Decision == event.Ask && len(in.Faults) == 0 && !guarded(hits)
	found, noted, err := in.Precedents.Find(&a.Signature, asked)
	if err != nil {
		in.Faults = append(in.Faults[:len(in.Faults):len(in.Faults)], err.Error())
		return v, act, noted
	}
	d, cited := precedent.Weigh(&a, found, in.Precedents.Settings)
	if d == event.Deny || d == event.Allow && asked {
		v.Decision, v.Basis, v.Precedents = d, event.ByPrecedent, cited
		v.Reason = precedentReason(d, cited)
	}
	return v, act, noted
}

func guarded(hits []*rule.Rule) bool {
	return slices.ContainsFunc(hits, func(r *rule.Rule) bool {
		return r.File == guard.BuiltIn && (r.Do == rule.Ask || r.Do == rule.Deny)
	})
}

// precedentReason names the likest ruling and how many there are besides.
func precedentReason(d event.Decision, cited []event.Precedent) string {
	verb := map[event.Decision]string{event.Allow: "allowed", event.Deny: "denied"}[d]
	first, n := cited[0], 0
	for _, p := range cited {
		if p.Decision == d {
			n++
		}
	}
	by := "a person"
	if first.By != "" {
		by = first.By
	}
	out := fmt.Sprintf("precedent: %s %s the like on %s (%s)", by, verb, first.Time.Format("2006-01-02"), first.Event)
	if n > 1 {
		out += fmt.Sprintf(", and %d more", n-1)
	}
	return out
}

// action describes the event's action.
func (in *Input) action(s *rule.Subject) precedent.Action {
	e := in.Event
	act := precedent.Act{Root: in.Repo, Effects: s.Effects()}
	if act.Root == "" {
		act.Root = path.Clean(e.CWD)
	}
	// What agents' rules and folders there are is the same for both actions.
	where := []string{e.Agent, e.Caller, e.Tool.Name, act.Root, in.Precedents.Besides()}
	switch {
	case e.Tool.Command != "" && !toolcall.IsMCP(&e.Tool) && !strings.EqualFold(e.Tool.Name, "PowerShell"):
		in.commandLine(&act, s, where)
	case e.Tool.Command == "" && !toolcall.IsMCP(&e.Tool) && onFiles(act.Effects):
		act.Tool, act.Programs = fileTool, []string{e.Tool.Name}
		act.Text = strings.Join(e.Tool.Paths, " ")
		if act.Loose = precedent.Loosely(act.Effects); act.Loose {
			act.Form = append([]string{"files"}, where...)
		} else {
			act.Form = in.exactly()
		}
	default:
		act.Tool, act.Programs, act.Form = otherTool, []string{e.Tool.Name}, in.exactly()
		act.Text = e.Tool.Command + " " + string(e.Tool.Input[:min(len(e.Tool.Input), maxArguments)])
	}
	return precedent.Of(act, in.Precedents.Key)
}

// maxArguments bounds what of a tool's arguments likeness is told from.
const maxArguments = 4 << 10

// exactly is the form of which only the identical action is.
func (in *Input) exactly(more ...string) []string {
	action := in.Precedents.Action()
	if action == "" {
		return nil
	}
	return append([]string{"exactly", action}, more...)
}

func onFiles(list []effect.Effect) bool {
	return slices.ContainsFunc(list, func(e effect.Effect) bool { return strings.HasPrefix(string(e.Kind), "file.") })
}

// commandLine describes a command line.
func (in *Input) commandLine(act *precedent.Act, s *rule.Subject, where []string) {
	p := s.Program()
	act.Tool = shellTool
	seen := map[string]bool{"": true}
	for _, c := range p.Commands {
		if name := calledProgram(c); !seen[name] {
			seen[name] = true
			act.Programs = append(act.Programs, name)
		}
	}
	files := p.OnlyFileTools()
	if files && len(act.Effects) == 0 {
		act.Effects = []effect.Effect{{Kind: effect.FileRead}} // of no file that matters
	}
	act.Loose = files && precedent.Loosely(act.Effects)
	var file func(string) bool
	if act.Loose {
		names := targetNames(act.Effects)
		file = func(word string) bool { return names[path.Clean(word)] }
	}
	pieces, open := p.Pieces(file, func(dir string) bool { return s.Abs(dir) == path.Clean(in.Event.CWD) })
	var words []string
	for _, x := range pieces {
		if x.Sort != shell.Message {
			words = append(words, x.Text)
		}
	}
	act.Text = strings.Join(words, " ")
	scripts, ok := in.scripts(s, p, act)
	switch {
	case !ok:
	case open:
		act.Form = in.exactly(scripts...)
	default:
		act.Form = append(append([]string{"line"}, where...), path.Clean(in.Event.CWD), fmt.Sprint(act.Loose, len(pieces)))
		for _, x := range pieces {
			text := x.Text
			if x.Sort != shell.Written {
				text = ""
			}
			act.Form = append(act.Form, fmt.Sprint(x.Sort), text)
		}
		act.Form = append(act.Form, scripts...)
	}
}

// targetNames are the names by which words may mean the targets of effects: a whole
// path, and what remains of it below each of its folders, since cd may have led there.
func targetNames(effects []effect.Effect) map[string]bool {
	names := map[string]bool{}
	for _, e := range effects {
		for _, t := range e.Targets {
			if len(t.Name) > MaxPath {
				continue
			}
			for name, below := t.Name, true; below; _, name, below = strings.Cut(name, "/") {
				names[name] = true
			}
		}
	}
	delete(names, "")
	return names
}

// MaxPath is the longest path in bytes that systems take (PATH_MAX of Linux): no file
// has a longer one.
const MaxPath = 4096

// calledProgram is a program with its subcommand, as likeness sees it: the first
// word that can be one.
func calledProgram(c shell.Command) string {
	name := program.Name(c.Program)
	if name == "" || shell.IsFileTool(name) || name == "cd" {
		return name
	}
	for _, a := range c.Args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		if len(a) <= maxSubcommand && a != "" && a[0] >= 'a' && a[0] <= 'z' && strings.Trim(a, subcommandLetters) == "" {
			return name + " " + a
		}
		break
	}
	return name
}

const (
	maxSubcommand     = 24
	subcommandLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_:"
)

// maxScripts is how many scripts of a line are read at most, see internal/shell:
// of a line that has more, some may not have been.
const maxScripts = 4

// installed are folders whose programs an agent cannot change unnoticed.
var installed = []string{"/usr/", "/bin/", "/sbin/", "/opt/homebrew/", "/nix/store/"}

// scripts gives the contents of all files that the line depends on: those it runs,
// and those that its words or such a file name. ok is false if one of them could not
// be read, or if nobody can tell which they are: what the line does may change
// unseen. A line that only the files matter of has none.
func (in *Input) scripts(s *rule.Subject, p shell.Program, act *precedent.Act) (found []string, ok bool) {
	if act.Loose {
		return nil, true
	}
	unsure := slices.ContainsFunc(act.Effects, func(e effect.Effect) bool {
		return e.Kind == effect.ExecUnresolved || e.Kind == effect.ExecDownloaded
	})
	have := s.Scripts()
	if len(have) >= maxScripts || s.Unreadable() || unsure || !p.Fixed() {
		return nil, false
	}
	c := contents{in: in, files: map[string]string{}, asked: map[string]bool{}, listed: map[string]map[string]bool{}}
	for at := range have {
		c.add(at)
	}
	for _, cmd := range p.Commands {
		if at := cmd.Path; at != "" && !slices.ContainsFunc(installed, func(dir string) bool { return strings.HasPrefix(at, dir) }) {
			if _, ok := s.Script(at); !ok {
				return nil, false
			}
		}
	}
	c.line(s, p, act.Text)
	if c.unknown {
		return nil, false
	}
	for _, at := range slices.Sorted(maps.Keys(c.files)) {
		found = append(found, at, c.files[at])
	}
	return found, true
}
