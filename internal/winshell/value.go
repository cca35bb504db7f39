package winshell

import (
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// kind is the sort of a value.
type kind byte

const (
	unknown kind = iota
	text
	num
	list
	hash
	object // of a class, with the arguments of what made it
	class  // [io.file]
	block  // { … }
)

// value is what is known of an expression before it is evaluated.
type value struct {
	kind   kind
	text   string // of a text or number; of what is not known, its name
	open   bool
	origin effect.Origin
	list   []value
	keys   []string // of a hash
	name   string   // of a class, or of the class of an object
	args   []value
	alts   bool     // the list is the values that a loop variable takes
	prod   Pipeline // the commands that print it
	at     int      // where prod stands in the list of pipelines, from 1
	out    *value   // of a block: the value of its last statement; of a stream: what is read from it
	bytes  bool     // the text stands for bytes, not for characters
	ref    string   // the variable that it was read from
}

func lit(s string) value { return value{kind: text, text: s} }

func number(n int) value { return value{kind: num, text: strconv.Itoa(n)} }

// of is a value that is not known, from this origin.
func of(name string, o effect.Origin) value {
	return value{kind: unknown, text: name, open: true, origin: o}
}

func (v value) scalar() bool { return v.kind == text || v.kind == num }

// known reports whether v is a text or number without unknown parts.
func (v value) known() bool { return v.scalar() && !v.open }

func (v value) int() (int, bool) {
	if !v.known() || len(v.text) > 12 {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(v.text), 0, 32)
	return int(n), err == nil
}

// origins is where v and all in it comes from.
func (v value) origins() effect.Origin {
	o := v.origin
	for i, x := range v.list {
		if i > 64 {
			break
		}
		o |= x.origin
	}
	return o
}

// string is the text of a value, with $name for what is not known.
func (v value) string() string {
	switch v.kind {
	case text, num:
		return v.text
	case list:
		if v.alts && len(v.list) > 0 {
			return v.list[0].string()
		}
		var b strings.Builder
		for i, x := range v.list {
			if i > 0 {
				b.WriteByte(' ')
			}
			if b.Len() > maxText || x.kind == list && x.depth(0) > 8 {
				break
			}
			b.WriteString(x.string())
		}
		return b.String()
	case class:
		return "[" + v.name + "]"
	}
	if v.text != "" {
		return v.text
	}
	return "$()"
}

func (v value) depth(d int) int {
	for v.kind == list && len(v.list) > 0 && d < 16 {
		v = v.list[0]
		d++
	}
	return d
}

// isOpen reports whether something of v is not known.
func (v value) isOpen() bool {
	switch v.kind {
	case text, num:
		return v.open
	case list:
		for _, x := range v.list {
			if x.kind == list || x.isOpen() {
				return true
			}
		}
		return false
	case class, hash, block:
		return false
	}
	return true
}

// word is v as a word of a command. What was decoded counts as open even where its
// text is known: nobody has read it there.
func (v value) word() effect.Value {
	o := v.origins()
	return effect.Value{Text: v.string(), Open: v.isOpen() || o.Has(effect.Decoded), Origin: o}
}

// words adds v to the words of a command, a list as its elements.
func (v value) words(to []effect.Value, depth int) []effect.Value {
	if v.kind == list && depth < 6 {
		for _, x := range v.list {
			if len(to) > 512 {
				break
			}
			to = x.words(to, depth+1)
		}
		return to
	}
	if v.kind == hash && depth < 6 {
		for i, x := range v.list {
			w := x.word()
			w.Text = v.keys[i] + "=" + w.Text
			to = append(to, w)
		}
		return to
	}
	if v.kind == block {
		return append(to, word("{…}"))
	}
	w := v.word()
	w.Text = slashes(w.Text)
	return append(to, w)
}

// each does f to v, or to all the values that it may take.
func (v value) each(f func(value) value) value {
	if v.kind != list || !v.alts {
		return f(v)
	}
	out := value{kind: list, alts: true, origin: v.origin}
	for _, x := range v.list {
		x = f(x)
		if x.kind == list && x.alts {
			out.list = append(out.list, x.list...)
		} else {
			out.list = append(out.list, x)
		}
		if len(out.list) >= maxList {
			break
		}
	}
	return out
}

// elements is a variable that takes the values of v one after the other.
func elements(v value) value {
	v.prod, v.at = nil, 0
	if v.bytes {
		v = value{kind: list, list: v.array(), origin: v.origin}
	}
	if v.kind == list {
		if len(v.list) == 1 {
			return v.list[0]
		}
		v.alts = true
	}
	return v
}

// array gives the values of a list, or v as its only one.
func (v value) array() []value {
	if v.kind == list {
		return v.list
	}
	if v.bytes && v.known() && len(v.text) <= maxList {
		out := make([]value, len(v.text))
		for i := range out {
			out[i] = number(int(v.text[i]))
			out[i].origin = v.origin
		}
		return out
	}
	return []value{v}
}

// get is the value of a key of a hash.
func (v value) get(key string) (value, bool) {
	for i, k := range v.keys {
		if strings.EqualFold(k, key) {
			return v.list[i], true
		}
	}
	return value{}, false
}

// fold takes n bytes from what may be folded in all.
func (r *reader) fold(n int) bool { return n <= maxText && r.spend(n) }

// spend takes n bytes from what may be folded in all. Where nothing is left, the
// rest of the text stays unread.
func (r *reader) spend(n int) bool {
	if r.folded+n > maxFold {
		r.incomplete = true
		r.pos = len(r.src)
		return false
	}
	r.folded += n
	return true
}

// perElement is what an element of a list costs.
const perElement = 128

// concat joins two texts.
func (r *reader) concat(a, b value) value {
	if a.kind == list && a.alts {
		return a.some().each(func(a value) value { return r.concat(a, b) })
	}
	if b.kind == list && b.alts {
		return b.some().each(func(b value) value { return r.concat(a, b) })
	}
	x, y := a.string(), b.string()
	out := value{kind: text, open: a.isOpen() || b.isOpen(), origin: a.origins() | b.origins()}
	if !r.fold(len(x) + len(y)) {
		out.text, out.open = "$()", true
		return out
	}
	out.text = x + y
	return out
}

// some is v with no more values than a loop variable may take.
func (v value) some() value {
	if len(v.list) > maxAlts {
		v.list = v.list[:maxAlts]
	}
	return v
}

// derive is a text made of v by f, if it is known.
func (r *reader) derive(v value, f func(string) (string, bool)) value {
	return v.each(func(v value) value {
		out := value{kind: text, origin: v.origins()}
		if v.known() && r.fold(len(v.text)) {
			if t, ok := f(v.text); ok && r.fold(len(t)) {
				out.text = t
				return out
			}
		}
		out.open, out.text = true, v.string()
		return out
	})
}
