package winshell

import (
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// format is "{0}{1}" -f …
func (r *reader) format(f value, args []value, o effect.Origin) value {
	out := value{kind: text, origin: o}
	if !f.known() {
		out.open = true
	}
	var b strings.Builder
	s := f.string()
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "{{") || strings.HasPrefix(s[i:], "}}"):
			b.WriteByte(s[i])
			i++
		case s[i] == '{':
			end := strings.IndexByte(s[i:min(len(s), i+64)], '}')
			if end < 0 {
				b.WriteByte(s[i])
				continue
			}
			index, spec, _ := strings.Cut(s[i+1:i+end], ":")
			index, _, _ = strings.Cut(index, ",")
			if n, err := strconv.Atoi(strings.TrimSpace(index)); err == nil && n >= 0 && n < len(args) {
				t := args[n].string()
				if k, ok := args[n].int(); ok && (spec == "x" || spec == "X" || spec == "x2" || spec == "X2") {
					t = strconv.FormatInt(int64(k), 16)
				}
				out.open = out.open || args[n].isOpen()
				if !r.fold(len(t)) {
					out.open = true
					t = "$()"
				}
				b.WriteString(t)
			}
			i += end
		default:
			b.WriteByte(s[i])
		}
		if b.Len() > maxText {
			out.open = true
			break
		}
	}
	out.text = b.String()
	return out
}

// join is -join: what was put together from single characters was assembled.
func (r *reader) join(v value, sep string) value {
	items := v.array()
	out := value{kind: text, origin: v.origins()}
	var b strings.Builder
	for i, x := range items {
		if i > 0 {
			b.WriteString(sep)
		}
		s := x.string()
		if x.isOpen() {
			out.open = true
		}
		out.origin |= x.origins()
		if b.Len()+len(s) > maxText {
			out.open = true
			break
		}
		b.WriteString(s)
	}
	out.text = b.String()
	if !r.fold(len(out.text) + len(items)) {
		return of("$()", out.origin)
	}
	return out
}

func (r *reader) split(a, b value) value {
	sep := ","
	if items := b.array(); len(items) > 0 {
		sep = items[0].string()
	}
	return a.each(func(a value) value {
		if !a.known() || !r.spend(len(a.text)*2) {
			return value{kind: list, list: []value{of(a.string(), a.origins())}}
		}
		out := value{kind: list, origin: a.origin}
		add := func(s string) {
			if len(out.list) < maxList {
				out.list = append(out.list, value{kind: text, text: s, origin: a.origin})
			}
		}
		set, isSet := strings.CutPrefix(sep, "[")
		set, closed := strings.CutSuffix(set, "]")
		switch {
		case isSet && closed:
			for s := range strings.FieldsFuncSeq(a.text, func(c rune) bool { return strings.ContainsRune(set, c) }) {
				add(s)
			}
		case sep == `\s+` || sep == `\s` || sep == "":
			for s := range strings.FieldsSeq(a.text) {
				add(s)
			}
		default:
			for s := range strings.SplitSeq(a.text, unescape(sep)) {
				add(s)
			}
		}
		return out
	})
}

// unescape takes the backslashes out of a pattern that is a plain text.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// replace is -replace and .Replace. A pattern that is more than a text, a set of
// characters or alternatives is not followed: the text stays as it is.
func (r *reader) replace(v value, old, with string, pattern bool) value {
	return r.derive(v, func(s string) (string, bool) {
		olds := []string{old}
		if pattern {
			if set, ok := strings.CutPrefix(old, "["); ok && strings.HasSuffix(set, "]") && len(set) > 1 && set[0] != '^' {
				olds = strings.Split(unescape(set[:len(set)-1]), "")
			} else if strings.ContainsAny(strings.ReplaceAll(old, `\`, ""), "[*+?^${") && !strings.Contains(old, `\`) {
				return s, true
			} else {
				olds = strings.Split(old, "|")
				if strings.Contains(old, `\|`) {
					olds = []string{old}
				}
				for i := range olds {
					olds[i] = unescape(strings.Trim(olds[i], "()"))
				}
			}
		}
		if len(olds) > 64 {
			return "", false
		}
		for _, o := range olds {
			if o == "" {
				continue
			}
			if n := strings.Count(s, o); n*len(with) > maxText {
				return "", false
			}
			if pattern && !strings.Contains(s, o) {
				s = replaceFold(s, o, with)
			} else {
				s = strings.ReplaceAll(s, o, with)
			}
			if !r.fold(len(s)) {
				return "", false
			}
		}
		return s, true
	})
}

// replaceFold replaces without looking at the case of letters.
func replaceFold(s, old, with string) string {
	low, o := strings.ToLower(s), strings.ToLower(old)
	if len(low) != len(s) || !strings.Contains(low, o) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(low, o)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		b.WriteString(with)
		s, low = s[i+len(o):], low[i+len(o):]
		if b.Len() > maxText {
			return b.String()
		}
	}
}
