package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/hookmon"
)

// parse reads the flags. Of a command line with a mistake in it, all the rest
// counts.
func (m *monitor) parse(args []string) (given map[string]string, help bool) {
	if len(args) > 0 && (args[0] == "hookmon" || args[0] == "hook") {
		args = args[1:] // so that the words of the other face do no harm
	}
	f := pflag.NewFlagSet("hookmon", pflag.ContinueOnError)
	f.ParseErrorsAllowlist.UnknownFlags = true
	f.Usage = func() {}
	for _, s := range hookmon.All() {
		if s.Usage == "" {
			continue
		}
		f.String(s.Name, "", "")
		if s.Arg == "" {
			f.Lookup(s.Name).NoOptDefVal = "true"
		}
	}
	m.unknownFlags(f, args)
	err := f.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		return nil, true
	}
	m.warn(err)
	for _, a := range f.Args() {
		m.warn(fmt.Errorf("argument %q is ignored: only flags are taken", a))
	}
	given = map[string]string{}
	f.Visit(func(fl *pflag.Flag) { given[fl.Name] = fl.Value.String() })
	return given, false
}

// unknownFlags warns of flags that are not known; values are not repeated, one
// might be a key.
func (m *monitor) unknownFlags(f *pflag.FlagSet, args []string) {
	var known []string
	f.VisitAll(func(fl *pflag.Flag) { known = append(known, "--"+fl.Name) })
	for _, a := range args {
		if a == "--" {
			return
		}
		name, _, _ := strings.Cut(a, "=")
		word := strings.TrimLeft(name, "-")
		switch {
		case !strings.HasPrefix(a, "-") || word == "help" || a == "-h":
		case strings.HasPrefix(a, "--") && f.Lookup(word) != nil:
		case strings.Contains(word, "key"):
			m.warn(hint.Wrap(fmt.Errorf("%s: a key is never a flag: the command line is in a file that is checked in", name), "set HOOKMON_TYPESAFE_API_KEY"))
		default:
			err := fmt.Errorf("unknown flag %s", name)
			if best := hint.Nearest("--"+word, known); best != "" {
				err = hint.Wrap(err, "did you mean %s?", best)
			}
			m.warn(err)
		}
	}
}

// hookmonUsage is the face's help.
func hookmonUsage() string {
	var b strings.Builder
	b.WriteString(`Hookmon records hook events of coding agents and blocks by a policy file. The
agent runs it: it reads one event as JSON from standard input, appends it to a
log and acknowledges it, or denies it.

Usage:
  hookmon --agent NAME [flags]

Flags:
`)
	for _, s := range hookmon.All() {
		if s.Usage != "" {
			fmt.Fprintf(&b, "  %-28s %s\n", strings.TrimSpace("--"+s.Name+" "+s.Arg), s.Usage)
		}
	}
	b.WriteString(`
A flag may also be set as HOOKMON_<FLAG> in the environment, or in a .hookmon.yaml
in the present folder or in the home folder; the first of these that has it counts.
Only in the environment or in ~/.hookmon.yaml:
  HOOKMON_TYPESAFE_API_KEY, HOOKMON_TYPESAFE_ENDPOINT
`)
	return b.String()
}
