package script

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// kind is the sort of a value.
type kind byte

const (
	unknown kind = iota
	text         // a text, perhaps with unknown parts
	num
	list
	dict
	name   // a function, module or class: os.system
	object // what a call of a constructor gave
)

// value is what is known of an expression before the script runs.
type value struct {
	kind    kind
	text    string // of a text or number
	open    bool
	origin  effect.Origin
	content []effect.Value // the files, variables and outputs whose content it holds
	list    []*value       // elements, values of a dict
	keys    []string       // of a dict
	name    string         // of a name; of an object what made it
	recv    []*value       // the arguments of an object's constructor
	alts    []*value       // the values that a loop variable takes
	ref     string         // the variable that it was read from
	owner   *value         // of a method: the object it was taken from
	lit     bool           // a literal list or dict
}

func lit(s string) *value { return &value{kind: text, text: s} }

func named(s string) *value { return &value{kind: name, name: s} }

// of is a value that is not known, from this origin.
func of(label string, o effect.Origin) *value {
	return &value{kind: object, name: label, open: true, origin: o}
}

// known reports whether v is a text or number without unknown parts.
func (v *value) known() bool {
	return v != nil && (v.kind == text || v.kind == num) && !v.open && len(v.alts) == 0
}

// variable is how an unknown value stands in a text: $name.
func variable(s string) string {
	var b strings.Builder
	b.WriteByte('$')
	for i := range min(len(s), 80) {
		if isWord(s[i]) && s[i] < 0x80 {
			b.WriteByte(s[i])
		} else {
			b.WriteByte('_')
		}
	}
	return b.String()
}

// string is the text of a value, with $name for what is not known.
func (v *value) string() string {
	switch v.kind {
	case text, num:
		return v.text
	case name, object:
		return variable(v.name)
	}
	if v.ref != "" {
		return variable(v.ref)
	}
	return "$value"
}

// value is v for an argument.
func (v *value) value() effect.Value {
	return effect.Value{Text: v.string(), Open: v.open || v.kind != text && v.kind != num, Origin: v.origin}
}

// mark adds what is known of where b comes from.
func (v *value) mark(b *value) {
	v.origin |= b.origin
	for _, c := range b.content {
		if len(v.content) < maxAlts {
			v.content = append(v.content, c)
		}
	}
}

// gather adds the content that v holds, also deep in it.
func (v *value) gather(into []effect.Value) []effect.Value {
	left := 512
	return v.dig(into, &left, 0)
}

func (v *value) dig(into []effect.Value, left *int, depth int) []effect.Value {
	if *left--; v == nil || *left < 0 || depth > 6 || len(into) >= maxAlts {
		return into
	}
	into = append(into, v.content...)
	for _, x := range v.list {
		if *left <= 0 {
			break
		}
		into = x.dig(into, left, depth+1)
	}
	return into
}

// flat adds the elements of lists to args.
func (v *value) flat(args []*value, depth int) []*value {
	if v.kind != list && v.kind != dict {
		return append(args, v)
	}
	if depth > 6 {
		return args
	}
	for _, x := range v.list {
		if len(args) >= 256 {
			break
		}
		args = x.flat(args, depth+1)
	}
	return args
}

// at is v in the i-th round of a loop.
func (v *value) at(i int) *value {
	if len(v.alts) == 0 {
		return v
	}
	return v.alts[i%len(v.alts)]
}

// each does f for all values of v.
func (v *value) each(f func(*value) *value) *value {
	if len(v.alts) == 0 {
		return f(v)
	}
	out := &value{kind: v.kind, ref: v.ref}
	for _, a := range v.alts {
		x := f(a)
		out.alts = append(out.alts, x)
		out.take(x)
	}
	return out
}

// take makes v look as x where it is asked as a whole.
func (v *value) take(x *value) {
	alts, ref := v.alts, v.ref
	*v = *x
	v.alts, v.ref = alts, ref
}

// either is a value that is one of some.
func either(vs ...*value) *value {
	out := &value{}
	for _, v := range vs {
		if v == nil {
			continue
		}
		if len(v.alts) > 0 {
			out.alts = append(out.alts, v.alts...)
		} else {
			out.alts = append(out.alts, v)
		}
	}
	if len(out.alts) > maxAlts {
		out.alts = out.alts[:maxAlts]
	}
	switch len(out.alts) {
	case 0:
		return &value{}
	case 1:
		return out.alts[0]
	}
	out.take(out.alts[len(out.alts)-1])
	return out
}

// elements are the values that a loop over v gives.
func (s *session) elements(v *value) *value {
	switch {
	case v == nil:
		return &value{}
	case len(v.alts) > 0:
		return v
	case v.kind == list && len(v.list) > 0:
		return either(v.list...)
	case v.kind == dict && len(v.keys) > 0:
		var vs []*value
		for _, k := range v.keys {
			vs = append(vs, lit(k))
		}
		return either(vs...)
	case v.kind == text && v.open && v.text == "":
		return v
	}
	out := *v
	if v.known() && strings.ContainsAny(v.text, "*/~") {
		return &out // a pattern of files
	}
	if out.kind == list || out.kind == dict || out.kind == text && !out.open {
		return &value{origin: v.origin, ref: "element"}
	}
	return &out
}

// zip joins the texts of two values, round by round.
func (s *session) zip(a, b *value, f func(a, b *value) *value) *value {
	n := max(len(a.alts), len(b.alts))
	if n == 0 {
		return f(a, b)
	}
	out := &value{}
	if len(a.alts) > 0 && len(b.alts) > 0 && len(a.alts) != len(b.alts) {
		for _, x := range a.alts {
			for _, y := range b.alts {
				if len(out.alts) < maxAlts {
					out.alts = append(out.alts, f(x, y))
				}
			}
		}
	} else {
		for i := range n {
			out.alts = append(out.alts, f(a.at(i), b.at(i)))
		}
	}
	out.take(out.alts[len(out.alts)-1])
	return out
}

// concat joins two texts.
func (s *session) concat(a, b *value) *value {
	if a.kind == list && b.kind == list {
		return s.joinLists(a, b)
	}
	return s.zip(a, b, func(a, b *value) *value {
		x, y := a.string(), b.string()
		out := &value{kind: text, open: a.value().Open || b.value().Open}
		if a.kind == text {
			out.name = a.name // a path stays a path
		}
		out.mark(a)
		out.mark(b)
		if !s.fold(len(x) + len(y)) {
			out.open, out.text = true, "$value"
			return out
		}
		out.text = x + y
		return out
	})
}

func (s *session) joinLists(a, b *value) *value {
	out := &value{kind: list, lit: true}
	out.mark(a)
	out.mark(b)
	if len(a.list)+len(b.list) > 4096 || !s.fold(8*(len(a.list)+len(b.list))) {
		return out
	}
	out.list = append(append(out.list, a.list...), b.list...)
	return out
}

// foldBytes are copied in one step.
const foldBytes = 256

// fold takes n bytes from what may be folded in all.
func (s *session) fold(n int) bool {
	if n > maxText || s.folded+n > maxFold {
		s.incomplete = s.incomplete || s.folded+n > maxFold
		return false
	}
	s.folded += n
	return s.spend(n / foldBytes)
}

// derive is a text made of v by f, if it is known.
func (s *session) derive(v *value, f func(string) (string, bool)) *value {
	return v.each(func(v *value) *value {
		out := &value{kind: text, name: v.name, ref: v.ref}
		if v.kind != text {
			out.name = ""
		}
		out.mark(v)
		if v.known() && s.fold(len(v.text)) {
			if t, ok := f(v.text); ok && s.fold(len(t)) {
				out.text = t
				return out
			}
		}
		out.open, out.text = true, v.string()
		return out
	})
}
