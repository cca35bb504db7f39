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
	return strings.Fields(`pypi.o* test.pypi.o* files.pythonhosted.o* download.pytorch.o* pypi.nvidia.c* pypi.ngc.nvidia.c* data.pyg.o*
	wheels.vllm.a* storage.googleapis.c* conda.anaconda.o* registry.npmjs.o* registry.yarnpkg.c* npm.pkg.?ithub.c* npm.jsr.i*
	rubygems.o* gems.rubyonrails.o* gem.fury.i* gems.contribsys.c* rubygems.pkg.?ithub.c*
	repo.maven.apache.o* repo1.maven.o* plugins.gradle.o* services.gradle.o* downloads.gradle.o* maven.google.c* dl.google.c*
	jitpack.i* *.jitpack.i* oss.sonatype.o* s01.oss.sonatype.o* central.sonatype.c* packages.confluent.i* repo.spring.i* repository.apache.o*
	maven.pkg.?ithub.c* maven.pkg.jetbrains.s* packages.jetbrains.t* maven.fabric.i* clojars.o* repo.clojars.o* repo.eclipse.o*
	maven.minecraftforge.n* maven.fabricmc.n* maven.neoforged.n* repo.papermc.i* hub.spigotmc.o*
	packagist.o* repo.packagist.o* wpackagist.o* packages.drupal.o* asset-packagist.o* repo.magento.c* nova.laravel.c*
	?ithub.com raw.?ithubusercontent.com codeload.?ithub.com objects.?ithubusercontent.com ?itlab.com bitbucket.o* codeberg.o*
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
