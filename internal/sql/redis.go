package sql

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Redis gives the effects of one command of Redis, Valkey or KeyDB, given as the
// words that stand behind redis-cli and its flags.
func Redis(words []string) []Effect {
	r := newReader()
	r.redis(words)
	return r.effects
}

// RedisScript gives the effects of several commands, one a line: what is fed to
// redis-cli.
func RedisScript(src string) []Effect {
	r := newReader()
	for line := range strings.Lines(src) {
		r.redis(redisWords(line))
	}
	return r.effects
}

// redis reads one command. Source: the Redis command reference.
func (r *reader) redis(words []string) {
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	is := func(i int, list string) bool { return in(list, strings.ToLower(arg(i))) }
	switch strings.ToLower(arg(0)) {
	case "flushall", "flushdb", "flush_all": // the last is memcached's
		r.add(drop, arg(0))
	case "shutdown":
		r.add(service, "redis")
	case "debug":
		if is(1, " segfault panic oom restart crash-and-recover crash-and-abort reload loadaof flushall set-active-expire change-repl-id ") {
			r.add(service, "redis")
		}
	case "config":
		if !is(1, " set ") {
			return
		}
		for i := 2; i < len(words); i += 2 {
			switch value := strings.ToLower(arg(i + 1)); strings.ToLower(words[i]) {
			case "dir", "dbfilename", "logfile", "aclfile", "appendfilename", "appenddirname", "unixsocket", "enable-debug-command", "enable-module-command":
				r.add(exec, arg(i+1))
			case "requirepass", "masterauth", "masteruser":
				r.add(grant, words[i])
			case "protected-mode":
				if value == "no" {
					r.add(expose, words[i])
				}
			case "bind":
				if strings.Contains(value, "0.0.0.0") || strings.Contains(value, "*") || strings.Contains(value, "::") && value != "::1" {
					r.add(expose, words[i])
				}
			}
		}
	case "acl":
		if is(1, " setuser deluser load ") {
			r.add(grant, arg(2))
		}
	case "module":
		if is(1, " load loadex ") {
			r.add(exec, arg(2))
		}
	case "script", "function":
		if is(1, " flush delete ") {
			r.add(drop, arg(0))
		} else if is(1, " load ") {
			r.lua(strings.Join(words[2:], " "))
		}
	case "slaveof", "replicaof":
		if !is(1, " no ") {
			r.add(exec, arg(1))
		}
	case "cluster":
		if is(1, " reset flushslots forget delslots ") {
			r.add(reset, "cluster")
		}
	case "migrate":
		r.add(effect.DataSend, arg(1))
	case "ft.dropindex", "ft.drop", "graph.delete":
		r.add(drop, arg(1))
	case "xgroup":
		if is(1, " destroy ") {
			r.add(drop, arg(2))
		}
	case "del", "unlink":
		if strings.Contains(arg(1), "*") { // no pattern to Redis, but meant as one
			r.add(wipeRows, arg(1))
		}
	case "eval", "eval_ro":
		r.lua(arg(1))
	}
}

// lua reads the calls of redis.call and redis.pcall in a script. A loop over keys
// that deletes is a flush by another name.
func (r *reader) lua(src string) {
	if r.depth++; r.depth > maxNesting {
		return
	}
	ts := javascript(src)
	keys, deletes := false, false
	for i, t := range ts {
		if t.kind != word || t.text != "call" && t.text != "pcall" || !at(ts, i+1).op("(") {
			continue
		}
		var words []string
		for j := i + 2; j < len(ts) && j < i+64 && !ts[j].op(")"); j++ {
			if ts[j].kind == text || ts[j].kind == number {
				words = append(words, ts[j].text)
			}
		}
		if len(words) == 0 {
			continue
		}
		r.redis(words)
		switch strings.ToLower(words[0]) {
		case "keys", "scan":
			keys = true
		case "del", "unlink":
			deletes = true
		}
	}
	if keys && deletes {
		r.add(wipeRows, "keys")
	}
	r.depth--
}

// redisWords splits a line as redis-cli does: at spaces, with quotes.
func redisWords(line string) []string {
	var out []string
	var b strings.Builder
	quote, has := byte(0), false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, has = c, true
		case quote == 0 && c <= ' ':
			if has || b.Len() > 0 {
				out = append(out, b.String())
			}
			b.Reset()
			has = false
		default:
			b.WriteByte(c)
		}
	}
	if has || b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}
