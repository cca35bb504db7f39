package toolcall

import (
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/fireharp/overseer/internal/effect"
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
