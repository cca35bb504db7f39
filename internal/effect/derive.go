package effect

import (
	"slices"
	"strings"
)

// writes are the kinds that change what lies at a path.
func writes(k Kind) bool {
	switch k {
	case FileWrite, "file.move", "permission.widen":
		return true
	}
	return false
}

func deletes(k Kind) bool {
	return k == FileDelete || k == FileEmpty || k == DeleteRecursive || k == "file.move"
}

// onWrite and onDelete say what follows from changing a file of a class.
var (
	onWrite = []struct {
		class string
		kind  Kind
	}{
		{"startup", "persist.startup"}, {"schedule", "persist.schedule"}, {"access", "persist.access"}, {"hook", "persist.hook"},
		{"preload", "privilege.preload"}, {"privilege", "privilege.grant"}, {"kernel", "privilege.kernel"}, {"trust", "trust.source"}, {"tls", "trust.tls"},
		{"proxy", "trust.proxy"}, {"ci", "trust.build"}, {"device", DiskOverwrite}, {"socket", "privilege.escape"},
		{"log", "trace.wipe"}, {"history", "trace.wipe"}, {"watcher", "trace.blind"},
	}
	onDelete = []struct {
		class string
		kind  Kind
	}{
		{"log", "trace.wipe"}, {"history", "trace.wipe"}, {"watcher", "trace.blind"},
		{"startup", "persist.startup"}, {"schedule", "persist.schedule"}, {"access", "persist.access"}, {"hook", "persist.hook"},
		{"privilege", "privilege.grant"}, {"preload", "privilege.preload"}, {"ci", "trust.build"}, {"tls", "trust.tls"}, {"proxy", "trust.proxy"},
		{"state", "database.drop"},
	}
)

// Derive gives what follows from an effect on paths of certain classes: reading a
// key is reading a secret, writing a start-up file has something run at login.
func Derive(e Effect, pl Places) []Effect {
	var out []Effect
	add := func(k Kind, t Target) {
		x := Effect{Kind: k, Program: e.Program, Targets: []Target{t}, Via: e.Via, Unsure: e.Unsure}
		out = append(out, x)
	}
	for _, t := range e.Targets {
		if t.Name == "" || t.Scope == "" {
			continue
		}
		switch {
		case e.Kind == FileRead || e.Kind == DataSend:
			classes := Classes(t.Name, pl)
			secret := slices.Contains(classes, "secret") || slices.Contains(classes, "history")
			switch {
			case secret && e.Kind == FileRead:
				add(SecretRead, t)
			case secret:
				add(SecretSend, t)
			}
			if slices.Contains(classes, "socket") {
				add("privilege.escape", t)
			}
			if slices.Contains(classes, "capture") {
				add("data.capture", t)
			}
		case e.Kind == DeleteRecursive && history(t.Name), e.Kind == "file.move" && repository(t), e.Kind == FileWrite && strings.HasSuffix(t.Name, "/.git/HEAD"):
			add("git.discard", t)
		case writes(e.Kind) || deletes(e.Kind):
			classes := Classes(anyName(t.Name), pl)
			if len(classes) == 0 && (t.Scope != System && t.Scope != Root || !writes(e.Kind)) {
				continue
			}
			before := len(out)
			if writes(e.Kind) {
				for _, w := range onWrite {
					if slices.Contains(classes, w.class) {
						add(w.kind, t)
					}
				}
				if len(out) == before && (t.Scope == System || t.Scope == Root) {
					add("system.config", t)
				}
			}
			if deletes(e.Kind) {
				for _, w := range onDelete {
					if slices.Contains(classes, w.class) {
						add(w.kind, t)
					}
				}
				if elsewhere(t.Scope) && (e.Kind == FileDelete || e.Kind == FileEmpty) && slices.Contains(classes, "kept") {
					add("delete.kept", t)
				}
			}
		}
	}
	return out
}

// elsewhere reports whether a file is none of the project's and none that is temporary.
func elsewhere(s Scope) bool { return s == OutsideRepo || s == Home || s == System }

// anyName puts a name in the place of a last part that is nothing but a wildcard: what
// is written as dir/* is files of dir, and not every file that there can be.
func anyName(p string) string {
	i := strings.LastIndexByte(p, '/')
	if i >= 0 && strings.ContainsAny(p[i+1:], "*?") && strings.Trim(p[i+1:], "*?.") == "" {
		return p[:i+1] + "x"
	}
	return p
}

// repository reports whether a path is the whole of what git has stored.
func repository(t Target) bool {
	return t.Scope == RepoRoot && (t.Name == ".git" || strings.HasSuffix(t.Name, "/.git"))
}

// history reports whether a folder holds what git has stored of a repository.
func history(p string) bool {
	for _, dir := range []string{"objects", "refs", "refs/heads", "logs"} {
		if s, ok := strings.CutSuffix(strings.TrimSuffix(p, "/"), ".git/"+dir); ok && (s == "" || strings.HasSuffix(s, "/")) {
			return true
		}
	}
	return false
}
