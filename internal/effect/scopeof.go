package effect

import (
	"path"
	"slices"
	"strings"
)

// system are the folders in which all belongs to the system, systemOnly those that
// only as a whole do.
var (
	system = []string{
		"/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/sys", "/proc", "/run",
		"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/include", "/usr/share",
		"/System", "/Library", "/private/etc", "/nix/store", "/snap",
		"/var/lib/mysql", "/var/lib/postgresql", "/var/lib/pgsql", "/var/lib/mongodb", "/var/lib/mongo", "/var/lib/redis", "/var/lib/etcd", "/var/lib/dpkg", "/var/lib/rpm",
	}
	systemOnly = []string{
		"/usr", "/usr/local", "/usr/local/bin", "/usr/local/lib", "/var", "/var/lib", "/var/log", "/var/spool", "/var/cache", "/var/db", "/var/run", "/var/mail", "/var/www",
		"/opt", "/srv", "/mnt", "/media", "/dev", "/Applications", "/Volumes", "/private", "/private/var", "/cores", "/lost+found", "/nix", "/host", "/opt/homebrew", "/data",
	}
	temp     = []string{"/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp", "/private/var/folders", "/var/folders"}
	harmless = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/ptmx"}
	// homeOnly are the folders of a home whose loss is nearly that of the home.
	homeOnly = []string{"", "/.config", "/.local", "/.local/share", "/.local/bin", "/documents", "/desktop", "/pictures", "/music", "/videos", "/movies", "/downloads", "/projects", "/code", "/src", "/work", "/library", "/appdata", "/appdata/roaming", "/appdata/local", "/.aws", "/.kube", "/.docker", "/.mozilla", "/.thunderbird", "/onedrive", "/dropbox", "/icloud", "/.git", "/.claude", "/.codex", "/.bitcoin", "/.ethereum"}
	// keys are the folders of a home of which every file counts as the whole: what is
	// locked with a key is lost with it.
	keys = []string{"/.ssh", "/.gnupg", "/.password-store", "/library/keychains", "/.local/share/keyrings"}
	// stores are the folders of a home below which all is downloaded or built again when
	// it is missed; caches are those that are so as a whole.
	stores = []string{
		"/.cache", "/library/caches", "/library/developer/xcode/deriveddata", "/library/developer/coresimulator/caches", "/appdata/local/npm-cache", "/appdata/local/pip/cache",
		"/.gradle/caches", "/.gradle/daemon", "/.gradle/wrapper/dists", "/.m2/repository", "/.m2/wrapper/dists", "/.ivy2/cache", "/.sbt/boot", "/.coursier/cache", "/.konan", "/.android/build-cache",
		"/.npm/_cacache", "/.npm/_npx", "/.npm/_logs", "/.yarn/berry/cache", "/.yarn/cache", "/.pnpm-store", "/.local/share/pnpm/store", "/.bun/install/cache", "/.deno/deps", "/.nuget/packages",
		"/.cargo/registry/cache", "/.cargo/registry/src", "/.cargo/registry/index", "/.cargo/git/checkouts", "/go/pkg/mod", "/.terraform.d/plugin-cache", "/.pub-cache/hosted", "/.hex/packages",
		"/.cocoapods/repos", "/.composer/cache", "/.bundle/cache", "/.gem/specs", "/.conan2/p", "/.vcpkg/archives", "/.ccache", "/.cpanm/work", "/.opam/download-cache", "/.stack/pantry", "/.cabal/packages",
		"/.dartserver", "/.expo/cache", "/.electron", "/.node-gyp", "/.julia/compiled", "/.nx/cache", "/.turbo/cache", "/.esp-idf/cache",
	}
	caches = []string{
		"/library/developer/xcode/deriveddata", "/.gradle/caches", "/.npm/_cacache", "/.npm/_npx", "/.npm/_logs", "/.yarn/berry/cache", "/.cargo/registry/cache", "/.cargo/registry/src", "/.cargo/registry/index",
		"/go/pkg/mod/cache", "/.ccache", "/.node-gyp", "/.sbt/boot", "/.ivy2/cache", "/.bun/install/cache", "/.composer/cache", "/.terraform.d/plugin-cache",
	}
)

// ScopeOf says where a path lies. It may hold globs; one that ends in a wildcard
// for all files of a folder counts as the folder.
func ScopeOf(v Value, pl Places) Scope {
	p := v.Text
	if p == "" {
		return Unknown
	}
	if s, ok := windowsScope(p); ok {
		return s
	}
	switch p[0] { // ~ and ~user, well-known variables
	case '~':
		if pl.Home != "" && (p == "~" || p[1] == '/') {
			break // it may be where the project is
		}
		if q := plain(p); q[0] == '~' {
			return homeScope(afterFirst(q))
		}
	case '$', '%':
		switch q := plain(p); q[0] {
		case '~':
			return homeScope(afterFirst(q))
		case '/':
			p = q
		}
	}
	if i := strings.IndexAny(p, "$`"); i >= 0 {
		slash := strings.LastIndexByte(p[:i], '/')
		if slash <= 0 {
			return Unknown
		}
		p = p[:slash] + "/x"
	}
	return pl.scope(wholeFolder(pl.Abs(p)))
}

// wholeFolder takes the wildcards for all files off the end of a path.
func wholeFolder(p string) string {
	for {
		i := strings.LastIndexByte(p, '/')
		if i < 0 || i == len(p)-1 || strings.Trim(p[i+1:], "*?.[]!{},^") != "" || p[i+1:] == "." || p[i+1:] == ".." {
			return p
		}
		p = p[:i]
		if p == "" {
			return "/"
		}
	}
}

func (pl Places) scope(p string) Scope {
	root := pl.Repo
	if root == "" {
		root = pl.CWD
	}
	if root == "/" || root != "" && (root == pl.Home || below(pl.Home, root)) {
		root = "" // all of a home is no project
	}
	switch {
	case p == "/" || strings.HasPrefix(p, "/*") || strings.HasPrefix(p, "/?"):
		return Root
	case root != "" && (p == root || p == root+"/.git"):
		return RepoRoot
	case root != "" && below(p, root):
		return Repo
	case pl.Home != "" && (p == pl.Home || below(p, pl.Home)):
		return homeScope(p[len(pl.Home):])
	case slices.Contains(harmless, p) || within(p, []string{"/dev/fd", "/dev/pts", "/dev/tcp", "/dev/udp"}):
		return Temp
	case slices.Contains(temp, p):
		return OutsideRepo
	case within(p, temp):
		if reaches(p, root) || neighbour(p, root) {
			return OutsideRepo // the project lies there, too
		}
		return Temp
	case below(p, "/dev"):
		return Device
	case within(p, system) || slices.Contains(systemOnly, p) || globbedSystem(p):
		return System
	}
	if h, ok := belowHome(strings.ToLower(p), pl); ok && p[0] == '/' {
		return homeScope(h)
	}
	if p == "/home" || p == "/Users" || p == "/root" {
		return Home
	}
	if !strings.HasPrefix(p, "/") { // no folder is known: it is taken from the project's
		switch {
		case p == "." || p == ".git":
			return RepoRoot
		case p == ".." || strings.HasPrefix(p, "../"):
			return OutsideRepo
		}
		return Repo
	}
	return OutsideRepo
}

// reaches reports whether a folder, or a search in it, has the project within it. A
// search for a name in all of /tmp means what was made there.
func reaches(p, root string) bool {
	if i := strings.Index(p, "/**"); i >= 0 {
		p = p[:i]
	}
	return root != "" && below(root, p) && !slices.Contains(temp, p)
}

// neighbour reports whether a path lies beside the project. Where that is in a folder
// for temporary files, what somebody put beside it is as much work as it is.
func neighbour(p, root string) bool {
	if root == "" || !within(root, temp) {
		return false
	}
	beside := path.Dir(root)
	return !slices.Contains(temp, beside) && path.Base(beside) != "T" && below(p, beside) // macOS has …/T for all
}

func homeScope(rest string) Scope {
	rest = strings.ToLower(wholeFolder(rest))
	if slices.Contains(caches, rest) || slices.ContainsFunc(stores, func(dir string) bool { return below(rest, dir) }) {
		return Temp // what is made again when it is missed
	}
	if rest == "/" || slices.Contains(homeOnly, rest) || within(rest, keys) {
		return Home
	}
	return OutsideRepo
}

// globbedSystem is a first folder that is a glob: /e*, /[ue]*.
func globbedSystem(p string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	if !strings.HasPrefix(p, "/") || !strings.ContainsAny(first, "*?[") {
		return false
	}
	return slices.ContainsFunc(append(systemOnly[:len(systemOnly):len(systemOnly)], system...), func(s string) bool {
		return overlap(strings.TrimPrefix(s, "/"), first)
	})
}

func below(p, dir string) bool {
	return len(p) > len(dir) && strings.HasPrefix(p, dir) && (p[len(dir)] == '/' || strings.HasSuffix(dir, "/"))
}

func within(p string, dirs []string) bool {
	for _, d := range dirs {
		if p == d || below(p, d) {
			return true
		}
	}
	return false
}

// windowsScope classes a path with a drive letter or one of Windows' variables.
func windowsScope(p string) (Scope, bool) {
	low := strings.ToLower(strings.ReplaceAll(p, `\`, "/"))
	if q := plain(p); len(q) > 1 && q[1] == ':' { // /mnt/c/Users, \\?\C:\Users
		low = q
	}
	for _, v := range []struct {
		name  string
		scope Scope
	}{
		{"%temp%", Temp}, {"%tmp%", Temp}, {"$env:temp", Temp}, {"$env:tmp", Temp},
		{"%systemroot%", System}, {"%windir%", System}, {"$env:systemroot", System}, {"$env:windir", System}, {"%programfiles", System}, {"$env:programfiles", System}, {"%programdata%", System}, {"$env:programdata", System},
		{"%systemdrive%", Root}, {"$env:systemdrive", Root},
	} {
		if strings.HasPrefix(low, v.name) {
			rest := strings.Trim(low[len(v.name):], "/*")
			if v.scope == Root && rest != "" {
				return windowsScope("c:/" + rest)
			}
			return v.scope, true
		}
	}
	if strings.HasPrefix(low, "//./") {
		return Device, true
	}
	if len(low) < 2 || low[1] != ':' || low[0] < 'a' || low[0] > 'z' {
		return "", false
	}
	rest := "/" + strings.Trim(low[2:], "/*.")
	if rest == "/" {
		return Root, true
	}
	switch first, deeper, _ := strings.Cut(rest[1:], "/"); first {
	case "windows", "program files", "program files (x86)", "programdata", "boot", "recovery", "system volume information", "$recycle.bin", "efi":
		if first == "windows" && (deeper == "temp" || strings.HasPrefix(deeper, "temp/")) {
			return Temp, true
		}
		return System, true
	case "temp", "tmp":
		return Temp, true
	case "users", "documents and settings":
		_, in, ok := strings.Cut(deeper, "/")
		if !ok || homeScope("/"+in) == Home {
			return Home, true
		}
		if strings.HasPrefix(in, "appdata/local/temp") {
			return Temp, true
		}
	}
	return OutsideRepo, true
}

// IsWhole reports whether a path is the whole machine, a whole home, or a folder in which
// all belongs to the system: no file that could be deleted by itself.
func IsWhole(v Value, pl Places) bool {
	switch ScopeOf(v, pl) {
	case Root:
		return true
	case Home:
		p := pl.Abs(plain(v.Text))
		return p == pl.Home || p == "~" || p == "/home" || p == "/root" || p == "/Users"
	case System:
		p := pl.Abs(plain(v.Text))
		return slices.Contains(system, p) || slices.Contains(systemOnly, p)
	}
	return false
}
