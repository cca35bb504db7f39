package sql

import "strings"

const killAll = "process.kill-all"

// sessions reads what ends the sessions of many: pg_terminate_backend(pid) for each
// row, KILL of what another statement names. One that is given by its number is the
// everyday way to end a query that hangs.
func (r *reader) sessions(ts []token, i int) {
	n := at(ts, i+2)
	if n.kind != word && n.kind != quoted || n.text[0] == '$' || n.text[0] == ':' || n.is("pg_backend_pid") {
		return
	}
	of := ""
	for j := i; j < len(ts) && !r.spent(); j++ {
		if ts[j].kind != word || ts[j].text != "datname" && ts[j].text != "db" {
			continue
		}
		if of = literal(ts, j+1); spare(of) {
			return
		}
	}
	r.add(killAll, of)
}

// closed reads what shuts all others out of a database: ALTER DATABASE … SET OFFLINE.
func (r *reader) closed(ts []token, i int) {
	name, j := r.name(ts, i+2)
	if name == "" {
		return
	}
	for ; j < len(ts) && ts[j].kind != end && !r.spent(); j++ {
		t, n := ts[j], at(ts, j+1)
		switch {
		case t.kind == word && in(" single_user restricted_user offline emergency ", t.text) && (at(ts, j-1).is("set") || at(ts, j-1).op(",") || at(ts, i+1).is("tablespace")),
			t.is("allow_connections") && (n.is("false") || at(ts, j+2).is("false")),
			t.is("connection") && n.is("limit") && at(ts, j+2).text == "0":
			r.add(service, name)
			return
		}
	}
}

// replaced reads CREATE OR REPLACE TABLE, INSERT OVERWRITE and ALTER TABLE … SWAP WITH:
// what the table held is gone.
func (r *reader) replaced(table string) {
	if !spare(table) {
		r.note(Effect{Kind: drop, Target: table, Replaced: true})
	}
}

// spare reports whether a name says, as a word of its own, that what it names can be
// made again at any time.
func spare(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return c == '.' || c == '_' || c == '-' })
	for _, w := range words {
		if in(" tmp temp test tests testing dev scratch sandbox staging stg ci ", w) {
			return true
		}
	}
	return false
}
