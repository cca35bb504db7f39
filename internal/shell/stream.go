package shell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// stream is what flows through a pipe, into a program or out of one.
type stream struct {
	effect.Value
	fed bool // there is something
}

func known(s string) stream { return stream{effect.Lit(s), true} }

// hidden is the text of which nothing is known.
const hidden = "$()"

func unknown(o effect.Origin) stream {
	return stream{effect.Value{Text: hidden, Open: true, Origin: o}, true}
}

// output gathers what commands print one after the other. Its cost is linear in what
// they print.
type output struct {
	e     *eval
	first stream
	more  strings.Builder // all, once there is more than the first
	end   bool            // it ends in the second of two texts of which nothing is known
}

func (o *output) add(s stream) {
	switch {
	case !s.fed:
		return
	case !o.first.fed:
		o.first = s
		return
	}
	o.first.Open, o.first.Origin = o.first.Open || s.Open, o.first.Origin|s.Origin
	if s.Text == hidden && s.Open && o.end || !o.e.copied(len(s.Text)) {
		return // a third tells no more than two
	}
	if o.more.Len() == 0 {
		o.more.WriteString(o.first.Text)
	}
	o.more.WriteString(s.Text)
	o.end = s.Text == hidden && s.Open
}

// stream is all that was printed.
func (o *output) stream() stream {
	if o.more.Len() > 0 {
		o.first.Text = o.more.String()
	}
	return o.first
}

// join is what two commands print one after the other.
func (e *eval) join(a, b stream) stream {
	o := output{e: e}
	o.add(a)
	o.add(b)
	return o.stream()
}
