package shell

import "strings"

// The nesting beyond which a line is not parsed. People and agents stay below ten;
// text in a here-document may hold brackets and words that only look like it.
const (
	maxBrackets = 200
	maxKeywords = 400
)

// tooNested estimates from the text alone how deep the parser would recurse.
func tooNested(src string) bool {
	src = withoutData(src)
	depth := 0
	for i := range len(src) {
		switch src[i] {
		case '(', '{', '[':
			if depth++; depth > maxBrackets {
				return true
			}
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
	}
	open := 0
	for word := range strings.FieldsFuncSeq(src, isBreak) {
		switch word {
		case "if", "while", "until", "for", "case", "select", "!", "time", "coproc":
			if open++; open > maxKeywords {
				return true
			}
		case "fi", "done", "esac":
			open = max(0, open-1)
		}
	}
	return false
}

func isBreak(c rune) bool { return strings.ContainsRune(" \t\n;&|()", c) }

// withoutData leaves out the bodies of here-documents whose delimiter is quoted: the
// parser takes them as they are, and they often hold code of other languages.
func withoutData(src string) string {
	if !strings.Contains(src, "<<") {
		return src
	}
	var out strings.Builder
	end := ""
	for line := range strings.Lines(src) {
		if end != "" {
			if strings.TrimSpace(line) == end {
				end = ""
			}
			continue
		}
		out.WriteString(line)
		end = quotedDelimiter(line)
	}
	return out.String()
}

// quotedDelimiter finds the delimiter of a here-document that begins in the line,
// if it is quoted as in <<'EOF'.
func quotedDelimiter(line string) string {
	_, rest, ok := strings.Cut(line, "<<")
	rest = strings.TrimLeft(rest, "- \t")
	if !ok || rest == "" {
		return ""
	}
	switch q := rest[0]; q {
	case '\'', '"':
		word, _, ok := strings.Cut(rest[1:], string(q))
		if ok {
			return word
		}
	case '\\':
		word, _, _ := strings.Cut(rest[1:]+" ", " ")
		return strings.TrimSpace(word)
	}
	return ""
}
