package shell

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// What goes from one service or machine to another without being a file here: copies
// between buckets, a dump of a database that another client takes in.

// between notes that a cloud's own command copies from one bucket into another: whose
// the other is, nobody sees from here.
func (e *eval) between(name string, words []effect.Value) {
	switch name {
	case "aws", "gsutil", "gcloud", "s3cmd", "s5cmd", "azcopy", "rclone":
	default:
		return
	}
	copies := false
	var from string
	for _, w := range words {
		switch w.Text {
		case "cp", "copy", "c", "sync", "mv", "move", "rsync", "copyto", "moveto", "bisync":
			copies = true
			continue
		case "--dryrun", "--dry-run", "-n":
			return
		}
		b := bucket(name, w.Text)
		if b == "" || strings.HasPrefix(w.Text, "-") || !copies {
			continue
		}
		if from != "" && b != from {
			e.add(effect.Effect{Kind: effect.DataSend, Program: name, Targets: []effect.Target{{Name: from}, {Name: b}}})
			return
		}
		from = b
	}
}

// bucket is the bucket, container or remote of an address, "" for what is none.
func bucket(program, s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		if remote, _, ok := strings.Cut(s, ":"); ok && program == "rclone" && !strings.Contains(remote, "/") {
			return remote
		}
		return ""
	}
	b, _, _ := strings.Cut(rest, "/")
	if scheme == "http" || scheme == "https" { // azcopy: the account
		b, _, _ = strings.Cut(b, "?")
	}
	return scheme + "://" + b
}

// public reports whether a host is named by a bare address that is no private one.
func public(host string) bool {
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && !a.IsPrivate() && !a.IsLoopback() && !a.IsLinkLocalUnicast() && !a.IsUnspecified()
}

// dump stands for all that a database holds, as its tools print it. Behind it is the
// host that it comes from, "" for this machine.
const dump = "$dump:"

// dumps gives what a program prints that writes a database out.
func dumps(name string, words []effect.Value) (stream, bool) {
	whole := false
	switch name {
	case "pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump", "mongodump", "mongoexport":
		whole = true
		for i, w := range words {
			switch w.Text {
			case "-s", "--schema-only", "--no-data", "-d", "--help", "-g", "--globals-only":
				if w.Text != "-d" || name == "mysqldump" {
					return stream{}, false
				}
			case "-f", "--file", "-o", "--out", "-r", "--result-file":
				if i+1 < len(words) {
					return stream{}, false
				}
			}
		}
	case "sqlite3":
		whole = slices.ContainsFunc(words, func(w effect.Value) bool { return strings.HasPrefix(w.Text, ".dump") })
	case "redis-cli":
		whole = slices.ContainsFunc(words, func(w effect.Value) bool { return w.Text == "--rdb" })
	case "psql":
		whole = slices.ContainsFunc(words, func(w effect.Value) bool {
			low := strings.ToLower(w.Text)
			return strings.Contains(low, "copy") && strings.Contains(low, "to stdout")
		})
	}
	if !whole {
		return stream{}, false
	}
	return stream{effect.Value{Text: dump + databaseHost(words), Open: true, Origin: effect.Local}, true}, true
}

// takesDump notes a dump that a client or ssh hands over to another machine than it
// comes from.
func (e *eval) takesDump(name string, words []effect.Value, in stream) {
	if !in.fed || !in.Open {
		return
	}
	from, dumped := strings.CutPrefix(strings.TrimSpace(in.Text), dump)
	to := ""
	switch name {
	case "psql", "pg_restore", "mysql", "mariadb", "mongorestore", "mongoimport", "mongosh", "redis-cli", "sqlcmd", "clickhouse-client", "clickhouse", "cockroach":
		if to = databaseHost(words); local(to) || to == from || strings.HasPrefix(to, "/") {
			return
		}
	case "ssh":
		for _, w := range words {
			if !strings.HasPrefix(w.Text, "-") && (public(w.Text) || dumped) {
				to = w.Text
				dumped = true
				break
			}
		}
	}
	if to != "" && dumped {
		e.add(effect.Effect{Kind: effect.DataSend, Program: name, Targets: []effect.Target{{Name: to}}})
	}
}

// databaseHost is the host that a database's client is told to speak to, "" for this
// machine.
func databaseHost(words []effect.Value) string {
	for i, w := range words {
		if _, rest, ok := strings.Cut(w.Text, "://"); ok {
			rest, _, _ = strings.Cut(rest, "/")
			rest = rest[strings.LastIndexByte(rest, '@')+1:]
			host, _, _ := strings.Cut(rest, ":")
			if local(host) {
				return ""
			}
			return host
		}
		host := ""
		switch {
		case (w.Text == "-h" || w.Text == "--host" || w.Text == "-S") && i+1 < len(words):
			host = words[i+1].Text
		case strings.HasPrefix(w.Text, "--host="):
			host = w.Text[len("--host="):]
		case strings.HasPrefix(w.Text, "-h") && len(w.Text) > 2 && !strings.HasPrefix(w.Text, "-h="):
			host = w.Text[2:]
		case strings.Contains(w.Text, "host="): // a connection string
			_, host, _ = strings.Cut(w.Text, "host=")
			host, _, _ = strings.Cut(host, " ")
		}
		if host != "" && !strings.HasPrefix(host, "-") {
			if local(host) || strings.HasPrefix(host, "/") {
				return ""
			}
			return host
		}
	}
	return ""
}

// elsewhere reports whether scp and rsync take a path for one of another machine.
func elsewhere(p string) bool {
	host, _, ok := strings.Cut(p, ":")
	return ok && len(host) > 1 && host != "$env" && host != "${env" && !strings.Contains(host, "/")
}

// hostOf is the host in a path of another machine.
func hostOf(p string) string {
	if _, rest, ok := strings.Cut(p, "://"); ok { // rsync://host/
		p, _, _ = strings.Cut(rest, "/")
	}
	if i := strings.IndexByte(p, ']'); i > 0 && strings.IndexByte(p, '[') < i { // [2001:db8::1]:x
		return p[strings.IndexByte(p, '[')+1 : i]
	}
	host, _, _ := strings.Cut(p, ":")
	return host
}

// sendSecrets notes secrets among files that are copied to another machine. Other
// files are copied there every day.
func (e *eval) sendSecrets(label string, from []effect.Value, to string) {
	for _, f := range from {
		p := e.path(f)
		x := effect.Effect{Kind: effect.DataSend, Program: label, Targets: []effect.Target{{Name: e.ctx.Places.Abs(p.Text), Scope: effect.ScopeOf(p, e.ctx.Places)}}}
		secret := e.content(f).Origin.Has(effect.Secret)
		if s := x.Targets[0].Scope; s == effect.Home || s == effect.Root || s == effect.System || public(hostOf(to)) {
			e.add(x)
		}
		for _, d := range effect.Derive(x, e.ctx.Places) {
			secret = secret || d.Kind == effect.SecretSend
		}
		if secret {
			x.Kind = effect.SecretSend
			x.Targets = append(x.Targets, effect.Target{Name: to})
			e.add(x)
		}
	}
}
