// Package sql reads what is fed to databases: SQL with the commands of the usual
// clients (psql, mysql, sqlite3, sqlcmd), the JavaScript of the MongoDB shell and
// the commands of Redis. It says what the text would destroy, grant or reach out
// for, and tells that from a string or a comment that merely says so.
//
// It is pure, needs no dialect to be named, and takes time linear in its input.
// Where dialects disagree about what a text means it takes the worse meaning.
package sql

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Effect is one thing that a text would have a database do.
type Effect struct {
	Kind effect.Kind
	// Target is the table, account or command that it is done to, as it was
	// written. For kinds of the group file, and for database.exec of a file, it is
	// a path; for exec.shell-escape a shell command line. "" where none is named.
	Target string
	// Replaced is true where a table is made anew in the place of one that may be there:
	// of no concern to a client whose tables are files of the person's own.
	Replaced bool
	// Of says what Target names where that is a database by itself: "database" or
	// "schema". "" where it is something in the database that the text is for.
	Of string
}

const (
	drop     effect.Kind = "database.drop"
	wipeRows effect.Kind = "database.delete"
	reset    effect.Kind = "database.reset"
	grant    effect.Kind = "database.grant"
	exec     effect.Kind = "database.exec"
	escape   effect.Kind = "exec.shell-escape"
	schedule effect.Kind = "persist.schedule"
	wipe     effect.Kind = "trace.wipe"
	blind    effect.Kind = "trace.blind"
	service  effect.Kind = "system.service"
	expose   effect.Kind = "infra.expose"
	backups  effect.Kind = "system.backup-delete"
	change   effect.Kind = "infra.apply"
)

// maxEffects bounds the effects of one kind in the answer: a text with more of them is
// no better known.
const maxEffects = 64

// Work is what a byte of a text costs in steps of the budget.
const Work = 1

// maxNesting bounds strings that are run in strings that are run.
const maxNesting = 4

// Effects gives the effects of SQL text, each once, in the order of the text.
// Broken SQL is read as far as it can be.
func Effects(src string) []Effect { return read(src).effects }

// Scripts names the files that the text has its client run: .read, \i, source, :r.
func Scripts(src string) []string { return read(src).scripts }

// Databases names the databases that the text turns to: USE, \c, .open, ATTACH.
func Databases(src string) []string { return read(src).databases }

func read(src string) *reader {
	r := newReader()
	r.work = 2*len(src) + 4096
	r.text(src, false)
	if strings.Contains(src, `\'`) || strings.Contains(src, `\"`) {
		// MySQL takes \' for a quote within a string, standard SQL for the end of one.
		r.text(src, true)
	}
	r.finish()
	return r
}

// reader collects what statements do.
type reader struct {
	effects []Effect
	kinds   map[effect.Kind]int // how many of each
	scripts []string
	// databases are what the text turns to.
	databases []string
	// temps are temporary tables made in this text: nothing is lost with them.
	temps map[string]bool
	// created are objects that the text makes; lost are dropped ones that hold no
	// data, of no concern where they are made again.
	created map[string]bool
	lost    []Effect
	// routines are what procedures made in this text would do when called.
	routines map[string][]Effect
	// assigned are strings that went to variables, which may be run later.
	assigned []string
	depth    int
	budget   int // steps for looking ahead
	work     int // bytes of strings that may be read as SQL
}

func newReader() *reader {
	return &reader{kinds: map[effect.Kind]int{}, temps: map[string]bool{}, created: map[string]bool{}, routines: map[string][]Effect{}}
}

// text reads a text of several statements.
func (r *reader) text(src string, backslash bool) {
	if r.depth >= maxNesting {
		return
	}
	r.depth++
	r.budget += 4*len(src) + 64
	l := &lexer{src: src, delimiter: ";", backslash: backslash, reader: r}
	var ts []token
	for more := true; more; {
		ts, more = l.statement(ts[:0])
		r.statement(ts, l.open)
	}
	r.depth--
}

// finish adds the drops of views, functions and the like that are not made again.
func (r *reader) finish() {
	for _, e := range r.lost {
		if !r.created[strings.ToLower(e.Target)] {
			r.add(e.Kind, e.Target)
		}
	}
}

func (r *reader) add(k effect.Kind, target string) {
	r.note(Effect{Kind: k, Target: target})
}

func (r *reader) note(e Effect) {
	if r.kinds[e.Kind] < maxEffects && !slices.Contains(r.effects, e) {
		r.effects = append(r.effects, e)
		r.kinds[e.Kind]++
	}
}

// file reports that the database or its client reads or writes a file. One that
// belongs to the machine is no matter of data.
func (r *reader) file(k effect.Kind, path string) {
	if path == "" || strings.HasPrefix(path, ":") {
		return
	}
	if p, piped := strings.CutPrefix(strings.TrimSpace(path), "|"); piped {
		r.add(escape, strings.TrimSpace(p))
		return
	}
	if strings.Contains(path, "://") || strings.HasPrefix(path, `\\`) {
		if k == effect.FileWrite {
			r.add(effect.DataSend, path)
		}
		return
	}
	r.add(k, path)
	if ofMachine(path) {
		r.add(exec, path)
	}
}

// ofMachine reports whether a file is one of the system, a web server's or a
// program's, which no everyday import or export touches.
func ofMachine(path string) bool {
	p := strings.ToLower(strings.ReplaceAll(path, `\`, "/"))
	for _, dir := range []string{"/etc/", "/root/", "/proc/", "/sys/", "/boot/", "/usr/", "/var/www/", "/var/spool/", "/srv/", "c:/windows", "c:/inetpub"} {
		if strings.HasPrefix(p, dir) {
			return true
		}
	}
	if strings.Contains(p, "/.ssh/") || strings.Contains(p, "/.aws/") {
		return true
	}
	for _, ext := range []string{".php", ".jsp", ".asp", ".aspx", ".phtml", ".so", ".dll", ".exe", ".bat", ".ps1"} {
		if strings.HasSuffix(p, ext) {
			return true
		}
	}
	return false
}
