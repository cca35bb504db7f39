package sql

import "strings"

// changing are the words with which statements begin that change something.
const changing = " drop truncate delete alter kill update grant revoke rename create insert "

// Made is the SQL that the queries of a text would print as their result, "" for none:
// SELECT CONCAT('DROP TABLE ', name, ';') FROM …. What a row holds stands as x in it.
func Made(src string) string {
	r := newReader()
	r.work = len(src) + 4096
	l := &lexer{src: src, delimiter: ";", reader: r}
	var out strings.Builder
	var ts []token
	for more := true; more; {
		ts, more = l.statement(ts[:0])
		if len(ts) > 0 && (ts[0].is("select") || ts[0].is("with")) {
			out.WriteString(made(ts))
		}
	}
	return out.String()
}

// made joins the literals of a SELECT, "" where they do not begin as a statement does.
func made(ts []token) string {
	var b strings.Builder
	began, gap := false, false
	for _, t := range ts {
		switch {
		case t.kind == text && !began:
			first, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(t.text)), " ")
			if !in(changing, first) {
				return ""
			}
			began = true
			b.WriteString(t.text)
		case t.kind == text:
			if gap {
				b.WriteString("x")
			}
			gap = false
			b.WriteString(t.text)
		case t.is("from"):
			if !began {
				return ""
			}
			if gap {
				b.WriteString("x")
			}
			return b.String() + ";\n"
		case began && (t.kind == word || t.kind == quoted):
			gap = true
		}
	}
	return ""
}
