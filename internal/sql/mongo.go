package sql

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Mongo gives the effects of JavaScript for the MongoDB shell (mongosh, mongo),
// each once. It reads the calls of the shell's own methods and the commands given
// to runCommand; what else the script does is for a reader of JavaScript.
func Mongo(src string) []Effect {
	r := newReader()
	r.mongo(src)
	return r.effects
}

func (r *reader) mongo(src string) {
	if r.depth++; r.depth > maxNesting {
		return
	}
	defer func() { r.depth-- }()
	ts := javascript(src)
	for i, t := range ts {
		if t.text == "system.users" || t.is("users") && at(ts, i-1).op(".") && at(ts, i-2).is("system") || t.text == "showCredentials" { // accounts with the hashes of their passwords
			r.add("secret.read", "system.users")
		}
		if t.kind != word && !(t.kind == text && (at(ts, i-1).op("[") && at(ts, i+1).op("]") || at(ts, i+1).op(":"))) {
			continue
		}
		next := at(ts, i+1)
		if t.kind == text && next.op("]") {
			next = at(ts, i+2) // db["dropDatabase"]()
		}
		method := next.op("(")
		key := next.op(":") && (at(ts, i-1).op("{") || at(ts, i-1).op(","))
		args := i + 2
		if t.kind == text && method {
			args++
		}
		if method {
			r.mongoCall(ts, t.text, i, args)
		} else if next.op(".") && (at(ts, i+2).is("call") || at(ts, i+2).is("apply") || at(ts, i+2).is("bind")) {
			r.mongoCall(ts, t.text, i, i+4)
		} else if key {
			r.mongoCommand(ts, t.text, i)
		}
	}
}

// mongoCall reads a call of a method; its arguments begin at args.
func (r *reader) mongoCall(ts []token, name string, i, args int) {
	// of is what it is called on: db.users.drop().
	of := ""
	if at(ts, i-1).op(".") {
		switch p := at(ts, i-2); {
		case p.kind == word:
			of = p.text
		case p.op(")") || p.op("]"):
			of = at(ts, i-3).text // getCollection("users"), db["users"]
		}
	}
	if at(ts, i-1).op("[") {
		of = at(ts, i-2).text // db["dropDatabase"]()
	}
	switch name {
	case "dropDatabase", "drop", "dropIndexes", "dropIndex", "dropUser", "dropRole", "dropAllUsers", "dropAllUsersFromDatabase", "dropAllRoles", "dropAllRolesFromDatabase",
		"dropCollection", "dropSearchIndex", "removeUser", "removeShard":
		if of == "" && name == "drop" {
			return
		}
		r.add(drop, of)
	case "deleteMany", "remove":
		if of == "rs" && !atHome(ts, args) {
			r.add(change, "replica set")
			return
		}
		if of == "" {
			return
		}
		if empty(ts, args) {
			r.add(wipeRows, of)
		}
	case "updateMany":
		if of != "" && empty(ts, args) {
			r.add(wipeRows, of)
		}
	case "update":
		if of != "" && empty(ts, args) && argHas(ts, args, "multi") {
			r.add(wipeRows, of)
		}
	case "renameCollection":
		if argHas(ts, args, "true") {
			r.add(drop, of)
		}
	case "createUser", "addUser", "createRole", "grantRolesToUser", "grantRolesToRole", "grantPrivilegesToRole", "updateUser", "updateRole", "changeUserPassword":
		r.add(grant, at(ts, args).text)
	case "reconfig", "reconfigForPSASet":
		if of == "rs" && (argHas(ts, args, "force") || argHas(ts, args, "members")) && !atHome(ts, 0) {
			r.add(change, "replica set")
		}
	case "add", "addArb", "stepDown", "freeze":
		if of == "rs" && !atHome(ts, args) {
			r.add(change, "replica set")
		}
	case "shutdownServer", "fsyncLock":
		r.add(service, "database server")
	case "run", "runProgram", "runNonMongoProgram", "rawMongoProgram", "startMongoProgram":
		if of == "" {
			r.add(escape, at(ts, args).text)
		}
	case "cat", "removeFile", "writeFile", "mkdir":
		if of == "" && at(ts, args).kind == text {
			kind := effect.FileRead
			switch name {
			case "removeFile":
				kind = effect.FileDelete
			case "writeFile", "mkdir":
				kind = effect.FileWrite
			}
			r.file(kind, at(ts, args).text)
		}
	case "eval", "Function":
		if a := at(ts, args); a.kind == text {
			r.mongo(a.text)
		}
	}
}

// mongoCommand reads a field of a document that is a command of runCommand or of
// bulkWrite.
func (r *reader) mongoCommand(ts []token, name string, i int) {
	switch name {
	case "dropDatabase", "dropIndexes", "dropUser", "dropRole", "dropAllUsersFromDatabase", "dropAllRolesFromDatabase":
		r.add(drop, at(ts, i+2).text)
	case "drop":
		if at(ts, i+2).kind != number { // not {drop: 1} of a projection
			r.add(drop, at(ts, i+2).text)
		}
	case "createUser", "createRole", "grantRolesToUser", "grantRolesToRole", "updateUser", "updateRole":
		r.add(grant, at(ts, i+2).text)
	case "shutdown":
		r.add(service, "database server")
	case "replSetReconfig", "replSetStepDown":
		if !atHome(ts, 0) {
			r.add(change, "replica set")
		}
	case "deleteMany", "updateMany":
		// { deleteMany: { filter: {} } }
		if at(ts, i+2).op("{") && at(ts, i+3).text == "filter" && empty(ts, i+5) {
			r.add(wipeRows, "")
		}
	case "q":
		if empty(ts, i+2) {
			r.add(wipeRows, "")
		}
	case "dropTarget":
		if at(ts, i+2).is("true") {
			r.add(drop, "")
		}
	}
}

// empty reports whether the filter at an index matches all: {}, nothing, or an id
// that exists.
func empty(ts []token, i int) bool {
	t := at(ts, i)
	switch {
	case t.op(")"):
		return true
	case !t.op("{"):
		return false
	case at(ts, i+1).op("}"):
		return true
	}
	// { _id: { $exists: true } }, { _id: { $ne: null } }, { $where: "1" }
	key := at(ts, i+1).text
	if key == "$where" {
		v := at(ts, i+3).text
		return v == "1" || v == "true" || v == "return true"
	}
	if key != "_id" || !at(ts, i+3).op("{") {
		return false
	}
	switch v := at(ts, i+6); at(ts, i+4).text {
	case "$exists":
		return v.text == "true" || v.text == "1"
	case "$ne":
		return v.text == "null" || v.kind == text
	}
	return false
}

// atHome reports whether a host of this machine is named: a replica set of one, as
// developers make it.
func atHome(ts []token, i int) bool {
	for j := max(i, 0); j < len(ts) && j < i+256; j++ {
		if host, _, _ := strings.Cut(ts[j].text, ":"); host == "localhost" || host == "127.0.0.1" || host == "host.docker.internal" {
			return true
		}
	}
	return false
}

// argHas reports whether a word stands soon behind an index.
func argHas(ts []token, i int, w string) bool {
	for j := i; j < len(ts) && j < i+256; j++ {
		if ts[j].text == w {
			return true
		}
		if ts[j].op(";") {
			return false
		}
	}
	return false
}

// javascript cuts a script into tokens; words keep their case.
func javascript(src string) []token {
	var ts []token
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c <= ' ':
			i++
		case strings.HasPrefix(src[i:], "//"):
			if e := strings.IndexByte(src[i:], '\n'); e >= 0 {
				i += e
			} else {
				i = len(src)
			}
		case strings.HasPrefix(src[i:], "/*"):
			if e := strings.Index(src[i+2:], "*/"); e >= 0 {
				i += e + 4
			} else {
				i = len(src)
			}
		case c == '\'' || c == '"' || c == '`':
			j, b := i+1, []byte(nil)
			for ; j < len(src) && src[j] != c; j++ {
				if src[j] == '\\' && j+1 < len(src) {
					j++
				}
				b = append(b, src[j])
			}
			ts = append(ts, token{text, string(b)})
			i = j + 1
		case isWord(c):
			j := i + 1
			for j < len(src) && isWord(src[j]) {
				j++
			}
			kind := word
			if isDigit(c) {
				kind = number
			}
			ts = append(ts, token{kind, src[i:j]})
			i = j
		case strings.HasPrefix(src[i:], "?."):
			ts = append(ts, token{op, "."})
			i += 2
		default:
			ts = append(ts, token{op, src[i : i+1]})
			i++
		}
	}
	return ts
}
