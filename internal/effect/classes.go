package effect

import (
	_ "embed"
	"math/bits"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

//go:embed classes.txt
var classTable string

// classGlob is one glob of the table. There are many, so it is small.
type classGlob struct {
	text       string
	letters    uint64 // of the needed text, as a set
	start, end uint8  // of the text that every path that matches contains
	known      uint8  // length of what stands before the first wildcard
	class      uint8  // index of classNames
	anchor     anchor
	not        bool
}

func (c *classGlob) needed() string { return c.text[c.start:c.end] }

// classNames are the classes that the table may name.
var classNames = [...]string{
	"secret", "history", "startup", "schedule", "access", "hook", "preload", "privilege", "kernel",
	"capture", "trust", "tls", "proxy", "ci", "log", "watcher", "socket", "device", "kept", "state",
}

// anchor says where a glob begins.
type anchor uint8

const (
	anywhere anchor = iota // a path below any folder
	base                   // a name in any folder
	absolute
	inHome
)

// allClassGlobs are the globs of the table, read when they are first needed.
func allClassGlobs() []classGlob {
	classGlobs.once.Do(func() { classGlobs.list = readClassGlobs() })
	return classGlobs.list
}

var classGlobs struct {
	once sync.Once
	list []classGlob
}

// readClassGlobs reads the table. It is in the way of every hook: it goes through the
// text once and keeps parts of it.
func readClassGlobs() []classGlob {
	out := make([]classGlob, 0, 2400)
	for text := classTable; text != ""; {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		name, globs, _ := strings.Cut(line, " ")
		class := slices.Index(classNames[:], name)
		for class >= 0 && globs != "" {
			g, more, _ := strings.Cut(globs, " ")
			globs = more
			out = append(out, newGlob(uint8(class), g))
		}
	}
	return out
}

// newGlob reads a glob. Its needed text is the longest between wildcards.
func newGlob(class uint8, g string) classGlob {
	c := classGlob{class: class, anchor: base}
	if g[0] == '!' {
		c.not, g = true, g[1:]
	}
	c.text = g
	c.known = uint8(len(known(g)))
	var set, best uint64
	start, from, to := 0, 0, 0
	for i := range len(g) + 1 {
		b := byte('*')
		if i < len(g) {
			b = g[i]
		}
		switch b {
		case '*', '?', '[', ']', '~':
			if i-start > to-from {
				from, to, best = start, i, set
			}
			start, set = i+1, 0
		case '/':
			c.anchor = anywhere
			if start == i {
				start++ // a slash at either end is not needed
			} else if rest := g[i+1:]; rest != "" && rest[0] != '*' {
				set |= 1 << ('/' & 63)
			}
		default:
			set |= 1 << (b & 63)
		}
	}
	if to > from && g[to-1] == '/' {
		to--
	}
	c.start, c.end, c.letters = uint8(from), uint8(to), best
	switch {
	case c.anchor == base:
	case g[0] == '~':
		c.anchor = inHome
	case g[0] == '/' || g[1] == ':':
		c.anchor = absolute
	}
	return c
}

// letters is the set of the bytes of a text, those that share their lower six bits
// being one.
func letters(s string) uint64 {
	var set uint64
	for i := range len(s) {
		set |= 1 << (s[i] & 63)
	}
	return set
}

// Classes gives the classes of a path, which may hold globs itself: it is of a
// class if it can mean a file of it. The classes stand in classes.txt; "secret" is
// one. Where a path is known only in part ($X/.ssh/id_rsa), the rest counts.
func Classes(p string, pl Places) []string {
	var all uint32
	globs := allClassGlobs()
	for _, f := range forms(p, pl) {
		if f.wild || asked.Add(1) <= few {
			classes, taken := f.classes(globs, all)
			all |= classes &^ taken
			continue
		}
		// Of a path that is written out, the globs whose rarest letter it has.
		var classes, taken uint32
		byLetter.once.Do(sortByLetter)
		for with, letter := &byLetter.globs, f.letters|1; letter != 0; letter &= letter - 1 {
			c, t := f.classes(with[bits.TrailingZeros64(letter)], all|classes)
			classes, taken = classes|c, taken|t
		}
		all |= classes &^ taken
	}
	var out []string
	for i, name := range classNames {
		if all&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// classes are those of the globs that the path can mean, as bits, and those that it is
// taken out of. have are known already.
func (f *form) classes(globs []classGlob, have uint32) (classes, taken uint32) {
	for i := range globs {
		c := &globs[i]
		if c.letters&^f.lettersFor(c) != 0 || (c.anchor == inHome) != f.home && !(c.not && c.anchor == base) {
			continue
		}
		bit := uint32(1) << c.class
		switch {
		case !f.wild && !strings.Contains(f.text, c.needed()):
		case c.not && c.covers(f):
			taken |= bit
		case !c.not && (classes|have)&bit == 0 && c.hits(f):
			classes |= bit
		}
	}
	return classes, taken
}

// Only an event with more paths than a few pays for sorting the table by letters.
const few = 16

var asked atomic.Int32

// byLetter has the table by the rarest letter of each glob's needed text, those that
// need none first of all: a path has a quarter of the letters.
var byLetter struct {
	once  sync.Once
	globs [64][]classGlob
}

func sortByLetter() {
	with := &byLetter.globs
	globs := allClassGlobs()
	var often [64]int
	for i := range globs {
		for l := globs[i].letters; l != 0; l &= l - 1 {
			often[bits.TrailingZeros64(l)]++
		}
	}
	for _, c := range globs {
		rarest := 0
		for l := c.letters; l != 0; l &= l - 1 {
			if b := bits.TrailingZeros64(l); l == c.letters || often[b] < often[rarest] {
				rarest = b
			}
		}
		with[rarest] = append(with[rarest], c)
	}
}

// hits reports whether the path can mean what the glob means.
func (c *classGlob) hits(f *form) bool {
	switch {
	case c.anchor == base:
		return (!f.wild || f.speaksOf(c)) && overlap(c.text, f.name)
	case f.wild && c.anchor == anywhere:
		if !strings.Contains(f.text, c.needed()) {
			return false
		}
	case f.wild && c.anchor == absolute && f.text[0] != '/' && !strings.Contains(f.text, ":/"):
		return false
	case f.wild && strings.Contains(c.text, "**/") && !f.speaksOf(c):
		return false
	case f.wild:
		// What is written before the first wildcards must agree.
		a, b := c.text[:c.known], f.known
		if !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a) {
			return false
		}
		// A name looked for from further above says nothing of a folder whose files
		// may have any name.
		if len(b) < len(a) && strings.Contains(f.text, "**/") && strings.Trim(f.name, "*?") != "" &&
			strings.Trim(c.text[strings.LastIndexByte(c.text, '/')+1:], "*") == "" {
			return false
		}
	}
	return meet(c.segments(), f.segments())
}

// known is what stands before the first wildcard.
func known(glob string) string {
	if i := strings.IndexAny(glob, "*?["); i >= 0 {
		return strings.TrimSuffix(glob[:i], "/")
	}
	return glob
}

// covers reports whether the glob has all that the path can mean.
func (c *classGlob) covers(f *form) bool {
	if c.anchor == base {
		return covers(c.text, f.name)
	}
	return !f.wild && meet(c.segments(), f.segments())
}

func (c *classGlob) segments() []string {
	g := strings.TrimPrefix(c.text, "/")
	if c.anchor == anywhere && !strings.HasPrefix(g, "**/") {
		g = "**/" + g
	}
	return strings.Split(g, "/")
}

// form is one of the ways in which a path may stand in the table.
type form struct {
	text    string   // in lower case, with slashes
	parts   []string // see segments
	name    string   // the last segment
	letters uint64   // of text, and those of name
	inName  uint64
	known   string // what stands before the first wildcard
	begin   string // and that of name
	home    bool   // text begins with ~
	wild    bool   // it holds globs
}

func newForm(text string) form {
	f := form{text: text, letters: letters(text), home: text[0] == '~', known: known(text)}
	f.wild = f.known != text
	f.name = text[strings.LastIndexByte(text, '/')+1:]
	f.begin = f.name
	if f.wild {
		f.begin, f.inName = known(f.name), letters(f.name)
	}
	return f
}

// segments are the path's parts, of which few paths are asked.
func (f *form) segments() []string {
	if f.parts == nil {
		f.parts = strings.Split(strings.TrimPrefix(f.text, "/"), "/")
	}
	return f.parts
}

// lettersFor are those of which a path must have the ones of a glob's needed text, to
// be worth a closer look. Where wildcards may stand for them that is any.
func (f *form) lettersFor(c *classGlob) uint64 {
	switch {
	case !f.wild || c.anchor == anywhere:
		return f.letters
	case c.anchor == base && !c.not && len(f.begin) < 2: // see speaksOf
		return f.inName
	}
	return ^uint64(0)
}

// speaksOf reports whether a name with wildcards was meant for what the glob means:
// *.json can be credentials.json, but does not speak of it; cred*.json does.
func (f *form) speaksOf(c *classGlob) bool {
	if strings.Contains(f.name, c.needed()) {
		return true
	}
	begin := f.begin
	return len(begin) > 1 && strings.HasPrefix(c.text[:c.known], begin)
}

// variables are what well-known variables hold where nobody has changed them. The
// longer of two that begin alike comes first.
var variables = []struct{ name, path string }{
	{"$home", "~"}, {"${home}", "~"}, {"$zdotdir", "~"}, {"%userprofile%", "~"}, {"%homepath%", "~"}, {"%homedrive%%homepath%", "~"},
	{"$env:userprofile", "~"}, {"${env:userprofile}", "~"}, {"$env:homepath", "~"}, {"$env:home", "~"}, {"$userprofile", "~"},
	{"%appdata%", "~/appdata/roaming"}, {"$env:appdata", "~/appdata/roaming"}, {"${env:appdata}", "~/appdata/roaming"}, {"$appdata", "~/appdata/roaming"},
	{"%localappdata%", "~/appdata/local"}, {"$env:localappdata", "~/appdata/local"}, {"${env:localappdata}", "~/appdata/local"}, {"$localappdata", "~/appdata/local"},
	{"%programdata%", "c:/programdata"}, {"$env:programdata", "c:/programdata"}, {"%allusersprofile%", "c:/programdata"}, {"$env:allusersprofile", "c:/programdata"},
	{"%systemroot%", "c:/windows"}, {"$env:systemroot", "c:/windows"}, {"%windir%", "c:/windows"}, {"$env:windir", "c:/windows"}, {"$windir", "c:/windows"},
	{"%programfiles%", "c:/program files"}, {"$env:programfiles", "c:/program files"}, {"%systemdrive%", "c:"}, {"$env:systemdrive", "c:"},
	{"$xdg_config_home", "~/.config"}, {"$xdg_data_home", "~/.local/share"}, {"$xdg_state_home", "~/.local/state"}, {"$xdg_runtime_dir", "/run/user/0"},
	{"$codex_home", "~/.codex"}, {"$claude_config_dir", "~/.claude"}, {"$gnupghome", "~/.gnupg"}, {"$password_store_dir", "~/.password-store"}, {"$docker_config", "~/.docker"}, {"$cargo_home", "~/.cargo"},
	{"$histfile", "~/.bash_history"}, {"$kubeconfig", "~/.kube/config"}, {"$netrc", "~/.netrc"}, {"$pgpassfile", "~/.pgpass"}, {"$aws_shared_credentials_file", "~/.aws/credentials"}, {"$aws_config_file", "~/.aws/config"}, {"$google_application_credentials", "~/.config/gcloud/x.json"},
	{"$pip_config_file", "~/.config/pip/pip.conf"}, {"$npm_config_userconfig", "~/.npmrc"}, {"$bash_env", "~/.bashrc"},
	{"$ssh_auth_sock", "/run/ssh-agent"}, {"$git_dir", "/.git"}, {"$git_config_global", "~/.gitconfig"},
	{"$profile.allusersallhosts", "~/documents/powershell/profile.ps1"}, {"$profile.currentuserallhosts", "~/documents/powershell/profile.ps1"}, {"$profile", "~/documents/powershell/profile.ps1"},
}

// mounts are the folders in which containers and rescue systems have the machine's
// own root folder, beside /proc/1/root.
var mounts = []string{"/private", "/host", "/hostfs", "/host_root", "/hostroot", "/rootfs", "/sysroot", "/target", "/mnt/root", "/mnt/host", "/mnt"}

// forms gives the ways in which a path may stand in the table.
func forms(p string, pl Places) []form {
	if p == "" || len(p) > 8<<10 {
		return nil
	}
	var out []form
	for _, p := range unbrace(p) {
		p = plain(p)
		if p == "" {
			continue
		}
		if p[0] == '~' {
			out = append(out, newForm("/home"+afterFirst(p)))
		} else {
			out = append(out, newForm(p))
		}
		if rest, ok := belowHome(p, pl); ok {
			out = append(out, newForm("~"+rest))
		}
		for _, m := range mounts {
			if below(p, m) {
				out = append(out, newForm(p[len(m):]))
			}
		}
		if _, rest, ok := strings.Cut(p, "/root/"); ok && below(p, "/proc") {
			out = append(out, newForm("/"+rest))
		}
	}
	return out
}

// plain writes a path as the table does: in lower case, with slashes, clean, a
// well-known variable replaced by what it holds.
func plain(p string) string {
	p = strings.ToLower(p)
	if windows(p) {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	if i := strings.IndexAny(p, "$%"); i == 0 {
		for _, v := range variables {
			rest, ok := strings.CutPrefix(strings.Replace(strings.Replace(p, "${", "$", 1), "}", "", 1), v.name)
			if !ok {
				rest, ok = strings.CutPrefix(p, v.name)
			}
			if ok && (rest == "" || rest[0] == '/') {
				p = v.path + rest
				break
			}
		}
	}
	// The device namespace of Windows: what is a device there stays one.
	if rest, ok := strings.CutPrefix(p, "//?/"); ok && !strings.HasPrefix(rest, "physicaldrive") {
		p = strings.TrimPrefix(rest, "globalroot")
	}
	for _, drive := range []string{"/mnt/", "/cygdrive/", "/"} { // WSL, Cygwin, Git Bash
		if rest, ok := strings.CutPrefix(p, drive); ok && len(rest) > 1 && rest[1] == '/' && rest[0] >= 'a' && rest[0] <= 'z' {
			p = rest[:1] + ":" + rest[1:]
			break
		}
	}
	if strings.HasPrefix(p, "//./") || strings.HasPrefix(p, "//?/") {
		return p
	}
	p = clean(p)
	if p == "/var/run" || strings.HasPrefix(p, "/var/run/") {
		p = p[len("/var"):]
	}
	return p
}

// windows reports whether a path is written as Windows writes them.
func windows(p string) bool {
	return len(p) > 1 && (p[1] == ':' || p[0] == '%' || p[0] == '\\' || strings.Contains(p, `:\`)) || strings.HasPrefix(strings.ToLower(p), "$env:") || strings.Contains(p, `\`) && !strings.Contains(p, "/")
}

// belowHome gives what follows the home folder in a path as [plain] writes it,
// whosever home it is. A path whose beginning is not known may be in one.
func belowHome(p string, pl Places) (string, bool) {
	if home := strings.ToLower(pl.Home); len(home) > 1 && (p == home || below(p, home)) {
		return p[len(home):], true
	}
	for _, h := range []string{"/root", "/var/root"} {
		if p == h || below(p, h) {
			return p[len(h):], true
		}
	}
	for _, h := range []string{"/home/", "/users/", "c:/users/", "/export/home/", "c:/documents and settings/"} {
		if rest, ok := strings.CutPrefix(p, h); ok && rest != "" {
			return afterFirst(rest), true
		}
	}
	switch p[0] {
	case '~', '$', '`': // ~user, $SOMETHING
		return afterFirst(p), true
	}
	return "", false
}

// afterFirst takes the first folder off a path.
func afterFirst(p string) string {
	if i := strings.IndexByte(p, '/'); i >= 0 {
		return p[i:]
	}
	return ""
}

// clean is path.Clean for paths of either kind.
func clean(p string) string {
	if p == "" {
		return p
	}
	return path.Clean(p)
}
