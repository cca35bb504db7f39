package redact

import (
	"regexp"

	"github.com/fireharp/overseer/internal/lazy"
)

const (
	// value is what a shell reads as one word: pieces with and without quotes, up to a
	// space or an operator; or with the quotes escaped, as within a longer string.
	value = `(\\"[^"\\]*\\"|(?:\\.|[^\s"';&|<>\\]|"(?:[^"\\]|\\.)*"|'[^']*')+)`
	// printed is how a shell begins to print a value.
	printed = `\b(?:echo|printf)\s+(?:-[neE]+\s+)?(?:["']?%s(?:\\n)?["']?\s+)?`
	// keyLines is what stands between the ends of a private key, line breaks may be
	// escaped.
	keyLines = `(?:(?:[\s\\nr]+(?:Proc-Type|DEK-Info|Version|Comment|Hash): [A-Za-z0-9 ,.()/+-]*)*[\s\\nr]+[A-Za-z0-9+/]{20,}={0,2})`
)

// pattern is one way to know a secret that needs a regular expression.
type pattern struct {
	// clues are in lower case. Where none is, the expression is not even compiled.
	clues []string
	// whole searches the whole text, else only from a clue on.
	whole bool
	// expr has the secret in each of its groups. It is compiled when it is first needed.
	expr     string
	compiled lazy.Value[*regexp.Regexp]
}

func (p *pattern) expression() *regexp.Regexp {
	return p.compiled.Get(func() *regexp.Regexp { return regexp.MustCompile(p.expr) })
}

// patterns are what is rare and has a place rather than a name or a shape.
var patterns = [...]pattern{
	{
		// The lines of a key only: no text may hide between its ends.
		clues: []string{"private key"}, whole: true,
		expr: `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----` +
			`(?:(` + keyLines + `+(?:[\s\\nr]+[A-Za-z0-9+/]{1,19}={0,2})?(?:[\s\\nr]+=[A-Za-z0-9+/]{4})?[\s\\nr]*)-----END|(` + keyLines + `+))`,
	},
	{
		// The rest of a key whose beginning was cut away.
		clues: []string{"-----end "}, whole: true,
		expr: `((?:[A-Za-z0-9+/]{20,}[\s\\nr]+)+(?:[A-Za-z0-9+/]{1,19}={0,2}[\s\\nr]+)?)-----END [A-Z0-9 ]*PRIVATE KEY`,
	},
	{clues: []string{"identified by", " password '"}, expr: `(?i)\b(?:identified\s+by|password)\s+'([^']+)'`},
	// .netrc; without its machine only what is no word, for prose has logins, too.
	{clues: []string{"machine ", "default "}, expr: `(?i)\b(?:machine\s+\S+|default)\s+login\s+\S+\s+password\s+(\S+)`},
	{clues: []string{"login "}, expr: `(?i)\blogin\s+\S+\s+password\s+([a-z]*[^\sa-z.,;]\S*)`},
	{clues: []string{"mysql", "mariadb"}, expr: `\b(?:mysql|mariadb)[a-z-]*\b(?:[^|;&\n]*\s-port\b)?[^|;&\n]*?\s-p` + value},
	{clues: []string{"sshpass"}, expr: `\bsshpass\s+-p\s*` + value},
	{clues: []string{"login "}, expr: `\blogin\b[^|;&\n]*?\s-p\s+` + value},
	{clues: []string{"redis-cli"}, expr: `\bredis-cli\b[^|;&\n]*?\s-a\s+` + value},
	{clues: []string{"pass:"}, expr: `\bpass:` + value}, // openssl
	{clues: []string{"openssl "}, expr: `\bopenssl\s+(?:enc|aes|des|camellia|chacha)\S*\s(?:[^|;&\n]*?\s)??-[kK]\s+` + value},
	{clues: []string{"zip ", "unzip "}, expr: `\b(?:un)?zip\s(?:[^|;&\n]*?\s)??-P\s*` + value},
	{clues: []string{"gh secret"}, expr: `\bgh\s+secret\s+set\s[^|;&\n]*?(?:--body|\s-b)[\s=]*` + value},
	{clues: []string{"printf "}, expr: `(?i)\bprintf\s+["'][^"'%\n]*(?:pass|passwd|password|secret|token|_key|apikey)["']?\s*[=:]\s*%s[^"'%\n]*["']\s+` + value},
	{
		// What a program reads as its password.
		clues: []string{"password-stdin", "with-token", "sudo -", "passwd --stdin"}, whole: true,
		expr: printed + value + `\s*\|[^|;&\n]*?(?:\bsudo\s+(?:-\S+\s+)*-[a-zA-Z]*S|--password-stdin|--with-token|\bpasswd\s+--stdin)`,
	},
	{
		clues: []string{"password-stdin", "with-token", "sudo -"}, whole: true,
		expr: `(?:\bsudo\s+(?:-\S+\s+)*-[a-zA-Z]*S[^|;&\n]*?|--password-stdin|--with-token)\s*<<<\s*` + value,
	},
	{
		clues: []string{"chpasswd"}, whole: true,
		expr: printed + `["']?[\w.$-]+:([^\s"'|]+)["']?\s*\|[^|;&\n]*?\bchpasswd\b`,
	},
}
