package redact

import (
	"strings"
	"sync"
)

// scan is one way through a text. It looks closer only where one of the hints
// stands, so that ordinary text costs about a nanosecond a byte.
type scan struct {
	text  string
	found []span
	named int  // up to where names have been read
	rare  bool // there is a hint of one of the patterns
}

// builtin gives the secrets in text by what is built in, in no order.
func builtin(text string) []span {
	s := scan{text: text}
	t := clueTable()
	for i := 0; i+1 < len(text); i++ {
		a, b := fold(text[i]), fold(text[i+1])
		if !t.pair[a][b] {
			continue
		}
		for _, h := range t.by[a] {
			if len(text)-i >= len(h.word) && strings.EqualFold(text[i:i+len(h.word)], h.word) {
				h.look(&s, i)
			}
		}
	}
	if s.rare {
		s.patterns()
	}
	s.random()
	return s.found
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

type clues struct {
	pair [32][32]bool // whether a hint may begin with these two
	by   [32][]clue   // by the first
}

// fold maps a byte to one of 32, capitals to the same as small letters.
func fold(c byte) byte { return c & 31 }

// clueTable is made when it is first needed: a hook may not pay for it at its
// start.
var clueTable = sync.OnceValue(func() *clues {
	t := &clues{}
	put := func(word string, look func(*scan, int)) {
		a, b := fold(word[0]), fold(word[1])
		t.pair[a][b] = true
		t.by[a] = append(t.by[a], clue{word, look})
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
	for _, w := range []string{"passw", "passph", "passc", "_pass", "-pass", "pass\"", "pass'", "secret", "token", "credential", "key", "auth", "pwd", "_pw", "-pw", "dbpass", "pgpass", "signature", "sig=", "-pin", "-otp"} {
		put(w, (*scan).name)
	}
	for _, p := range patterns {
		for _, w := range p.hints {
			put(w, func(s *scan, _ int) { s.rare = true })
		}
	}
	return t
})

// patterns looks for what is rare enough to be left to regular expressions.
func (s *scan) patterns() {
	lower := strings.ToLower(s.text)
	for i := range patterns {
		p := &patterns[i]
		if !p.mayMatch(lower) {
			continue
		}
		for _, m := range p.expr().FindAllStringSubmatchIndex(s.text, -1) {
			for g := 2; g < len(m); g += 2 {
				if m[g] >= 0 {
					s.add(m[g], m[g+1])
				}
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
	if at > 0 && s.text[at-1] == '-' {
		at--
	}
	if at > 0 && s.text[at-1] != ' ' && s.text[at-1] != '\n' && s.text[at-1] != '"' {
		return
	}
	from := at + 2
	if strings.HasPrefix(s.text[at:], "--user") {
		from = at + len("--user")
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
	v := s.text[colon+1 : end]
	if strings.Trim(v, "0123456789") == "" && len(v) < 7 || strings.HasPrefix(v, "/") { // 1000:1000, or a place
		return
	}
	s.add(colon+1, end)
}

// cookie hides the values of a Cookie: line, pair by pair, so that nothing can
// stand behind it and be hidden too.
func (s *scan) cookie(at int) {
	i := at + len("cookie:")
	for {
		i += run(s.text, i, func(c byte) bool { return c == ' ' })
		n := run(s.text, i, dotted)
		if n == 0 || i+n >= len(s.text) || s.text[i+n] != '=' {
			return
		}
		from := i + n + 1
		end := from + run(s.text, from, func(c byte) bool { return c > ' ' && strings.IndexByte(";\"'&|\\", c) < 0 })
		s.add(from, end)
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
		case n >= least && i >= public && isRandom(longest(s.text[i:end], '/')) && !s.isPublic(i):
			if s.mostly(i, end) {
				break
			}
			s.add(i, end+run(s.text, end, func(c byte) bool { return c == '=' }))
		case n == 5 && i >= 5 && s.text[i:end] == "BEGIN" && !strings.Contains(s.text[i:min(len(s.text), i+40)], "PRIVATE"):
			if j := strings.Index(s.text[end:], "-----END"); j >= 0 {
				public = end + j
			} else {
				public = len(s.text)
			}
		case n >= 8 && n <= 10 && end < len(s.text) && s.text[end] == ':' && strings.Trim(s.text[i:end], "0123456789") == "" || strings.HasPrefix(s.text[i:], "bot") && end < len(s.text) && s.text[end] == ':':
			if m := run(s.text, end+1, word); m == 35 { // a Telegram bot
				s.add(i, end+1+m)
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
	before := s.text[max(0, i-24):i]
	for _, p := range []string{"sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:", "SHA256:", "h1:", "ssh-rsa ", "ssh-ed25519 ", "md5-"} {
		if strings.HasSuffix(before, p) {
			return true
		}
	}
	return strings.HasPrefix(s.text[i:], "AAAA") // how every OpenSSH key begins
}
