package script

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// readTcl lists the commands of a Tcl or expect script: exec rm -rf / is tcl:exec.
func readTcl(src string) Result {
	r := &tcl{line: 1, vars: map[string]effect.Value{}}
	r.script(src, 0)
	return Result{Calls: r.calls, Incomplete: r.incomplete}
}

type tcl struct {
	vars       map[string]effect.Value
	calls      []Call
	line       int
	incomplete bool
	steps      int
}

// script reads commands up to the end of src.
func (r *tcl) script(src string, depth int) {
	if depth > 24 || r.steps > 4*maxSource {
		r.incomplete = true
		return
	}
	r.steps += len(src)
	i, counted := 0, 0
	for i < len(src) {
		var words []effect.Value
		var bodies []string
		if depth == 0 {
			r.line += strings.Count(src[counted:i], "\n")
			counted = i
		}
		for i < len(src) && src[i] != '\n' && src[i] != ';' {
			switch c := src[i]; {
			case isSpace(c):
				i++
			case c == '\\' && i+1 < len(src) && src[i+1] == '\n':
				i += 2
			case c == '#' && len(words) == 0:
				for i < len(src) && src[i] != '\n' {
					i++
				}
			case c == '{' || strings.HasPrefix(src[i:], "{*}"):
				if strings.HasPrefix(src[i:], "{*}") {
					i += 3
					continue
				}
				end := tclBrace(src, i)
				body := src[i+1 : max(i+1, end-1)]
				words = append(words, effect.Lit(body))
				bodies = append(bodies, body)
				i = end
			case c == '"':
				end := i + 1
				for end < len(src) && src[end] != '"' {
					if src[end] == '\\' {
						end++
					}
					end++
				}
				end = min(end, len(src))
				words = append(words, r.subst(src[i+1:end], depth))
				i = end + 1
			default:
				end, nested := i, 0
				for end < len(src) {
					d := src[end]
					if d == '[' {
						nested++
					} else if d == ']' {
						nested--
					} else if nested <= 0 && (isSpace(d) || d == '\n' || d == ';') {
						break
					} else if d == '\\' {
						end++
					}
					end++
				}
				end = min(end, len(src))
				words = append(words, r.subst(src[i:end], depth))
				i = end
			}
		}
		i++
		r.command(words, bodies, depth)
	}
}

func tclBrace(src string, i int) int {
	n := 0
	for j := i; j < len(src); j++ {
		switch src[j] {
		case '\\':
			j++
		case '{':
			n++
		case '}':
			if n--; n == 0 {
				return j + 1
			}
		}
	}
	return len(src)
}

func (r *tcl) command(words []effect.Value, bodies []string, depth int) {
	if len(words) == 0 || words[0].Text == "" {
		return
	}
	name := words[0].Text
	switch name {
	case "set":
		if len(words) > 2 && len(r.vars) < 1<<14 {
			r.vars[words[1].Text] = words[2]
		}
		return
	case "if", "while", "for", "foreach", "proc", "catch", "try", "namespace", "after", "expect", "else", "switch", "apply", "uplevel", "interact", "expect_before", "trap":
		if name == "foreach" && len(words) > 2 && !words[2].Open {
			for i, f := range strings.Fields(words[2].Text) {
				if i < maxAlts {
					r.vars[words[1].Text] = effect.Lit(f)
					for _, b := range bodies[max(0, len(bodies)-1):] {
						r.script(b, depth+1)
					}
				}
			}
			return
		}
		for _, b := range bodies {
			r.script(b, depth+1)
		}
		return
	case "eval":
		if len(words) == 2 && len(bodies) == 1 {
			r.script(bodies[0], depth+1)
			return
		}
	}
	if len(r.calls) >= maxCalls {
		r.incomplete = true
		return
	}
	if name == "open" && len(words) > 1 && strings.HasPrefix(words[1].Text, "|") {
		words[1].Text = words[1].Text[1:]
		name, words = "system", words[:2]
	}
	r.calls = append(r.calls, Call{Name: "tcl:" + strings.TrimPrefix(name, "::"), Args: words[1:], Line: max(1, r.line)})
}

// subst resolves $x, [command] and backslashes.
func (r *tcl) subst(w string, depth int) effect.Value {
	var out effect.Value
	var b strings.Builder
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c == '\\' && i+1 < len(w):
			i++
			b.WriteString((&lexer{lang: "tcl"}).unescape(w[i-1:i+1], false))
		case c == '[':
			n, j := 0, i
			for ; j < len(w); j++ {
				if w[j] == '[' {
					n++
				} else if w[j] == ']' {
					if n--; n == 0 {
						break
					}
				}
			}
			at := len(r.calls)
			r.script(w[i+1:min(j, len(w))], depth+1)
			out.Open = true
			b.WriteString("$value")
			for _, c := range r.calls[at:] {
				switch c.Name {
				case "tcl:exec", "tcl:open":
					out.Origin |= effect.Local
				case "tcl:http.geturl", "tcl:http::geturl", "tcl:http::data":
					out.Origin |= effect.Downloaded
				case "tcl:binary", "tcl:base64::decode":
					out.Origin |= effect.Decoded
				}
			}
			i = j
		case c == '$':
			j := i + 1
			for j < len(w) && (isWord(w[j]) || w[j] == ':') {
				j++
			}
			n := w[i+1 : j]
			v, ok := r.vars[n]
			switch {
			case ok && b.Len() < maxText:
				b.WriteString(v.Text)
				out.Open, out.Origin = out.Open || v.Open, out.Origin|v.Origin
			case n == "env" && strings.HasPrefix(w[j:], "(HOME)"):
				b.WriteString("~")
				j += 6
			case n == "":
				b.WriteByte('$')
			default:
				b.WriteString(variable(n))
				out.Open = true
			}
			i = j - 1
		default:
			b.WriteByte(c)
		}
	}
	out.Text = b.String()
	return out
}
