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

// builtin gives the secrets in text by the built-in patterns, in no order.
func builtin(text string) []span {
	lower := strings.ToLower(text)
	var found []span
	for i := range patterns {
		if p := &patterns[i]; p.mayMatch(lower) {
			found = p.find(text, found)
		}
	}
	return found
}

// pattern is one way to know a secret.
type pattern struct {
	// hints are in lower case. Text without any of them is not searched, and the
	// expression not even compiled.
	hints []string
	// expr has the secret in each of its groups. Without groups, all of the match
	// is secret.
	expr expression
	// spare, if set, tells from the text before the secret whether it is none after
	// all.
	spare func(before string) bool
}

func (p *pattern) mayMatch(lower string) bool {
	for _, h := range p.hints {
		if strings.Contains(lower, h) {
			return true
		}
	}
	return false
}

// find adds the secrets of every match to found.
func (p *pattern) find(s string, found []span) []span {
	for _, m := range p.expr().FindAllStringSubmatchIndex(s, -1) {
		groups := m[2:]
		if len(groups) == 0 {
			groups = m
		}
		for g := 0; g < len(groups); g += 2 {
			from, to := groups[g], groups[g+1]
			if from < 0 || isReference(s[from:to]) || p.spare != nil && p.spare(s[m[0]:from]) {
				continue
			}
			found = append(found, span{from, to})
		}
	}
	return found
}

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
	}
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
