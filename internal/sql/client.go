package sql

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// client reads a line that a client takes for itself, where a statement could
// begin. Sources: the manuals of sqlite3 (special commands), psql
// (meta-commands), mysql (client commands), sqlcmd and SQL*Plus.
func (l *lexer) client() bool {
	s := l.src[l.i:]
	switch {
	case s[0] == '.' && len(s) > 1 && isLetter(s[1]):
		l.dot(l.line()[1:])
	case strings.HasPrefix(s, "!!"), strings.HasPrefix(s, ":!!"):
		l.reader.add(escape, strings.Trim(l.line(), ":! "))
	case s[0] == '!' && l.atLineStart() && len(s) > 1 && (isLetter(s[1]) || s[1] == ' ' || s[1] == '/'):
		l.reader.add(escape, strings.Trim(l.line(), "! "))
	case s[0] == '@' && len(s) > 1 && (isLetter(s[1]) || s[1] == '/' || s[1] == '.') && l.atLineStart():
		l.reader.scripts = append(l.reader.scripts, strings.TrimRight(l.line()[1:], "; "))
	case s[0] == ':' && len(s) > 1 && isLetter(s[1]):
		name, arg := command(l.line()[1:])
		switch name {
		case "r":
			l.reader.scripts = append(l.reader.scripts, arg)
		case "out", "error", "perftrace":
			l.reader.file(effect.FileWrite, arg)
		}
	case isLetter(s[0]):
		return l.named()
	default:
		return false
	}
	return true
}

func (l *lexer) atLineStart() bool {
	before := strings.TrimRight(l.src[max(0, l.i-16):l.i], " \t")
	return before == "" || before[len(before)-1] == '\n'
}

// named reads the commands that mysql and SQL*Plus know by a word.
func (l *lexer) named() bool {
	if !l.ahead("delimiter", "system", "source", "tee", "pager", "host", "spool") {
		return false
	}
	at := l.i
	name, arg := command(l.line())
	arg = strings.TrimRight(arg, "; ")
	first, _ := command(arg)
	switch {
	case arg == "":
	case name == "delimiter":
		if d, _, _ := strings.Cut(arg, " "); d != "" {
			l.delimiter = d
		} else {
			l.delimiter = ";" // "DELIMITER ;"
		}
		return true
	case name == "system" && in(systems, first): // a statement of ClickHouse
		l.i = at
		return false
	case name == "system", name == "host":
		l.reader.add(escape, arg)
	case name == "pager":
		if first != "less" && first != "more" && first != "most" && first != "cat" {
			l.reader.add(escape, arg)
		}
	case name == "source":
		l.reader.scripts = append(l.reader.scripts, unquote(arg))
	case name == "tee", name == "spool":
		if first != "off" && first != "out" {
			l.reader.file(effect.FileWrite, unquote(arg))
		}
	}
	if name == "delimiter" {
		l.delimiter = ";"
	}
	return true
}

// systems are the words behind SYSTEM that make it a statement of ClickHouse.
const systems = " flush reload stop start sync drop shutdown kill restart restore enable disable unfreeze wait refresh cancel load unload "

// dot reads a command of sqlite3 or duckdb, which may be abbreviated.
func (l *lexer) dot(s string) {
	r := l.reader
	name, arg := command(s)
	is := func(full string, least int) bool { return len(name) >= least && strings.HasPrefix(full, name) }
	// Options come before the file.
	file := arg
	for strings.HasPrefix(file, "-") {
		_, file = command(file)
	}
	last := file
	if i := strings.LastIndexByte(file, ' '); i >= 0 && !strings.ContainsAny(file, `'"|`) {
		last = file[i+1:]
	}
	switch {
	case is("shell", 2), is("system", 2):
		r.add(escape, arg)
	case is("read", 3):
		if strings.HasPrefix(unquote(file), "|") {
			r.file(effect.FileRead, unquote(file))
		} else {
			r.scripts = append(r.scripts, unquote(file))
		}
	case is("output", 1), is("once", 1), is("log", 3), is("excel", 1) && file != "":
		if file != "" && file != "stdout" && file != "off" && file != "on" {
			r.file(effect.FileWrite, unquote(file))
		}
	case is("backup", 3), is("save", 3), is("clone", 2), is("dump_to", 6):
		r.file(effect.FileWrite, unquote(last))
	case is("import", 3):
		from := unquoteFirst(file)
		r.file(effect.FileRead, from)
	case is("load", 2):
		r.add(exec, unquoteFirst(file))
	case is("restore", 3):
		r.add(reset, unquote(last))
	case is("open", 2):
		r.databases = append(r.databases, unquote(last))
		if strings.HasPrefix(arg, "--new") || strings.HasPrefix(arg, "-new") {
			r.add(reset, unquote(file))
		}
	}
}

// meta reads a backslash outside of strings: a command of psql or mysql. What
// follows one that is not known here is read as SQL.
func (l *lexer) meta(ts []token) []token {
	r := l.reader
	s := l.src[l.i+1:]
	if s != "" && (s[0] == '!' || s[0] == '.') {
		l.i += 2
		arg := strings.TrimSpace(l.line())
		if s[0] == '!' {
			r.add(escape, arg)
		} else {
			r.scripts = append(r.scripts, unquote(arg))
		}
		return ts
	}
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	l.i += n + 1
	switch name := s[:n]; name {
	case "copy":
		return append(ts, token{word, `\copy`})
	case "c", "connect":
		for i, f := range strings.Fields(l.line()) { // database, user, host
			switch i {
			case 0:
				r.databases = append(r.databases, unquote(f))
			case 2:
				r.databases = append(r.databases, "host="+unquote(f))
			}
		}
	case "gexec":
		return append(ts, token{word, `\gexec`})
	case "i", "ir", "include", "include_relative":
		r.scripts = append(r.scripts, unquote(strings.TrimSpace(l.line())))
	case "o", "out", "w", "write", "T", "lo_export":
		arg := strings.TrimSpace(l.line())
		if name == "lo_export" {
			_, arg = command(arg)
		}
		r.file(effect.FileWrite, unquote(arg))
	case "lo_import":
		r.file(effect.FileRead, unquoteFirst(strings.TrimSpace(l.line())))
	case "P":
		r.add(escape, strings.TrimSpace(l.line()))
	case "password":
		r.add(grant, strings.TrimSpace(l.line()))
	case "g", "gx":
		// The result may go to a program or a file.
		at := l.i
		if arg := strings.TrimSpace(l.line()); strings.HasPrefix(arg, "|") {
			r.file(effect.FileWrite, arg)
		} else {
			l.i = at
		}
		ts = append(ts, token{end, ";"})
	case "G", "gset", "gdesc":
		ts = append(ts, token{end, ";"})
	case "":
		l.i = min(len(l.src), l.i+1)
	}
	return ts
}

// command splits a line at the first space. The name is in lower case.
func command(s string) (name, arg string) {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " \t"); i >= 0 {
		return strings.ToLower(s[:i]), strings.TrimSpace(s[i:])
	}
	return strings.ToLower(s), ""
}

func unquote(s string) string {
	if n := len(s); n > 1 && (s[0] == '\'' || s[0] == '"') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// unquoteFirst gives the first argument, which may be in quotes.
func unquoteFirst(s string) string {
	if s != "" && (s[0] == '\'' || s[0] == '"') {
		if e := strings.IndexByte(s[1:], s[0]); e >= 0 {
			return s[1 : e+1]
		}
	}
	if i := strings.IndexAny(s, " \t"); i >= 0 && !strings.HasPrefix(s, "|") {
		return s[:i]
	}
	return s
}

// in reports whether a word is in a list that begins and ends with a space.
func in(list, w string) bool {
	return w != "" && strings.Contains(list, " "+w+" ")
}
