// Package script lists the calls that a program in Python, JavaScript, Perl, Ruby,
// PHP, awk, Lua, R, Tcl, Go, Java or AppleScript makes: their full names and what
// is known of their arguments before the program runs. One tolerant reader serves
// all languages; it follows variables, folds constants and text decoders, and runs
// nothing. What a call would do stands in the tables of package program.
package script

import (
	"strings"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
)

// Result is what a script was seen to call.
type Result struct {
	// Calls stand in the order in which the reader came to them. A call in a loop
	// over known values stands there once a value.
	Calls []Call
	// Incomplete is true where the script was too large or too deeply nested to be
	// read to its end.
	Incomplete bool
}

// Call is one call of a function or method.
type Call struct {
	// Name is language:name with aliases resolved: python:os.remove. A method bears
	// the name of what made its object: python:socket.socket.connect.
	Name string
	// Args are the positional arguments with lists flattened; for a method the
	// arguments of the object's constructor come first.
	Args []effect.Value
	// Named are keyword arguments, the fields of literal objects, and "content" for
	// each file, variable or program's output that an argument holds the content of.
	Named []Named
	// Line is where the call stands, from 1.
	Line int
}

// Named is an argument with a name.
type Named struct {
	Name  string
	Value effect.Value
}

// Words gives a call as the words of a command line: named arguments as --name=value,
// then the others.
func (c Call) Words() []effect.Value {
	words := make([]effect.Value, 0, len(c.Named)+len(c.Args))
	for _, n := range c.Named {
		v := n.Value
		v.Text = "--" + n.Name + "=" + v.Text
		words = append(words, v)
	}
	return append(words, c.Args...)
}

// What reading costs in steps of the budget: making tokens of a byte, and what follows
// a value (a call, a member, an operator). Measured on "make bench-bounds".
const (
	lexWork = 1
	useWork = 5
)

// The bounds that keep reading linear in the size of the script.
const (
	maxSource = 1 << 17 // bytes of a script
	maxCalls  = 4096    // calls that are reported
	maxDepth  = 100     // nested expressions
	maxFold   = 8 << 20 // bytes of all folded texts
	maxText   = 1 << 18 // bytes of one folded text
	maxAlts   = 16      // values of a loop variable
	maxNest   = 6       // code in texts in code
)

// Read lists the calls of a script. lang is the name of the language or of its
// interpreter; the calls of a language that is not known are read as well as they
// can be. Where src is open, its unknown parts stand in its text as $name. work is what
// reading may cost.
func Read(lang string, src effect.Value, work *budget.Budget) Result {
	lang = language(lang)
	text, cut := src.Text, false
	if len(text) > maxSource {
		text, cut = text[:maxSource], true
	}
	if n := work.Left() / lexWork; len(text) > n {
		text, cut = text[:n], true
	}
	if lang == "tcl" {
		work.Spend(len(text) * lexWork)
		r := readTcl(text)
		r.Incomplete = r.Incomplete || cut
		return r
	}
	s := &session{work: work, lang: lang, lx: settings(lang), vars: map[string]*value{}, funcs: map[string]*function{}}
	s.text(text)
	if s.again && !s.incomplete {
		// The arguments of the script's own functions are known now.
		s.second, s.calls, s.vars, s.stars, s.folded = true, nil, map[string]*value{}, nil, 0
		s.text(text)
	}
	return Result{Calls: s.calls, Incomplete: s.incomplete || cut}
}

// language is the one name of a language.
func language(name string) string {
	name = strings.TrimRight(strings.ToLower(name), "0123456789.")
	switch name {
	case "py", "pypy", "ipython":
		return "python"
	case "javascript", "js", "ts", "typescript", "deno", "bun", "nodejs", "jxa", "tsx":
		return "node"
	case "gawk", "mawk", "nawk", "original-awk":
		return "awk"
	case "luajit", "texlua":
		return "lua"
	case "expect", "tclsh", "wish":
		return "tcl"
	case "rscript":
		return "r"
	case "osascript":
		return "applescript"
	case "jruby", "irb":
		return "ruby"
	case "groovy", "kotlin", "scala", "jshell", "csharp":
		return "java"
	}
	return name
}
