package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// locks are the files in which package managers keep the versions that they chose: they
// are written again, and in a conflict taken from one side.
var locks = []string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock", "Cargo.lock", "go.sum", "go.work.sum", "poetry.lock", "uv.lock", "pdm.lock",
	"pixi.lock", "Pipfile.lock", "conda-lock.yml", "Gemfile.lock", "composer.lock", "mix.lock", "rebar.lock", "pubspec.lock", "Podfile.lock", "Package.resolved", "flake.lock", "packages.lock.json",
	"gradle.lockfile", "Chart.lock", ".terraform.lock.hcl", "Manifest.toml", "MODULE.bazel.lock", "buf.lock",
}

// onlyLocks reports whether git checkout or git restore takes nothing but such files from
// a commit.
func onlyLocks(words []effect.Value) bool {
	i := slices.IndexFunc(words, func(w effect.Value) bool { return w.Text == "checkout" || w.Text == "restore" })
	if i < 0 {
		return false
	}
	checkout, found := words[i].Text == "checkout", false
	words = words[i+1:]
	if j := slices.IndexFunc(words, func(w effect.Value) bool { return w.Text == "--" }); j >= 0 {
		words, checkout = words[j+1:], false
	}
	for i := 0; i < len(words); i++ {
		w := words[i].Text
		switch {
		case w == "-s" || w == "--source":
			i++
		case w == "-S" || w == "-W" || w == "--staged" || w == "--worktree" || w == "-q" || w == "--quiet" || strings.HasPrefix(w, "--source="):
		case slices.Contains(locks, path.Base(w)):
			found = true
		case checkout && !found && !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "*."): // the commit
			checkout = false
		default:
			return false
		}
	}
	return found
}
