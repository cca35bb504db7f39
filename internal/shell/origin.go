package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Programs that came from elsewhere, or lie where they shall not be seen.

// fetchedHere reports whether a script that nobody can read most likely came with what
// the line has fetched: git clone x && ./x/install.sh.
func (e *eval) fetchedHere(name string) bool {
	if len(e.via) > 0 && strings.HasPrefix(name, "@") { // npx @scope/package
		return false
	}
	return e.fetched && !e.fromFile && (strings.Contains(name, "/") || strings.HasSuffix(name, ".sh")) &&
		!strings.HasPrefix(name, "/usr/") && !strings.HasPrefix(name, "/bin/") && !strings.HasPrefix(name, "/opt/")
}

// downloaded reports whether the line has put a download under this name where programs
// are looked for.
func (e *eval) downloaded(name string) bool {
	for _, p := range e.fetchedTo[name] {
		if !e.spend(1) {
			return false
		}
		if e.files[p].Origin.Has(effect.Downloaded) {
			return true
		}
	}
	return false
}

func inTemp(p string) bool {
	return strings.HasPrefix(p, "/tmp/") || strings.HasPrefix(p, "/var/tmp/") || strings.HasPrefix(p, "/dev/shm/")
}

// hidden reports whether a program lies where one is put that shall not be seen: in
// memory, or under a name with a dot among the temporary files.
func (e *eval) hidden(name effect.Value) bool {
	p := e.abs(name)
	if name.Open || !strings.Contains(name.Text, "/") || !inTemp(p) || e.ctx.Places.CWD != "" && strings.HasPrefix(p, e.ctx.Places.CWD+"/") {
		return false
	}
	return strings.HasPrefix(p, "/dev/shm/") || strings.HasPrefix(path.Base(p), ".") || hiddenFolder(p)
}

// hiddenFolder reports whether a path below the temporary files lies in a folder whose
// name begins with a dot and is none that tools make.
func hiddenFolder(p string) bool {
	for _, tmp := range []string{"/tmp/", "/var/tmp/", "/dev/shm/"} {
		rest, ok := strings.CutPrefix(p, tmp)
		if !ok {
			continue
		}
		folder, _, deeper := strings.Cut(rest, "/")
		if !deeper || !strings.HasPrefix(folder, ".") {
			return false
		}
		for _, tool := range []string{".mount_", ".venv", ".tox", ".nox", ".cargo", ".rustup", ".nvm", ".pyenv", ".npm", ".bun", ".deno", ".local", ".dotnet"} {
			if strings.HasPrefix(folder, tool) {
				return false
			}
		}
		return true
	}
	return false
}

// exploit reports whether a program among the temporary files lies in a folder named
// after a published weakness, as what is there to use it does.
func exploit(p string) bool {
	return inTemp(p) && strings.Contains(strings.ToLower(p), "/cve-2")
}

// runsPiped notes a download that is handed over as a file, <(curl …), to a program that
// does more than to read it.
func (e *eval) runsPiped(name string, words []effect.Value) {
	switch name {
	case "cat", "bat", "less", "more", "head", "tail", "grep", "egrep", "rg", "diff", "colordiff", "sdiff", "cmp", "comm", "sort", "uniq", "wc", "jq", "yq", "paste", "join", "cut",
		"sed", "tee", "xxd", "od", "md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "b2sum", "cksum", "gpg", "openssl", "tar", "unzip", "column", "cp", "base64", "delta",
		"awk", "gawk", "vimdiff", "xmllint", "csvcut", "file", "strings", "gunzip", "zcat", "curl", "wget":
		return
	}
	for _, w := range words {
		if v, ok := e.files[w.Text]; ok && strings.HasPrefix(w.Text, pipeName) && v.Origin.Has(effect.Downloaded) {
			e.runUnknown(effect.Value{Text: name, Open: true, Origin: effect.Downloaded})
		}
	}
}

// clones reports whether a program fetches a whole folder of files.
func clones(name string, words []effect.Value) bool {
	has := func(w string) bool { return slices.Contains(texts(words), w) }
	switch name {
	case "git":
		return has("clone") || has("submodule") && has("add")
	case "hg":
		return has("clone")
	case "svn":
		return has("export") || has("checkout") || has("co")
	case "gh":
		return has("release") && has("download") || has("repo") && has("clone") || has("run") && has("download")
	}
	return false
}
