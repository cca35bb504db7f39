package sql

import (
	"strconv"
	"strings"
)

// maxParens bounds how deep a condition is read.
const maxParens = 8

// always reports whether a condition holds for all rows: 1=1, true, id = id,
// id IS NOT NULL, x OR 1. table is the one whose rows are asked for.
func always(cond []token, table string, depth int) bool {
	cond = parens(cond)
	if depth > maxParens {
		return true // nobody writes this to spare a row
	}
	if parts := split(cond, "or", "||"); len(parts) > 1 {
		for _, p := range parts {
			if always(p, table, depth+1) {
				return true
			}
		}
		return false
	}
	if parts := split(cond, "and", "&&"); len(parts) > 1 {
		for _, p := range parts {
			if !always(p, table, depth+1) {
				return false
			}
		}
		return true
	}
	return holds(cond, table) == yes
}

type truth int

const (
	unknown truth = iota
	yes
	no
)

func known(b bool) truth {
	if b {
		return yes
	}
	return no
}

// holds tells an atom of a condition.
func holds(ts []token, table string) truth {
	ts = parens(ts)
	if len(ts) == 0 {
		return unknown
	}
	if ts[0].is("not") || ts[0].op("!") {
		switch holds(ts[1:], table) {
		case yes:
			return no
		case no:
			return yes
		}
		return unknown
	}
	if len(ts) == 1 {
		switch t := ts[0]; t.kind {
		case number:
			f, err := strconv.ParseFloat(t.text, 64)
			return known(err != nil || f != 0)
		case word:
			if t.text == "true" {
				return yes
			}
			if t.text == "false" || t.text == "null" {
				return no
			}
		case text:
			return known(t.text != "" && t.text != "0" && t.text != "f" && t.text != "false")
		}
		return unknown
	}
	if ts[0].is("exists") {
		for _, t := range ts {
			if t.is("from") {
				return unknown
			}
		}
		return yes
	}
	i, operator := comparison(ts)
	if i < 0 {
		return unknown
	}
	left, right := parens(ts[:i]), parens(ts[i+1:])
	same := equal(left, right)
	switch operator {
	case "is":
		switch {
		case len(right) == 2 && right[0].is("not") && right[1].is("null"):
			if isKey(left) || len(left) == 1 && (left[0].kind == number || left[0].kind == text) {
				return yes
			}
		case same, len(left) == 1 && len(right) == 1 && left[0].is("true") && right[0].is("true"):
			return yes
		}
	case "like", "ilike", "glob", "regexp", "rlike", "~":
		if same || len(right) == 1 && right[0].kind == text && in(" % %% * .* .+ . ^ ^.* ", right[0].text) {
			return yes
		}
	case "in":
		return within(right, table)
	case "=", "==", "<=>", "<=", ">=":
		if same {
			return yes
		}
		if operator == ">=" && isKey(left) && (value(right) == "0" || value(right) == "1") {
			return yes
		}
	case "<", ">", "<>", "!=":
		if same {
			return no
		}
		if isKey(left) && operator != "<" {
			switch value(right) {
			case "0", "-1", "", "-999":
				return yes
			}
		}
	}
	return compare(left, operator, right)
}

// compare compares two literals.
func compare(left []token, operator string, right []token) truth {
	if len(left) != 1 || len(right) != 1 {
		return unknown
	}
	l, r := left[0], right[0]
	literal := func(t token) bool { return t.kind == number || t.kind == text }
	if !literal(l) || !literal(r) {
		return unknown
	}
	c := strings.Compare(l.text, r.text)
	if a, err := strconv.ParseFloat(l.text, 64); err == nil {
		if b, err := strconv.ParseFloat(r.text, 64); err == nil {
			c = 0
			if a < b {
				c = -1
			} else if a > b {
				c = 1
			}
		}
	}
	switch operator {
	case "=", "==", "<=>", "like", "is":
		return known(c == 0)
	case "<>", "!=":
		return known(c != 0)
	case "<":
		return known(c < 0)
	case ">":
		return known(c > 0)
	case "<=":
		return known(c <= 0)
	case ">=":
		return known(c >= 0)
	}
	return unknown
}

// within tells x IN (SELECT y FROM the same table): all of them.
func within(right []token, table string) truth {
	from := ""
	for i, t := range right {
		switch {
		case t.kind == word && in(" where limit join having order group ", t.text):
			return unknown
		case t.is("from"):
			from, _ = (*reader)(nil).name(right, i+1)
		}
	}
	if from != "" && strings.EqualFold(from, table) {
		return yes
	}
	return unknown
}

// comparison finds the operator of an atom.
func comparison(ts []token) (int, string) {
	depth := 0
	for i, t := range ts {
		switch {
		case t.op("("):
			depth++
		case t.op(")"):
			depth--
		case depth == 0 && i > 0 && (t.kind == op && in(" = == <=> <> != < > <= >= ~ ", t.text) || t.kind == word && in(" is like ilike glob regexp rlike in ", t.text)):
			if ts[i-1].is("not") {
				return -1, ""
			}
			return i, t.text
		}
	}
	return -1, ""
}

// isKey reports whether an expression is a column that has a value in every row.
func isKey(ts []token) bool {
	if len(ts) == 0 || len(ts) > 5 {
		return false
	}
	t := ts[len(ts)-1]
	return (t.kind == word || t.kind == quoted) && in(" id _id rowid _rowid_ uuid pk ctid oid ", strings.ToLower(t.text))
}

func value(ts []token) string {
	switch {
	case len(ts) == 1 && (ts[0].kind == number || ts[0].kind == text):
		return ts[0].text
	case len(ts) == 2 && ts[0].op("-"):
		return "-" + ts[1].text
	}
	return "?"
}

func equal(a, b []token) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
		if a[i].kind == word && in(" random rand newid gen_random_uuid uuid_generate_v4 rand_canonical nextval clock_timestamp ", a[i].text) {
			return false // it gives another value each time
		}
	}
	return true
}

// parens takes off parentheses around the whole.
func parens(ts []token) []token {
	for n := 0; n < maxParens && len(ts) > 1 && ts[0].op("(") && ts[len(ts)-1].op(")"); n++ {
		depth := 0
		for i, t := range ts {
			if t.op("(") {
				depth++
			} else if t.op(")") {
				depth--
			}
			if depth == 0 && i < len(ts)-1 {
				return ts
			}
		}
		ts = ts[1 : len(ts)-1]
	}
	return ts
}

// split cuts a condition at words that stand outside of parentheses.
func split(ts []token, w, o string) [][]token {
	var out [][]token
	depth, from := 0, 0
	for i, t := range ts {
		switch {
		case t.op("("):
			depth++
		case t.op(")"):
			depth--
		case depth == 0 && (t.is(w) || t.op(o)):
			out = append(out, ts[from:i])
			from = i + 1
		}
	}
	return append(out, ts[from:])
}
