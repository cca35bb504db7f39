package shell

import (
	"path"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/script"
)

// printedPath is the path that a program prints when it is asked where something lies:
// what is written below it is written into the program itself.
func printedPath(name string, words []effect.Value) (stream, bool) {
	switch language(name) {
	case "python", "ruby":
	default:
		if name != "npm" && name != "go" && name != "docker" && name != "podman" {
			return stream{}, false
		}
	}
	if len(words) > 16 {
		return stream{}, false
	}
	all := joined(words).Text
	has := func(parts ...string) bool {
		for _, p := range parts {
			if !strings.Contains(all, p) {
				return false
			}
		}
		return true
	}
	out := ""
	switch language(name) {
	case "python":
		switch {
		case !has("-c") && !has("-m"):
		case has("--user-site"), has("site", "getsitepackages"), has("getusersitepackages"), has("USER_SITE"), has("get_python_lib"), has("sysconfig", "lib"):
			out = script.SitePackages
		case has("__file__"):
			out = path.Dir(script.SitePackages) + "/module.py"
		}
	case "ruby":
		if has("RbConfig") {
			out = "/usr/lib/ruby"
		}
	}
	switch {
	case name == "npm" && len(words) == 2 && words[0].Text == "root" && (words[1].Text == "-g" || words[1].Text == "--global"):
		out = "/usr/lib/node_modules"
	case name == "go" && has("env") && has("GOROOT"):
		out = "/usr/lib/go"
	case (name == "docker" || name == "podman") && has("inspect", ".LogPath"):
		out = "/var/lib/docker/containers/x/x-json.log"
	}
	if out == "" || strings.Contains(all, ".write") {
		return stream{}, false
	}
	return known(out), true
}
