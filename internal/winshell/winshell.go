// Package winshell reads command lines of PowerShell and of cmd.exe: which
// commands they would run with which words, how these are piped together, and what
// is known of each word before it runs. It follows variables, folds the tricks with
// which names and texts are put together, and runs nothing. What a command would do
// stands in the tables of package program.
//
// Calls of .NET and COM are commands too: [IO.File]::Delete('x') is
// "io.file::delete x", (New-Object Net.WebClient).DownloadString('u') is
// "net.webclient.downloadstring u".
package winshell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Program is a command line as it was read.
type Program struct {
	// Pipelines stand in the order in which they would run.
	Pipelines []Pipeline
	// Incomplete is true where the text was too large or too deeply nested to be
	// read to its end.
	Incomplete bool
}

// Pipeline are commands of which each is fed what the one before it prints.
type Pipeline []Command

// Command is one command of a pipeline.
type Command struct {
	// Words are the name and the arguments. The name of a cmdlet is in lower case
	// and no alias; \ in a path is /.
	Words []effect.Value
	// Stdin is a text of the line itself that is piped into the command, nil if
	// there is none.
	Stdin *effect.Value
	// Writes and Reads are the files of its redirections.
	Writes, Reads []effect.Value
	// Inner are the commands in its words, which run too, before it or by it: those
	// of $(…), (…) and { … }.
	Inner []Pipeline
}

// Work is what a byte of a text costs in steps of the budget.
const Work = 2

// The bounds that keep reading linear in the size of the text.
const (
	maxSource   = 1 << 20 // bytes of a text
	maxCommands = 4096    // commands that are reported
	maxDepth    = 100     // nested expressions and blocks
	maxFold     = 8 << 20 // bytes of all folded texts
	maxText     = 1 << 18 // bytes of one folded text
	maxAlts     = 16      // values of a loop variable
	maxList     = 1 << 14 // elements of one list
	maxMerged   = 8       // commands of a pipeline that another one takes up
)

// slashes gives a word that is a path of Windows with / for \, so that the tables
// and the classes of paths need to know but one spelling. Other words stay.
func slashes(s string) string {
	if strings.IndexByte(s, '\\') < 0 || len(s) > 4096 {
		return s
	}
	if strings.HasPrefix(s, `\\`) { // \\server\share, \\.\PhysicalDrive0
		for _, device := range []string{`\\.\`, `\\?\`} {
			if rest, ok := strings.CutPrefix(s, device); ok && !strings.ContainsAny(rest, "\"'<>|\n") {
				if len(rest) > 2 && rest[1] == ':' {
					return slashes(rest)
				}
				return "//./" + strings.ReplaceAll(rest, `\`, "/")
			}
		}
	}
	// Text that no path holds: code, patterns, escapes.
	if strings.ContainsAny(s, "\"'<>|\n\r\t;^=,") || strings.Contains(s, " \\") || strings.HasPrefix(s, "-") && !strings.Contains(s, ":") {
		return s
	}
	if i := strings.IndexByte(s, ' '); i >= 0 && i < strings.IndexByte(s, '\\') {
		return s // a sentence
	}
	drive := ""
	if s[0] == '\\' && !strings.HasPrefix(s, `\\`) { // from the root of the drive
		drive = "C:"
	}
	return drive + strings.ReplaceAll(s, `\`, "/")
}

func word(s string) effect.Value { return effect.Value{Text: s} }
