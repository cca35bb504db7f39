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
