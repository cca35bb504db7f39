package judgment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/redact"
)

// How much of an event is shown to the model, which reads worse the more it is
// given. With Options.Content a file's content has to fit.
const (
	maxText, maxState               = 2_000, 16_000 // characters of one string, bytes of all strings
	maxTextContent, maxStateContent = 8_000, 32_000
	maxMembers                      = 64 // of one object or array
	maxDepth                        = 8
	maxNumber                       = 40 // digits
)

// cut stands where something was left out.
const cut = "…"

// Options say what of an event may leave the machine.
type Options struct {
	// Content keeps the content of files and messages (--typesafe-send-content).
	// Secrets are redacted all the same.
	Content bool
	// Redact takes secrets out of a string; nil is [redact.Text].
	Redact func(string) string
}

// State is what the model gets to see of an event, and all of it: the agent's, the
// event's and the tool's name, the working folder, and the tool's input without
// the content of files and messages, with secrets redacted and long strings cut.
// The same call always gives the same bytes, in whatever order its arguments come.
func State(e *event.Event, o Options) json.RawMessage {
	v := view{Options: o, text: maxText, left: maxState}
	if o.Content {
		v.text, v.left = maxTextContent, maxStateContent
	}
	if v.Redact == nil {
		v.Redact = redact.Text
	}
	v.patch = isPatchTool(e.Tool.Name) && !o.Content
	var s object
	add := func(name string, value any) {
		// Strings and RawMessages that this file made cannot fail.
		_ = s.add(name, value)
	}
	add("agent", hookmonName(e.Agent))
	add("event", v.string(e.Name))
	if e.Tool.Name != "" {
		add("tool", v.string(e.Tool.Name))
	}
	if e.CWD != "" {
		add("cwd", v.string(e.CWD))
	}
	if len(e.Tool.Input) > 0 {
		if json.Valid(e.Tool.Input) { // gjson takes it for granted; this also bounds the nesting
			add("tool_input", v.value(gjson.ParseBytes(e.Tool.Input), 1))
		} else {
			add("tool_input", v.string(string(e.Tool.Input)))
		}
	}
	return s.close()
}

// hookmonName is what hookmon's --agent calls the agent.
func hookmonName(agent string) string {
	if agent == "claude" {
		return "claudecode"
	}
	return agent
}

// dropped are the names of members that hold the content of files and messages,
// in lower case and without underscores: content, new_string, old_string, edits
// and plan, and what other agents' tools call the same.
var dropped = []string{
	"content", "newstring", "oldstring", "edits", "plan",
	"contents", "newstr", "oldstr", "filetext", "inserttext", "newsource", "codeedit", "newcontent", "oldcontent", "filecontent",
	"diff", "patch",
}

func isContent(name string) bool {
	return slices.Contains(dropped, strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)))
}

// view copies JSON into what may be seen of it.
type view struct {
	Options
	text  int  // characters of one string
	left  int  // bytes that strings may still take
	patch bool // strings are patches, of which only the file names may be seen
}

func (v *view) value(j gjson.Result, depth int) json.RawMessage {
	v.left -= 2 // what is small is not free
	switch {
	case j.Type == gjson.String:
		return v.embedded(j.Str, depth)
	case j.Type == gjson.Number && len(j.Raw) > maxNumber:
		return quote(cut)
	case j.Type != gjson.JSON:
		return json.RawMessage(j.Raw)
	case depth > maxDepth:
		return quote(cut)
	case j.IsArray():
		return v.array(j, depth)
	}
	return v.object(j, depth)
}

// embedded is a string, which may itself be JSON: some agents hand over an MCP
// tool's arguments so.
func (v *view) embedded(s string, depth int) json.RawMessage {
	if v.patch {
		return quote(v.string(patchHeaders(s)))
	}
	t := strings.TrimSpace(s)
	if v.Content || !strings.HasPrefix(t, "{") && !strings.HasPrefix(t, "[") || !json.Valid([]byte(t)) {
		return quote(v.string(s))
	}
	return v.value(gjson.Parse(t), depth+1)
}

func (v *view) array(j gjson.Result, depth int) json.RawMessage {
	b := []byte{'['}
	n, before := 0, ""
	j.ForEach(func(_, m gjson.Result) bool {
		if n > 0 {
			b = append(b, ',')
		}
		n++
		switch {
		case n > maxMembers || v.left <= 0:
			b = append(b, quote(cut)...)
			return false
		case m.Type == gjson.String && v.secretAfter(before, m.Str):
			b = append(b, quote(redact.Mark)...)
		default:
			b = append(b, v.value(m, depth+1)...)
		}
		before = m.Str
		return true
	})
	return append(b, ']')
}

// secretAfter reports whether a word is a secret by the one before it, as in
// ["--token", "x"].
func (v *view) secretAfter(before, word string) bool {
	if !strings.HasPrefix(before, "-") || len(word) > v.text {
		return false
	}
	return v.Redact(before+" "+word) != v.Redact(before)+" "+v.Redact(word)
}

// secretName reports whether a member is a secret by its name, as in
// {"password": "x"}.
func (v *view) secretName(name string) bool {
	if len(name) > v.text {
		return false
	}
	const value = `: "q7Zk2wXv9"` // which nothing but its name makes a secret
	return v.Redact(string(quote(name))+value) != v.Redact(string(quote(name)))+value
}

func (v *view) object(j gjson.Result, depth int) json.RawMessage {
	var o object
	for i, m := range members(j) {
		switch {
		case !v.Content && isContent(m.name):
			continue
		case i >= maxMembers || v.left <= 0:
			_ = o.add(cut, cut)
			return o.close()
		case v.secretName(m.name) && m.value.Type != gjson.Null:
			_ = o.add(v.string(m.name), redact.Mark)
			continue
		}
		_ = o.add(v.string(m.name), v.value(m.value, depth+1))
	}
	return o.close()
}

type member struct {
	name  string
	value gjson.Result
}

// members sorts an object's members, first those that say what a call does, so
// that nothing can take the place away from them. Of members that occur twice the
// last one counts, as it does in the agents.
func members(j gjson.Result) []member {
	at := map[string]int{}
	var all []member
	j.ForEach(func(k, m gjson.Result) bool {
		if i, ok := at[k.Str]; ok {
			all[i].value = m
			return true
		}
		at[k.Str] = len(all)
		all = append(all, member{k.Str, m})
		return true
	})
	telling := []string{"url", "path", "file_path", "cmd", "command"}
	slices.SortFunc(all, func(a, b member) int {
		return cmp.Or(slices.Index(telling, b.name)-slices.Index(telling, a.name), strings.Compare(a.name, b.name))
	})
	return all
}

// string redacts and cuts one string. Of a long one both ends are kept: what is
// dangerous may stand behind a lot of harmless words.
func (v *view) string(s string) string {
	most := min(v.text, v.left)
	// Redaction takes time; far more than can be shown need not be searched.
	if limit := 16 * v.text; len(s) > limit {
		s = rough(s, limit)
	}
	s = v.Redact(strings.ToValidUTF8(s, "\uFFFD"))
	if n := utf8.RuneCountInString(s); n > most {
		s = ends(s, most)
	}
	v.left -= len(s)
	return s
}

// ends keeps the first three quarters and the last quarter of n characters.
func ends(s string, n int) string {
	if n <= 0 {
		return cut
	}
	r := []rune(s)
	head, tail := string(r[:n*3/4]), string(r[len(r)-n/4:])
	return fmt.Sprintf("%s %s (%d characters left out) %s %s", head, cut, len(r)-n*3/4-n/4, cut, tail)
}

// rough does the same in bytes and, so that a secret is left whole or not at all,
// at the end of a word, unless that is far off.
func rough(s string, n int) string {
	const longest, space = 1_000, " \t\r\n"
	head, tail := s[:n*3/4], s[len(s)-n/4:]
	if i := strings.LastIndexAny(head, space); i > len(head)-longest {
		head = head[:i]
	}
	if i := strings.IndexAny(tail, space); i >= 0 && i < longest {
		tail = tail[i:]
	}
	return head + cut + tail
}

func quote(s string) json.RawMessage {
	b, _ := marshal(s) // a string cannot fail
	return b
}

func isPatchTool(name string) bool {
	return strings.EqualFold(name, "apply_patch") || strings.EqualFold(name, "ApplyPatch")
}

// patchHeaders keeps of a patch which files it touches.
func patchHeaders(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, h := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
			if strings.HasPrefix(line, h) {
				b.WriteString(line + "\n")
			}
		}
	}
	return b.String()
}
