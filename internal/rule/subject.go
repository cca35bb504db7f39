package rule

import (
	"path"
	"strings"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/shell"
	"github.com/fireharp/overseer/internal/toolcall"
)

// Subject is an event with what the conditions of several rules share, worked
// out once and only when a condition asks for it.
type Subject struct {
	Event *event.Event
	// Home is the person's home folder, for ~ in paths. "" leaves ~ as it is.
	Home string
	// Repo is the root folder of the project that the agent works in, "" if there is
	// none.
	Repo string
	// Read, if set, gives the beginning of a file, for scripts that a command runs.
	Read func(path string) ([]byte, bool)
	// Real, if set, gives the file that a path leads to through symbolic links. A
	// path that a rule names can be reached by others, and a decision does no I/O of
	// its own.
	Real func(string) string

	content    *string
	program    *shell.Program
	effects    []effect.Effect
	hasEffects bool
	paths      []string
	hasPaths   bool
	urls       []string
	hasURLs    bool
	ways       map[string][]string
	looked     int // paths that Real was asked for
	scripts    map[string]string
	unreadable bool
	conditions bool // a condition looked into the command line
	byKind     map[effect.Kind][]int
	work       *budget.Budget
	cut        bool // a command line of the call was not read whole
}

// places are the folders that the event's paths are seen from.
func (s *Subject) places() effect.Places {
	return effect.Places{Home: s.Home, CWD: s.Event.CWD, Repo: s.Repo}
}

// Content is the text that keywords are looked for in: prompt, command and
// paths, in lower case.
func (s *Subject) Content() string {
	if s.content == nil {
		e := s.Event
		all := append([]string{e.Prompt, e.Tool.Command}, e.Tool.Paths...)
		text := strings.ToLower(strings.Join(all, "\n"))
		s.content = &text
	}
	return *s.content
}

// Program is the event's command line as the shell would read it.
func (s *Subject) Program() shell.Program {
	s.conditions = true
	if s.program == nil {
		p := shell.Analyze(s.Event.Tool.Command, s.context())
		s.program = &p
	}
	return *s.program
}

func (s *Subject) context() shell.Context {
	c := shell.Context{Places: s.places(), Work: s.budget()}
	if s.Read != nil {
		c.Read = s.Script
	}
	return c
}

// budget is what may still be spent on this event.
func (s *Subject) budget() *budget.Budget {
	if s.work == nil {
		s.work = budget.New()
	}
	return s.work
}

// Work is what may still be spent on this event, for conditions that stand elsewhere.
func (s *Subject) Work() *budget.Budget { return s.budget() }

// Script gives the beginning of a file that the event's command runs, and keeps it
// for [Subject.Scripts].
func (s *Subject) Script(path string) ([]byte, bool) {
	if s.Read == nil {
		return nil, false
	}
	b, ok := s.Read(path)
	s.unreadable = s.unreadable || !ok
	if ok {
		if s.scripts == nil {
			s.scripts = map[string]string{}
		}
		s.scripts[path] = string(b)
	}
	return b, ok
}

// Scripts are the files that were read to see what the event's command runs, by
// their paths.
func (s *Subject) Scripts() map[string]string { return s.scripts }

// Unreadable reports whether one of them could not be read.
func (s *Subject) Unreadable() bool { return s.unreadable }

// Effects are what the event's tool call would do, whichever tool it is. A file
// that is reached through a symbolic link is a target under both of its names.
func (s *Subject) Effects() []effect.Effect {
	s.conditions = true
	if !s.hasEffects {
		s.hasEffects = true
		s.effects = toolcall.Effects(s.Event, s.places(), s.budget(), func(line string) []effect.Effect {
			if line == s.Event.Tool.Command {
				return s.Program().Effects
			}
			p := shell.Analyze(line, s.context())
			s.cut = s.cut || p.Cut
			return p.Effects
		})
		s.effects = append(s.effects, s.behindLinks()...)
		s.byKind = make(map[effect.Kind][]int)
		for i, e := range s.effects {
			s.byKind[e.Kind] = append(s.byKind[e.Kind], i)
		}
	}
	return s.effects
}

// behindLinks are the effects on files that symbolic links lead to. Where they lie
// is told from the folders behind links, since a whole home folder can be behind
// one.
func (s *Subject) behindLinks() []effect.Effect {
	if s.Real == nil {
		return nil
	}
	var out []effect.Effect
	var real *effect.Places
	for _, e := range s.effects {
		switch e.Kind {
		case effect.FileRead, effect.FileWrite, effect.FileDelete, effect.DeleteRecursive:
		default:
			continue
		}
		var targets []effect.Target
		for _, t := range e.Targets {
			name := s.behind(e.Kind, t)
			if name == "" {
				continue
			}
			if real == nil {
				pl := s.places()
				for _, p := range []*string{&pl.Home, &pl.CWD, &pl.Repo} {
					if *p != "" {
						*p = s.Real(*p)
					}
				}
				real = &pl
			}
			targets = append(targets, effect.Target{Name: name, Scope: effect.ScopeOf(effect.Lit(name), *real)})
		}
		if len(targets) > 0 {
			e.Targets = targets
			out = append(append(out, e), effect.Derive(e, *real)...)
		}
	}
	return out
}

// behind gives the file behind a target, "" if that is the target itself. Deleting
// takes away the link and not what it leads to; only the folders on the way count.
func (s *Subject) behind(k effect.Kind, t effect.Target) string {
	if t.Scope == "" || t.Scope == effect.Unknown || !strings.HasPrefix(t.Name, "/") || s.looked >= maxReal {
		return ""
	}
	s.looked++
	var real string
	if k == effect.FileRead || k == effect.FileWrite {
		real = s.Real(t.Name)
	} else {
		real = path.Join(s.Real(path.Dir(t.Name)), path.Base(t.Name))
	}
	if real == t.Name {
		return ""
	}
	return real
}

// Unread reports whether a condition looked into what the event would do and could
// not read all of it, or not judge it by all conditions, within the limits. A command
// line for bash that has a syntax error counts too.
func (s *Subject) Unread() bool {
	if !s.conditions {
		return false
	}
	if s.cut || s.budget().Spent() {
		return true
	}
	other := strings.EqualFold(s.Event.Tool.Name, "PowerShell") // not the language that is read here
	return s.program != nil && s.program.Incomplete && !other
}

// Exhausted reports whether reading ended because all of the work that one event may
// cost was spent.
func (s *Subject) Exhausted() bool { return s.budget().Spent() }

// Aside runs f, which may look into the subject as conditions do, but does not
// count as one: see [Subject.Unread].
func (s *Subject) Aside(f func()) {
	old := s.conditions
	f()
	s.conditions = old
}

// Paths are the files that the event may touch, absolute and clean where the
// working folder is known: those the tool names, the words of its command line
// that can be files, and the targets of all effects.
func (s *Subject) Paths() []string {
	if s.hasPaths {
		return s.paths
	}
	s.hasPaths = true
	for _, p := range s.Event.Tool.Paths {
		s.paths = append(s.paths, s.Ways(p)...)
	}
	if s.Event.Tool.Command != "" {
		for _, p := range s.Program().Files() {
			s.paths = append(s.paths, s.Ways(p)...)
		}
	}
	seen := map[string]bool{}
	for _, p := range s.paths {
		seen[p] = true
	}
	for _, e := range s.Effects() {
		for _, t := range e.Targets {
			if t.Scope != "" && !seen[t.Name] {
				seen[t.Name] = true
				s.paths = append(s.paths, t.Name)
			}
		}
	}
	return s.paths
}

// URLs are the addresses that the event names, as they are written: the one its
// tool would fetch, those in its command line or in the arguments of an MCP tool,
// and the hosts that effects reach.
func (s *Subject) URLs() []string {
	if s.hasURLs {
		return s.urls
	}
	s.hasURLs = true
	t := &s.Event.Tool
	if t.URL != "" {
		s.urls = append(s.urls, t.URL)
	}
	s.urls = append(s.urls, urlsIn(t.Command)...)
	if toolcall.IsMCP(t) {
		s.urls = append(s.urls, urlsIn(strings.ReplaceAll(string(t.Input), `\/`, "/"))...)
	}
	for _, e := range s.Effects() {
		for _, target := range e.Targets {
			if target.Scope == "" && target.Name != "" {
				s.urls = append(s.urls, target.Name)
			}
		}
	}
	return s.urls
}

// urlsIn finds the addresses in a text.
func urlsIn(text string) []string {
	var out []string
	for {
		i := strings.Index(text, "://")
		if i < 0 {
			return out
		}
		start := i
		for start > 0 && isScheme(text[start-1]) {
			start--
		}
		end := len(text)
		if j := strings.IndexAny(text[i:], " \t\r\n'\"`<>|;)\\"); j >= 0 {
			end = i + j
		}
		if start < i {
			out = append(out, text[start:end])
		}
		text = text[max(end, i+3):]
	}
}

func isScheme(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'
}

// maxReal bounds how many paths of one event are looked up, since each costs some
// calls of the system.
const maxReal = 64

// Ways are the names of one file: its path made absolute and, where that leads
// elsewhere through a symbolic link, the path behind it.
func (s *Subject) Ways(p string) []string {
	if w, ok := s.ways[p]; ok {
		return w
	}
	if s.ways == nil {
		s.ways = map[string][]string{}
	}
	w := s.waysTo(p)
	s.ways[p] = w
	return w
}

func (s *Subject) waysTo(p string) []string {
	abs := s.Abs(p)
	if s.Real != nil && s.looked < maxReal {
		s.looked++
		if real := s.Real(abs); real != abs && real != "" {
			return []string{abs, real}
		}
	}
	return []string{abs}
}

// Abs makes a path absolute: ~ and $HOME become the home folder, a relative path
// is taken from the event's working folder. The result is clean but symbolic
// links are not followed: a decision does no I/O.
func (s *Subject) Abs(p string) string {
	if s.Home != "" {
		for _, h := range []string{"~", "$HOME"} {
			if rest, ok := strings.CutPrefix(p, h); ok && (rest == "" || rest[0] == '/') {
				p = s.Home + rest
				break
			}
		}
	}
	if rest, ok := strings.CutPrefix(p, "$PWD"); ok && (rest == "" || rest[0] == '/') {
		p = "." + rest
	}
	if !strings.HasPrefix(p, "/") && s.Event.CWD != "" {
		p = s.Event.CWD + "/" + p
	}
	return path.Clean(p)
}
