package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
)

// cursor looks for what keeps Cursor from running hooks that are installed well: a
// bad entry of somebody else's in the same file. It was read in the validator of
// @cursor/sdk 1.0.18.
func (a *patient) cursor(places []place) bool {
	const name = "cursor-hooks-on"
	well := true
	for _, pl := range places {
		if !pl.status.Installed() {
			continue
		}
		hooks, err := hooksOf(pl.Target)
		if err != nil {
			continue // the file has had its say
		}
		if text := badEntry(hooks); text != "" {
			well = false
			if !a.say(name, Failed, []string{"mend the entry"}, "%s: %s, for which Cursor rejects the whole file", pl.Path, text) {
				return false
			}
		}
	}
	return !well || a.say(name, OK, nil, "no entry keeps Cursor from taking its hooks")
}

// badEntry finds an entry of a form that Cursor does not take; "" if there is none.
func badEntry(hooks object) string {
	for _, event := range slices.Sorted(maps.Keys(hooks)) {
		var list []json.RawMessage
		if json.Unmarshal(hooks[event], &list) != nil || list == nil {
			return fmt.Sprintf("hooks.%s is no array", event)
		}
		for i, raw := range list {
			h := handler{flat: true}
			if json.Unmarshal(raw, &h.keys) != nil || h.keys == nil {
				return fmt.Sprintf("hooks.%s[%d] is no object", event, i)
			}
			if bad := h.badFlat(); bad != "" {
				return fmt.Sprintf("hooks.%s[%d] has the %s", event, i, bad)
			}
		}
	}
	return ""
}

// badFlat names the key for which Cursor does not take the entry.
func (h handler) badFlat() string {
	bad := func(key string) string { return key + " " + orNothing(h.keys[key]) }
	kind, named := h.keys["type"]
	does := "command" // what a hook of the type must have
	if s, _ := text(kind); s == "prompt" {
		does = "prompt"
	} else if named && s != "command" {
		return bad("type")
	}
	if s, isText := text(h.keys[does]); !isText || does == "prompt" && s == "" {
		return bad(does)
	}
	if m, ok := h.keys["matcher"]; ok {
		if s, isText := text(m); !isText || s != "*" && noRegexp(s) {
			return bad("matcher")
		}
	}
	if _, err := h.timeout(); err != nil {
		return bad("timeout")
	}
	if v, ok := h.keys["failClosed"]; ok && string(v) != "true" && string(v) != "false" {
		return bad("failClosed")
	}
	if v, ok := h.keys["loop_limit"]; ok && string(v) != "null" {
		var n float64
		if json.Unmarshal(v, &n) != nil || n < 1 || n != float64(int64(n)) {
			return bad("loop_limit")
		}
	}
	return ""
}

// noRegexp reports whether s is no regular expression for JavaScript either. What
// Go alone rejects is passed over.
func noRegexp(s string) bool {
	_, err := syntax.Parse(s, syntax.Perl)
	var e *syntax.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingRepeatArgument, syntax.ErrTrailingBackslash:
		return true
	}
	return false
}
