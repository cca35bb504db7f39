package shell

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// ansiC decodes the escapes of $'…' (bash manual, "ANSI-C Quoting"), which are also
// those of printf and echo -e.
func ansiC(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	simple := map[byte]byte{'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		c := s[i]
		if v, ok := simple[c]; ok {
			b.WriteByte(v)
			continue
		}
		digits, base, max := 0, 16, 2
		switch {
		case c == 'u':
			max = 4
		case c == 'U':
			max = 8
		case c == 'x':
		case c >= '0' && c <= '7':
			base, max, i = 8, 3, i-1
			if c == '0' {
				max = 4
			}
		default:
			b.WriteByte(c)
			continue
		}
		for digits < max && i+1+digits < len(s) && isDigit(s[i+1+digits], base) {
			digits++
		}
		if digits == 0 {
			b.WriteByte(c)
			continue
		}
		n, _ := strconv.ParseUint(s[i+1:i+1+digits], base, 32)
		i += digits
		if c == 'u' || c == 'U' {
			b.WriteRune(rune(n))
		} else {
			b.WriteByte(byte(n))
		}
	}
	return b.String()
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// decode does what a decoder of this name would do with a text. ok is false where
// it is not known how, or the text does not fit.
func decode(program string, flags []string, text string) (string, bool) {
	compact := strings.Join(strings.Fields(text), "")
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(flags, n) })
	}
	switch program {
	case "base64", "gbase64", "openssl":
		if program == "openssl" && !has("base64", "-base64", "-a", "-A") {
			return "", false
		}
		out, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(compact, "="))
		return string(out), err == nil
	case "base32":
		out, err := base32.StdEncoding.DecodeString(compact)
		return string(out), err == nil
	case "xxd":
		out, err := hex.DecodeString(compact)
		return string(out), err == nil
	case "rev":
		var lines []string
		for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			r := []rune(l)
			slices.Reverse(r)
			lines = append(lines, string(r))
		}
		return strings.Join(lines, "\n") + "\n", true
	case "tac":
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		slices.Reverse(lines)
		return strings.Join(lines, "\n") + "\n", true
	}
	return "", false
}

// translate does what tr does with two sets, as far as they are plain.
func translate(words []string, text string) (string, bool) {
	del := false
	var sets []string
	for _, w := range words {
		switch {
		case w == "-d":
			del = true
		case strings.HasPrefix(w, "-") && len(w) > 1:
			return "", false
		default:
			sets = append(sets, set(w))
		}
	}
	become := map[rune]rune{}
	switch {
	case del && len(sets) == 1:
		for _, r := range sets[0] {
			become[r] = -1
		}
	case len(sets) == 2 && sets[1] != "":
		to := []rune(sets[1])
		for i, r := range []rune(sets[0]) {
			if _, ok := become[r]; !ok {
				become[r] = to[min(i, len(to)-1)]
			}
		}
	default:
		return "", false
	}
	return strings.Map(func(r rune) rune {
		if c, ok := become[r]; ok {
			return c
		}
		return r
	}, text), true
}

// set expands a-z and the classes of a set of tr.
func set(s string) string {
	s = strings.NewReplacer("[:lower:]", "a-z", "[:upper:]", "A-Z", "[:digit:]", "0-9", "[:space:]", " \t\n\r\v\f").Replace(ansiC(s))
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") && len(s) > 2 {
		s = s[1 : len(s)-1]
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i+1] == '-' && s[i] <= s[i+2] {
			for c := int(s[i]); c <= int(s[i+2]); c++ {
				b.WriteByte(byte(c))
			}
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// format does what printf does with literal arguments.
func format(words []string) string {
	if len(words) == 0 {
		return ""
	}
	f, args := words[0], words[1:]
	var b strings.Builder
	for {
		used := 0
		for i := 0; i < len(f); i++ {
			switch {
			case f[i] == '%' && i+1 < len(f):
				j := i + 1
				for j < len(f) && strings.ContainsRune("-+ #0123456789.", rune(f[j])) {
					j++
				}
				if j == len(f) {
					b.WriteString(f[i:])
					i = j
					continue
				}
				if f[j] == '%' {
					b.WriteByte('%')
				} else if used < len(args) {
					a := args[used]
					used++
					switch f[j] {
					case 'b':
						a = ansiC(a)
					case 'c':
						a = a[:min(1, len(a))]
					case 'x':
						if n, err := strconv.ParseInt(a, 0, 64); err == nil {
							a = strconv.FormatInt(n, 16)
						}
					case 'o':
						if n, err := strconv.ParseInt(a, 0, 64); err == nil {
							a = strconv.FormatInt(n, 8)
						}
					}
					b.WriteString(a)
				}
				i = j
			default:
				b.WriteByte(f[i])
			}
		}
		args = args[used:]
		if used == 0 || len(args) == 0 || b.Len() > maxText {
			return ansiC(b.String())
		}
	}
}
