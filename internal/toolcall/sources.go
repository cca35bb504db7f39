package toolcall

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/fireharp/overseer/internal/glob"
	"github.com/fireharp/overseer/internal/lazy"
)

// Where packages come from stands in files that people edit every day for other
// reasons. A source counts if it is none of the well-known ones, and a check that is
// switched off always.

// sourceForm says where the sources stand in a file.
type sourceForm struct {
	names []string // base names in lower case, as in recipes
	// sources has the address in one of its groups; unchecked is a check switched off.
	sources, unchecked string
	compiled           lazy.Value[[2]*regexp.Regexp]
}

func (f *sourceForm) patterns() [2]*regexp.Regexp {
	return f.compiled.Get(func() [2]*regexp.Regexp {
		var out [2]*regexp.Regexp
		out[0] = regexp.MustCompile(f.sources)
		if f.unchecked != "" {
			out[1] = regexp.MustCompile(f.unchecked)
		}
		return out
	})
}

var sourceForms = []sourceForm{
	{names: []string{"pyproject.toml", "uv.toml", "pipfile", "poetry.toml"},
		sources:   `(?m)^\s*(?:url|index-url|default-index|extra-index-url|find-links)\s*=\s*\[?\s*["'](https?://[^"']+)`,
		unchecked: `(?m)^\s*(?:allow-insecure-host|trusted-host)\s*=|\bverify_ssl\s*=\s*false`},
	{names: []string{"requirements*.txt", "requirements*.in", "constraints*.txt"},
		sources:   `(?m)^\s*(?:--index-url|-i|--extra-index-url|--find-links|-f)[ =]\s*(https?://\S+)|(?m)^\s*[\w.\[\],-]+\s*@\s*(?:git\+)?(https?://\S+)`,
		unchecked: `(?m)^\s*--trusted-host`},
	{names: []string{"gemfile", "gems.rb"}, sources: `(?m)^\s*source\s*\(?\s*["'](https?://[^"']+)`},
	{names: []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "init.gradle"},
		sources:   `\burl\s*(?:=\s*)?\(?\s*(?:uri\s*\()?\s*["'](https?://[^"']+)`,
		unchecked: `(?i)\b(?:is)?AllowInsecureProtocol\s*(?:=\s*|\(\s*)?true`},
	{names: []string{"pom.xml"}, sources: `(?is)<(?:plugin)?repository>(?:[^<]|<[^/u]|</[^p])*?<url>\s*(https?://[^<\s]+)`},
	{names: []string{"composer.json"}, sources: `"type"\s*:\s*"composer"\s*,\s*"url"\s*:\s*"(https?://[^"]+)`, unchecked: `"secure-http"\s*:\s*false`},
	{names: []string{"package.json"}, sources: `"\s*:\s*"(?:git\+)?(https?://[^"\s]+(?:\.tgz|\.tar\.gz)[^"\s]*)"`},
	{names: []string{"gradle-wrapper.properties", "maven-wrapper.properties"}, sources: `(?m)^\s*(?:distributionUrl|wrapperUrl)\s*=\s*(https?\S*//\S+)`},
}

// known are the hosts that packages come from every day, and those of companies'
// registries at a provider, as globs. Sources: the registries' own documents.
var known lazy.Value[[]string]

func readKnown() []string {
	return strings.Fields(`pypi.o?g test.pypi.o?g files.pythonhosted.o?g download.pytorch.o?g pypi.nvidia.c?m pypi.ngc.nvidia.c?m data.pyg.o?g
	wheels.vllm.a? storage.googleapis.c?m conda.anaconda.o?g registry.npmjs.o?g registry.yarnpkg.c?m npm.pkg.github.c?m npm.jsr.i?
	rubygems.o?g gems.rubyonrails.o?g gem.fury.i? gems.contribsys.c?m rubygems.pkg.github.c?m
	repo.maven.apache.o?g repo1.maven.o?g plugins.gradle.o?g services.gradle.o?g downloads.gradle.o?g maven.google.c?m dl.google.c?m
	jitpack.i? *.jitpack.i? oss.sonatype.o?g s01.oss.sonatype.o?g central.sonatype.c?m packages.confluent.i? repo.spring.i? repository.apache.o?g
	maven.pkg.github.c?m maven.pkg.jetbrains.s?ace packages.jetbrains.t?am maven.fabric.i? clojars.o?g repo.clojars.o?g repo.eclipse.o?g
	maven.minecraftforge.n?t maven.fabricmc.n?t maven.neoforged.n?t repo.papermc.i? hub.spigotmc.o?g
	packagist.o?g repo.packagist.o?g wpackagist.o?g packages.drupal.o?g asset-packagist.o?g repo.magento.c?m nova.laravel.c?m
	github.com raw.githubusercontent.com codeload.github.com objects.githubusercontent.com gitlab.com bitbucket.o?g codeberg.o?g
	*.pkg.dev *.amazonaws.com pkgs.dev.azure.com *.pkgs.visualstudio.com *.jfrog.io *.cloudsmith.io *.fury.io *.gemfury.com
	localhost 127.0.0.1 ::1 host.docker.internal`)
}

// sources adds the sources of packages that a text names for a file and that are not
// known. before is what an edit replaces.
func (c *call) sources(file, text, before string) {
	f := sourceFormOf(file)
	if f == nil || !c.work.Spend(1+len(text)/2) {
		return
	}
	p := f.patterns()
	for _, m := range p[0].FindAllStringSubmatch(text, 64) {
		address := strings.ReplaceAll(strings.Join(m[1:], ""), `\`, "")
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || strings.Contains(before, strings.Join(m[1:], "")) {
			continue
		}
		host := strings.ToLower(u.Hostname())
		plain := u.Scheme == "http" && !loopback(host)
		if plain || !anyGlob(known.Get(readKnown), host) {
			c.on("trust.source", host)
		}
	}
	if p[1] != nil {
		if m := p[1].FindString(text); m != "" && !strings.Contains(before, strings.TrimSpace(m)) {
			c.on("trust.tls", path.Base(file))
		}
	}
}

func sourceFormOf(file string) *sourceForm {
	base := path.Base(strings.ToLower(strings.ReplaceAll(file, `\`, "/")))
	for i := range sourceForms {
		for _, n := range sourceForms[i].names {
			if glob.Match(n, base) {
				return &sourceForms[i]
			}
		}
	}
	return nil
}
