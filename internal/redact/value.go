package redact

import (
	"slices"
	"strings"
)

// nothing are values that are no secrets: words of type systems and of settings.
var nothing = []string{
	"string", "str", "bool", "boolean", "int", "integer", "number", "float", "bytes", "byte", "text", "object", "any",
	"null", "nil", "none", "true", "false", "undefined", "void", "unknown", "never", "char", "varchar", "uuid", "self",
	"required", "optional", "inherit", "write", "read", "yes", "no", "on", "off", "env", "var", "let", "const", "auto",
	"default", "bearer", "basic", "hidden", "redacted", "masked", "empty", "prompt", "stdin", "and", "or", "not", "in",
	"is", "to", "for", "with", "if", "when", "must", "can", "was", "the", "a", "an", "are", "from", "as", "it", "does",
	"will", "flag", "option", "await", "new", "return", "func", "function", "lambda", "type", "interface", "struct",
	"invalid", "expired", "missing", "unexpected", "expected",
	"changeme", "change-me", "change_me", "replaceme", "replace-me", "replace_me", "placeholder", "todo", "your-password", "your_password",
	"your-token", "your_token", "your-api-key", "your_api_key",
}

// isPlaceholder reports whether a value stands for a secret without being one.
func isPlaceholder(v string) bool {
	v = strings.TrimSpace(v)
	if v == "" || strings.Trim(v, "*.xX…-_?#") == "" || isReference(v) {
		return true
	}
	if slices.Contains(nothing, strings.ToLower(v)) {
		return true
	}
	for _, p := range []struct{ open, close string }{{"<", ">"}, {"{", "}"}, {"%(", ")s"}, {"${", "}"}, {"[", "]"}, {"%", "%"}, {"@", "@"}} {
		if len(v) > 2 && strings.HasPrefix(v, p.open) && strings.HasSuffix(v, p.close) && isName(strings.Trim(v, p.open+p.close)) {
			return true
		}
	}
	return len(v) == 2 && v[0] == '%'
}

// isName reports whether a text could be the name of something, or several such
// with spaces or dots between.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !letter(s[i]) && !digit(s[i]) && strings.IndexByte("_-. ", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

// isExpression reports whether an unquoted value is code that gets the secret from
// elsewhere: a call, an index, a member, a variable that is called like a secret.
func isExpression(v string) bool {
	v = strings.TrimRight(v, ",;)}]")
	v = strings.TrimLeft(v, "&*!([{")
	if v == "" {
		return true
	}
	if !letter(v[0]) && v[0] != '_' {
		return false
	}
	if i := strings.IndexAny(v, "([{"); i > 0 && isName(v[:i]) {
		return true
	}
	if strings.ContainsAny(v, "0123456789") || !isName(v) {
		return false
	}
	if strings.Contains(v, ".") {
		return !strings.Contains(v, "-")
	}
	for _, w := range words(v) { // the variable authToken, the type SecretStr
		if judgeName(w) == secret && v != w {
			return true
		}
	}
	return judgeName(v) != harmless
}

// isRandom reports whether a word looks like it was made by chance: of its
// characters, many are of another kind than the one before. Of random base64 these
// are 62 in 100, of names in camel case some 25.
func isRandom(s string) bool {
	changes, last := 0, 0
	var kinds [4]int
	for i := 0; i < len(s); i++ {
		k := 0
		switch c := s[i]; {
		case digit(c):
			k = 1
		case 'a' <= c && c <= 'z':
			k = 2
		case 'A' <= c && c <= 'Z':
			k = 3
		}
		if i > 0 && k != last {
			changes++
		}
		last = k
		kinds[k]++
	}
	return kinds[1] > 0 && kinds[2] > 0 && kinds[3] > 0 && 100*changes >= 45*len(s)
}

// isNumber reports whether a value is a number of a program.
func isNumber(s string) bool {
	s = strings.TrimLeft(s, "-+")
	if h, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		return len(h) <= 16 && run(h, 0, hexDigit) == len(h)
	}
	return s != "" && strings.Trim(s, "0123456789._") == ""
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }
func hexDigit(c byte) bool {
	return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}
func alnum(c byte) bool  { return letter(c) || digit(c) }
func word(c byte) bool   { return alnum(c) || c == '_' || c == '-' }
func dotted(c byte) bool { return word(c) || c == '.' }
func base64(c byte) bool { return alnum(c) || c == '+' || c == '/' }

// run counts how many bytes of s from at on are of a class.
func run(s string, at int, class func(byte) bool) int {
	n := at
	for n < len(s) && class(s[n]) {
		n++
	}
	return n - at
}
