package script

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// interpolate splits a text into what stands there and code. marks tells how code
// begins: { in Python, # in Ruby, $ in the others (@ too in Perl).
func (l *lexer) interpolate(s, marks string, escapes bool) (string, []part) {
	if !strings.ContainsAny(s, marks) {
		if escapes {
			s = l.unescape(s, false)
		}
		return s, nil
	}
	var parts []part
	from := 0
	text := func(to int) {
		if to > from {
			t := s[from:to]
			if marks == "{" {
				t = strings.NewReplacer("{{", "{", "}}", "}").Replace(t)
			}
			if escapes {
				t = l.unescape(t, false)
			}
			parts = append(parts, part{text: t})
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' && escapes {
			i++
			continue
		}
		if strings.IndexByte(marks, c) < 0 || i+1 >= len(s) {
			continue
		}
		stop := 0
		var p part
		switch {
		case marks == "{":
			if s[i+1] == '{' {
				i++
				continue
			}
			stop = l.closeBrace(s, i)
			if stop == i+1 {
				continue
			}
			p = fField(s[i+1 : stop-1])
		case c == '#' || c == '$' && marks == "$":
			if s[i+1] != '{' {
				continue
			}
			stop = l.closeBrace(s, i+1)
			if stop <= i+2 {
				continue
			}
			p = part{text: s[i+2 : stop-1], code: true}
		case c == '{':
			if s[i+1] != '$' {
				continue
			}
			stop = l.closeBrace(s, i)
			if stop <= i+2 {
				continue
			}
			p = part{text: s[i+1 : stop-1], code: true}
		default:
			stop = l.variableEnd(s, i)
			if stop == 0 {
				continue
			}
			p = part{text: s[i:stop], code: true}
		}
		text(i)
		parts = append(parts, p)
		from, i = stop, stop-1
	}
	if len(parts) == 0 {
		if escapes {
			s = l.unescape(s, false)
		}
		return s, nil
	}
	text(len(s))
	return "", parts
}

// fField is the code of a {field} of Python's f"…": without !r and :format.
func fField(s string) part {
	p := part{code: true}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '\'', '"':
			if n := strings.IndexByte(s[i+1:], s[i]); n >= 0 {
				i += n + 1
			}
		case ':', '!':
			if depth == 0 && !(s[i] == '!' && i+1 < len(s) && s[i+1] == '=') {
				if s[i] == '!' && i+1 < len(s) {
					p.conv = s[i+1]
				}
				p.text = s[:i]
				return p
			}
		}
	}
	p.text = strings.TrimSuffix(s, "=")
	return p
}

// variableEnd gives the end of $x, $x[0], $x{k}, $x->…, @x, ${x}, @{[…]} in a text of
// Perl or PHP, 0 if none begins there.
func (l *lexer) variableEnd(s string, i int) int {
	j := i + 1
	switch {
	case s[j] == '{':
		if k := l.closeBrace(s, j); k > j+1 {
			j = k
		} else {
			return 0
		}
	case isLetter(s[j]):
		for j < len(s) && isWord(s[j]) {
			j++
		}
	case isDigit(s[j]) && s[i] == '$':
		return j + 1
	default:
		return 0
	}
	for j < len(s) {
		arrow := strings.HasPrefix(s[j:], "->")
		k := j
		if arrow {
			k += 2
		}
		switch {
		case k < len(s) && s[k] == '[' && (k+1 < len(s) && (isDigit(s[k+1]) || s[k+1] == '$' || s[k+1] == '\'' || isLetter(s[k+1]))):
			n := strings.IndexByte(s[k:], ']')
			if n < 0 {
				return j
			}
			j = k + n + 1
		case k < len(s) && s[k] == '{':
			n := strings.IndexByte(s[k:], '}')
			if n < 0 {
				return j
			}
			j = k + n + 1
		default:
			return j
		}
	}
	return j
}

// unescape resolves the backslashes of a text.
func (l *lexer) unescape(s string, bytes bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'a':
			b.WriteByte(7)
		case 'e':
			b.WriteByte(27)
		case '\n':
		case 'z':
			for i+1 < len(s) && (isSpace(s[i+1]) || s[i+1] == '\n') {
				i++
			}
		case 'x', 'u', 'U':
			n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			if i+1 < len(s) && s[i+1] == '{' {
				if k := strings.IndexByte(s[i:], '}'); k > 0 && k < 12 {
					if v, err := strconv.ParseUint(s[i+2:i+k], 16, 32); err == nil {
						b.WriteRune(rune(v))
						i += k
						continue
					}
				}
			}
			k := i + 1
			for k < len(s) && k < i+1+n && isHex(s[k]) {
				k++
			}
			v, err := strconv.ParseUint(s[i+1:k], 16, 32)
			if err != nil {
				b.WriteByte(c)
				continue
			}
			if c == 'x' && (bytes || v < utf8.RuneSelf || l.lang == "perl" || l.lang == "php") {
				b.WriteByte(byte(v))
			} else {
				b.WriteRune(rune(v))
			}
			i = k - 1
		case '0', '1', '2', '3', '4', '5', '6', '7':
			k := i
			for k < len(s) && k < i+3 && s[k] >= '0' && s[k] <= '9' {
				k++
			}
			base := 8
			if l.lang == "lua" {
				base = 10
			}
			v, err := strconv.ParseUint(s[i:k], base, 16)
			if err != nil {
				b.WriteByte(c)
				continue
			}
			if v < utf8.RuneSelf {
				b.WriteByte(byte(v))
			} else {
				b.WriteRune(rune(v))
			}
			i = k - 1
		case '\\', '\'', '"', '`', '$', '@', '#', '/', '{':
			b.WriteByte(c)
		default:
			if l.lang == "python" {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
