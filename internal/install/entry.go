package install

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/hint"
)

// The marker on the handlers that install writes in groups. The agents that have
// them let it pass; Claude Code drops it when it rewrites its settings.
const (
	markerKey   = "_overseer"
	markerValue = "managed"
)

// toolEvents have a matcher for the tool's name. The others get none: absent
// means all, and what a matcher there would be held against differs by agent.
var toolEvents = []string{
	"PreToolUse",
	"PostToolUse",
	"PostToolUseFailure",
	"PermissionRequest",
	"PermissionDenied",
	"BeforeTool",
	"AfterTool",
}

// standing says what install does about one of the agent's events.
type standing int

const (
	foreign standing = iota // the agent has no such event, or we have no use for it: our entry goes
	settled                 // only some versions know it and this one's is unknown: leave as is
	wanted                  // register it
)

// standingOf weighs one capability for an agent of the given version.
func standingOf(c agent.Capability, version string) standing {
	switch {
	case c.Skip != "":
		return foreign
	case c.Since == "":
		return wanted
	}
	switch newer, known := atLeast(version, c.Since); {
	case !known:
		return settled
	case newer:
		return wanted
	}
	return foreign
}

// commandPrefix is the shell word for the binary: quoted where it must be, and
// without the "//" that Cursor takes for the start of a comment.
func commandPrefix(binary string) (string, error) {
	refuse := func(why string) error {
		return hint.Wrap(fmt.Errorf("cannot register the binary %q: %s", binary, why),
			"name another one with --binary")
	}
	windows := isDrivePath(binary)
	switch {
	case !utf8.ValidString(binary):
		return "", refuse("its path is not valid UTF-8")
	case strings.ContainsFunc(binary, unicode.IsControl):
		return "", refuse("its path has a control character")
	case strings.HasPrefix(binary, `\\`):
		return "", refuse("agents cannot start a program from a network path")
	case !windows && !strings.HasPrefix(binary, "/"):
		return "", refuse("its path is not absolute")
	}
	if windows { // Git Bash, cmd and PowerShell all take forward slashes.
		binary = strings.ReplaceAll(binary, `\`, "/")
	}
	for strings.Contains(binary, "//") {
		binary = strings.ReplaceAll(binary, "//", "/")
	}
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '_' || r == '-' || r == '+' || r == ',' || r == '@' || r == ':' ||
			r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	quote := strings.ContainsFunc(binary, func(r rune) bool { return !plain(r) })
	switch {
	case !quote:
		return binary, nil
	case windows: // cmd knows double quotes only
		if strings.ContainsAny(binary, "\"$`%!") {
			return "", refuse("its path has characters that cannot be quoted for every shell of Windows")
		}
		return `"` + binary + `"`, nil
	}
	return "'" + strings.ReplaceAll(binary, "'", `'\''`) + "'", nil
}

// commandSuffix is what follows the agent's name in an entry.
func commandSuffix(t Target, o Options) (string, error) {
	if o.Home == "" || t.Scope != UserScope {
		return "", nil
	}
	home, err := commandPrefix(o.Home) // quoted by the same rules
	return " --home " + home, err
}

func isDrivePath(path string) bool {
	return len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') &&
		('a' <= path[0] && path[0] <= 'z' || 'A' <= path[0] && path[0] <= 'Z')
}

// handler is the entry for one event as install writes it. Where there are no
// groups (Cursor) it is of the agent's documented keys alone.
func handler(p agent.Provider, c agent.Capability, prefix, suffix string) *hujson.Object {
	s := p.Settings()
	timeout, ok := s.Timeouts[c.Event]
	if !ok {
		timeout = s.TimeoutSeconds
	}
	h := &hujson.Object{}
	if !s.Flat {
		h.Members = append(h.Members, member("type", hujson.String("command")))
	}
	h.Members = append(h.Members, member("command", hujson.String(prefix+" hook "+c.Event+" --agent "+p.Name()+suffix)))
	if timeout > 0 {
		h.Members = append(h.Members, member("timeout", hujson.Int(int64(timeout))))
	}
	if s.StatusMessage != "" {
		h.Members = append(h.Members, member("statusMessage", hujson.String(s.StatusMessage)))
	}
	if c.FailClosed {
		h.Members = append(h.Members, member("failClosed", hujson.Bool(true)))
	}
	if !s.Flat {
		h.Members = append(h.Members, member(markerKey, hujson.String(markerValue)))
	}
	return h
}

// group is a new group that holds the handler alone.
func group(event string, h *hujson.Object) *hujson.Object {
	g := &hujson.Object{}
	if slices.Contains(toolEvents, event) {
		g.Members = append(g.Members, member("matcher", hujson.String("*")))
	}
	list := &hujson.Array{Elements: []hujson.Value{{Value: h}}}
	g.Members = append(g.Members, member("hooks", list))
	return g
}

// drift lists the keys in which a handler of ours differs from want. The
// marker alone does not count: Claude Code drops it.
func drift(have, want *hujson.Object) []string {
	var keys []string
	seen := map[string]bool{}
	for _, m := range have.Members {
		name := nameOf(m)
		if w := find(want, name); w == nil && !seen[name] || w != nil && (seen[name] || !same(m.Value.Value, w.Value)) {
			keys = append(keys, name)
		}
		seen[name] = true
	}
	for _, m := range want.Members {
		if name := nameOf(m); !seen[name] && name != markerKey {
			keys = append(keys, name)
		}
	}
	return keys
}

// same compares two plain values; a number by its spelling, for Codex rejects
// a file that has 30.0 where 30 belongs.
func same(a, b hujson.ValueTrimmed) bool {
	x, ok := a.(hujson.Literal)
	y, ok2 := b.(hujson.Literal)
	return ok && ok2 && x.Kind() == y.Kind() && x.String() == y.String()
}

// matcherOf is a group's matcher, and whether it lets every call through.
func matcherOf(group *hujson.Object) (text string, all bool) {
	v := find(group, "matcher")
	if v == nil {
		return "", true
	}
	text, ok := str(group, "matcher")
	if !ok {
		return string((hujson.Value{Value: v.Value}).Pack()), false
	}
	return text, text == "" || text == "*" || text == ".*"
}

// atLeast compares two versions by their numbers. A version's text may have
// words around it ("codex-cli 0.171.0"). known is false if have has no number.
func atLeast(have, want string) (newer, known bool) {
	h, pre, ok := numbers(have)
	w, _, ok2 := numbers(want)
	if !ok || !ok2 {
		return false, false
	}
	for i := range max(len(h), len(w)) {
		a, b := at(h, i), at(w, i)
		if a != b {
			return a > b, true
		}
	}
	return !pre, true // 2.0.0-beta comes before 2.0.0
}

func at(n []int, i int) int {
	if i < len(n) {
		return n[i]
	}
	return 0
}

// numbers reads the first dotted number of s; pre is true for a pre-release.
func numbers(s string) (n []int, pre, ok bool) {
	for _, word := range strings.Fields(s) {
		core, rest, _ := strings.Cut(strings.TrimPrefix(word, "v"), "-")
		core, _, _ = strings.Cut(core, "+")
		parts := strings.Split(core, ".")
		n = make([]int, len(parts))
		ok = len(parts) > 1
		for i, part := range parts {
			d, err := strconv.ParseUint(part, 10, 31)
			n[i], ok = int(d), ok && err == nil
		}
		if ok {
			return n, rest != "", true
		}
	}
	return nil, false, false
}

// baseName is the last element of a path of either kind of system.
func baseName(file string) string {
	if isDrivePath(file) {
		file = strings.ReplaceAll(file, `\`, "/")
	}
	return path.Base(file)
}
