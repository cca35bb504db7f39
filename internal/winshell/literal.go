package winshell

import (
	"strconv"
	"strings"
)

// variable reads the name behind a $ and gives what is known of it.
func (r *reader) variable() value {
	name := r.varName()
	if name == "" {
		return lit("$")
	}
	low := strings.ToLower(name)
	if v, ok := r.vars[low]; ok {
		v.prod, v.at, v.ref = nil, 0, low
		if v.kind == text && v.open && len(v.text) > maxText {
			return of("$"+name, v.origin)
		}
		return v
	}
	switch low {
	case "_", "psitem", "input":
		if low == "input" && !r.in.scalar() && r.in.kind != list {
			return of("$input", r.origin|r.in.origin)
		}
		return r.in
	case "null":
		return value{kind: text}
	case "true", "false":
		return lit(low)
	case "pwd", "psscriptroot":
		return lit(".")
	case "home", "env:userprofile", "env:home":
		return lit("$HOME")
	case "profile":
		return value{kind: text, text: "$HOME/Documents/PowerShell/Microsoft.PowerShell_profile.ps1"}
	case "pshome":
		return lit(`C:\Windows\System32\WindowsPowerShell\v1.0`)
	case "shellid":
		return lit("Microsoft.PowerShell")
	case "verbosepreference", "debugpreference":
		return lit("SilentlyContinue")
	case "env:comspec":
		return lit(`C:\WINDOWS\system32\cmd.exe`)
	case "env:systemroot", "env:windir":
		return lit(`C:\Windows`)
	case "env:systemdrive", "env:homedrive":
		return lit("C:")
	case "env:programfiles":
		return lit(`C:\Program Files`)
	case "env:programdata", "env:allusersprofile", "env:public":
		if low == "env:public" {
			return lit(`C:\Users\Public`)
		}
		return lit(`C:\ProgramData`)
	case "env:temp", "env:tmp", "env:appdata", "env:localappdata":
		return lit("$env:" + strings.ToUpper(low[4:]))
	case "executioncontext":
		return value{kind: object, name: "executioncontext"}
	}
	return of("$"+name, r.origin)
}

// varName reads x, env:X, {any text}, global:x without its scope.
func (r *reader) varName() string {
	if r.peek() == '{' {
		end := strings.IndexByte(r.src[r.pos:min(len(r.src), r.pos+512)], '}')
		if end < 0 {
			r.pos++
			return ""
		}
		name := strings.ReplaceAll(r.src[r.pos+1:r.pos+end], "`", "")
		r.pos += end + 1
		return unscoped(name)
	}
	if c := r.peek(); c == '$' || c == '?' || c == '^' {
		r.pos++
		return string(c)
	}
	name := r.ident()
	r.pos += len(name)
	if name != "" && r.peek() == ':' && isWord(r.at(1)) {
		r.pos++
		rest := r.ident()
		r.pos += len(rest)
		return unscoped(name + ":" + rest)
	}
	return name
}

func unscoped(name string) string {
	for _, scope := range []string{"global:", "script:", "local:", "private:", "using:", "variable:", "workflow:"} {
		if len(name) > len(scope) && strings.EqualFold(name[:len(scope)], scope) {
			return name[len(scope):]
		}
	}
	return name
}

// single reads a text in single quotes.
func (r *reader) single() string {
	r.pos++
	start := r.pos
	var b strings.Builder
	for {
		i := strings.IndexByte(r.src[r.pos:], '\'')
		if i < 0 {
			s := r.src[r.pos:]
			r.pos = len(r.src)
			b.WriteString(s)
			break
		}
		b.WriteString(r.src[r.pos : r.pos+i])
		r.pos += i + 1
		if r.peek() != '\'' {
			if r.pos-1-start == b.Len() {
				return r.src[start : r.pos-1]
			}
			break
		}
		b.WriteByte('\'')
		r.pos++
	}
	return b.String()
}

// double reads a text in double quotes.
func (r *reader) double() value {
	r.pos++
	return r.expand(func() bool {
		if r.peek() != '"' {
			return false
		}
		r.pos++
		if r.peek() == '"' {
			r.pos--
			return false
		}
		return true
	}, true)
}

// expand reads a text with $name and $(…) in it up to where end holds.
func (r *reader) expand(end func() bool, doubled bool) value {
	out := value{kind: text}
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = r.concat(out, lit(b.String()))
			b.Reset()
		}
	}
	var prod Pipeline
	at, parts := 0, 0
	for !r.eof() && !end() {
		c := r.peek()
		switch {
		case c == '`' && r.pos+1 < len(r.src):
			r.pos++
			b.WriteString(r.escape())
		case c == '"' && r.at(1) == '"' && doubled:
			b.WriteByte('"')
			r.pos += 2
		case c == '$' && (r.at(1) == '(' || r.at(1) == '{' || isWord(r.at(1)) || r.at(1) == '$' || r.at(1) == '?' || r.at(1) == '^'):
			flush()
			r.pos++
			var v value
			if r.take("(") {
				v = r.sub(')')
				prod, at = v.prod, v.at
			} else {
				v = r.variable()
			}
			parts++
			if v.kind == unknown && v.text == "" && !v.open {
				v = value{kind: text}
			}
			out = r.concat(out, v)
		default:
			b.WriteByte(c)
			r.pos++
		}
	}
	plain := b.Len() == 0
	flush()
	if plain && parts == 1 && prod != nil && out.text == "$()" {
		out.prod, out.at = prod, at // "$(command)" is the command's output
	}
	return out
}

// escape reads what stands behind a backtick.
func (r *reader) escape() string {
	c := r.peek()
	r.pos++
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '0':
		return "\x00"
	case 'a', 'b', 'f', 'v':
		return ""
	case 'e':
		return "\x1b"
	case '\r':
		r.take("\n")
		return ""
	case '\n':
		return ""
	case 'u':
		if r.peek() == '{' {
			if i := strings.IndexByte(r.src[r.pos:min(len(r.src), r.pos+10)], '}'); i > 0 {
				if n, err := strconv.ParseUint(r.src[r.pos+1:r.pos+i], 16, 32); err == nil {
					r.pos += i + 1
					return string(rune(n))
				}
			}
		}
	}
	return string([]byte{c})
}

// here reads a here-string.
func (r *reader) here() value {
	q := r.at(1)
	i := strings.IndexByte(r.src[r.pos:], '\n')
	if i < 0 || strings.TrimSpace(r.src[r.pos+2:r.pos+i]) != "" {
		r.pos++
		if q == '"' {
			return r.double()
		}
		return lit(r.single())
	}
	r.pos += i + 1
	stop := "\n" + string(q) + "@"
	if r.has(string(q) + "@") {
		r.pos += 2
		return lit("")
	}
	if q == '\'' {
		end := strings.Index(r.src[r.pos:], stop)
		if end < 0 {
			s := r.src[r.pos:]
			r.pos = len(r.src)
			return lit(s)
		}
		s := r.src[r.pos : r.pos+end]
		r.pos += end + len(stop)
		return lit(strings.TrimSuffix(s, "\r"))
	}
	return r.expand(func() bool {
		return r.peek() == '\n' && r.take(stop) || r.peek() == '\r' && r.take("\r"+stop)
	}, false)
}
