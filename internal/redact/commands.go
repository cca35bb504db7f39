package redact

import "strings"

// before gives what stands before at in its command: back to a line break or an
// operator, and not far.
func (s *scan) before(at int) string {
	t := s.text[max(0, at-near/2):at]
	t = t[strings.LastIndexAny(t, "\n;&|")+1:]
	if i := strings.LastIndex(t, `\n`); i >= 0 { // an escaped line break
		t = t[i+len(`\n`):]
	}
	return t
}

// inBraces hides the default of ${NAME:-default}.
func (s *scan) inBraces(at int) {
	rest, ok := strings.CutPrefix(s.text[at:], ":-")
	if !ok {
		return
	}
	at += len(":-")
	n := run(rest, 0, func(c byte) bool { return c > ' ' && strings.IndexByte("}\"'`\\;&|", c) < 0 })
	if !isPlaceholder(rest[:n]) && !isPlace(rest[:n]) && !strings.HasPrefix(rest, "$") {
		s.add(at, at+n)
	}
}

// last gives the last word of a text, and what stands before it.
func last(t string) (rest, word string) {
	t = strings.TrimRight(t, " \t")
	i := strings.LastIndexAny(t, " \t") + 1
	return t[:i], t[i:]
}

// mentionsWord reports whether one of the words of a text is one of these, also as
// the end of a path.
func mentionsWord(t string, these ...string) bool {
	for w := range strings.FieldsSeq(t) {
		w = w[strings.LastIndexAny(w, `/'"(`)+1:]
		for _, x := range these {
			if w == x {
				return true
			}
		}
	}
	return false
}

// curlCookie hides the values of curl -b 'a=b; c=d'.
func (s *scan) curlCookie(at int) {
	if at == 0 || !isBlank(s.text[at-1]) || !mentionsWord(s.before(at), "curl") {
		return
	}
	from := at + len("-b")
	if startsFold(s.text[at:], "--cookie") {
		from = at + len("--cookie")
	}
	from += run(s.text, from, func(c byte) bool { return isBlank(c) || strings.IndexByte(`="'\`, c) >= 0 })
	s.pairs(from)
}

// literal hides the value of kubectl create secret … --from-literal=name=value.
func (s *scan) literal(at int) {
	if t := s.before(at); !strings.Contains(t, "create secret") {
		return
	}
	from := at + len("--from-literal")
	from += run(s.text, from, func(c byte) bool { return isBlank(c) || strings.IndexByte(`="'\`, c) >= 0 })
	n := run(s.text, from, dotted)
	if n == 0 || from+n >= len(s.text) || s.text[from+n] != '=' {
		return
	}
	quote := byte(' ')
	if c := s.text[from-1]; c == '"' || c == '\'' {
		quote = c
	}
	from += n + 1
	if from < len(s.text) && (s.text[from] == '"' || s.text[from] == '\'') {
		quote = s.text[from]
		from++
	}
	end := from
	for end < len(s.text) && s.text[end] != quote && s.text[end] != '\n' && (quote != ' ' || strings.IndexByte("\t;&|\\\"'", s.text[end]) < 0) {
		end++
	}
	s.add(from, end)
}

// sets tells whether the name at l is the variable that a command sets to the word
// behind it, as fish, csh and Windows do; sure is not so for a mere "set".
func (s *scan) sets(l int) (sets, sure bool) {
	t := s.before(l)
	if !strings.HasSuffix(t, " ") {
		return false, false
	}
	t, w := last(t)
	for strings.HasPrefix(w, "-") {
		sure = true
		t, w = last(t)
	}
	switch strings.TrimLeft(w, `"'(`) {
	case "set":
		return true, sure
	case "setx", "setenv":
		return true, true
	}
	return false, false
}

// isMessage reports whether the quote at open begins what a person reads, such as
// the message of a commit.
func (s *scan) isMessage(open int) bool {
	t := strings.TrimRight(s.before(open), ` \=`)
	_, w := last(t)
	switch w {
	case "-m", "-am", "-t", "--message", "--title", "--subject", "--body":
		return true
	}
	return false
}

// plainWords reports whether a text has several words and nothing but letters in
// them.
func plainWords(t string) bool {
	return prose(t) && isName(t) && !strings.ContainsAny(t, "0123456789")
}

// madeUp reports whether a word of prose can be no word of a language: it changes
// often between letters, capitals, digits and others.
func madeUp(t string) bool {
	changes, digits, last := 0, false, 0
	for i := 0; i < len(t); i++ {
		k := 0
		switch c := t[i]; {
		case digit(c):
			k, digits = 1, true
		case 'a' <= c && c <= 'z':
			k = 2
		case 'A' <= c && c <= 'Z':
			k = 3
		case strings.IndexByte("/.-_()[]{}<>:=,", c) >= 0:
			return false // a path, a call, a version
		}
		if i > 0 && k != last {
			changes++
		}
		last = k
	}
	return digits && len(t) >= 8 && changes >= 3
}

// told hides a password that prose tells: password is x, password x.
func (v *assignment) told(at int) {
	if !isPassword(v.name) {
		return
	}
	rest := v.text[at:]
	is := startsFold(rest, "is ") || startsFold(rest, "is:")
	if is {
		at += len("is")
		at += run(v.text, at, func(c byte) bool { return c == ':' })
		at += run(v.text, at, isBlank)
	}
	end := v.bare(at)
	t := strings.TrimRight(v.text[at:end], ".,;!?")
	if t == "" || isPlaceholder(t) || isPlace(t) || isExpression(t) {
		return
	}
	if madeUp(t) || is && strings.ContainsAny(t, "0123456789") && len(t) >= 6 && !isNumber(t) && alnumOnly(t) {
		v.add(at, at+len(t))
		v.named = at + len(t)
	}
}

// alnumOnly reports whether a text has letters and digits only.
func alnumOnly(t string) bool { return run(t, 0, alnum) == len(t) }
