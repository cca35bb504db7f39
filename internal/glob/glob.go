// Package glob matches whole texts against patterns of * and ?. Paths with folders are
// doublestar's matter; here a * crosses everything.
package glob

// Match reports whether a pattern has all of a text: * is any text, ? one byte, and a
// backslash takes the byte behind it as it is. Its time is bounded by the product of both
// lengths.
func Match(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p+1 < len(pattern) && pattern[p] == '\\' && pattern[p+1] == s[i]:
			p += 2
			i++
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
