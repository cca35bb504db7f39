package doctor

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// program looks at this program itself.
func (m Machine) program() []Result {
	const name = "program"
	var out []Result
	if m.Cgo {
		out = append(out, result(name, Warning, []string{"CGO_ENABLED=0 go install github.com/fireharp/overseer@latest"},
			"built with cgo, which makes every hook start slower"))
	}
	if strings.Contains(filepath.ToSlash(m.Program), "/go-build") {
		out = append(out, result(name, Warning, []string{"go install github.com/fireharp/overseer@latest, then overseer install"},
			"%s is in a build folder that goes away (go run): do not install it", m.Program))
	}
	if st, err := os.Stat(m.Program); err == nil && st.Mode().Perm()&0o022 != 0 {
		out = append(out, result(name, Warning, []string{"chmod go-w " + quote(m.Program)},
			"others may replace %s", m.Program))
	}
	return append(out, result(name, OK, nil, "overseer %s at %s", m.Version, m.Program))
}

// isOverseer reports whether the file at path is this program, or another build of
// it by what Go writes into every program. It is not run: a wrapper would hand that
// on too.
func (m Machine) isOverseer(path string) bool {
	if sameFile(path, m.Program) {
		return true
	}
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return false
	}
	self, ok := debug.ReadBuildInfo()
	return ok && strings.Contains(self.Path, "/") && packageOf(path) == self.Path
}

// plainWords reports whether nothing in the words is left for the shell to make
// something of.
func plainWords(s string) bool {
	quoted := false
	for _, r := range s {
		switch {
		case r == '\'':
			quoted = !quoted
		case !quoted && strings.ContainsRune("$`;&|<>(){}[]*?!#~\\\"\n\r", r):
			return false
		}
	}
	return !quoted
}

// quote makes one word of the shell of a path.
func quote(path string) string {
	if path != "" && strings.IndexFunc(path, func(r rune) bool {
		return !strings.ContainsRune("/._-+,@:=", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
