package rule

import (
	"path"
	"strings"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/shell"
)

// Subject is an event with what the conditions of several rules share, worked
// out once and only when a condition asks for it.
type Subject struct {
	Event *event.Event
	// Home is the person's home folder, for ~ in paths. "" leaves ~ as it is.
	Home string
	// Real, if set, gives the file that a path leads to through symbolic links. A
	// path that a rule names can be reached by others, and a decision does no I/O of
	// its own.
	Real func(string) string

	content  *string
	program  *shell.Program
	paths    []string
	hasPaths bool
	looked   int // paths that Real was asked for
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
	if s.program == nil {
		p := shell.Analyze(s.Event.Tool.Command)
		s.program = &p
	}
	return *s.program
}

// Unread reports whether a condition looked into the event's command line and
// could not read all of it.
func (s *Subject) Unread() bool {
	other := strings.EqualFold(s.Event.Tool.Name, "PowerShell") // not the language that is read here
	return s.program != nil && s.program.Incomplete && !other
}

// Paths are the files that the event may touch, absolute and clean where the
// working folder is known: those the tool names, and the words of its command
// line that can be files.
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
	return s.paths
}

// maxReal bounds how many paths of one event are looked up, since each costs some
// calls of the system.
const maxReal = 64

// Ways are the names of one file: its path made absolute and, where that leads
// elsewhere through a symbolic link, the path behind it.
func (s *Subject) Ways(p string) []string {
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
