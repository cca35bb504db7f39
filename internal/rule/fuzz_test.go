package rule

import (
	"regexp"
	"testing"

	"github.com/fireharp/overseer/event"
)

// FuzzGlobs looks for globs and expressions that rules fail on. An expression that is
// passed over for lack of a needed text must not match.
func FuzzGlobs(f *testing.F) {
	for _, s := range [][2]string{{"**/.env", "/a/.env"}, {"~/x/{a,b}*", "/home/dev/x/ab"}, {"git +push( -f)?$", "git  push -f"}, {"[^a-z]{2}\\.x|y", "12.x"}, {"*.example.com/*", "https://u@a.example.com:1/b?c"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		e := event.Event{Name: event.PreToolUse, Agent: "claude", CWD: "/repo", Tool: event.Tool{Name: "Bash", Command: text, Paths: []string{text}, URL: text}}
		s := &Subject{Event: &e, Home: "/home/dev", Repo: "/repo"}
		for _, c := range []Condition{Paths{Globs: []string{pattern}, Root: "/repo"}, URLs{pattern}, Folders{pattern}, Tools{pattern}, Programs{pattern}} {
			c.Holds(s)
		}
		if CheckRegexp(pattern) != nil {
			return
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			return // too large
		}
		if text != "" && re.MatchString(text) != NewCommand(pattern).Holds(s) {
			t.Errorf("%q on %q: the needed text %q decides otherwise", pattern, text, neededText(pattern))
		}
	})
}
