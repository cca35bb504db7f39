package rule

import (
	"errors"
	"regexp/syntax"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
)

// CheckRegexp reports what is wrong with a regular expression and, for the
// constructs of other engines that Go's lacks, what to write instead.
func CheckRegexp(source string) error {
	_, err := syntax.Parse(source, syntax.Perl)
	if err == nil {
		return nil
	}
	var se *syntax.Error
	if !errors.As(err, &se) {
		return err
	}
	err = errors.New("regular expression: " + string(se.Code) + ": " + se.Expr)
	switch {
	case strings.HasPrefix(se.Expr, "(?=") || strings.HasPrefix(se.Expr, "(?!") || strings.HasPrefix(se.Expr, "(?<"):
		return hint.Wrap(err, "lookahead and lookbehind are not available (RE2 syntax); split the rule in two, or add a second cmd= directive: directives are AND-ed")
	case se.Code == syntax.ErrInvalidEscape && len(se.Expr) == 2 && se.Expr[1] >= '1' && se.Expr[1] <= '9':
		return hint.Wrap(err, "back-references are not available (RE2 syntax)")
	}
	return err
}

// neededText finds a text that every match of the expression contains: the
// longest run of plain characters that stands outside of groups, classes and
// alternatives and is not repeated. "" means that none was found. It is a scan
// of the source, far cheaper than compiling.
func neededText(source string) string {
	if strings.Contains(source, "(?") && hasFlags(source) {
		return ""
	}
	var best, run strings.Builder
	end := func(dropLast bool) {
		s := run.String()
		if dropLast && s != "" {
			s = s[:len(s)-1]
		}
		if len(s) > best.Len() {
			best.Reset()
			best.WriteString(s)
		}
		run.Reset()
	}
	depth := 0
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch c {
		case '\\':
			i++
			if i == len(source) {
				return ""
			}
			e := source[i]
			switch {
			case strings.IndexByte("dDwWsSbBAzntrfv", e) >= 0:
				end(false)
			case isWord(e) || e >= 0x80: // \x41, \pL, \Q…\E: not worth reading
				return ""
			case depth == 0:
				run.WriteByte(e)
			}
		case '[':
			end(false)
			i = skipClass(source, i)
		case '(':
			end(false)
			depth++
		case ')':
			end(false)
			depth--
		case '|':
			if depth == 0 {
				return ""
			}
		case '*', '?':
			end(true)
		case '{':
			j := skipRepeat(source, i)
			end(j > i)
			i = max(i, j-1)
		case '+', '.', '^', '$':
			end(false)
		default:
			if c >= 0x80 { // a repeated rune would need its whole length dropped
				end(false)
			} else if depth == 0 {
				run.WriteByte(c)
			}
		}
	}
	end(false)
	return best.String()
}

// hasFlags reports whether the expression sets flags, such as (?i), that change
// what plain characters match.
func hasFlags(source string) bool {
	for i := 0; ; {
		j := strings.Index(source[i:], "(?")
		if j < 0 {
			return false
		}
		i += j + 2
		if i < len(source) && source[i] != ':' && source[i] != 'P' && source[i] != '<' {
			return true
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// skipClass gives the index of the ] that ends the class beginning at i.
func skipClass(s string, i int) int {
	i++
	if i < len(s) && s[i] == '^' {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for ; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], "[:"):
			if j := strings.Index(s[i:], ":]"); j > 0 {
				i += j + 1
			}
		case s[i] == ']':
			return i
		}
	}
	return i
}

// skipRepeat gives the index behind a repetition such as {2,3} if one begins at
// i, else i: other braces are plain characters.
func skipRepeat(s string, i int) int {
	end := strings.IndexByte(s[i:], '}')
	if end < 0 || strings.Trim(s[i+1:i+end], "0123456789,") != "" {
		return i
	}
	return i + end + 1
}
