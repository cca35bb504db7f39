package program

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Tables looks programs up and keeps what it has read, since a line may run the same
// program a thousand times. The zero value is ready; it is not for use by several
// goroutines at once.
type Tables struct {
	// Home is the person's home folder: what lies in it also matches what a table writes
	// with ~. "" where it is not known.
	Home     string
	programs map[string]*known
}

// known is what has been read of one program.
type known struct {
	blocks []block
	// subcommands are the words, in lower case, with which lines begin.
	subcommands map[string]bool
	// read has a table for each set of subcommands among a command's words.
	read map[string]*table
}

// table gives the lines that can fit a command of these words, nil for a program that
// the tables do not have.
func (x *Tables) table(name string, words []effect.Value) *table {
	k := x.programs[name]
	if k == nil {
		k = newKnown(name)
		if x.programs == nil {
			x.programs = map[string]*known{}
		}
		x.programs[name] = k
	}
	if len(k.blocks) == 0 {
		return nil
	}
	subs := []string{}
	for _, w := range words {
		if low := strings.ToLower(w.Text); k.subcommands[low] && !slices.Contains(subs, low) {
			subs = append(subs, low)
		}
	}
	slices.Sort(subs)
	key := strings.Join(subs, "\x00")
	if k.read[key] == nil {
		k.read[key] = load(k.blocks, subs, nil)
		k.read[key].home = x.Home
	}
	return k.read[key]
}

func newKnown(name string) *known {
	k := &known{blocks: find(name), subcommands: map[string]bool{}, read: map[string]*table{}}
	for _, b := range k.blocks {
		for l := range strings.Lines(b.body) {
			if l = strings.TrimSpace(l); l == "" || l[0] == '#' || l[0] == '+' || l[0] == '-' {
				continue
			}
			for alt := range strings.SplitSeq(subcommand(l), "|") {
				k.subcommands[strings.ToLower(alt)] = true
			}
		}
	}
	return k
}
