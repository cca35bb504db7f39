package shell

import "strings"

// The nesting beyond which a line is not parsed: the parser recurses and takes 13 KiB
// for each level. People and agents stay below ten; text in a here-document may hold
// brackets and words that only look like it. What seems to be the body of one is
// counted too, with a wider bound, for a line may only seem to have one.
const (
	maxBrackets = 200
	maxKeywords = 400
	maxInBodies = 2000
	// The parser also recurses for each operator of $((…)).
	maxOperators = 5000
)

// What parsing costs in steps of the budget: for each word or operator, and for so
// many bytes. Measured on "make bench-bounds": a third of a microsecond, and 6 ns.
const (
	tokenWork  = 3
	parseBytes = 16
)

// looked is what a look at a text tells before it is parsed.
type looked struct {
	nested bool // too deep for the parser
	// cut is how much of the text the parser may be given; less than all is whole
	// lines or commands.
	cut int
	// work is what parsing that much costs.
	work int
}

// survey looks at a text of which parsing may cost so many steps.
func survey(src string, steps int) looked {
	l := looker{steps: steps}
	end := "" // the delimiter of the here-document that the line is in the body of
	at := 0
	for line := range strings.Lines(src) {
		if end != "" {
			if strings.TrimSpace(line) == end {
				end = ""
			}
			l.body(line)
		} else {
			if l.line(line, at); l.brackets > maxBrackets || l.keywords > maxKeywords {
				return looked{nested: true}
			}
			end = quotedDelimiter(line)
		}
		if l.inBodies > maxInBodies {
			return looked{nested: true}
		}
		if l.over {
			return looked{cut: l.stop, work: steps}
		}
		at += len(line)
		l.stop = at
	}
	return looked{cut: len(src), work: l.work}
}

// looker goes through a text once.
type looker struct {
	steps, work                  int
	brackets, keywords, inBodies int
	stop                         int // where the last command ended
	over                         bool
	arithmetic                   bool // within ((…))
	operators                    int  // of that
}

func (l *looker) spend(n int) {
	l.work += n
	l.over = l.over || l.work > l.steps
}

// body goes through a line of a here-document that the parser takes as it is.
func (l *looker) body(line string) {
	l.spend(1 + len(line)/parseBytes)
	for i := range len(line) {
		l.bracket(line[i], &l.inBodies)
	}
}

func (l *looker) bracket(c byte, depth *int) {
	switch c {
	case '(', '{', '[':
		*depth++
	case ')', '}', ']':
		*depth = max(0, *depth-1)
	}
}

// line goes through a line of commands that begins at a place of the text.
func (l *looker) line(line string, at int) {
	word := 0 // where the last word begins
	space := -1
	for i := range len(line) {
		c := line[i]
		switch double := i > 0 && line[i-1] == c; {
		case double && c == '(':
			l.arithmetic = true
		case double && c == ')':
			l.arithmetic, l.operators = false, 0
		case l.arithmetic && strings.IndexByte("+-*/%=?:,^~&|<>", c) >= 0:
			if l.operators++; l.operators > maxOperators {
				l.brackets = maxBrackets + 1
				return
			}
		}
		switch c {
		case '(', '{', '[', ')', '}', ']':
			l.bracket(c, &l.brackets)
			l.bracket(c, &l.inBodies)
			l.spend(tokenWork)
			if c != '(' && c != ')' {
				continue
			}
		case ' ', '\t', '\n', ';', '&', '|':
			space = i
			if c != ' ' && c != '\t' {
				l.stop = at + i + 1
			}
		case '$', '"', '\'', '`', '<', '>':
			l.spend(tokenWork)
			continue
		default:
			continue
		}
		l.word(line[word:i])
		word = i + 1
		if l.over || l.brackets > maxBrackets || l.keywords > maxKeywords {
			if l.stop == 0 && space > 0 { // one command of many words
				l.stop = at + space
			}
			return
		}
	}
	l.word(line[word:])
	if l.over && l.stop == 0 && space > 0 {
		l.stop = at + space
	}
}

// word counts what is open.
func (l *looker) word(w string) {
	l.spend(tokenWork + len(w)/parseBytes)
	switch w {
	case "if", "while", "until", "for", "case", "select", "!", "time", "coproc":
		l.keywords++
	case "fi", "done", "esac":
		l.keywords = max(0, l.keywords-1)
	}
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
