package sql

import "strings"

// objects are what DROP takes away, dataless those of them that can be made again.
const (
	objects = " table tables database databases schema keyspace view materialized index user users role login group function procedure proc routine aggregate " +
		"sequence type domain trigger event extension tablespace server foreign external policy rule publication subscription owned language collation " +
		"measurement series retention shard continuous warehouse stage pipe stream streams task account share integration assembly certificate synonym package pluggable " +
		"credential directory dictionary quota profile resource constraint column partition graph catalog connection conversion operator cast statistics " +
		"link namespace volume audit container vector node alias current "
	dataless = " view function procedure proc trigger policy index rule routine aggregate synonym package type domain operator statistics constraint alias "
)

func (r *reader) drop(ts []token, i int, alters bool, altered string) {
	n := at(ts, i+1)
	switch {
	case n.is("temporary"), n.is("prepare"), n.is("temp"):
		return
	case n.is("server") && at(ts, i+2).is("audit"), n.is("audit"):
		r.add(blind, "audit")
		return
	case alters && !(n.kind == word && in(" table database schema user role ", n.text)):
		r.dropPart(ts, i+1, altered)
		return
	case n.is("table") || n.is("tables"):
		r.dropTables(ts, i+2)
		return
	case n.kind == word && in(objects, n.text):
	case starts(ts, i) && (n.kind == word && !in(" cache mark filesystem dns uncompressed query compiled mmap schema ", n.text) || n.kind == quoted) && !ts[0].is("system"):
	default:
		return
	}
	j := i + 2
	kind := n.text
	for at(ts, j).kind == word && in(" view table index mapping policy query wrapper data stream trigger ", ts[j].text) && len(ts) > j+1 && ts[j+1].kind != end && !ts[j+1].op(";") && in(" materialized foreign external retention continuous user event owned access text ", kind) {
		kind = ts[j].text
		j++
	}
	if at(ts, j).is("by") {
		j++
	}
	name, _ := r.name(ts, j)
	if in(dataless, kind) {
		if len(r.lost) < maxEffects {
			r.lost = append(r.lost, Effect{Kind: drop, Target: name})
		}
		return
	}
	e := Effect{Kind: drop, Target: name}
	if kind == "database" || kind == "schema" {
		e.Of = kind
	}
	r.note(e)
}

// dropTables reads the names behind DROP TABLE.
func (r *reader) dropTables(ts []token, i int) {
	for named := false; ; named = true {
		name, j := r.name(ts, i)
		if name == "" {
			if !named {
				r.add(drop, "")
			}
			return
		}
		after := at(ts, j)
		sure := after.kind != word && after.kind != quoted || after.kind == word && in(" cascade restrict go create select insert update delete drop alter exec end if begin ", after.text)
		if !(sure && r.isTemp(name)) {
			r.add(drop, name)
		}
		if !after.op(",") {
			return
		}
		i = j + 1
	}
}

func (r *reader) isTemp(name string) bool {
	n := strings.ToLower(name)
	return r.temps[n] || strings.HasPrefix(n, "#") || strings.HasPrefix(n, "tempdb.") || strings.HasPrefix(n, "pg_temp.") || strings.HasPrefix(n, "temp.")
}

// dropPart reads DROP in ALTER: a column or a partition takes its data along.
func (r *reader) dropPart(ts []token, i int, altered string) {
	n := at(ts, i)
	if n.kind != word && n.kind != quoted {
		return
	}
	if n.kind == word && in(" constraint default not foreign check identity expression generated member attribute value old if_not ", n.text) {
		return
	}
	if n.kind == word && in(" column partition index key projection ", n.text) {
		i++
	}
	name, _ := r.name(ts, i)
	r.add(drop, altered+"."+name)
}

func (r *reader) truncate(ts []token, i int, altered string) {
	n := at(ts, i+1)
	p := at(ts, i-1)
	if p.op(",") || p.kind == word && in(" grant revoke or before after on ", p.text) {
		return
	}
	if r.depth > 1 && i == 0 && (n.kind == end || n.op("%")) { // 'TRUNCATE ' || name
		r.add(drop, "")
		return
	}
	if n.kind != word && n.kind != quoted || n.kind == word && in(" on from or as desc asc and ", n.text) {
		return
	}
	j := i + 1
	for at(ts, j).kind == word && in(" table only if exists database tables all partition ", ts[j].text) {
		j++
	}
	name, _ := r.name(ts, j)
	if altered != "" && at(ts, i+1).is("partition") {
		name = altered + "." + name
	}
	if !r.isTemp(name) {
		r.add(drop, name)
	}
}

func (r *reader) delete(ts []token, i int, alters bool, altered string) {
	n, p := at(ts, i+1), at(ts, i-1)
	if p.kind == word && in(" on after before instead grant revoke detach ", p.text) || p.op(",") {
		return
	}
	if ts[0].is("match") {
		r.cypher(ts)
		return
	}
	table := ""
	switch {
	case n.is("from"):
		table, _ = r.name(ts, i+2)
	case alters && n.is("where"): // ClickHouse
		table = altered
	case starts(ts, i) && (n.kind == word && !in(" on or set ", n.text) || n.kind == quoted):
		for j := i + 1; j < len(ts) && j < i+12; j++ {
			if ts[j].is("from") {
				table, _ = r.name(ts, j+1)
				break
			}
		}
		if table == "" {
			table, _ = r.name(ts, i+1)
		}
		if table == "" || at(ts, i+1).is("top") {
			return
		}
	default:
		return
	}
	r.rows(ts, i+1, table)
}

func (r *reader) update(ts []token, i int) {
	p := at(ts, i-1)
	if at(ts, i+1).is("or") { // UPDATE OR REPLACE of SQLite
		i += 2
	}
	n := at(ts, i+1)
	if n.kind != word && n.kind != quoted || n.kind == word && in(" set of on nowait skip statistics or cascade ", n.text) {
		return
	}
	if p.kind == word && in(" for on key after before instead grant revoke of or ", p.text) || p.op(",") || p.op("|") {
		return
	}
	table, j := r.name(ts, i+1)
	if isAccounts(table) {
		r.add(grant, table)
		return
	}
	// SET follows soon, behind joins at most.
	found := false
	for ; j < len(ts) && j < i+64; j++ {
		if ts[j].is("set") {
			found = true
			break
		}
		if ts[j].kind == end {
			break
		}
	}
	if found {
		r.rows(ts, i+1, table)
	}
}

// rows reports a DELETE or an UPDATE that takes all rows.
func (r *reader) rows(ts []token, i int, table string) {
	if r.isTemp(table) {
		return
	}
	if isCatalog(table) {
		r.add(drop, table)
		return
	}
	cond, some, limited := r.condition(ts, i)
	if limited || some && !always(cond, table, 0) {
		return
	}
	r.add(wipeRows, table)
}

// verbs begin another statement.
const verbs = " delete update insert drop truncate select exec execute go commit rollback grant create alter merge "

// condition is what stands behind WHERE, or behind ON of a join. limited is true
// for LIMIT and TOP.
func (r *reader) condition(ts []token, i int) (cond []token, some, limited bool) {
	depth, from := 0, -1
	j := i
scan:
	for ; j < len(ts); j++ {
		if r.spent() {
			return nil, false, false
		}
		t := ts[j]
		switch t.kind {
		case end:
			break scan
		case op:
			switch t.text {
			case "(":
				depth++
			case ")":
				if depth--; depth < 0 {
					break scan
				}
			}
		case word:
			if depth > 0 {
				continue
			}
			switch {
			case t.text == "where", t.text == "on" && from < 0:
				from = j + 1
			case t.text == "limit", t.text == "top":
				limited = true
				break scan
			case t.text == "returning", t.text == "order", t.text == "option":
				if from >= 0 && cond == nil {
					cond = ts[from:j]
				}
			case in(verbs, t.text) && !at(ts, j+1).op("("):
				break scan
			}
		}
	}
	if from < 0 {
		return nil, false, limited
	}
	if cond == nil {
		cond = ts[from:j]
	}
	return cond, true, limited
}

func (r *reader) create(ts []token, i int) {
	j := i + 1
	replace, temp := false, false
	for at(ts, j).kind == word && in(" or replace temp temporary global local unlogged unique public force noforce definer transient private trusted procedural recursive editionable concurrently clustered nonclustered ", ts[j].text) {
		replace = replace || ts[j].text == "replace"
		temp = temp || ts[j].text == "temp" || ts[j].text == "temporary"
		j++
	}
	t := at(ts, j)
	if t.kind != word {
		return
	}
	name, _ := r.name(ts, j+1)
	switch t.text {
	case "table":
		if temp {
			r.temps[strings.ToLower(name)] = true
		} else if replace {
			r.replaced(name)
		}
	case "user", "role", "login", "group":
		if !at(ts, j+1).is("mapping") {
			r.add(grant, name)
		}
	case "database", "schema":
		if replace {
			r.add(drop, name)
		}
	case "extension", "language":
		if untrusted(strings.ToLower(name)) {
			r.add(exec, name)
		}
	case "assembly", "directory":
		r.add(exec, literal(ts, j+1))
	case "aggregate":
		r.created[strings.ToLower(name)] = true
	default:
		if in(dataless, t.text) {
			r.created[strings.ToLower(name)] = true
		}
	}
	for k := j; k < len(ts) && k < j+32; k++ {
		if ts[k].is("soname") || ts[k].is("program") && at(ts, k+1).kind == text {
			r.add(exec, literal(ts, k))
		}
	}
}

// alter reads ALTER USER, ALTER SYSTEM and the like; what it drops is read by drop.
func (r *reader) alter(ts []token, i int) {
	n := at(ts, i+1)
	switch {
	case n.is("user"), n.is("role"), n.is("login"), n.is("group"):
		name, j := r.name(ts, i+2)
		a := at(ts, j)
		if a.op("@") || a.kind == word && strings.HasPrefix(a.text, "@") {
			j++
			for at(ts, j).kind == text || at(ts, j).kind == quoted || at(ts, j).op("%") {
				j++
			}
			a = at(ts, j)
		}
		if a.kind == word && !in(" set reset rename in drop owner comment ", a.text) || at(ts, i+1).is("role") && a.is("add") {
			r.add(grant, name)
		} else if a.is("set") && at(ts, j+1).is("password") {
			r.add(grant, name)
		}
	case n.is("server"):
		if at(ts, i+2).is("audit") || at(ts, i+2).is("role") {
			for j := i; j < len(ts) && !r.spent(); j++ {
				if ts[j].is("off") {
					r.add(blind, "audit")
				} else if ts[j].is("member") {
					r.add(grant, literal(ts, j+1))
				}
			}
		}
	}
}

// set reads settings that have the server run programs, or log no more.
func (r *reader) set(ts []token, i int) {
	if at(ts, i+1).is("password") {
		r.add(grant, "password")
		return
	}
	for j := i + 1; j < len(ts) && ts[j].kind != end && !r.spent(); j++ {
		t := ts[j]
		if t.kind != word {
			continue
		}
		v := at(ts, j+1)
		if !v.op("=") && !v.op(":=") && !v.is("to") {
			continue
		}
		v = at(ts, j+2)
		name := t.text[strings.LastIndexByte(t.text, '.')+1:]
		switch strings.TrimLeft(name, "@") {
		case "general_log", "slow_query_log", "sql_log_bin", "server_audit_logging", "log_statement", "logging_collector", "audit_log_policy", "log_output", "audit_trail", "log_connections", "audit_sys_operations":
			if in(" 0 off false none no ", strings.ToLower(v.text)) && !at(ts, j-2).is("@@session") {
				r.add(blind, name)
			}
		case "log":
			if at(ts, j-2).is("pgaudit") && strings.EqualFold(v.text, "none") {
				r.add(blind, "pgaudit.log")
			}
		case "general_log_file", "slow_query_log_file", "init_connect", "init_file", "archive_command", "restore_command", "archive_cleanup_command", "shared_preload_libraries",
			"session_preload_libraries", "local_preload_libraries", "dynamic_library_path", "ssl_passphrase_command", "plugin_dir":
			r.add(exec, v.text)
		case "listen_addresses":
			if v.text == "*" || v.text == "0.0.0.0" {
				r.add(expose, v.text)
			}
		}
	}
}

// copy reads COPY of PostgreSQL, DuckDB and Snowflake, and \copy.
func (r *reader) copy(ts []token, i int) {
	if at(ts, i+1).is("into") {
		if n := at(ts, i+2); n.kind == text || n.kind == word && n.text[0] == '@' {
			r.file("file.write", n.text)
		}
		return
	}
	depth := 0
	for j := i + 1; j < len(ts) && !r.spent(); j++ {
		t := ts[j]
		switch {
		case t.op("("):
			depth++
		case t.op(")"):
			depth--
		case t.kind == end:
			return
		case depth == 0 && (t.is("to") || t.is("from")):
			n := at(ts, j+1)
			switch {
			case n.is("program"):
				r.add(exec, literal(ts, j+2))
				return
			case n.is("stdin"), n.is("stdout"), n.is("pstdin"), n.is("pstdout"):
				return
			}
			file := n.text
			if n.kind != text { // \copy takes a file without quotes
				file = ""
				for k := j + 1; k < len(ts) && ts[k].kind != end && !ts[k].op("(") && !(ts[k].kind == word && in(" csv with delimiter header format binary where ", ts[k].text)); k++ {
					file += ts[k].text
					if at(ts, k+1).is("csv") && ts[k].op(".") {
						file += "csv"
					}
				}
			}
			if t.text == "to" {
				r.file("file.write", file)
			} else {
				r.file("file.read", file)
			}
			return
		}
	}
}
