package effect

import "strings"

// Standing is what the name of a database, an environment or a cluster says about it.
type Standing int

// The standings.
const (
	Unsaid   Standing = iota // nothing: app, development
	ForTests                 // it is there for tests, on this machine: app_test, :memory:
	InUse                    // it is in use, or on another machine: app_prod, postgres://db.example.com/app_test
)

// StandingOf reads a name, a file, or a URL or data source name, of which what is not
// known stands as it was written. A word counts only if it stands by itself: latest and
// contest say nothing.
func StandingOf(v Value) Standing {
	s := strings.ToLower(strings.TrimSpace(v.Text))
	if s == "" {
		return Unsaid
	}
	if inMemory(s) {
		return ForTests
	}
	name, host, ok := dataSource(s)
	if strings.ContainsAny(name, " \t\n;'\"") { // a sentence and no name
		return Unsaid
	}
	if ok {
		for h := range strings.SplitSeq(host, ",") {
			if !ThisMachine(hostOnly(h)) {
				return InUse
			}
		}
	}
	return named(name, ok)
}

// inMemory reports whether a data source is a database that ends with its process.
func inMemory(s string) bool {
	if strings.Contains(s, "://") && !strings.HasPrefix(s, "sqlite") {
		return false
	}
	return strings.HasSuffix(s, ":memory:") || strings.Contains(s, ":h2:mem:") || strings.Contains(s, "mode=memory") || strings.Contains(s, ":hsqldb:mem:")
}

// dataSource gives the name and the host in postgres://u:p@host:1/name?x=y,
// jdbc:sqlserver://host;databaseName=name, u:p@tcp(host:1)/name and
// "host=h dbname=name". A text that is none of them is a name by itself.
func dataSource(s string) (name, host string, ok bool) {
	s = strings.TrimPrefix(s, "jdbc:")
	if scheme, rest, found := strings.Cut(s, "://"); found {
		rest, query, _ := strings.Cut(rest, "?")
		rest, settings, _ := strings.Cut(rest, ";")
		host, name, _ = strings.Cut(rest, "/")
		host = host[strings.LastIndexByte(host, '@')+1:]
		if strings.HasPrefix(scheme, "sqlite") || strings.HasPrefix(scheme, "file") {
			return host + "/" + name, "", false
		}
		for kv := range strings.FieldsFuncSeq(query+"&"+settings, func(r rune) bool { return r == '&' || r == ';' }) {
			host, name = setting(kv, host, name)
		}
		return name, host, true
	}
	if _, rest, found := strings.Cut(s, "@tcp("); found {
		host, rest, _ = strings.Cut(rest, ")/")
		name, _, _ = strings.Cut(rest, "?")
		return name, host, true
	}
	if pairs(s) {
		for kv := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == ';' }) {
			host, name = setting(kv, host, name)
		}
		return name, host, name != "" || host != ""
	}
	if left, rest, found := strings.Cut(s, "/"); found && !strings.HasPrefix(s, "/") {
		if h, port, ok := strings.Cut(left, ":"); ok && h != "" && port != "" && strings.Trim(port, "0123456789") == "" { // localhost:9200/name
			return rest, h, true
		}
	}
	for _, scheme := range []string{"file:", "sqlite:", "sqlite3:", "h2:file:"} {
		s = strings.TrimPrefix(s, scheme)
	}
	return s, "", false
}

// pairs reports whether all of a text is key=value.
func pairs(s string) bool {
	for kv := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == ';' }) {
		if !strings.Contains(kv, "=") {
			return false
		}
	}
	return true
}

// setting reads one key=value of a data source name.
func setting(kv, host, name string) (string, string) {
	k, v, _ := strings.Cut(kv, "=")
	switch k {
	case "host", "hostaddr", "server", "data source", "source":
		return v, name
	case "service": // it stands in a file which machine that is
		return v + ".service", name
	case "dbname", "database", "databasename", "catalog":
		return host, v
	}
	return host, name
}

func hostOnly(h string) string {
	if h, ok := strings.CutPrefix(h, "["); ok {
		h, _, _ = strings.Cut(h, "]")
		return h
	}
	h, _, _ = strings.Cut(h, ":")
	return h
}

// ThisMachine reports whether a host, a socket's path or no host at all is the machine
// itself.
func ThisMachine(host string) bool {
	host = strings.ToLower(strings.Trim(host, "[]"))
	switch host {
	case "", ".", "(local)", "localhost", "::1", "0.0.0.0", "host.docker.internal":
		return true
	}
	return strings.HasPrefix(host, "127.") || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "/") || strings.HasPrefix(host, "%2f")
}

// named reads the words of a name. Of an absolute path the last part counts, of a path in
// the project all of it.
func named(s string, url bool) Standing {
	if strings.HasPrefix(s, "/") && !url {
		for _, dir := range temp {
			if below(s, dir) && !strings.Contains(s, "..") {
				return ForTests
			}
		}
	}
	if strings.ContainsAny(s, "`(") { // what a command says
		return Unsaid
	}
	if (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || strings.Contains(s, "..")) && !url {
		s = s[strings.LastIndexByte(s, '/')+1:]
	}
	got := Unsaid
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		switch strings.TrimRight(w, "0123456789") {
		case "test", "tests", "testing", "unittest", "ci", "tmp", "temp", "scratch", "throwaway", "ephemeral":
			got = ForTests
		case "prod", "production", "prd", "live", "staging", "stage", "stg", "uat", "preprod", "backup", "backups", "customer", "customers":
			return InUse
		}
		if w == "e2e" {
			got = ForTests
		}
	}
	return got
}
