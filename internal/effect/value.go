package effect

import "strings"

// Value is a text as far as it is known before a command runs. What is unknown
// stands in Text as it was written, such as $name or $(command).
type Value struct {
	Text string
	// Open is true where part of Text is not known. Origin then says where that
	// comes from, as far as it is known.
	Open   bool
	Origin Origin
}

// Lit is a value that is known.
func Lit(s string) Value { return Value{Text: s} }

// Join puts texts together with sep between them: known if all are, from wherever one is.
func Join(vs []Value, sep string) Value {
	if len(vs) == 1 {
		return vs[0]
	}
	var b strings.Builder
	var v Value
	for i, x := range vs {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(x.Text)
		v.Open, v.Origin = v.Open || x.Open, v.Origin|x.Origin
	}
	v.Text = b.String()
	return v
}

// Origin says where a text that is not known comes from. It is a set.
type Origin uint8

// The origins.
const (
	Downloaded Origin = 1 << iota // from the network
	Decoded                       // from base64, hex, gzip, a cipher
	Secret                        // from a credential
	Local                         // the content of a file or the output of a program of this machine
	Mixed                         // the settings of a service, some of which are credentials
	Bounded                       // a path in a folder of its own that was made just now: mktemp
)

// Has reports whether o holds any of what.
func (o Origin) Has(what Origin) bool { return o&what != 0 }

// Work is what finding out where a path lies and what lies there costs, in steps of
// the budget. One with wildcards is compared with all of the table.
func Work(p string) int {
	forms, each := 1, plainWork
	if strings.ContainsAny(p, "*?[") {
		each = wildWork
	}
	if strings.Contains(p, "{") {
		forms = 1 << min(strings.Count(p, ","), 8) // see maxBraces
	}
	return forms*each + len(p)/8
}

// Measured: 3 and 20 µs where nothing else runs.
const (
	plainWork = 30
	wildWork  = 200
)
