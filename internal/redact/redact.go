// Package redact takes secrets out of text before it is stored or sent. It knows
// a secret by its own shape (an access key, a private key, a signed token), by
// the name it is given (PASSWORD=…, --token …, "secret": …) or by its place (a
// URL's password, an Authorization header). What stands around it stays, so that
// the text can still be judged. A secret without shape, name or place cannot be
// told from other words.
//
// Text is hidden no further than the secret reaches: whoever writes a command
// could else hide its end behind something that looks like one.
package redact

import "strings"

// Mark stands where a secret was.
const Mark = "[redacted]"

// Text returns s without the secrets that the built-in set knows. Redacting the
// result again changes nothing. A reference to a secret, such as $TOKEN or
// $(pass show x), is none and stays.
func Text(s string) string { return Builtin.Text(s) }

// isReference reports whether a value only says where the secret is, or has been
// redacted before.
func isReference(v string) bool {
	if strings.HasPrefix(v, Mark) {
		return true
	}
	// What single quotes hold is no variable: PASSWORD='$ecret'.
	v = strings.Trim(v, `"\`)
	if _, last, ok := strings.Cut(v, " "); ok { // Bearer $TOKEN
		v = last
	}
	name, ok := strings.CutPrefix(v, "$")
	if !ok {
		return strings.HasPrefix(v, "`")
	}
	if strings.HasPrefix(name, "(") {
		return true
	}
	if inner, ok := strings.CutPrefix(name, "{"); ok {
		name, ok = strings.CutSuffix(inner, "}")
		if !ok {
			return false
		}
		// ${X:-} and ${X:-$Y} have no secret, ${X:-hunter2} has.
		if i := strings.Index(name, ":-"); i >= 0 && (name[i+2:] == "" || isReference(name[i+2:])) {
			name = name[:i]
		}
	}
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
