package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// pins reports whether a file says where packages come from and what they must be.
func pins(base string) bool {
	switch base {
	case "gradle-wrapper.properties", "maven-wrapper.properties", ".gitmodules":
		return true
	}
	return slices.Contains(locks, base) || strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt")
}

// registries are the hosts that packages come from every day, without their last label.
var registries = []string{"registry.npmjs.", "registry.yarnpkg.", "pypi.", "files.pythonhosted.", "rubygems.", "crates.", "github.", "gitlab.", "bitbucket.", "repo.packagist.", "proxy.golang.", "sum.golang.", "services.gradle.", "repo.maven.apache.", "repo1.maven.", "hex.", "pub.", "nuget."}

// rewritesPins notes an editor of streams that has a lock file name another source of
// packages, or takes out what they are checked by.
func (e *eval) rewritesPins(name string, words []effect.Value) {
	switch name {
	case "sed", "gsed", "perl", "jq", "ruby", "sd":
	default:
		return
	}
	file := ""
	for _, w := range words {
		if pins(path.Base(w.Text)) {
			file = w.Text
		}
	}
	if file == "" {
		return
	}
	for _, w := range words {
		kind := effect.Kind("")
		switch {
		case w.Text == file:
		case name == "jq" && strings.Contains(w.Text, "resolved") && strings.Contains(w.Text, "=") && otherSource(w.Text):
			kind = "trust.source"
		case name != "jq" && otherSource(replacement(w.Text)) && sourced(w.Text):
			kind = "trust.source"
		case name != "jq" && dropsCheck(w.Text):
			kind = "trust.tls"
		default:
			continue
		}
		if kind != "" {
			e.add(effect.Effect{Kind: kind, Program: name, Targets: []effect.Target{{Name: file}}})
		}
	}
}

// replacement is what a substitution puts in place of what it finds: b of s/a/b/.
func replacement(s string) string {
	i := strings.IndexByte(s, 's')
	if i < 0 || i+1 >= len(s) {
		return ""
	}
	parts := strings.Split(s[i+1:], s[i+1:i+2])
	if len(parts) < 3 || strings.ContainsAny(s[i+1:i+2], "abcdefghijklmnopqrstuvwxyz \\") {
		return ""
	}
	return parts[2]
}

// sourced reports whether a substitution speaks of where packages come from.
func sourced(s string) bool {
	return strings.Contains(s, "://") || strings.Contains(s, `:\\/\\/`) || strings.Contains(s, `\/\/`) || strings.Contains(s, "distributionUrl") || strings.Contains(s, "registry") ||
		slices.ContainsFunc(registries, func(r string) bool { return strings.Contains(strings.ReplaceAll(s, `\`, ""), r) })
}

// otherSource reports whether a text names a host that packages do not come from every
// day.
func otherSource(s string) bool {
	s = strings.ReplaceAll(s, `\`, "")
	if s == "" || !strings.Contains(s, ".") {
		return false
	}
	_, rest, ok := strings.Cut(s, "://")
	if !ok {
		rest = s
	}
	host, _, _ := strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if !ok && (strings.ContainsAny(host, " \"=") || strings.Count(host, ".") == 0) {
		return false
	}
	name, _, _ := strings.Cut(host, ":")
	if local(name) {
		return false
	}
	return !slices.ContainsFunc(registries, func(r string) bool {
		i := strings.Index("."+host, "."+r)
		return i >= 0 && !strings.Contains(host[i+len(r):], ".")
	})
}

// dropsCheck reports whether an editing command takes checksums out.
func dropsCheck(s string) bool {
	for _, mark := range []string{"integrity", "checksum", "--hash", "sha256", "sha512"} {
		if !strings.Contains(s, mark) {
			continue
		}
		if strings.HasSuffix(s, "/d") || strings.HasPrefix(s, "s") && replacement(s) == "" && strings.Count(s, s[1:2]) >= 3 {
			return true
		}
	}
	return false
}
