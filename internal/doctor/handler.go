package doctor

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/install"
	"github.com/fireharp/overseer/internal/regular"
)

// longestWait is how long doctor waits for a hook, since a person waits for
// doctor. All agents wait longer where an entry names no timeout.
const longestWait = 30 * time.Second

type object = map[string]json.RawMessage

// handler is one entry as it stands in the settings file, with its group: what
// bears on whether and how the agent runs it. Whatever is not of the documented
// form is left at what it would mean at worst.
type handler struct {
	keys  object
	group object // the same where there are no groups
	flat  bool   // there are none
}

// handlerOf reads the entry anew from the file, by its place.
func handlerOf(t install.Target, e install.Entry) (handler, error) {
	hooks, err := hooksOf(t)
	if err != nil {
		return handler{}, err
	}
	h := handler{flat: t.Provider.Settings().Flat}
	var groups []json.RawMessage
	var list []object
	moved := fmt.Errorf("%s is not what it was a moment ago", e.At)
	if json.Unmarshal(hooks[e.Event], &groups) != nil || e.Group >= len(groups) || json.Unmarshal(groups[e.Group], &h.group) != nil {
		return handler{}, moved
	}
	if h.flat {
		h.keys = h.group
		return h, nil
	}
	if json.Unmarshal(h.group["hooks"], &list) != nil || e.Handler >= len(list) {
		return handler{}, moved
	}
	h.keys = list[e.Handler]
	return h, nil
}

// hooksOf is the member "hooks" of a settings file, by event.
func hooksOf(t install.Target) (object, error) {
	top, err := readObject(t.Path, t.Provider.Settings())
	if err != nil {
		return nil, err
	}
	var hooks object
	if raw, ok := top["hooks"]; ok {
		err = json.Unmarshal(raw, &hooks)
	}
	return hooks, err
}

// readObject reads a settings file, which is one JSON object, as its agent does.
func readObject(path string, s agent.Settings) (object, error) {
	b, err := readFile(path)
	if err != nil {
		return nil, err
	}
	var o object
	if err := json.Unmarshal(install.Strict(b, s), &o); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
}

// maxSettings bounds a settings file; the agents' own are a few KiB.
const maxSettings = 16 << 20

// readFile reads a regular file of settings, which may be a stranger's: a pipe
// would keep doctor waiting.
func readFile(path string) ([]byte, error) {
	b, err := regular.Read(path, maxSettings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// timeout is how long the agent, and so doctor, waits for the entry.
func (h handler) timeout() (time.Duration, error) {
	raw, ok := h.keys["timeout"]
	if !ok {
		return longestWait, nil
	}
	var seconds float64
	if err := json.Unmarshal(raw, &seconds); err != nil || string(raw) == "null" || seconds <= 0 {
		return 0, fmt.Errorf("its timeout is %s, which is no number of seconds", raw)
	}
	return time.Duration(min(seconds, longestWait.Seconds()) * float64(time.Second)), nil
}

// idle says why the agent would not run the entry at every tool call, or not
// heed its answer, whatever the command is; "" if nothing speaks against it.
func (h handler) idle() string {
	kind, named := h.keys["type"]
	if s, _ := text(kind); s != "command" && (named || !h.flat) {
		return fmt.Sprintf("its type is %s, not \"command\"", orNothing(kind))
	}
	if m, ok := h.group["matcher"]; ok {
		if s, isText := text(m); !isText || s != "" && s != "*" && s != ".*" {
			return fmt.Sprintf("it is registered for the matcher %s only, so that other tools run unseen", m)
		}
	}
	if h.flat { // the keys below mean nothing there
		return ""
	}
	for _, key := range []string{"async", "asyncRewake", "once"} {
		if v, ok := h.keys[key]; ok && string(v) != "false" {
			return fmt.Sprintf("it has %q: %s, so that the agent does not wait for its answer each time", key, v)
		}
	}
	for _, key := range []string{"if", "shell"} {
		if v, ok := h.keys[key]; ok {
			return fmt.Sprintf("it has %q: %s, by which the agent does not run it as it stands at every call", key, v)
		}
	}
	return ""
}

func text(raw json.RawMessage) (string, bool) {
	var s string
	if !strings.HasPrefix(string(raw), `"`) || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

func orNothing(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "missing"
	}
	return string(raw)
}
