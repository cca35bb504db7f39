package journal

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/fireharp/overseer/event"
)

// fickle are the arguments of a command tool that change nothing about what runs
// and that models reword from one try to the next. Every other argument counts,
// also one that nobody has heard of yet: an approval given for a sandboxed call
// must not cover the same words with the sandbox off.
var fickle = []string{"description", "timeout", "timeout_ms", "timeout_seconds", "justification"}

// Fingerprint identifies the action that an event announces, so that an approval
// speaks for this very action and no other: an HMAC-SHA256 with the person's key, in
// hex, over the agent, the tool, the working folder and the arguments. The record
// shows all of these but their secrets; without the key, a short one could be
// guessed from the fingerprint. With no key it is a plain SHA-256. The order of keys, whitespace
// and, for commands, the arguments that only describe the call do not matter.
// For prompts it is over the prompt. It is "" for an event that announces none.
func Fingerprint(e *event.Event, key []byte) string {
	sum := sha256.New()
	if len(key) > 0 {
		sum = hmac.New(sha256.New, key)
	}
	h := bufio.NewWriterSize(sum, 4<<10) // which takes strings without copies of them
	switch {
	case e.Tool.Name != "":
		write(h, "tool", e.Agent, e.Tool.Name, e.CWD, e.Tool.Command)
		_, _ = h.Write(canonical(e.Tool.Input, e.Tool.Command != ""))
	case e.Prompt != "":
		write(h, "prompt", e.Agent, e.CWD, e.Prompt)
	default:
		return ""
	}
	_ = h.Flush() // a hash takes all
	return hex.EncodeToString(sum.Sum(nil))
}

// done are the arguments of tools that say what is done and to which file: the
// command, paths, content. Their values are compared in other ways.
var done = []string{
	"command", "cmd", "file_path", "filePath", "path", "target_file", "notebook_path", "content", "contents", "file_text",
	"old_string", "new_string", "old_str", "new_str", "oldString", "newString", "new_source", "edits", "replace_all", "replaceAll",
	"code_edit", "instructions", "offset", "limit", "input", "patch",
}

// Besides gives the arguments of a tool call that are no command, file or content,
// as JSON: those that say how it is done, such as whether in a sandbox.
func Besides(e *event.Event) string {
	in := e.Tool.Input
	if len(in) > maxCanonical {
		return string(in)
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(in, &m) != nil {
		return string(in)
	}
	for _, k := range done {
		delete(m, k)
	}
	if e.Tool.Command != "" {
		for _, k := range fickle {
			delete(m, k)
		}
	}
	out, err := json.Marshal(m)
	if err != nil {
		return string(in)
	}
	return string(canonical(out, false))
}

// write feeds texts with their lengths, so that no two lists give the same bytes.
func write(h *bufio.Writer, texts ...string) {
	for _, t := range texts {
		fmt.Fprintf(h, "%d:", len(t))
		_, _ = h.WriteString(t)
	}
}

// The sizes of arguments from which on the spelling of their values counts, and that
// of all: reading them again would take longer than the person's patience. An agent
// that tries once more spells a text as before, but may describe it in other words.
const (
	maxDecoded   = 64 << 10
	maxCanonical = 4 << 20
)

// canonical renders JSON so that equal values give equal bytes: sorted keys, no
// whitespace, numbers as they were written. What is no JSON, or very large, stands
// for itself.
func canonical(input json.RawMessage, command bool) []byte {
	switch {
	case len(input) > maxCanonical:
		return input
	case len(input) > maxDecoded:
		return spelled(input, command)
	}
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.Decode(new(any)) != io.EOF {
		return input
	}
	if m, ok := v.(map[string]any); ok && command {
		for _, k := range fickle {
			delete(m, k)
		}
	}
	out, err := json.Marshal(v)
	if err != nil {
		return input
	}
	return out
}

// spelled renders a JSON object with sorted keys and its values as they are written.
func spelled(input json.RawMessage, command bool) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(input, &m) != nil {
		return input
	}
	if command {
		for _, k := range fickle {
			delete(m, k)
		}
	}
	out := make([]byte, 0, len(input)+8*len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = strconv.AppendQuote(out, k)
		out = append(append(out, ':'), m[k]...)
		out = append(out, ',')
	}
	return out
}
