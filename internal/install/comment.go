package install

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// Cursor's settings may have comments, from "//" to the end of the line. They
// belong to the person and stay, whatever goes or comes around them.

// blankComments turns comments into spaces, so that what is left has its place.
// inString is the first "//" within a string, -1 if there is none: Cursor drops
// what follows that too, and with it the string's end.
func blankComments(text []byte) (out []byte, inString int) {
	out, inString = bytes.Clone(text), -1
	quoted := false
	for i := 0; i < len(out); i++ {
		switch {
		case quoted && out[i] == '\\':
			i++
			if i < len(out) && out[i] == '\n' {
				quoted = false
			}
		case out[i] == '"':
			quoted = !quoted
		case out[i] == '\n':
			quoted = false // no string goes on there
		case bytes.HasPrefix(out[i:], []byte("//")):
			if quoted {
				if inString < 0 {
					inString = i
				}
				continue
			}
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		}
	}
	return out, inString
}

// notes are comments that lost what they stood at.
type notes []byte

// comments gathers those in the white space around something.
func comments(extras ...hujson.Extra) notes {
	var n notes
	for _, e := range extras {
		if !e.IsStandard() {
			n = append(n, bytes.TrimRight(e, " \t\r\n")...)
		}
	}
	return n
}

// before puts the comments in front of e. Each ends with its line.
func (n notes) before(e hujson.Extra) hujson.Extra {
	switch {
	case len(n) == 0:
		return e
	case oneLine(e):
		e = append(hujson.Extra("\n"), e...)
	}
	return append(hujson.Extra(n), e...)
}

// blank is e without white space, unless it holds comments.
func blank(e hujson.Extra) hujson.Extra {
	if e.IsStandard() {
		return nil
	}
	return e
}

// lead is the white space for what becomes the first child of a container: first,
// that of the child before it, unless either holds comments.
func lead(own, first hujson.Extra) hujson.Extra {
	if own.IsStandard() && first.IsStandard() {
		return first
	}
	return own
}
