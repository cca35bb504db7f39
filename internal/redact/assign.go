package redact

import "strings"

// name reads the name that the hint at i is part of, and hides the value that it
// is given, in the ways of shells, JSON, YAML, TOML, .env, XML, URLs, connection
// strings, HTTP headers and programs.
func (s *scan) name(i int) {
	if i < s.named {
		return
	}
	l, r := i, i
	for l > 0 && i-l < 64 && dotted(s.text[l-1]) {
		l--
	}
	r += run(s.text, i, dotted)
	if r == i { // a hint that begins with something else
		r = i + 1
	}
	s.named = r
	// The n of an escaped line break is none of the name's letters.
	if l > 0 && s.text[l-1] == '\\' && strings.IndexByte("nrt", s.text[l]) >= 0 {
		l++
	}
	full := strings.TrimRight(s.text[l:r], ".-")
	name := strings.TrimLeft(full, "-.")
	flag := strings.HasPrefix(full, "-") && (l == 0 || strings.IndexByte(" \t\n\"'([", s.text[l-1]) >= 0)
	if j := strings.LastIndexByte(name, '.'); j >= 0 && !flag {
		name = name[j+1:] // of a.password = …, and of token.Kind: …
	}
	sure := judgeName(name)
	if sure == harmless && flag && (name == "pass" || name == "pwd" || name == "pin" || name == "otp") || sure == doubtful && flag {
		sure = secret
	}
	if sure == doubtful && l > 0 && strings.IndexByte(";?&", s.text[l-1]) >= 0 { // ;Pwd=…, &sig=…
		sure = secret
	}
	if sure == harmless {
		return
	}
	if l > 1 && s.text[l-2:l] == "${" {
		s.inBraces(r)
		return
	}
	s.value(l, r, name, sure, flag)
}

// value hides the value of the name in text[l:r], if there is one.
func (s *scan) value(l, r int, name string, sure standing, flag bool) {
	v := assignment{scan: s, name: name, sure: sure, shell: name == strings.ToUpper(name)}
	at := r
	for at < len(s.text) && s.text[at] == '\\' {
		at++
	}
	quoted := at < len(s.text) && (s.text[at] == '"' || s.text[at] == '\'' || s.text[at] == '`')
	if quoted {
		at++
	}
	if quoted && at < len(s.text) && s.text[at] == ']' && l > 0 && s.text[l-1] == s.text[at-1] { // environ['x'] = …
		at++
		v.index = true
	}
	blank := run(s.text, at, isBlank)
	op := at + blank
	rest := s.text[op:]
	switch {
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "=~"), strings.HasPrefix(rest, "::"), strings.HasPrefix(rest, "!="):
		return
	case strings.HasPrefix(rest, ":="), strings.HasPrefix(rest, "=>"):
		v.spaced = true
		v.take(op + 2)
	case strings.HasPrefix(rest, "="):
		v.spaced = v.index || blank > 0 || op+1 < len(s.text) && isBlank(s.text[op+1])
		v.direct = !v.spaced
		v.take(op + 1)
	case strings.HasPrefix(rest, ":"):
		v.colon = true
		v.start = startsLine(s.text, l)
		if !quoted && l > 0 && (s.text[l-1] == '"' || s.text[l-1] == '\'') {
			v.header(l-1, op+1)
			return
		}
		if !quoted && strings.EqualFold(name, "authorization") {
			v.authorization(op + 1)
			return
		}
		v.take(op + 1)
	case strings.HasPrefix(rest, ">") && l > 0 && s.text[l-1] == '<':
		if n := run(rest, 1, func(c byte) bool { return c != '<' && c != '\n' }); strings.HasPrefix(rest[1+n:], "</"+name) && !isPlaceholder(rest[1:1+n]) {
			s.add(op+1, op+1+n)
		}
	case flag && blank > 0 && (strings.HasPrefix(rest, "\\\n") || strings.HasPrefix(rest, "\\\r\n")): // the line goes on
		op += strings.IndexByte(rest, '\n') + 1
		if op += run(s.text, op, isBlank); op < len(s.text) && s.text[op] != '-' {
			v.direct = true
			v.take(op)
		}
	case flag && blank > 0 && rest != "" && rest[0] != '-':
		v.direct = true
		v.take(op)
	case quoted:
		v.pair(op)
	case blank > 0 && startsFold(rest, "string"): // const token string = "x"
		op += len("string")
		if op += run(s.text, op, isBlank); op+1 < len(s.text) && s.text[op] == '=' && s.text[op+1] != '=' {
			v.spaced = true
			v.take(op + 1)
		}
	case blank > 0 && rest != "":
		if sets, sure := s.sets(l); sets {
			v.direct = sure
			v.take(op)
		} else if !flag {
			v.told(op)
		}
	}
}

// pair hides the value of a pair whose name is the secret's: key="x" value="y",
// "name": "x", "value": "y".
func (v *assignment) pair(at int) {
	marks := func(c byte) bool { return c == '\\' || c == '"' || c == '\'' }
	if at < len(v.text) && v.text[at] == ',' {
		at++
		at += run(v.text, at, func(c byte) bool { return c <= ' ' })
		at += run(v.text, at, marks)
	}
	if !startsFold(v.text[at:], "value") {
		return
	}
	at += len("value")
	at += run(v.text, at, marks)
	at += run(v.text, at, isBlank)
	if at < len(v.text) && (v.text[at] == '=' || v.text[at] == ':') {
		v.spaced = true
		v.take(at + 1)
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// startsLine reports whether only spaces, a list's dash or an export stand before l
// in its line.
func startsLine(text string, l int) bool {
	i := l
	for i > 0 && (isBlank(text[i-1]) || text[i-1] == '-') {
		i--
	}
	return i == 0 || text[i-1] == '\n' || i > 1 && text[i-1] == 'n' && text[i-2] == '\\' || text[i-1] == '{'
}

// assignment is a name that is given a value.
type assignment struct {
	*scan
	name  string
	sure  standing
	shell bool // written in capitals, as variables of shells are

	// How it is written: x=y, x = y, x: y; start is at the start of a line.
	direct, spaced, colon, start bool
	index                        bool // environ['x'] = y
}

// header hides the value of 'Name: value' in quotes, to the closing quote.
func (v *assignment) header(open, at int) {
	at += run(v.text, at, isBlank)
	end := strings.IndexAny(v.text[at:], v.text[open:open+1]+"\r\n")
	if end < 0 {
		end = len(v.text) - at
	}
	end += at
	for open > 0 && v.text[open-1] == '\\' && end > at && v.text[end-1] == '\\' {
		end-- // the closing quote is escaped, too
	}
	t := v.text[at:end]
	if plainWords(t) && v.isMessage(open) { // git commit -m "password: fix the form"
		return
	}
	if !isPlaceholder(t) {
		v.add(at, end)
	}
}

// authorization hides what follows Authorization: and its scheme.
func (v *assignment) authorization(at int) {
	at += run(v.text, at, isBlank)
	if at < len(v.text) && (v.text[at] == '"' || v.text[at] == '\'') {
		v.take(at)
		return
	}
	if n := run(v.text, at, letter); at+n < len(v.text) && isBlank(v.text[at+n]) {
		switch strings.ToLower(v.text[at : at+n]) {
		case "bearer", "basic", "token", "digest", "negotiate", "apikey", "key":
			at += n
			at += run(v.text, at, isBlank)
		}
	}
	end := v.bare(at)
	if t := v.text[at:end]; !isPlaceholder(t) && (!isExpression(t) || !v.start && strings.ContainsAny(t, "0123456789")) {
		v.add(at, end)
	}
}

// take reads the value that begins at or after at.
func (v *assignment) take(at int) {
	if !v.direct {
		at += run(v.text, at, isBlank)
	}
	if at >= len(v.text) {
		return
	}
	open := at
	for at < len(v.text) && v.text[at] == '\\' {
		at++
	}
	if at < len(v.text) && strings.IndexByte("\"'`", v.text[at]) >= 0 {
		v.quoted(open, at)
		return
	}
	end := v.bare(open)
	t := v.text[open:end]
	if where, what, ok := strings.Cut(t, ":"); ok && strings.HasPrefix(v.name, "pass") && what != "" { // openssl
		switch where {
		case "env", "file", "fd":
			return
		case "pass":
			open, t = open+len("pass:"), what
		}
	}
	if v.colon && isType(t) {
		if n := run(v.text, end, isBlank); end+n+1 < len(v.text) && v.text[end+n] == '=' { // password: str = "x"
			v.colon, v.spaced = false, true
			v.take(end + n + 1)
			return
		}
	}
	if v.hides(t, end) {
		v.add(open, end)
		v.named = end // what is hidden has no names
	}
}

// isType reports whether a word can be a type.
func isType(t string) bool { return isName(t) || strings.HasSuffix(t, "]") }

// quoted reads a value whose quote is at at, after backslashes from open on.
func (v *assignment) quoted(open, at int) {
	q := v.text[open : at+1] // with its backslashes
	from, end := at+1, len(v.text)
	for i := from; i < len(v.text); i++ {
		if strings.HasPrefix(v.text[i:], q) {
			end = i
			break
		}
		if c := v.text[i]; c == '\n' && v.text[at] != '`' {
			end = i
			break
		} else if c == '\\' && len(q) == 1 && v.text[at] != '\'' {
			i++
		}
	}
	t := v.text[from:end]
	literal := v.direct && v.text[at] == '\'' && len(q) == 1 // no variables in these: PASSWORD='$ecret'
	if isPlaceholder(t) && !(literal && strings.HasPrefix(t, "$")) || v.sure == doubtful && (len(t) < 8 || prose(t) || !strings.ContainsAny(t, "0123456789")) {
		return
	}
	if v.direct && (t == "" || strings.IndexByte(" ),;+", t[0]) >= 0) { // the quote ended what the name stands in
		return
	}
	if len(t) < 3 && !isPassword(v.name) && !v.direct || isPlace(t) {
		return
	}
	if !v.direct && prose(t) && !isPassword(v.name) && !isHeader(v.name) { // tokens and keys have no spaces
		return
	}
	// "password": "Your password" is a label.
	if isName(t) && !strings.ContainsAny(t, "0123456789") && (strings.EqualFold(t, v.name) || mentions(t) && (prose(t) || strings.ContainsAny(t, "_-.") || t != strings.ToLower(t))) {
		return
	}
	if v.shell && v.direct && end < len(v.text) { // quotes are the shell's: there may be more of the word
		if more := v.bare(end + len(q)); more > end+len(q) && v.text[at] != '`' && len(q) == 1 {
			v.add(open, more)
			return
		}
	}
	if literal || v.direct && v.shell {
		v.add(open, min(len(v.text), end+len(q)))
		return
	}
	v.add(from, end)
}

// isMember reports whether a value is a member of something, as dk.key1024 is.
func isMember(t string) bool {
	t = strings.TrimRight(t, ",;)")
	if !strings.Contains(t, ".") || !isName(t) {
		return false
	}
	for part := range strings.SplitSeq(t, ".") {
		if part == "" || digit(part[0]) {
			return false
		}
	}
	return true
}

// isPlace reports whether a value is the path of a file that holds the secret.
func isPlace(t string) bool {
	dot := strings.LastIndexByte(t, '.')
	if dot < 0 || dot+1 == len(t) || !strings.Contains(t, "/") || strings.Contains(t, "://") || strings.ContainsAny(t, "@:=+") {
		return false
	}
	return strings.IndexByte("./~$", t[0]) >= 0 && len(t)-dot <= 6 && run(t, dot+1, alnum) == len(t)-dot-1
}

// isHeader reports whether a value may have several words, such as a scheme.
func isHeader(name string) bool {
	n := strings.ToLower(name)
	return strings.HasSuffix(n, "authorization") || strings.HasSuffix(n, "cookie")
}

// mentions reports whether a text speaks of secrets.
func mentions(t string) bool {
	for w := range strings.FieldsSeq(t) {
		if judgeName(w) != harmless || strings.HasPrefix(strings.ToLower(w), "pass") {
			return true
		}
	}
	return false
}

// bare gives the end of a value without quotes that begins at at.
func (v *assignment) bare(at int) int {
	i := at
	for i < len(v.text) {
		switch c := v.text[i]; {
		case c <= ' ', strings.IndexByte(";&|<>", c) >= 0:
			return i
		case c == '`' && i == at, c == '$' && i+1 < len(v.text) && v.text[i+1] == '(' && i == at:
			return i // a command: not the secret, and not to be hidden
		case c == '\\':
			if i+1 >= len(v.text) || strings.IndexByte("nrt\"'\\", v.text[i+1]) >= 0 {
				return i
			}
			i++
		case c == '"' || c == '\'':
			// A quote that ends what the whole assignment stands in, or one within a
			// shell's word.
			if i+1 >= len(v.text) || v.text[i+1] <= ' ' || strings.IndexByte(",;:)]}&|<>", v.text[i+1]) >= 0 || !v.direct {
				return i
			}
			end := strings.IndexByte(v.text[i+1:], c)
			if end < 0 {
				return i
			}
			i += end + 1
		case strings.IndexByte(",)}]", c) >= 0 && !v.shell:
			return i
		}
		i++
	}
	return min(i, len(v.text))
}

// hides reports whether the value t without quotes, which ends at end, is a secret.
func (v *assignment) hides(t string, end int) bool {
	digits := strings.ContainsAny(t, "0123456789")
	switch {
	case isPlaceholder(t), isPlace(t):
		return false
	case v.sure == doubtful:
		return len(t) >= 12 && isRandom(t) || v.direct && v.shell && len(t) >= 8 && digits && !strings.Contains(t, "-v")
	case v.direct && v.shell:
		return true
	case v.spaced && len(t) > 1 && strings.IndexByte("(&*", t[0]) >= 0 && !digit(t[1]), v.spaced && isMember(t):
		return false
	case isExpression(t) || end < len(v.text) && (v.text[end] == '(' || v.text[end] == '['):
		return false
	case v.direct:
		return true
	case isNumber(t):
		return len(t) > 4 && t[0] != '-' && !strings.Contains(t, "x") && isPassword(v.name)
	case v.colon && v.start:
		// The line of a YAML file ends here; that of a program goes on.
		rest := v.text[end:min(len(v.text), end+80)]
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			rest = rest[:i]
		}
		rest = strings.TrimSpace(rest)
		return rest == "" || strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "\\") || digits
	}
	return digits && len(t) >= 4 || strings.ContainsAny(t, "!@#%^&*+/~") && len(t) >= 6
}
