package toolcall

import (
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/lazy"
	"github.com/fireharp/overseer/internal/redact"
)

// fetch adds what asking for an address does: what curl would do that asks for it,
// whose table knows the addresses that hand out credentials or control, and what
// the address itself carries away.
func (c *call) fetch() {
	u, err := url.Parse(c.tool.URL)
	if err != nil || u.Hostname() == "" {
		return
	}
	address := c.tool.URL
	if u.Path == "" && u.RawQuery == "" && u.Fragment == "" {
		address += "/"
	}
	for _, e := range c.command("curl " + quote(address)) {
		e.Program, e.Via = "", nil
		c.effects = append(c.effects, e)
	}
	if !loopback(u.Hostname()) && c.work.Spend(effect.Work(c.tool.URL)) && carriesSecret(u) {
		c.on(effect.SecretSend, u.Hostname())
	}
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && a.IsLoopback()
}

// carriesSecret reports whether a secret stands in an address, as it is or encoded.
// Those that are signed for one download have theirs for the host that they name. The
// parts are looked at one by one: a path is no text, and long.
func carriesSecret(u *url.URL) bool {
	if _, ok := u.User.Password(); ok {
		return true
	}
	for name, values := range u.Query() {
		if n := strings.ToLower(name); strings.HasPrefix(n, "x-amz-") || strings.HasPrefix(n, "x-goog-") || n == "awsaccesskeyid" || n == "sig" || n == "signature" {
			continue
		}
		for _, v := range values {
			if hasSecret(v) || hasSecret(decoded(v)) || !pages(name) && hasSecret(name+"="+v) {
				return true
			}
		}
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		// What has no known beginning is more often the name of a document.
		if hasSecret(decoded(part)) || begins(part) && hasSecret(part) {
			return true
		}
	}
	return false
}

// pages reports whether an argument only says where a list goes on.
func pages(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "page") || strings.Contains(name, "next") || strings.Contains(name, "contin") || strings.Contains(name, "sync")
}

// begins reports whether a text begins as keys of well-known services do.
func begins(s string) bool {
	for _, p := range []string{"AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "sk_live_", "rk_live_", "xoxb-", "xoxp-", "npm_", "pypi-", "AIza", "hf_", "eyJ"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// keys are the secrets that cannot be taken for anything else: private keys, and what
// begins as keys of well-known services do.
var keys lazy.Value[*regexp.Regexp]

func keysPattern() *regexp.Regexp {
	return regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\\nr]+[A-Za-z0-9+/]{12,}|` +
		`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_\w{50,}|\bglpat-[\w-]{20,}|\b[sr]k_live_[A-Za-z0-9]{20,}|` +
		`\bxox[abpors]-[0-9]+-[\w-]{16,}|\bnpm_[A-Za-z0-9]{36}|\bpypi-[\w-]{40,}|\bAIza[\w-]{35}|\bhf_[A-Za-z0-9]{30,}|\bsk-(?:ant|proj)-[\w-]{30,}|` +
		`\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|rediss?|amqps?)://[^\s:@/]+:[^\s@/]{8,}@[\w-]+\.[\w.-]+`)
}

// holdsSecret reports whether a text for others to read has a key in it. What documents
// show as an example has EXAMPLE in it.
func holdsSecret(s string) bool {
	for _, m := range keys.Get(keysPattern).FindAllString(s, -1) {
		if strings.Contains(m, ":password@") || strings.Contains(m, ":changeme@") || strings.Contains(m, ":postgres@") {
			continue
		}
		if !strings.Contains(strings.ToUpper(m), "EXAMPLE") && !strings.Contains(m, "xxxx") && !strings.Contains(m, "0000") {
			return true
		}
	}
	return false
}

func hasSecret(s string) bool { return s != "" && redact.Text(s) != s }

// decoded is the text that a base64 or hex text of some length stands for, "" if it
// stands for none.
func decoded(s string) string {
	if len(s) < 16 {
		return ""
	}
	if b, err := hex.DecodeString(s); err == nil && utf8.Valid(b) {
		return string(b)
	}
	s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/", " ", "+").Replace(s), "=")
	if b, err := base64.RawStdEncoding.DecodeString(s); err == nil && utf8.Valid(b) {
		return string(b)
	}
	return ""
}
