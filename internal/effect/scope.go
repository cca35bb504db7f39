package effect

import (
	"path"
	"strings"
)

// Scope says where a file lies, seen from the work that the agent has to do.
type Scope string

// The scopes. A path has exactly one.
const (
	Root        Scope = "root"         // all of the file system
	System      Scope = "system"       // what belongs to the system: /etc, /usr, C:\Windows
	Home        Scope = "home"         // a whole home folder, or a folder of settings in one
	Device      Scope = "device"       // a disk or another device
	Repo        Scope = "repo"         // in the project
	RepoRoot    Scope = "repo-root"    // all of the project, or its .git
	Temp        Scope = "temp"         // in a folder for temporary files
	OutsideRepo Scope = "outside-repo" // somewhere else
	Unknown     Scope = "unknown"      // known only while the command runs
)

// Scopes lists all scopes.
func Scopes() []Scope {
	return []Scope{Root, System, Home, Device, Repo, RepoRoot, Temp, OutsideRepo, Unknown}
}

// Places are the folders that scopes are told from, absolute and clean.
type Places struct {
	// Home is the person's home folder, CWD the folder that the act begins in,
	// Repo the project's root folder ("" if there is none: CWD counts).
	Home, CWD, Repo string
}

// Abs makes a path absolute and clean: ~ becomes the home folder, a relative path
// is taken from CWD. Symbolic links are not followed. A path of Windows with a drive,
// a server or a variable in front stays as it is.
func (pl Places) Abs(p string) string {
	if windows(p) && (p[0] == '\\' || p[0] == '%' || p[0] == '$' || p[1] == ':') {
		return p
	}
	if rest, ok := strings.CutPrefix(p, "~"); ok && pl.Home != "" && (rest == "" || rest[0] == '/') {
		p = pl.Home + rest
	}
	if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "~") && pl.CWD != "" {
		p = pl.CWD + "/" + p
	}
	return path.Clean(p)
}
