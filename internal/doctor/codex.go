package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/install"
)

// openHooks is Codex's step of consent, which is the person's to take.
const openHooks = "start codex, open /hooks and trust overseer's"

// codexConfig is what bears on hooks in Codex's config.toml.
type codexConfig struct {
	path     string
	Features map[string]any `toml:"features"`
	Hooks    struct {
		State map[string]struct {
			TrustedHash string `toml:"trusted_hash"`
			Enabled     *bool  `toml:"enabled"`
		} `toml:"state"`
	} `toml:"hooks"`
	Projects map[string]struct {
		TrustLevel string `toml:"trust_level"`
	} `toml:"projects"`
}

// readCodexConfig reads config.toml in Codex's folder. A missing one is empty.
func readCodexConfig(dir string) (codexConfig, error) {
	c := codexConfig{path: filepath.Join(dir, "config.toml")}
	b, err := readFile(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if err := toml.Unmarshal(b, &c); err != nil {
		if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
			line, col := at.Position()
			return c, fmt.Errorf("%s:%d:%d: %s", c.path, line, col, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return c, fmt.Errorf("%s: %w", c.path, err)
	}
	return c, nil
}

// off says which feature flag turns hooks off, "" if none does. codex_hooks is
// the older name.
func (c codexConfig) off() string {
	for _, key := range []string{"hooks", "codex_hooks"} {
		if v, ok := c.Features[key]; ok && v != true {
			return fmt.Sprintf("[features] %s = %v", key, v)
		}
	}
	return ""
}

// trusts reports whether Codex loads the settings of the project that dir is in.
func (c codexConfig) trusts(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if c.Projects[dir].TrustLevel == "trusted" {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// codex looks for what keeps Codex from running hooks that are installed well:
// the feature flag, and that the person has not trusted them.
func (a *patient) codex(ctx context.Context, places []place) bool {
	const name = "codex-hooks-on"
	c, err := readCodexConfig(filepath.Dir(a.userTarget().Path))
	if err != nil {
		return a.say(name, Failed, []string{"mend the file"}, "%v: Codex takes its defaults, and so trusts no hook", err)
	}
	configs := []codexConfig{c}
	if c.trusts(a.CWD) {
		for _, dir := range a.projectFolders() {
			if p, err := readCodexConfig(filepath.Join(dir, ".codex")); err == nil {
				configs = append(configs, p)
			}
		}
	}
	for _, c := range configs {
		if off := c.off(); off != "" {
			return a.say(name, Failed, []string{"take it out of the file"}, "%s: %s turns all hooks off", c.path, off)
		}
	}
	if !a.say(name, OK, nil, "no settings of Codex turn hooks off") {
		return false
	}
	list, warnings, err := a.codexHooks(ctx)
	for _, pl := range places {
		if !pl.status.Installed() {
			continue
		}
		var r Result
		if err == nil {
			r = trustListed(pl, list, warnings)
		} else {
			r = trustStored(pl, c, err)
		}
		if pl.Scope == install.ProjectScope && r.State == Failed && !c.trusts(filepath.Dir(filepath.Dir(pl.Path))) {
			r.Text += "; Codex loads no settings of a project that it does not trust"
			r.Hints = append([]string{"start codex in the project and trust it"}, r.Hints...)
		}
		if a.path == "" && r.State == Failed {
			r.State = Warning
			r.Text += "; nothing runs them as long as codex is not on the PATH"
		}
		r.Name = pl.name + "-trust"
		if !a.yield(r) {
			return false
		}
	}
	return ctx.Err() == nil
}

// standing collects the events of entries that Codex will not run, by why.
type standing struct{ untrusted, modified, off, unknown []string }

// result weighs what was found; well is the text where all is well.
func (s standing) result(well string) Result {
	var texts []string
	for _, w := range []struct {
		events []string
		text   string
	}{
		{s.untrusted, "Codex skips what nobody has trusted:"},
		{s.modified, "Codex skips what changed since it was trusted:"},
		{s.off, "switched off in Codex:"},
		{s.unknown, "Codex does not load:"},
	} {
		if len(w.events) > 0 {
			texts = append(texts, fmt.Sprintf("%s %s", w.text, several(w.events)))
		}
	}
	switch {
	case len(texts) == 0:
		return Result{State: OK, Text: well}
	case len(s.untrusted)+len(s.modified)+len(s.off) == 0 && !slices.Contains(s.unknown, event.PreToolUse):
		// An older Codex passes over events that it does not have.
		return Result{State: Warning, Text: strings.Join(texts, "; "), Hints: []string{"update Codex CLI"}}
	}
	return Result{State: Failed, Hints: []string{openHooks}, Text: strings.Join(texts, "; ")}
}

// trustListed compares the entries of a file with what Codex itself lists.
func trustListed(pl place, list []codexHook, warnings []string) Result {
	var s standing
	for _, e := range pl.status.Entries {
		i := slices.IndexFunc(list, func(h codexHook) bool {
			return strings.HasSuffix(h.Key, keySuffix(e)) && sameFile(h.SourcePath, pl.Path)
		})
		switch {
		case i < 0:
			s.unknown = append(s.unknown, e.Event)
		case !list[i].Enabled:
			s.off = append(s.off, e.Event)
		case list[i].TrustStatus == "trusted", list[i].TrustStatus == "managed":
		case list[i].TrustStatus == "modified":
			s.modified = append(s.modified, e.Event)
		default:
			s.untrusted = append(s.untrusted, e.Event)
		}
	}
	r := s.result("Codex trusts all of overseer's entries in " + pl.Path)
	if len(s.unknown) > 0 && len(warnings) > 0 {
		r.Text += "; Codex says: " + several(warnings)
		r.Hints = append([]string{"mend what Codex complains of"}, r.Hints...)
	}
	return r
}

// trustStored looks up what Codex has stored of the person's consent. The hash
// in it covers the entry as Codex reads it, and only Codex can tell whether it
// still holds.
func trustStored(pl place, c codexConfig, why error) Result {
	var s standing
	for _, e := range pl.status.Entries {
		found := false
		for key, state := range c.Hooks.State {
			file, ok := strings.CutSuffix(key, keySuffix(e))
			if !ok || !sameFile(file, pl.Path) {
				continue
			}
			if state.Enabled != nil && !*state.Enabled {
				s.off = append(s.off, e.Event)
			}
			found = found || state.TrustedHash != ""
		}
		if !found {
			s.untrusted = append(s.untrusted, e.Event)
		}
	}
	r := s.result("trusted (hash not checked: " + why.Error() + ")")
	if pl.Scope == install.ProjectScope && r.State == OK && !c.trusts(filepath.Dir(filepath.Dir(pl.Path))) {
		r = Result{State: Failed, Text: "the entries are trusted, the project is not"}
	}
	return r
}

// keySuffix is how Codex names an entry after its file: the event in snake case,
// the group's place and the handler's.
func keySuffix(e install.Entry) string {
	var b strings.Builder
	for i, c := range e.Event {
		if i > 0 && 'A' <= c && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return ":" + strings.ToLower(b.String()) + ":" + strconv.Itoa(e.Group) + ":" + strconv.Itoa(e.Handler)
}
