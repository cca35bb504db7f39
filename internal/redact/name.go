package redact

import (
	"slices"
	"strings"
)

// What secrets are called: the end of the last word of a name. What follows it, as
// in token_kind or password_length, tells about a secret.
var called = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "token", "credential", "apikey", "accesskey", "secretkey",
	"privatekey", "accountkey", "passwords", "secrets", "credentials",
}

// keys are the words before "key" that make a secret of it.
var keys = []string{
	"api", "access", "private", "secret", "account", "encryption", "signing", "master", "auth", "client", "ssh", "session",
	"service", "storage", "shared", "license", "licence", "deploy", "hmac", "jwt", "cipher", "aes", "rsa", "consumer",
	"subscription", "admin", "app", "application",
}

// telling are the words before a secret's word that make a statement, an action or
// a part of a language model of it.
var telling = []string{
	"forgot", "reset", "change", "show", "has", "is", "use", "no", "require", "requires", "required", "missing", "invalid",
	"wrong", "bad", "parse", "get", "read", "check", "verify", "validate", "hide", "without", "generate", "create", "new",
	"unexpected", "expected", "num", "max", "min", "eos", "bos", "pad", "unk", "cls", "sep", "mask",
}

// ends may follow a secret's name and change nothing.
var ends = []string{
	"prod", "production", "dev", "test", "staging", "live", "old", "base64", "b64", "value", "plain", "plaintext", "raw",
	"base", "data", "string", "default", "primary", "secondary", "hash",
}

// words gives the words of a name in lower case: DB_PASSWORD, dbPassword,
// db-password and spring.db.password all end in "password".
func words(name string) []string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '-' || c == '.' || c == '_' || c == ' ':
			c = '_'
		case 'A' <= c && c <= 'Z':
			if i > 0 && 'a' <= name[i-1] && name[i-1] <= 'z' {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	all := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '_' })
	for len(all) > 1 {
		last := all[len(all)-1]
		if !slices.Contains(ends, last) && strings.Trim(last, "0123456789") != "" {
			break
		}
		all = all[:len(all)-1]
	}
	if len(all) > 0 {
		all[len(all)-1] = strings.TrimRight(all[len(all)-1], "0123456789")
	}
	return all
}

// standing is how sure a name makes it that the value is a secret.
type standing int

const (
	harmless standing = iota
	doubtful          // only with a value that looks like one
	secret
)

// judgeName tells by its name whether a value is a secret.
func judgeName(name string) standing {
	w := words(name)
	if len(w) == 0 {
		return harmless
	}
	last, before := w[len(w)-1], ""
	if len(w) > 1 {
		before = w[len(w)-2]
	}
	if slices.Contains(telling, before) {
		return harmless
	}
	for _, c := range called {
		if strings.HasSuffix(last, c) {
			return secret
		}
	}
	switch last {
	case "key":
		if slices.Contains(keys, before) {
			return secret
		}
		if before != "" && name == strings.ToUpper(name) {
			return doubtful
		}
	case "pwd", "pass", "pw":
		if before != "" {
			return secret
		}
		if last != "pwd" || name == "Pwd" || name == "pwd" {
			return doubtful
		}
	case "signature", "sig":
		return doubtful
	case "auth":
		if before != "" || strings.HasPrefix(name, "_") {
			return secret
		}
		return doubtful
	case "authorization", "cookie":
		return secret
	}
	for _, p := range []string{"pgpass", "mysqlpwd", "userpwd", "dbpass"} {
		if last == p {
			return secret
		}
	}
	return harmless
}

// isPassword reports whether even a number is a secret under this name.
func isPassword(name string) bool {
	w := words(name)
	if len(w) == 0 {
		return false
	}
	for _, end := range []string{"password", "passwd", "passphrase", "passcode", "secret", "pin"} {
		if strings.HasSuffix(w[len(w)-1], end) {
			return true
		}
	}
	return false
}

// secretName reports whether a member is a secret by its name.
func secretName(name string) bool {
	return len(name) <= 256 && judgeName(name) == secret && !prose(name)
}

// prose reports whether a text has several words.
func prose(text string) bool { return strings.Contains(strings.TrimSpace(text), " ") }
