package effect

import "strings"

// Two globs meet where some path matches both. The time of all functions here is
// bounded by the product of the lengths.

// maxSegments bounds the folders of a path, maxName the bytes of a name in it: no
// file system has longer names.
const (
	maxSegments = 128
	maxName     = 512
)

// meet reports whether two globs of folders can mean the same file.
func meet(a, b []string) bool {
	if len(a) > maxSegments || len(b) > maxSegments {
		return false
	}
	// next[j] is whether what follows in a can meet b from j on.
	var next, row [maxSegments + 1]bool
	for i := len(a); i >= 0; i-- {
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				row[j] = true
			case i < len(a) && a[i] == "**":
				row[j] = next[j] || j < len(b) && row[j+1]
			case j < len(b) && b[j] == "**":
				row[j] = row[j+1] || i < len(a) && next[j]
			default:
				row[j] = i < len(a) && j < len(b) && next[j+1] && overlap(a[i], b[j])
			}
		}
		next = row
	}
	return next[0]
}

// overlap reports whether a glob of the table can match a name, which may be a glob
// itself. A [set] counts as any one character. As in a shell, a wildcard at the
// beginning of the name does not stand for a dot.
func overlap(glob, name string) bool {
	if glob == name {
		return true
	}
	wild := strings.ContainsAny(name, "*?[")
	if !wild && !strings.ContainsAny(glob, "*?[") {
		return false
	}
	if wild && strings.HasPrefix(glob, ".") && (name[0] == '*' || name[0] == '?') {
		return false
	}
	// *-release could be cron-release, but nobody means that.
	if wild && strings.Trim(name, "*?") != "" && known(name) == "" && known(glob) != "" && known(glob) != glob {
		return false
	}
	x, y := sets(glob), sets(name)
	if len(x) > maxName || len(y) > maxName {
		return false
	}
	// next[j] is whether what follows in x can meet y from j on.
	var next, row [maxName + 1]bool
	for i := len(x); i >= 0; i-- {
		for j := len(y); j >= 0; j-- {
			switch {
			case i == len(x) && j == len(y):
				row[j] = true
			case i < len(x) && x[i] == '*':
				row[j] = next[j] || j < len(y) && row[j+1]
			case j < len(y) && y[j] == '*':
				row[j] = row[j+1] || i < len(x) && next[j]
			default:
				row[j] = i < len(x) && j < len(y) && (x[i] == y[j] || x[i] == '?' || y[j] == '?') && next[j+1]
			}
		}
		copy(next[:len(y)+1], row[:len(y)+1])
	}
	return next[0]
}

// covers reports whether a glob matches all that a name with wildcards can be: only
// its own * stands for one of theirs.
func covers(glob, name string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(name) {
		switch {
		case p < len(glob) && glob[p] == '*':
			star, mark = p, i
			p++
		case p < len(glob) && (glob[p] == name[i] || glob[p] == '?' && name[i] != '*'):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(glob[p:], "*") == ""
}

// sets writes ? for sets and one * for several.
func sets(s string) string {
	if !strings.Contains(s, "[") && !strings.Contains(s, "**") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '[':
			// A ] right behind the [ is of the set.
			if end := strings.IndexByte(s[min(i+2, len(s)):], ']'); end >= 0 {
				i += 2 + end
				b.WriteByte('?')
				continue
			}
		case s[i] == '*' && i > 0 && s[i-1] == '*':
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// What braces expand to is bounded: so many texts, so many bytes in all.
const (
	maxBraces     = 256
	maxBraceBytes = 32 << 10
)

// unbrace expands {a,b}. Where that would be too much, all that stands in braces
// is read as a wildcard.
func unbrace(s string) []string {
	if !strings.Contains(s, "{") {
		return []string{s}
	}
	out, bytes := []string(nil), 0
	var expand func(string) bool
	expand = func(s string) bool {
		b := braces(s)
		if b == nil {
			out = append(out, s)
			bytes += len(s)
			return len(out) <= maxBraces && bytes <= maxBraceBytes
		}
		before, after := s[:b[0]], s[b[len(b)-1]+1:]
		for k := range len(b) - 1 {
			if !expand(before + s[b[k]+1:b[k+1]] + after) {
				return false
			}
		}
		return true
	}
	if len(s) <= maxBraceBytes/8 && expand(s) {
		return out
	}
	open, end := strings.IndexByte(s, '{'), strings.LastIndexByte(s, '}')
	return []string{s[:open] + "*" + s[max(open, end)+1:]}
}

// braces gives the places of the first { that is closed, of its commas and of its },
// nil if there is none with a comma.
func braces(s string) []int {
	tries := 0
	for open := range len(s) {
		if tries > 16 {
			return nil
		}
		if s[open] != '{' || open > 0 && s[open-1] == '$' {
			continue
		}
		tries++
		at, depth := []int{open}, 0
		for i := open + 1; i < len(s); i++ {
			switch {
			case s[i] == '{':
				depth++
			case s[i] == '}' && depth > 0:
				depth--
			case s[i] == '}':
				if at = append(at, i); len(at) > 2 {
					return at
				}
			case s[i] == ',' && depth == 0:
				at = append(at, i)
			}
			if len(at) > 1 && s[at[len(at)-1]] == '}' {
				break
			}
		}
	}
	return nil
}
