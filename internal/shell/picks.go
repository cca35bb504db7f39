package shell

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Searches for credentials in what holds them among other things.

// picksSecret notes a search for secrets in what holds them: env | grep TOKEN.
func (e *eval) picksSecret(label string, words []effect.Value, in stream) {
	name, _, _ := strings.Cut(label, " ")
	if !searches(name) && (language(name) == "" || !in.Origin.Has(effect.Mixed)) {
		return
	}
	if in.Origin.Has(effect.Mixed) {
		for _, w := range words {
			if wantsSecret(w.Text) {
				e.add(effect.Effect{Kind: effect.SecretRead, Program: label, Targets: []effect.Target{{Name: w.Text}}})
				return
			}
		}
	}
	if !in.Origin.Has(effect.Secret) {
		return
	}
	for _, w := range words {
		low := strings.ToLower(w.Text)
		if name == "jq" { // what it calls the names of fields
			low = strings.NewReplacer("keys", "", ".key", "").Replace(low)
		}
		for _, part := range []string{"token", "secret", "pass", "key", "cred", "auth", "aws_", ".env"} {
			if strings.Contains(low, part) || low == "aws" {
				e.add(effect.Effect{Kind: effect.SecretRead, Program: label, Targets: []effect.Target{{Name: w.Text}}})
				return
			}
		}
	}
}

// wantsSecret reports whether a pattern looks for the value of a credential, and not for
// the name of one.
func wantsSecret(s string) bool {
	s = strings.NewReplacer("_", "", "-", "", "?", "", " ", "", ".*", "").Replace(strings.ToLower(s))
	for _, name := range []string{"secretname", "pullsecret", "secretref", "secretkeyref", "secretarn", "secretid", "tokenname", "tokenexpir", "passwordpolicy", "passwordlength", "maxtoken"} {
		if strings.Contains(s, name) {
			return false
		}
	}
	for _, part := range []string{"password", "passwd", "secret", "token", "credential", "privatekey", "apikey", "accesskey"} {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// searches reports whether a program picks parts of what it is fed.
func searches(name string) bool {
	return slices.Contains([]string{"grep", "egrep", "fgrep", "rg", "ag", "awk", "gawk", "sed", "ack", "where-object", "select-string", "findstr", "jq", "yq", "gron", "dasel"}, name)
}
