package shell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Variables whose names say that they hold a secret.

// shows notes a secret variable that is printed where the agent reads it.
func (e *eval) shows(text string) {
	if name, ok := strings.CutPrefix(text, "%"); ok && secretName(strings.TrimSuffix(name, "%")) {
		e.add(effect.Effect{Kind: effect.SecretRead, Targets: []effect.Target{{Name: text}}})
	}
	for _, name := range secretNames(text) {
		e.add(effect.Effect{Kind: effect.SecretRead, Targets: []effect.Target{{Name: "$" + name}}})
	}
}

// secretNames gives the variables in a text, $NAME and ${NAME}, that most likely hold
// secrets.
func secretNames(text string) []string {
	var names []string
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			return names
		}
		text = strings.TrimLeft(text[i+1:], "{")
		end := strings.IndexFunc(text, func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
		if end < 0 {
			end = len(text)
		}
		if secretName(text[:end]) {
			names = append(names, text[:end])
		}
	}
}

// secretName reports whether a variable of this name most likely holds a secret.
func secretName(name string) bool {
	if name != strings.ToUpper(name) {
		return false
	}
	for _, part := range []string{"SECRET", "PASSWORD", "PASSWD", "PRIVATE_KEY", "API_KEY", "APIKEY", "ACCESS_KEY", "CREDENTIAL", "_TOKEN", "_PAT"} {
		if strings.HasSuffix(name, part) || strings.Contains(name, part+"_") {
			return true
		}
	}
	return name == "TOKEN"
}
