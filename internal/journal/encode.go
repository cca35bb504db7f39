package journal

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// encode renders a record as JSON, with the members in the order and under the
// names of [Record]'s fields and empty ones left out. It is written by hand for
// the cold process that a hook is: encoding/json first has to learn the type,
// which takes as long as all the rest of an append. Reading is in nobody's way
// and uses encoding/json.
func encode(r *Record) []byte {
	w := writer(make([]byte, 0, 2<<10+len(r.Payload)))
	w.open('{')
	w.number("v", int64(r.V))
	w.text("kind", r.Kind)
	w.text("id", r.ID)
	w.time("time", r.Time)
	w.text("agent", r.Agent)
	w.text("caller", r.Caller)
	w.text("event", r.Event)
	w.text("session", r.Session)
	w.text("turn", r.Turn)
	w.text("tool", r.Tool)
	w.text("tool_use_id", r.ToolUseID)
	w.text("cwd", r.CWD)
	w.text("mode", r.Mode)
	w.text("subject", r.Subject)
	w.text("action", r.Action)
	w.text("signature", r.Signature)
	if len(r.Payload) > 0 {
		w.key("payload")
		w = append(w, r.Payload...)
	}
	w.text("decision", string(r.Decision))
	w.text("basis", string(r.Basis))
	w.text("reason", r.Reason)
	if len(r.Reasons) > 0 {
		w.key("reasons")
		w.open('[')
		for _, x := range r.Reasons {
			w.comma()
			w.open('{')
			w.key("rule")
			w.quote(x.Rule)
			w.key("do")
			w.quote(x.Do)
			w.text("text", x.Text)
			w.text("at", x.At)
			if x.Settled {
				w.key("settled")
				w = append(w, "true"...)
			}
			w.close('}')
		}
		w.close(']')
	}
	if len(r.Judgments) > 0 {
		w.key("judgments")
		w.open('[')
		for _, x := range r.Judgments {
			w.comma()
			w.open('{')
			w.key("name")
			w.quote(x.Name)
			w.key("rule")
			w.quote(x.Rule)
			w.key("condition")
			w.quote(x.Condition)
			w.key("value")
			w.value(x.Value)
			w.text("model", x.Model)
			w.key("held")
			w = strconv.AppendBool(w, x.Held)
			w.close('}')
		}
		w.close(']')
	}
	if len(r.Precedents) > 0 {
		w.key("precedents")
		w.open('[')
		for _, x := range r.Precedents {
			w.comma()
			w.open('{')
			w.key("event")
			w.quote(x.Event)
			w.key("decision")
			w.quote(string(x.Decision))
			w.text("by", x.By)
			w.key("source")
			w.quote(x.Source)
			w.time("time", x.Time)
			w.key("score")
			w.value(x.Score)
			w.close('}')
		}
		w.close(']')
	}
	w.list("guidance", r.Guidance)
	w.list("faults", r.Faults)
	w.text("approved_by", r.ApprovedBy)
	w.text("answered", string(r.Answered))
	w.text("degraded", r.Degraded)
	if t := r.Timings; t != nil {
		w.key("timings")
		w.open('{')
		w.number("read", t.Read)
		w.number("decode", t.Decode)
		w.number("judge", t.Judge)
		w.number("total", t.Total)
		w.close('}')
	}
	w.text("target", r.Target)
	w.text("by", r.By)
	w.text("source", r.Source)
	if !r.Until.IsZero() {
		w.time("until", r.Until)
	}
	w.text("note", r.Note)
	if s := r.Span; s != nil {
		w.key("span")
		w.open('{')
		w.number("lines", int64(s.Lines))
		w.text("first", s.First)
		w.text("last", s.Last)
		w.close('}')
	}
	w.list("vouched", r.Vouched)
	w.list("known", r.Known)
	w.text("imported", r.Imported)
	w.text("was", r.Was) // the last, see wasMember
	w.close('}')
	return w
}

// writer is JSON in the making.
type writer []byte

func (w *writer) open(bracket byte)  { *w = append(*w, bracket) }
func (w *writer) close(bracket byte) { *w = append(*w, bracket) }

// comma separates from what precedes, if anything does.
func (w *writer) comma() {
	switch (*w)[len(*w)-1] {
	case '{', '[', ':':
	default:
		*w = append(*w, ',')
	}
}

// key begins a member.
func (w *writer) key(name string) {
	w.comma()
	w.quote(name)
	*w = append(*w, ':')
}

func (w *writer) number(name string, n int64) {
	w.key(name)
	*w = strconv.AppendInt(*w, n, 10)
}

// value writes an answer: a number in encoding/json's spelling, a text, or null.
func (w *writer) value(v any) {
	switch v := v.(type) {
	case string:
		w.quote(v)
	case float64:
		if a := math.Abs(v); a == 0 || a >= 1e-6 && a < 1e21 {
			*w = strconv.AppendFloat(*w, v, 'f', -1, 64)
			return
		}
		// It writes 1e-7 where strconv has 1e-07.
		*w = append(*w, strings.Replace(strconv.FormatFloat(v, 'e', -1, 64), "e-0", "e-", 1)...)
	default:
		*w = append(*w, "null"...)
	}
}

func (w *writer) time(name string, t time.Time) {
	w.key(name)
	*w = append(*w, '"')
	*w = t.AppendFormat(*w, time.RFC3339Nano)
	*w = append(*w, '"')
}

func (w *writer) text(name, s string) {
	if s != "" {
		w.key(name)
		w.quote(s)
	}
}

func (w *writer) list(name string, list []string) {
	if len(list) == 0 {
		return
	}
	w.key(name)
	w.open('[')
	for _, s := range list {
		w.comma()
		w.quote(s)
	}
	w.close(']')
}

// quote writes a JSON string. Invalid UTF-8 becomes U+FFFD.
func (w *writer) quote(s string) {
	const hex = "0123456789abcdef"
	out := append(*w, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\t':
			out = append(out, '\\', 't')
		case c < ' ':
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			out = append(out, c)
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			out = utf8.AppendRune(out, r)
			i += size
			continue
		}
		i++
	}
	*w = append(out, '"')
}
