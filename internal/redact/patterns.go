package redact

import (
	"regexp"
	"strings"
	"sync"
)

// expression is compiled when it is first needed: a hook may not pay for it at
// its start.
type expression func() *regexp.Regexp

func re(s string) expression {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

const (
	// word is a value as a shell reads it: pieces with and without quotes, up to a
	// space or an operator; or with the quotes escaped, as within a longer string.
	word = `(\\"[^"\\]*\\"|(?:\\.|[^\s"';&|<>\\]|"(?:[^"\\]|\\.)*"|'[^']*')+)`
	// quoted is a JSON string, whose quotes may be escaped once more.
	quoted = `\\?"((?:[^"\\]|\\[^"])+)`
	// name is what secrets are called. They may have more before and after.
	name = `(?:passw(?:or)?d|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|[_-]auth|[_-]pwd|signature|[?&]sig)`
	// header is how the name of an HTTP header that carries a secret ends.
	header = `(?:authorization|cookie|api-?key|token|secret|auth-key)`
	// keyLines is what stands between the ends of a private key, line breaks may be
	// escaped.
	keyLines = `(?:(?:[\s\\nr]+(?:Proc-Type|DEK-Info|Version|Comment|Hash): [A-Za-z0-9 ,.()/+-]*)*[\s\\nr]+[A-Za-z0-9+/]{20,}={0,2})`
	// edge keeps a shape from beginning in the middle of a word, but for one that
	// is escaped as in a URL.
	edge = `(?:^|[^A-Za-z0-9]|%[0-9A-Fa-f]{2})`
)

var named = []string{"passw", "passphrase", "secret", "token", "credential", "key", "auth", "pwd", "sig"}

// patterns are tried in this order: first what takes in most of the text around
// it. Shapes are as their issuers publish them.
var patterns = []pattern{
	{
		// The lines of a key only: no text may hide between its ends.
		hints: []string{"private key"},
		expr: re(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----` +
			`(?:(` + keyLines + `+(?:[\s\\nr]+[A-Za-z0-9+/]{1,19}={0,2})?(?:[\s\\nr]+=[A-Za-z0-9+/]{4})?[\s\\nr]*)-----END|(` + keyLines + `+))`),
	},
	{
		// The rest of a key whose beginning was cut away.
		hints: []string{"-----end "},
		expr:  re(`((?:[A-Za-z0-9+/]{20,}[\s\\nr]+)+(?:[A-Za-z0-9+/]{1,19}={0,2}[\s\\nr]+)?)-----END [A-Z0-9 ]*PRIVATE KEY`),
	},
	{
		hints: []string{"authorization", "cookie", "key", "token", "secret"},
		expr: re(`(?i)` +
			`["'][a-z0-9-]*` + header + `\s*:\s*([^"'\r\n]+)` + // -H "Authorization: Bearer x"
			`|` + header + `\\?["']\s*:\s*\\?["']([^"'\\\r\n]+)` + // {"Authorization": "Bearer x"}
			`|\bauthorization\s*[:=]\s*["']([^"'\r\n]+)` + // Authorization:"Bearer x"
			`|\bauthorization\s*[:=]\s*(?:(?:bearer|basic|token|digest|negotiate|apikey|key)\s+)?([^\s"';&|]+)`),
	},
	{hints: []string{"bearer"}, expr: re(`(?i)\bbearer\s+([a-z0-9._~+/=-]{8,})`)},
	{
		// postgres://user:password@host, https://token@host
		hints: []string{"://"},
		expr:  re(`[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:([^\s/"'<>]+)@`),
	},
	{hints: named, spare: harmless, expr: re(`(?i)` + name + `[a-z0-9_.-]*\\?["']\s*:\s*` + quoted)},
	{hints: named, spare: harmless, expr: re(`(?i)--[a-z0-9_-]*(?:` + name + `|\bpass\b|\bpwd\b|\bpin\b|\botp\b)[a-z0-9_-]*(?:=|\s+)([^\s"'-][^\s"']*|"(?:[^"\\]|\\.)*"|'[^']*')`)},
	{hints: named, spare: harmless, expr: re(`(?i)` + name + `[a-z0-9_.-]*(?:\s+=\s+|=|:\s*)` + word)},
	{hints: []string{"_key"}, spare: harmless, expr: re(`\b[A-Z0-9_]+_KEY=` + word)},
	{hints: []string{"pwd"}, expr: re(`(?i);\s*pwd\s*=\s*([^\s;"']+)`)}, // an ADO connection string
	{hints: []string{"identified", "password"}, expr: re(`(?i)\b(?:identified\s+by|password)\s+'([^']+)'`)},
	{hints: []string{"login"}, expr: re(`(?i)\blogin\s+\S+\s+password\s+(\S+)`)}, // .netrc
	{hints: []string{"-u", "-user"}, expr: re(`(?:^|\s)(?:-u\s*|--(?:proxy-)?user(?:=|\s+))["']?[^\s:"'/=]+:([0-9]*[^\s"'0-9/][^\s"']*)`)},
	{hints: []string{"mysql", "mariadb"}, expr: re(`\b(?:mysql|mariadb)[a-z-]*\b[^|;&\n]*?\s-p` + word)},
	{hints: []string{"sshpass"}, expr: re(`\bsshpass\s+-p\s*` + word)},
	{hints: []string{"login"}, expr: re(`\blogin\b[^|;&\n]*?\s-p\s+` + word)},
	{hints: []string{"redis-cli"}, expr: re(`\bredis-cli\b[^|;&\n]*?\s-a\s+` + word)},
	{hints: []string{"pass:"}, expr: re(`\bpass:` + word)}, // openssl

	{hints: []string{"akia", "asia", "abia", "acca"}, expr: re(edge + `((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})`)},
	{hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, expr: re(`gh[pousr]_[A-Za-z0-9]{36,}`)},
	{hints: []string{"github_pat_"}, expr: re(`github_pat_[A-Za-z0-9_]{22,}`)},
	{hints: []string{"gl"}, expr: re(`gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.-]{20,}`)},
	{hints: []string{"xox", "xapp-"}, expr: re(`(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,}`)},
	{hints: []string{"hooks.slack.com"}, expr: re(`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,})`)},
	{hints: []string{"eyj"}, expr: re(`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`)}, // JSON web token
	{hints: []string{"sk-"}, expr: re(edge + `(sk-[A-Za-z0-9_-]{20,})`)},                               // OpenAI, Anthropic and others
	{hints: []string{"_live_", "_test_"}, expr: re(edge + `((?:sk|rk|pk|whsec)_(?:live|test)_[A-Za-z0-9]{10,})`)},
	{hints: []string{"aiza"}, expr: re(`AIza[A-Za-z0-9_-]{35}`)},
	{hints: []string{"ya29."}, expr: re(`ya29\.[A-Za-z0-9_-]{20,}`)},
	{hints: []string{"npm_"}, expr: re(`npm_[A-Za-z0-9]{36,}`)},
	{hints: []string{"pypi-"}, expr: re(`pypi-[A-Za-z0-9_-]{50,}`)},
	{hints: []string{"hf_"}, expr: re(edge + `(hf_[A-Za-z0-9]{30,})`)},
	{hints: []string{"sg."}, expr: re(`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`)},
	{hints: []string{"_v1_"}, expr: re(`do[opr]_v1_[a-f0-9]{64}`)},
	{hints: []string{"dckr_"}, expr: re(`dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}`)},
	{hints: []string{"hvs.", "hvb."}, expr: re(`hv[sb]\.[A-Za-z0-9_-]{20,}`)},
	{hints: []string{"shp"}, expr: re(`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`)},
	{hints: []string{"age-secret-key-"}, expr: re(`AGE-SECRET-KEY-1[A-Z0-9]{58}`)},
}

// harmless names tell about a secret without being one: where it lies, how long
// it is, how many tokens a model may use.
func harmless(before string) bool {
	n := strings.TrimRight(strings.ToLower(before), " \t\r\n=:\"'\\")
	for _, end := range []string{
		"file", "path", "dir", "url", "uri", "endpoint", "host", "name", "type", "stdin", "env", "id", "ttl",
		"length", "size", "count", "limit", "tokens", "expiry", "expires", "policy", "store", "manager", "arn", "author",
	} {
		if strings.HasSuffix(n, end) {
			return true
		}
	}
	return false
}
