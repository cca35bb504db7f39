package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/fireharp/overseer/internal/install"
)

// claude looks for what keeps Claude Code from running hooks that are installed
// well: a switch in one of its other settings files, or a bad entry of somebody
// else's. All of it was measured on 2.1.197.
func (a *patient) claude(places []place) bool {
	const name = "claude-hooks-on"
	var bad []Result
	off := false
	user := a.userTarget().Path
	project := install.ProjectTarget(a.p, a.CWD).Path
	if !a.environment(a.vars) {
		return false
	}
	// Of a file that overseer is installed in, install tells the plain switch.
	told := func(path string) bool {
		return slices.ContainsFunc(places, func(pl place) bool { return pl.Path == path && pl.status.Installed() })
	}
	for _, f := range a.claudeFiles() {
		path := f.path
		top, err := readObject(path, a.p.Settings())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			// The first two files have had their say. Of the others a broken one
			// counts for nothing.
			if path != user && path != project {
				bad = append(bad, result(name, Warning, []string{"mend the file"}, "Claude Code cannot read it: %v", err))
			}
			continue
		}
		if told(path) && string(top[a.p.Settings().OffSwitch]) == "true" {
			delete(top, a.p.Settings().OffSwitch)
			off = true
		}
		for _, text := range switches(top) {
			bad = append(bad, result(name, Failed, []string{"take it out of the file"}, "%s: %s", path, text))
		}
		if text := badHandler(top["hooks"]); text != "" {
			bad = append(bad, result(name, Failed, []string{"mend the entry"},
				"%s: %s, for which Claude Code passes over the whole file", path, text))
		}
	}
	for _, r := range bad {
		if !a.yield(r) {
			return false
		}
	}
	return off || len(bad) > 0 || a.say(name, OK, nil, "no settings of Claude Code turn hooks off")
}

// managedSettings are the files by which an organisation sets what people
// cannot: https://code.claude.com/docs/en/settings.
func managedSettings() []string {
	dir := "/etc/claude-code"
	switch runtime.GOOS {
	case "darwin":
		dir = "/Library/Application Support/ClaudeCode"
	case "windows":
		dir = `C:\Program Files\ClaudeCode`
	}
	more, _ := filepath.Glob(filepath.Join(dir, "managed-settings.d", "*.json"))
	return append([]string{filepath.Join(dir, "managed-settings.json")}, more...)
}

// switches says what in a settings file turns hooks off.
func switches(top object) []string {
	var out []string
	if v, ok := top["disableAllHooks"]; ok && string(v) != "false" {
		out = append(out, fmt.Sprintf("\"disableAllHooks\": %s turns all hooks off", v))
	}
	if v, ok := top["allowManagedHooksOnly"]; ok && string(v) == "true" {
		out = append(out, "\"allowManagedHooksOnly\" turns all hooks off but an organisation's own")
	}
	return out
}

// handlerTypes are the types of a handler that Claude Code 2.1.197 knows.
var handlerTypes = []string{"command", "prompt", "agent", "http", "mcp_tool"}

// badHandler finds an entry, anyone's, of a form that Claude Code does not take;
// "" if there is none. A single one voids the file: no hook in it runs.
func badHandler(hooks json.RawMessage) string {
	var byEvent object
	if json.Unmarshal(hooks, &byEvent) != nil {
		return "" // not an object, which install reports
	}
	for _, event := range slices.Sorted(maps.Keys(byEvent)) {
		var groups []json.RawMessage
		if json.Unmarshal(byEvent[event], &groups) != nil {
			continue // so does this
		}
		for i, raw := range groups {
			if bad := badGroup(raw); bad != "" {
				return fmt.Sprintf("hooks.%s[%d]%s", event, i, bad)
			}
		}
	}
	return ""
}

func badGroup(raw json.RawMessage) string {
	var group object
	if json.Unmarshal(raw, &group) != nil || group == nil {
		return " is no object"
	}
	if m, ok := group["matcher"]; ok {
		if _, isText := text(m); !isText {
			return fmt.Sprintf(".matcher is %s, want a text", m)
		}
	}
	var handlers []json.RawMessage
	if json.Unmarshal(group["hooks"], &handlers) != nil || handlers == nil {
		return " has no array \"hooks\""
	}
	for i, raw := range handlers {
		h := handler{}
		if json.Unmarshal(raw, &h.keys) != nil || h.keys == nil {
			return fmt.Sprintf(".hooks[%d] is no object", i)
		}
		if bad := badKeys(h); bad != "" {
			return fmt.Sprintf(".hooks[%d]%s", i, bad)
		}
	}
	return ""
}

func badKeys(h handler) string {
	kind, _ := text(h.keys["type"])
	if !slices.Contains(handlerTypes, kind) {
		return fmt.Sprintf(" has the type %s", orNothing(h.keys["type"]))
	}
	if _, ok := text(h.keys["command"]); kind == "command" && !ok {
		return fmt.Sprintf(" has the command %s", orNothing(h.keys["command"]))
	}
	if _, err := h.timeout(); err != nil {
		return fmt.Sprintf(" has the timeout %s", h.keys["timeout"])
	}
	if v, ok := h.keys["async"]; ok && string(v) != "true" && string(v) != "false" {
		return fmt.Sprintf(" has \"async\": %s", v)
	}
	return ""
}
