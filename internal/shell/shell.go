// Package shell reads a command line and says what it would do: which programs it
// would run with which words, and the effects of each. It never runs anything. It
// is built on mvdan.cc/sh/v3/syntax and follows the line as a shell would: through
// quoting, variables, functions, pipes, substitutions, files that the line itself
// writes, and the programs that run others (sudo, xargs, bash -c, python -c …).
// What a single program does with its words stands in the tables of
// internal/program.
package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
)

// Limits keep time and memory linear in the input: a command line that nests
// deeper or does more is reported as not understood.
const (
	maxDepth    = 16
	stepWork    = 5   // steps of the budget that a statement costs by itself
	wordWork    = 2   // a word of a command that is followed
	effectWork  = 5   // and an effect
	assignWork  = 10  // and a variable
	copyBytes   = 32  // bytes that are copied, and looked at some times, in one step
	decodeBytes = 8   // and that are decoded, turned around or translated
	maxRounds   = 256 // of all loops together
	maxText     = 1 << 20
	maxScripts  = 4
	maxScript   = 256 << 10
)

// Context is what a command line depends on besides its text.
type Context struct {
	Places effect.Places
	// Read, if set, gives the beginning of a file, for scripts that the line runs.
	Read func(path string) ([]byte, bool)
	// Work is what reading may cost, nil for the whole budget of one event.
	Work *budget.Budget
}

// Command is one program that a command line would start.
type Command struct {
	// Program is the base name of the program, without its folder.
	Program string
	// Path is where the program lies, absolute where the folder is known, if it was
	// called by a path.
	Path string
	// Args are the words after the program, quotes removed. What only the shell can
	// know while it runs is written as $name or $().
	Args []string
	// Via names what leads to this command, the outermost first.
	Via []string
	// Dir is the folder that the command runs in: "" for the one that the line
	// starts in, else as cd named it.
	Dir string
	// Input is what a pipe or a here-document feeds the command, as far as it is
	// known.
	Input string
	// Effects are what this command would do by itself.
	Effects []effect.Effect
}

// Program is a command line as far as it was understood.
type Program struct {
	// Commands are all commands in the order in which the shell comes to them.
	Commands []Command
	// Effects are those of all commands and redirections.
	Effects []effect.Effect
	// Writes are the targets of output redirections, below the folder that cd led
	// to.
	Writes []string
	// Reads are the sources of input redirections.
	Reads []string
	// Incomplete is true when a part could not be read: a syntax error, or more
	// than the limits allow.
	Incomplete bool
	// Cut is true when more than the limits allow is why it is incomplete.
	Cut bool

	src  string       // the line itself
	file *syntax.File // and its syntax, nil if there is none
}

// Analyze reads a command line for bash. It always returns what it understood,
// also of a line with a syntax error.
func Analyze(src string, ctx Context) Program {
	e := newEval(ctx)
	e.out.src = src
	e.source(effect.Lit(src), stream{})
	for _, t := range e.traps {
		e.through("trap").shellText(t, stream{})
	}
	e.otherShell(src, e.failed)
	return *e.out
}
