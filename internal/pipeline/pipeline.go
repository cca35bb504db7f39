// Package pipeline reads what is written into the files of a CI service and tells an
// ordinary change (a version, a cache, a step that tests) from one that gives somebody
// more than he had: rights, secrets, a runner of one's own, code of strangers, a check
// that checks nothing. It reads lines and no YAML, since an edit shows only a part of a
// file; what it does not understand is not ordinary.
package pipeline

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/lazy"
	"github.com/fireharp/overseer/internal/program"
)

// Change is what happens to a file of a CI service.
type Change struct {
	File string
	// Old is what goes, as far as it is known; New is what comes, or all of the file.
	Old, New string
	// Whole is true where New takes the place of all that may have been there.
	Whole bool
}

// Ordinary reports whether a change is one that nobody has to look at before it is made.
// effects says what a command line would do.
func Ordinary(c Change, effects func(string) []effect.Effect) bool {
	if !readable(c.File) || len(c.New) > maxText || strings.TrimSpace(c.New) == "" {
		return false
	}
	p := patterns.Get(compile)
	text := p.comment.ReplaceAllString(strings.ReplaceAll(c.New, "\r\n", "\n"), "")
	if p.odd.MatchString(text) || c.Whole && !p.works.MatchString(text) { // what does nothing replaces what checked
		return false
	}
	for line := range strings.Lines(text) {
		if slices.Contains(alone, strings.ToLower(strings.Trim(line, "'\" \t\r\n"))) {
			return false
		}
	}
	if p.scripts.MatchString(text) && p.reaches.MatchString(text) || !p.secretsOnly(text) || !p.variablesAreHarmless(text) || !p.actionsAreKnown(text) || !p.placesAreKnown(text) {
		return false
	}
	if weakens(c.Old, c.New, p) {
		return false
	}
	lines, ok := commands(c.File, text, p)
	return ok && !slices.ContainsFunc(effects(lines), bad)
}

// maxText bounds what is read, in bytes.
const maxText = 64 << 10

// readable reports whether a file is one of the sort that this package reads. Who must
// review what is never ordinary.
func readable(file string) bool {
	switch base := strings.ToLower(path.Base(file)); {
	case base == "settings.yml":
		return false
	case strings.HasSuffix(base, ".yml"), strings.HasSuffix(base, ".yaml"), strings.HasPrefix(base, "jenkinsfile"):
		return true
	}
	return false
}

// alone are texts that by themselves change what a key means that is not shown.
var alone = []string{"write", "write-all", "true", "false", "inherit", "never", "always", "main", "master", "_target", "target", "hosted", "self", "root"}

// bad reports whether a step that does this is to be looked at. What a runner deletes or
// installs in itself is gone with it.
func bad(e effect.Effect) bool {
	group, _, _ := strings.Cut(string(e.Kind), ".")
	switch group {
	case "secret", "disk", "persist", "trust", "trace", "network", "infra", "repo", "package", "guard", "cloud", "cluster":
		return true
	}
	switch e.Kind {
	case effect.ExecDownloaded, effect.ExecDecoded, effect.ExecUnresolved, effect.ExecRemoteShell, "exec.inject", effect.DataSend, effect.ForkBomb, "git.rewrite-remote", "git.send",
		"privilege.escape", "privilege.preload", "privilege.kernel", "system.backup-delete":
		return true
	case effect.DeleteRecursive:
		return slices.ContainsFunc(e.Targets, func(t effect.Target) bool {
			return t.Scope == effect.Root || t.Scope == effect.Home || t.Scope == effect.System
		})
	}
	return false
}

// weakens reports whether what goes was a check or a bound, and what comes has none of its
// kind.
func weakens(before, after string, p *compiled) bool {
	after = strings.ToLower(after)
	for _, w := range p.checks.FindAllString(strings.ToLower(before), -1) {
		if !strings.Contains(after, w) {
			return true
		}
	}
	return false
}

// commands are the lines that a job would run, as far as they can be told from the rest.
// A line of another sort is at most read as a command that there is not. ok is false
// for a text that goes on over lines in a way that is not followed.
func commands(file, text string, p *compiled) (lines string, ok bool) {
	if strings.HasPrefix(strings.ToLower(path.Base(file)), "jenkinsfile") {
		var out []string
		for _, m := range p.groovy.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1]+m[2]+m[3]+m[4])
		}
		return strings.Join(out, "\n"), true
	}
	var b strings.Builder
	from, goesOn := 0, false // where the value of the last line began, and that more of it may follow
	for line := range strings.Lines(p.expression.ReplaceAllString(text, "$$EXPR")) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if goesOn && indent > from {
			b.WriteString(" " + line)
			continue
		}
		from, goesOn = indent, false
		for strings.HasPrefix(line, "- ") {
			rest := strings.TrimLeft(line[2:], " ")
			indent += len(line) - len(rest)
			line, goesOn = rest, true
		}
		if key, value, ok := strings.Cut(line, ":"); ok && p.key.MatchString(key) && (value == "" || value[0] == ' ') {
			goesOn = false
			if !slices.Contains(running, strings.ToLower(strings.Trim(key, `'"`))) {
				continue
			}
			line = strings.TrimSpace(value)
			from, goesOn = indent, line != ""
		}
		if strings.Trim(line, "|>+-0123456789 ") == "" {
			goesOn = false
			continue
		}
		if c := line[0]; c == '"' || c == '\'' {
			if line[len(line)-1] == c && len(line) > 1 {
				line = line[1 : len(line)-1]
			} else if goesOn && strings.IndexByte(line[1:], c) < 0 {
				return "", false
			}
		}
		if n := len(line); n > 1 && line[0] == '[' && line[n-1] == ']' { // a list in one line
			line = strings.NewReplacer(`",`, "\n", `',`, "\n", `"`, "", `'`, "").Replace(line[1 : n-1])
		}
		b.WriteString("\n" + line)
	}
	return b.String(), true
}

// running are the keys whose value is run.
var running = []string{"run", "script", "before_script", "after_script", "command", "commands", "cmd", "bash", "pwsh", "powershell", "install", "before_install", "after_success", "entrypoint", "inlinescript"}

var patterns lazy.Value[*compiled]

type compiled struct {
	odd, comment, scripts, reaches, secret, variable, action, uses, place, image, checks, expression, key, groovy, works *regexp.Regexp
}

func compile() *compiled {
	return &compiled{
		odd:        regexp.MustCompile(oddities),
		comment:    regexp.MustCompile(`(?m)(^|[ \t])#.*$`),
		scripts:    regexp.MustCompile(`actions/github-script`),
		reaches:    regexp.MustCompile(`fetch\(|require\(|https?:|process\.env|exec`),
		secret:     regexp.MustCompile(`(?i)secrets\s*(?:\.\s*(\w+)|\S)`),
		variable:   regexp.MustCompile(`(?m)^[ \t-]*['"]?([A-Za-z_][A-Za-z0-9_]*)['"]?[ \t]*[:=][ \t]*['"]?(.*?)['"]?[ \t]*$`),
		action:     regexp.MustCompile(`(?m)(?:^|[\s'"=])([\w.-]+)/([\w./-]+)@([\w./-]+)`),
		uses:       regexp.MustCompile(`(?mi)['"]?\b(?:uses|orbs?|plugins|library|include|extends|component|remote|project)['"]?\s*:\s*(.*)$`),
		place:      regexp.MustCompile(`(?mi)\b(?:image|container|registry|registry-url|registry_url|index-url|index_url|name)['"]?\s*:\s*['"]?(?:https?://)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?/`),
		image:      regexp.MustCompile(`(?mi)\b(?:image|container)['"]?\s*:\s*['"]?([\w-]+)/[\w./-]`),
		checks:     regexp.MustCompile(`tests?\b|lint|scan|audit|codeql|trivy|snyk|gitleaks|trufflehog|semgrep|sonar|bandit|checkov|tfsec|grype|scorecard|dependency-review|verify|vet\b|clippy|mypy|permissions|needs|environment|\bif:|concurrency|required|approv|timeout`),
		expression: regexp.MustCompile(`\$\{\{[^}]*\}\}`),
		key:        regexp.MustCompile(`^['"]?[\w. /$-]{1,64}['"]?$`),
		works:      regexp.MustCompile(`(?i)\b(?:jobs|steps|script|stages|commands?|run|updates|pipelines?|tasks?)\b['"]?\s*[:{]|\bnode\s*\{|\bsh\b`),
		groovy:     regexp.MustCompile(`\b(?:sh|bat|powershell|pwsh)\b[^'"\n]{0,40}(?:'''((?s:.*?))'''|"""((?s:.*?))"""|'([^'\n]*)'|"([^"\n]*)")`),
	}
}

// oddities are what no ordinary change has, whatever stands around it.
// Sources: GitHub's "Security hardening for GitHub Actions", GitLab's "Pipeline security".
const oddities = `(?i)pull_request_target|workflow_run|repository_dispatch` +
	`|write-all|\b(?:contents|id-token|packages|actions|deployments|attestations|administration|workflows|statuses|pages)['"]?\s*:\s*['"]?write` +
	`|self-hosted|runs-on['"]?\s*:\s*['"]?(?:[^\s'"uwm$\[]|\[\s*['"]?[^\s'"uwm$])|\bgroup['"]?\s*:\s*['"]?[\w-]*runner` +
	`|continue-on-error['"]?\s*:\s*['"]?(?:true|\$\{\{\s*true)|allow_failure['"]?\s*:\s*['"]?true|allow-failure|ignore_failure|soft_fail|\|\|\s*(?:true|:|exit 0|echo)(?:\W|$)|set \+e|--exit-zero|--no-verify|returnstatus|catcherror` +
	`|\bif['"]?\s*:\s*['"]?(?:\$\{\{\s*)?(?:false|'false'|0)\b|failonerror['"]?\s*:\s*['"]?false|fail[-_]on[-_]\w+['"]?\s*:\s*['"]?(?:false|never|none)|exit-code['"]?\s*:\s*['"]?0` +
	`|privileged|docker\.sock|--pid|cap-add|hostnetwork|persist-credentials['"]?\s*:\s*['"]?true|actions_allow_unsecure|bash_env|runner_debug` +
	`|github\.event\.(?:issue|comment|review|discussion|head_commit|commits|pull_request\.(?:title|body|head))|github\.head_ref|github\.token` +
	`|tojson\(|fromjson\(.*(?:secrets|event)|withcredentials|credentials\(|@library|insecure-external-code|open-pull-requests-limit['"]?\s*:\s*0\b|skip[-_]?(?:tests?|checks?)\b|skip-verify|insecure` +
	`|\bshell['"]?\s*:\s*['"]?(?:[^\s'"bsp]|python|perl)|invoke-(?:expression|webrequest|restmethod)|\biex\b|downloadstring|!!|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|(?m:^\s*\?\s)` +
	// Texts that are folded, named and put elsewhere, or come from what is set elsewhere.
	`|\{[^}\n]*\b(?:run|script|before_script|after_script|commands?|cmd|bash|pwsh|shell|entrypoint)['"]?\s*:|(?m:^[ \t]*(?:- +)?&\w|:[ \t]+&\w)` +
	`|(?m:\bshell['"]?\s*:.*(?:-\w*c\b|[;|&$(<>/]))|\b(?:path|ld_[a-z_]+|node_options|python\w*|perl5\w+|rubyopt|git_\w+)=[^\n]*github_env` +
	`|~/\.(?:ssh|aws|docker|kube|gnupg|netrc|npmrc|pypirc|config/gcloud)|/etc/(?:passwd|shadow)|/proc/` +
	`|(?m:[:-][ \t]*>[0-9+-]*[ \t]*$|&\w+[ \t]+\S|^[ \t]*(?:\|\|?|&&|;)[ \t]*\S)|(?:run|script|commands?)['"]?\s*:\s*\*|secrets['"]?\s*:\s*inherit` +
	`|(?m:^[ \t]*(?:- +)?(?:run:[ \t]*)?['"]?\$\{\{\s*(?:env|vars|inputs|github|steps|needs)\.)`

// known are the secrets that a step of a well-known service is given.
var known = []string{"GITHUB_TOKEN", "CODECOV_TOKEN", "SONAR_TOKEN", "COVERALLS_REPO_TOKEN", "NX_CLOUD_ACCESS_TOKEN", "TURBO_TOKEN", "CC_TEST_REPORTER_ID", "CODACY_PROJECT_TOKEN", "CACHIX_AUTH_TOKEN"}

// secretsOnly reports whether no other secrets are named, and none in a command.
func (p *compiled) secretsOnly(text string) bool {
	for _, m := range p.secret.FindAllStringSubmatch(text, -1) {
		if m[1] == "" && strings.HasSuffix(strings.TrimSpace(m[0]), ":") || m[1] == "" && !strings.ContainsAny(m[0], "[.:*") {
			continue
		}
		if !slices.Contains(known, m[1]) {
			return false
		}
	}
	for line := range strings.Lines(text) {
		if i := strings.Index(line, "secrets."); i >= 0 && !regexpKey(line[:i]) {
			return false
		}
	}
	return true
}

// regexpKey reports whether all that stands before a value is one key: TOKEN: ${{ …
func regexpKey(s string) bool {
	key, value, ok := strings.Cut(strings.TrimLeft(s, " \t-"), ":")
	return ok && !strings.ContainsAny(key, " \t") && !slices.Contains(running, strings.ToLower(key)) && strings.Trim(value, ` '"${`) == ""
}

// variablesAreHarmless reports whether no variable changes what programs load or trust.
func (p *compiled) variablesAreHarmless(text string) bool {
	for _, m := range p.variable.FindAllStringSubmatch(text, -1) {
		if len(program.Assigned(m[1], m[2])) > 0 {
			return false
		}
	}
	return true
}

// vendors are the owners of actions that everybody uses.
const vendors = " actions github docker aws-actions azure google-github-actions hashicorp codecov golangci ruby dtolnay swatinem pnpm oven-sh denoland gradle " +
	"shivammathur erlef haskell-actions julia-actions r-lib astral-sh pre-commit psf sonarsource snyk anchore ossf step-security goreleaser helm cypress-io " +
	"microsoft codespell-project crate-ci taiki-e rustsec embarkstudios supabase cloudflare bufbuild arduino subosito flutter-actions android-actions " +
	"maxim-lobanov actions-rs moonrepo jdx extractions cachix determinatesystems sigstore super-linter amannn release-drafter dependabot renovatebot dorny " +
	"davidanson streetsidesoftware ludeeus reviewdog ilammy mamba-org conda-incubator sbt coursier graalvm lukka msys2 mozilla-actions jetli wasmerio " +
	"bazel-contrib bazelbuild ocaml dart-lang leafo rhysd ibiqlik gitleaks returntocorp semgrep fossas coverallsapp treosh circleci cimg node python golang " +
	"rust library postgres mysql redis "

// actionsAreKnown reports whether all code of others that a job takes comes from owners
// whom everybody uses, at a version.
func (p *compiled) actionsAreKnown(text string) bool {
	for _, m := range p.action.FindAllStringSubmatch(text, -1) {
		owner, ref := strings.ToLower(m[1]), strings.ToLower(m[3])
		if strings.Contains(owner, ".") || strings.HasPrefix(ref, "sha256") {
			continue // a module of Go, an image
		}
		if !strings.Contains(vendors, " "+owner+" ") {
			return false
		}
		if owner != "actions" && owner != "github" && slices.Contains([]string{"main", "master", "head", "develop", "dev", "trunk", "latest"}, ref) {
			return false
		}
	}
	for _, m := range p.uses.FindAllStringSubmatch(text, -1) {
		v := strings.Trim(m[1], `'" `)
		switch {
		case strings.HasPrefix(v, "./") || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "."): // of the project itself
		case strings.Contains(v, "@") && strings.Contains(v, "/") && !strings.Contains(v, "://"):
		case !strings.ContainsAny(v, "/:@") && v != "" && strings.Trim(v[:1], "|>&*[{") != "": // extends: .base
		default:
			return false
		}
	}
	return true
}

// imageOwners are the owners of images that everybody uses, beside vendors.
const imageOwners = " bitnami cypress grafana prom confluentinc localstack minio mailhog axllent apache selenium testcontainers amazon google wiremock opensearchproject clickhouse influxdb " +
	"mcr rancher kindest gitlab sonatype jetbrains atlassian neo4j elasticsearch mariadb mongodb rabbitmq "

// registries are the hosts from which images and packages come every day, some without
// their last label.
var registries = []string{"docker.io", "ghcr.io", "gcr.io", "quay.io", "mcr.microsoft.com", "public.ecr.aws", "registry.gitlab.com", "registry.k8s.io", "registry.npmjs.", "npm.pkg.github.com", "pypi.", "rubygems.", "proxy.golang.", "nvcr.io", "cgr.dev", "docker.elastic.co"}

// placesAreKnown reports whether images and packages come from where they always do.
func (p *compiled) placesAreKnown(text string) bool {
	for _, m := range p.place.FindAllStringSubmatch(text, -1) {
		host := strings.ToLower(m[1])
		if !slices.ContainsFunc(registries, func(r string) bool {
			last, ok := strings.CutPrefix(host, r)
			return ok && (last == "" || strings.HasSuffix(r, ".") && !strings.Contains(last, "."))
		}) {
			return false
		}
	}
	for _, m := range p.image.FindAllStringSubmatch(text, -1) {
		if owner := " " + strings.ToLower(m[1]) + " "; !strings.Contains(vendors, owner) && !strings.Contains(imageOwners, owner) {
			return false
		}
	}
	return true
}
