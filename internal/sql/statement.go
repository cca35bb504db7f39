package sql

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// statement reads the tokens of one statement. open is true for a routine whose
// end is missing: who knows where its body ends, so all of it counts.
func (r *reader) statement(ts []token, open bool) {
	if len(ts) == 0 {
		return
	}
	if ts[0].kind == word {
		switch ts[0].text {
		case "explain":
			// EXPLAIN shows a plan; EXPLAIN ANALYZE runs the statement.
			i := 1
			for i < len(ts) && i < 24 && !ts[i].is("analyze") {
				i++
			}
			if i >= len(ts) || !ts[i].is("analyze") {
				return
			}
			ts = ts[i+1:]
		case "desc", "describe", "help", "show":
			return
		case "create":
			if i := routineAt(ts); i > 0 && !open {
				r.routine(ts, i)
				return
			}
		case "set", "declare", "select":
			r.assign(ts)
		}
	}
	for i, t := range ts {
		if i == 0 && !t.is("select") && !t.is("with") && !t.is("copy") && !t.is("table") {
			break
		}
		for _, name := range []string{"pg_authid", "pg_shadow", "authentication_string", "rolpassword", "sql_logins"} {
			if t.is(name) { // the database's own passwords
				r.add(effect.SecretRead, name)
			}
		}
	}
	r.scan(ts)
}

// routineAt is the index of FUNCTION, TRIGGER … in a statement that makes one.
func routineAt(ts []token) int {
	for i := 1; i < len(ts) && i < 12; i++ {
		if ts[i].kind == word && in(routines, ts[i].text) {
			return i
		}
		if ts[i].kind == word && in(" table view user role database schema extension ", ts[i].text) {
			return 0
		}
	}
	return 0
}

// routine reads what makes a function, a procedure, a trigger or an event. Its body
// runs when it is called.
func (r *reader) routine(ts []token, at int) {
	name, _ := r.name(ts, at+1)
	r.created[strings.ToLower(name)] = true
	body := newReader()
	body.depth, body.budget, body.work = r.depth, r.budget, r.work
	if len(ts) > at+1 {
		body.scan(ts[at+1:])
	}
	for i, t := range ts {
		switch {
		case t.kind == text && ts[at].text != "trigger":
			body.inner(t.text)
		case t.is("language") && i+1 < len(ts) && untrusted(strings.ToLower(ts[i+1].text)), t.is("soname"):
			r.add(exec, name)
		}
	}
	body.finish()
	r.budget, r.work = body.budget, body.work
	if ts[at].text == "event" {
		for _, e := range body.effects {
			r.add(e.Kind, e.Target)
		}
		return
	}
	if len(body.effects) > 0 && ts[at].text != "trigger" {
		key := strings.ToLower(name)
		r.routines[key[strings.LastIndexByte(key, '.')+1:]] = body.effects
	}
}

// untrusted reports whether code in this language can do what the server can.
func untrusted(language string) bool {
	return in(" c plpythonu plpython2u plpython3u plperlu pltclu plsh plruby pljavau pllua plluau plr file_fdw adminpack http pg_cron plcoffee plrustu plsh jsonb_plpython3u ", language)
}

// assign keeps the strings that go to variables.
func (r *reader) assign(ts []token) {
	variable, s := false, ""
	for _, t := range ts {
		switch {
		case t.kind == word && t.text[0] == '@' || t.op(":="):
			variable = true
		case t.kind == text || t.kind == quoted:
			s += t.text
		}
	}
	if variable && s != "" && len(r.assigned) < maxEffects {
		r.assigned = append(r.assigned, s)
	}
}

// scan goes through a statement, or several that no semicolon parts, as in
// Transact-SQL.
func (r *reader) scan(ts []token) {
	altered, alters := "", false
	for i, t := range ts {
		if t.kind == quoted && strings.HasPrefix(strings.ToLower(t.text), "xp_") {
			t = token{word, strings.ToLower(t.text)}
		}
		if t.kind != word {
			continue
		}
		if i > 0 && ts[i-1].op(".") && !strings.HasPrefix(t.text, "xp_") && !strings.HasPrefix(t.text, "sp_") && !at(ts, i+1).op("(") {
			continue // a column or a table of that name
		}
		switch t.text {
		case "alter":
			alters = true
			altered, _ = r.name(ts, i+2)
			r.alter(ts, i)
			if n := at(ts, i+1); n.is("database") || n.is("tablespace") {
				r.closed(ts, i)
			}
		case "drop":
			r.drop(ts, i, alters, altered)
		case "create":
			r.create(ts, i)
		case "truncate":
			r.truncate(ts, i, altered)
		case "delete":
			r.delete(ts, i, alters, altered)
		case "update":
			r.update(ts, i)
		case "grant":
			if !at(ts, i+1).is("option") && (starts(ts, i) || at(ts, i+1).is("all")) {
				to := ""
				for j := i; j < len(ts) && !r.spent(); j++ {
					if ts[j].is("to") {
						to, _ = r.name(ts, j+1)
						break
					}
				}
				if to != "" {
					r.add(grant, to)
				}
			}
		case "set":
			if starts(ts, i) || alters {
				r.set(ts, i)
			}
		case "execute", "exec", "prepare", "sp_executesql", "immediate":
			r.dynamic(ts, i)
		case "do":
			if i == 0 || ts[i-1].kind == end {
				for j := i + 1; j < len(ts); j++ {
					if ts[j].kind == text {
						r.inner(ts[j].text)
					}
				}
			}
		case `\gexec`:
			if i == 0 {
				r.add(effect.ExecUnresolved, "") // the result of an earlier statement
			}
			r.strings(ts[:i])
		case "copy", `\copy`:
			if starts(ts, i) || t.text != "copy" {
				r.copy(ts, i)
			}
		case "into":
			if n := at(ts, i+1); n.is("outfile") || n.is("dumpfile") {
				r.add(exec, literal(ts, i+2))
			}
		case "infile":
			local := false
			for j := max(0, i-3); j < i; j++ {
				local = local || ts[j].is("local")
			}
			if local {
				r.file(effect.FileRead, literal(ts, i+1))
			} else {
				r.add(exec, literal(ts, i+1))
			}
		case "load":
			if starts(ts, i) && at(ts, i+1).kind == text {
				r.add(exec, ts[i+1].text)
			}
		case "install":
			if starts(ts, i) && (at(ts, i+1).is("plugin") || at(ts, i+1).is("soname") || at(ts, i+1).kind == text) {
				r.add(exec, literal(ts, i+1))
			}
		case "use":
			if starts(ts, i) {
				name, _ := r.name(ts, i+1)
				r.databases = append(r.databases, name)
			}
		case "attach":
			if starts(ts, i) {
				r.databases = append(r.databases, literal(ts, i+1))
				if f := literal(ts, i+1); f != "" && !strings.Contains(f, ":") {
					r.file(effect.FileWrite, f)
					r.file(effect.FileRead, f)
				}
			}
		case "vacuum":
			if starts(ts, i) {
				for j := i; j < len(ts) && j < i+8; j++ {
					if ts[j].is("into") {
						r.file(effect.FileWrite, literal(ts, j+1))
					}
				}
			}
		case "swap":
			if alters && at(ts, i+1).is("with") {
				r.replaced(altered)
			}
		case "overwrite":
			if j := i + 1; at(ts, i-1).is("insert") && !at(ts, j).is("directory") && !at(ts, j).is("local") {
				for at(ts, j).is("into") || at(ts, j).is("table") {
					j++
				}
				name, _ := r.name(ts, j)
				r.replaced(name)
			}
		case "kill":
			if starts(ts, i) && at(ts, i+1).is("x") { // of made statements
				r.add(killAll, "")
			}
		case "bulk":
			if n := at(ts, i+1); n.kind == text {
				r.add(exec, n.text)
			} else if n.is("insert") {
				r.file(effect.FileRead, literal(ts, i+2))
			}
		case "purge":
			if n := at(ts, i+1); starts(ts, i) && (n.is("binary") || n.is("master")) {
				r.add(wipe, "binary logs")
			} else if starts(ts, i) && n.kind == word && in(" recyclebin dba_recyclebin table tablespace index ", n.text) {
				r.add(drop, n.text)
			}
		case "reset":
			if n := at(ts, i+1); starts(ts, i) && (n.is("master") || n.is("binary")) {
				r.add(wipe, "binary logs")
			}
		case "shutdown":
			if i == 0 && (len(ts) == 1 || ts[1].kind == word && in(" with immediate abort normal transactional compact ", ts[1].text)) ||
				i == 1 && ts[0].is("system") {
				r.add(service, "database server")
			}
		case "backup":
			if starts(ts, i) {
				for j := i; j < len(ts) && !r.spent(); j++ {
					if ts[j].is("disk") || ts[j].is("url") {
						r.file(effect.FileWrite, literal(ts, j+1))
					}
				}
			}
		case "restore":
			if n := at(ts, i+1); starts(ts, i) && (n.is("database") || n.is("log")) && !at(ts, i+2).is("verifyonly") {
				name, _ := r.name(ts, i+2)
				r.add(reset, name)
			}
		case "export":
			if at(ts, i+1).is("data") {
				r.add(effect.DataSend, literal(ts, i+2))
			}
		case "unload":
			if i == 0 {
				for j := 3; j < len(ts); j++ {
					if ts[j].is("to") {
						r.file(effect.FileWrite, literal(ts, j+1))
						break
					}
				}
			}
		case "noaudit":
			if starts(ts, i) {
				r.add(blind, "audit")
			}
		case "detach":
			if at(ts, i+1).is("delete") && ts[0].kind == word && (ts[0].text == "match" || ts[0].text == "call") {
				r.cypher(ts)
			}
		case "disable":
			if n := at(ts, i+1); alters && n.is("trigger") && (at(ts, i+2).is("all") || at(ts, i+2).is("user")) {
				r.add(blind, altered)
			} else if starts(ts, i) && n.is("trigger") {
				r.add(blind, "triggers")
			} else if alters && n.is("row") {
				r.add(expose, altered)
			}
		case "insert", "replace":
			j := i + 1
			if at(ts, j).is("into") {
				j++
			}
			if at(ts, j).is("function") && !at(ts, j+1).op("(") {
				if s := literal(ts, j+1); strings.Contains(s, "://") { // ClickHouse: url(), s3()
					r.add(effect.DataSend, s)
				}
			} else if n, _ := r.name(ts, j); at(ts, i+1).is("into") && isAccounts(n) {
				r.add(grant, n)
			}
		default:
			r.call(ts, i, t.text)
		}
	}
}

// cypher reads MATCH … DETACH DELETE of Neo4j: without a condition it takes all.
func (r *reader) cypher(ts []token) {
	for _, t := range ts {
		if t.is("where") || t.op("{") || r.spent() {
			return
		}
	}
	r.add(wipeRows, "graph")
}

// call reads a function or a procedure by its name.
func (r *reader) call(ts []token, i int, name string) {
	if len(r.routines) > 0 {
		for _, e := range r.routines[name] {
			r.add(e.Kind, e.Target)
		}
	}
	calls := at(ts, i+1).op("(")
	switch name {
	case "xp_cmdshell", "xp_regwrite", "xp_regread", "xp_regdeletekey", "xp_regdeletevalue", "xp_dirtree", "xp_subdirs", "xp_fileexist", "xp_servicecontrol",
		"sp_oacreate", "sp_oamethod", "sp_execute_external_script", "sp_addextendedproc", "utl_file", "utl_http", "utl_tcp", "utl_smtp", "utl_inaddr",
		"dbms_java", "dbms_java_test", "dbms_xslprocessor", "dbms_advisor", "httpuritype", "dbms_ldap":
		r.add(exec, literal(ts, i+1))
	case "sp_configure":
		if len(ts) > i+2 && at(ts, i+1).kind != end {
			for j := i + 1; j < len(ts) && j < i+8; j++ {
				if ts[j].op(",") || ts[j].is("@configvalue") {
					r.add(exec, literal(ts, i+1))
				}
			}
		}
	case "sp_addsrvrolemember", "sp_addrolemember", "sp_addlogin", "sp_grantlogin", "sp_adduser", "sp_grantdbaccess", "sp_password":
		r.add(grant, literal(ts, i+1))
	case "sp_add_job", "sp_add_jobstep", "sp_start_job", "sp_procoption", "dbms_scheduler", "dbms_job":
		r.add(schedule, literal(ts, i+1))
		r.strings(ts[i:])
	case "sp_dropuser", "sp_droplogin", "sp_detach_db", "sp_dropdevice", "sp_delete_job":
		r.add(drop, literal(ts, i+1))
	case "sp_msforeachtable", "sp_msforeachdb":
		r.strings(ts[i:])
	case "sp_cycle_errorlog", "sp_cycle_agent_errorlog":
		r.add(wipe, "error log")
	case "sp_delete_backuphistory", "sp_delete_database_backuphistory":
		r.add(backups, "backup history")
	}
	if !calls {
		return
	}
	switch name {
	case "pg_read_file", "pg_read_binary_file", "pg_ls_dir", "pg_file_write", "pg_file_unlink", "pg_file_rename", "lo_export", "lo_import",
		"load_file", "load_extension", "openrowset", "opendatasource", "sys_exec", "sys_eval", "sys_get", "sys_bineval", "executable", "shellfs":
		r.add(exec, literal(ts, i+2))
	case "readfile", "read_text", "read_blob", "read_csv", "read_csv_auto", "read_json", "read_json_auto", "file":
		r.file(effect.FileRead, literal(ts, i+2))
	case "writefile":
		r.file(effect.FileWrite, literal(ts, i+2))
	case "edit":
		r.add(escape, "editor")
	case "schedule", "schedule_in_database":
		if i > 1 && ts[i-2].is("cron") {
			r.add(schedule, literal(ts, i+2))
			r.strings(ts[i:])
		}
	case "dblink", "dblink_exec", "dblink_connect":
		r.add(effect.DataSend, literal(ts, i+2))
		r.strings(ts[i:])
	case "pg_terminate_backend":
		r.sessions(ts, i)
	case "pg_drop_replication_slot":
		r.add(drop, literal(ts, i+2))
	}
}

// dynamic reads EXECUTE and its kin, which run a string.
func (r *reader) dynamic(ts []token, i int) {
	n := at(ts, i+1)
	switch ts[i].text {
	case "prepare":
		for j := i + 1; j < len(ts) && j < i+4; j++ {
			if ts[j].is("from") {
				r.strings(ts[j:])
				if at(ts, j+1).kind == word {
					r.variables()
				}
				return
			}
		}
		return
	case "sp_executesql", "immediate":
		r.strings(ts[i:])
		if n.kind == word {
			r.variables()
		}
		return
	}
	switch {
	case n.kind == text, n.kind == quoted && at(ts, i+2).kind != op, n.is("format"), n.is("concat"):
		r.strings(ts[i:])
	case n.op("("):
		r.strings(ts[i:])
		if v := at(ts, i+2); v.kind == word && v.text[0] == '@' {
			r.variables()
		}
	case n.kind == word && at(ts, i+2).op("||"), n.is("quote_literal"), n.is("replace"):
		r.strings(ts[i:])
	}
}

// strings reads the strings of a statement as SQL, put together where the statement
// does so.
func (r *reader) strings(ts []token) {
	var b strings.Builder
	concat := false
	for i, t := range ts {
		if t.kind == end || i > 0 && (t.is("exec") || t.is("execute")) || r.spent() {
			break
		}
		if t.is("concat") {
			concat = true
		}
		if t.kind == text || t.kind == quoted {
			b.WriteString(t.text)
			if next := at(ts, i+1); !concat && !next.op("||") && !next.op("+") {
				b.WriteString("\n;\n")
			}
		}
	}
	r.inner(b.String())
}

// inner reads text that is run as SQL in its turn.
func (r *reader) inner(s string) {
	if s == "" {
		return
	}
	if r.work -= len(s); r.work < 0 {
		r.add(effect.ExecUnresolved, "")
		return
	}
	r.text(s, false)
}

// spent counts a step ahead, and reports whether there were too many.
func (r *reader) spent() bool {
	r.budget--
	return r.budget < 0
}

// variables reads the strings that went to variables before.
func (r *reader) variables() {
	list := r.assigned
	r.assigned = nil
	for _, s := range list {
		r.inner(s)
	}
}

// at is the token at an index, one of no kind that matters outside of ts.
func at(ts []token, i int) token {
	if i < 0 || i >= len(ts) {
		return token{kind: end}
	}
	return ts[i]
}

// starts reports whether a statement can begin at this index.
func starts(ts []token, i int) bool {
	if i == 0 {
		return true
	}
	switch p := ts[i-1]; p.kind {
	case end:
		return true
	case op:
		return p.text == ")" || p.text == "(" || p.text == "/" || p.text == "}"
	case word:
		return in(" begin then else do loop as go atomic analyze verbose transaction tran commit rollback ", p.text)
	case text, quoted, number:
		return in(" delete update exec execute set grant drop truncate ", ts[i].text)
	}
	return false
}

// literal is the first string at or after an index, before the statement ends.
func literal(ts []token, i int) string {
	for j := i; j < len(ts) && j < i+12; j++ {
		switch ts[j].kind {
		case text, quoted:
			return ts[j].text
		case end:
			return ""
		}
	}
	return ""
}

// name is the name at an index, such as public.users, and where it ends.
func (r *reader) name(ts []token, i int) (string, int) {
	for i < len(ts) && ts[i].kind == word && in(" if not exists only concurrently ignore low_priority quick ", ts[i].text) {
		i++
	}
	var b strings.Builder
	for i < len(ts) && (ts[i].kind == word || ts[i].kind == quoted || ts[i].kind == text || ts[i].kind == number && b.Len() > 0) {
		b.WriteString(ts[i].text)
		i++
		if !at(ts, i).op(".") {
			break
		}
		b.WriteByte('.')
		i++
		if at(ts, i).op(".") { // master..spt_values
			b.WriteByte('.')
			i++
		}
	}
	return b.String(), i
}

// isAccounts reports whether a table holds the accounts of the server.
func isAccounts(table string) bool {
	t := strings.ToLower(table)
	return in(" mysql.user mysql.db mysql.global_priv pg_authid pg_catalog.pg_authid pg_auth_members sys.user$ system.users ", t)
}

// isCatalog reports whether a table describes the other tables.
func isCatalog(table string) bool {
	t := strings.ToLower(table)
	return t == "sqlite_master" || t == "sqlite_schema" || strings.HasPrefix(t, "pg_catalog.") || in(" pg_class pg_attribute pg_database pg_proc pg_namespace ", t)
}
