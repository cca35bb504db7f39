package redact

import (
	"strings"

	"github.com/fireharp/overseer/internal/lazy"
)

// scan is one way through a text. It looks closer only where one of the hints
// stands, so that ordinary text costs about a nanosecond a byte.
type scan struct {
	text  string
	found []span
	named int                 // up to where names have been read
	rare  [len(patterns)]bool // there is a clue to this pattern
	next  [len(patterns)]int  // from where on it is worth trying again
}

// builtin gives the secrets in text by what is built in, in no order.
func builtin(text string) []span {
	s := scan{text: text}
	t := clueTable.Get(newClues)
	for i := 0; i+1 < len(text); i++ {
		list := t.pair[text[i]&31][text[i+1]&31]
		if list == 0 {
			continue
		}
		for j := range t.lists[list] {
			if c := &t.lists[list][j]; startsFold(text[i:], c.word) {
				c.look(&s, i)
			}
		}
	}
	for i := range patterns {
		if p := &patterns[i]; s.rare[i] && p.whole {
			s.match(p, 0, len(text))
		}
	}
	s.random()
	return s.found
}

// startsFold reports whether s begins with word, which is in lower case, in
// whatever case.
func startsFold(s, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := 0; i < len(word); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// add takes text[from:to] for a secret.
func (s *scan) add(from, to int) {
	if from < to && !isReference(s.text[from:to]) && !withinMark(s.text, span{from, to}) {
		s.found = append(s.found, span{from, to})
	}
}

// clue is a word that may stand with a secret.
type clue struct {
	word string // in lower case
	look func(s *scan, at int)
}

// clues has a list for every two bytes that clues begin with, of which the last
// five bits count: capitals are as small letters.
type clues struct {
	pair  [32][32]uint8
	lists [][]clue
}

// clueTable is made when it is first needed: a hook may not pay for it at its
// start.
var clueTable lazy.Value[*clues]

func newClues() *clues {
	t := &clues{lists: make([][]clue, 1, 160)}
	put := func(word string, look func(*scan, int)) {
		list := &t.pair[word[0]&31][word[1]&31]
		if *list == 0 {
			*list = uint8(len(t.lists))
			t.lists = append(t.lists, nil)
		}
		t.lists[*list] = append(t.lists[*list], clue{word, look})
	}
	for i := range shapes {
		p := &shapes[i]
		put(strings.ToLower(p.prefix), func(s *scan, at int) { s.token(p, at) })
	}
	put("eyj", (*scan).jwt)
	put("sg.", (*scan).sendgrid)
	for _, w := range []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"} {
		put(w, func(s *scan, at int) { s.hook(at + len(w)) })
	}
	put("://", (*scan).address)
	put("bearer ", (*scan).bearer)
	put("-u", (*scan).user)
	put("cookie:", (*scan).cookie)
	put("-b", (*scan).curlCookie)
	put("--cookie", (*scan).curlCookie)
	put("--from-literal", (*scan).literal)
	for _, w := range []string{"passw", "passph", "passc", "_pass", "-pass", "pass\"", "pass'", "secret", "token", "credential", "key", "auth", "pwd", "_pw", "-pw", "dbpass", "pgpass", "signature", "sig=", "-pin", "-otp"} {
		put(w, (*scan).name)
	}
	for i := range patterns {
		p := &patterns[i]
		for _, w := range p.clues {
			put(w, func(s *scan, at int) {
				s.rare[i] = true
				if !p.whole && at >= s.next[i] {
					s.next[i] = at + near/2
					s.match(p, max(0, at-1), min(len(s.text), at+near))
				}
			})
		}
	}
	return t
}

// near is how far behind its clue a pattern may reach.
const near = 1 << 10

// match adds what a pattern finds in text[from:to].
func (s *scan) match(p *pattern, from, to int) {
	for _, m := range p.expression().FindAllStringSubmatchIndex(s.text[from:to], -1) {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 && s.text[from+m[g]:from+m[g+1]] != "ort" { // -port is no -p
				s.add(from+m[g], from+m[g+1])
			}
		}
	}
}

// address hides the password of scheme://user:password@host.
func (s *scan) address(at int) {
	from := at + len("://")
	n := run(s.text, from, func(c byte) bool { return c > ' ' && strings.IndexByte("/?#\"'<>`\\", c) < 0 })
	who, _, ok := cutLast(s.text[from:from+n], "@")
	colon := strings.IndexByte(who, ':')
	if !ok || colon < 0 || isPlaceholder(who[colon+1:]) && !strings.ContainsAny(who[colon+1:], "xX") {
		return
	}
	s.add(from+colon+1, from+len(who))
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// bearer hides what a bearer shows.
func (s *scan) bearer(at int) {
	from := at + len("bearer ")
	n := run(s.text, from, func(c byte) bool { return dotted(c) || strings.IndexByte("~+/=", c) >= 0 })
	if n >= 8 && strings.ContainsAny(s.text[from:from+n], "0123456789") {
		s.add(from, from+n)
	}
}

// user hides the password of -u user:password and --user user:password.
func (s *scan) user(at int) {
	if strings.HasPrefix(s.text[at:], "-user") {
		for at > 0 && (letter(s.text[at-1]) || s.text[at-1] == '-') {
			at--
		}
	}
	if at > 0 && s.text[at-1] != ' ' && s.text[at-1] != '\n' && s.text[at-1] != '"' {
		return
	}
	from := at + 2
	if strings.HasPrefix(s.text[at:], "--") {
		from = at + run(s.text, at, word)
	} else if s.text[at:from] != "-u" {
		return
	}
	for from < len(s.text) && strings.IndexByte(" =\t\"'\\", s.text[from]) >= 0 {
		from++
	}
	n := run(s.text, from, func(c byte) bool { return c > ' ' && strings.IndexByte(":/=\"'\\", c) < 0 })
	colon := from + n
	if n == 0 || colon >= len(s.text) || s.text[colon] != ':' {
		return
	}
	quote := byte(0)
	if c := s.text[from-1]; c == '"' || c == '\'' {
		quote = c
	}
	end := colon + 1
	for end < len(s.text) && s.text[end] != quote && (quote != 0 || s.text[end] > ' ' && strings.IndexByte("\"';&|", s.text[end]) < 0) && s.text[end] != '\n' && s.text[end] != '\\' {
		end++
	}
	if t := s.before(at); mentionsWord(t, "docker", "podman", "nerdctl", "sort", "docker-compose") && !mentionsWord(t, "curl", "wget") {
		return // a user and a group, or a file's fields
	}
	v := s.text[colon+1 : end]
	if strings.HasPrefix(v, ":") || strings.Trim(v, "0123456789") == "" && len(v) < 7 || strings.HasPrefix(v, "/") { // 1000:1000, or a place
		return
	}
	s.add(colon+1, end)
}

// cookie hides the values of a Cookie: line, pair by pair, so that nothing can
// stand behind it and be hidden too.
func (s *scan) cookie(at int) { s.pairs(at + len("cookie:")) }

// pairs hides the values of a=b; c=d from i on.
func (s *scan) pairs(i int) {
	for {
		i += run(s.text, i, func(c byte) bool { return c == ' ' })
		n := run(s.text, i, dotted)
		if n == 0 || i+n >= len(s.text) || s.text[i+n] != '=' {
			return
		}
		from := i + n + 1
		end := from + run(s.text, from, func(c byte) bool { return c > ' ' && strings.IndexByte(";\"'&|\\", c) < 0 })
		switch strings.ToLower(s.text[i : i+n]) {
		case "path", "expires", "domain", "max-age", "samesite", "version":
		default:
			s.add(from, end)
		}
		if end >= len(s.text) || s.text[end] != ';' {
			return
		}
		i = end + 1
	}
}

// random hides long runs of random base64 and tokens of parts that only their
// lengths tell.
func (s *scan) random() {
	const least = 40 // as documented
	public := 0      // up to here lies something that is made to be shown
	for i := 0; i < len(s.text); {
		if !base64(s.text[i]) {
			i++
			continue
		}
		n := run(s.text, i, base64)
		end := i + n
		switch {
		case s.telegram(i, end):
			end += 1 + 35
		case n >= least && i >= public && isRandom(longest(s.text[i:end], '/')) && !s.isPublic(i):
			if s.mostly(i, end) {
				break
			}
			s.add(i, end+run(s.text, end, func(c byte) bool { return c == '=' }))
		case n == 5 && i >= 5 && i >= public && s.text[i:end] == "BEGIN" && !strings.Contains(s.text[i:min(len(s.text), i+40)], "PRIVATE"):
			if j := strings.Index(s.text[end:], "-----END"); j >= 0 {
				public = end + j
			} else {
				public = len(s.text)
			}
		case (s.text[i] == 'M' || s.text[i] == 'N' || s.text[i] == 'O') && n >= 20 && n <= 30:
			a := run(s.text, i, word)
			b := run(s.text, i+a+1, word)
			if dots := i + a + 1 + b; a >= 23 && a <= 30 && b == 6 && dots < len(s.text) && s.text[i+a] == '.' && s.text[dots] == '.' {
				if c := run(s.text, dots+1, word); c >= 27 { // a Discord bot
					s.add(i, dots+1+c)
				}
			}
		}
		i = end
	}
}

// telegram hides a bot's token, 123456789:AA… with 35 characters, of which the
// number ends the run text[from:colon].
func (s *scan) telegram(from, colon int) bool {
	if colon >= len(s.text) || s.text[colon] != ':' || !digit(s.text[colon-1]) {
		return false
	}
	number := s.text[from:colon]
	number = number[len(strings.TrimRight(number, "0123456789")):]
	if len(number) < 8 || len(number) > 10 || run(s.text, colon+1, word) != 35 {
		return false
	}
	s.add(colon-len(number), colon+1+35)
	return true
}

// mostly reports whether the better part of text[from:to] is found already.
func (s *scan) mostly(from, to int) bool {
	for _, x := range s.found {
		if 2*(min(x.to, to)-max(x.from, from)) > to-from {
			return true
		}
	}
	return false
}

// longest gives the longest piece of a path: what is random has no short ones only.
func longest(s string, sep byte) string {
	best := ""
	for len(s) > 0 {
		i := strings.IndexByte(s, sep)
		if i < 0 {
			i = len(s)
		}
		if i > len(best) {
			best = s[:i]
		}
		s = s[min(len(s), i+1):]
	}
	if len(best) < 16 {
		return ""
	}
	return best
}

// isPublic reports whether the run at i is a checksum or a public key.
func (s *scan) isPublic(i int) bool {
	before := s.text[max(0, i-60):i]
	before = before[strings.LastIndexAny(before, " \t\n,\"'`(")+1:]
	for _, p := range []string{"sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:", "SHA256:", "sha256=", "sha512=", "h1:", "md5-"} {
		if strings.Contains(before, p) {
			return true
		}
	}
	return strings.HasPrefix(s.text[i:], "AAAA") // how every OpenSSH key begins
}
