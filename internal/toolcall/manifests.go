package toolcall

import (
	"path"
	"regexp"
	"strings"

	"github.com/fireharp/overseer/internal/lazy"
)

// What a cluster or Docker is told to run is judged when it is told. One right is taken
// for itself by tools that watch a machine; a container that has the host's rights and
// the host's files, to write to, is the host.

type manifestForms struct {
	mighty, mount, hostPath, readOnly, enters, anybody *regexp.Regexp
}

var manifestPatterns lazy.Value[*manifestForms]

func readManifests() *manifestForms {
	return &manifestForms{
		mighty:   regexp.MustCompile(`(?i)["']?(?:privileged["']?\s*:\s*["']?true|pid["']?\s*:\s*["']?host|hostPID["']?\s*:\s*["']?true)|\b(?:CAP_)?SYS_(?:ADMIN|PTRACE|MODULE)\b`),
		mount:    regexp.MustCompile(`(?m)(?:^\s*-\s*|[\[,]\s*)["']?/:/[^\s"',:\]]*(:[\w,]+)?`),
		hostPath: regexp.MustCompile(`(?i)hostPath["']?\s*:\s*\{?\s*["']?path["']?\s*:\s*["']?/["']?\s*(?:\n|\}|,|$)`),
		readOnly: regexp.MustCompile(`(?i)readOnly["']?\s*:\s*true`),
		enters:   regexp.MustCompile(`\bnsenter["',\s]+(?:-t|--target)[=\s"',]*1\b|\bchroot["',\s]+/(?:host|rootfs|mnt)`),
		anybody:  regexp.MustCompile(`(?i)\bsystem:(?:anonymous|unauthenticated)\b`),
	}
}

// manifest adds what a text in YAML or JSON would have a container be.
func (c *call) manifest(file, text string) {
	switch strings.ToLower(path.Ext(file)) {
	case ".yml", ".yaml", ".json":
	default:
		return
	}
	if !c.work.Spend(1 + len(text)/2) {
		return
	}
	p := manifestPatterns.Get(readManifests)
	if p.mighty.MatchString(text) {
		host := p.enters.MatchString(text) || p.hostPath.MatchString(text) && !p.readOnly.MatchString(text)
		for _, m := range p.mount.FindAllStringSubmatch(text, -1) {
			host = host || !strings.Contains(m[1]+",", "ro,") && !strings.Contains(m[1], ":ro")
		}
		if host {
			c.on("privilege.escape", path.Base(file))
		}
	}
	if p.anybody.MatchString(text) && strings.Contains(text, "RoleBinding") {
		c.on("infra.expose", path.Base(file))
	}
}
