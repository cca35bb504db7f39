// Package config reads config.toml, the settings of the overseer face. The
// user's file decides; a project's file may only tighten it unless a person has
// vouched for it.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
)

// File is the name of the settings file in an .overseer folder.
const File = "config.toml"

// Config are all settings.
type Config struct {
	// SafeMode asks for every tool about to run that nothing else decided.
	SafeMode bool `toml:"safe_mode"`
	// OnFault is the verdict for a tool about to run when overseer itself fails.
	OnFault event.Decision `toml:"on_fault"`
	Answer  Answer         `toml:"answer"`
	Ledger  Ledger         `toml:"ledger"`
	// Precedent tunes the weight of earlier rulings.
	Precedent Precedent `toml:"precedent"`
	Privacy   Privacy   `toml:"privacy"`
}

// Answer governs what an allow says to the agent.
type Answer struct {
	// DefaultAllow is "approve" or "silent": whether an allow that rests on nothing
	// but the default approves the call, or leaves it to the agent's own prompt.
	DefaultAllow string `toml:"default_allow"`
}

// Ledger says where the ledger is.
type Ledger struct {
	Backend string `toml:"backend"`
	// Path is a folder, or a server's address for the dolt backend.
	Path string `toml:"path"`
	// Sync is "verdicts" (deny and ask are on disk before they are answered) or
	// "always".
	Sync string `toml:"sync"`
	Dolt Dolt   `toml:"dolt"`
}

// Dolt are the settings of the dolt backend.
type Dolt struct {
	Branch string `toml:"branch"`
}

// Precedent tunes the weight of earlier rulings.
type Precedent struct {
	MinScore       float64 `toml:"min_score"`
	AllowThreshold int     `toml:"allow_threshold"`
	TopK           int     `toml:"top_k"`
}

// Privacy governs redaction.
type Privacy struct {
	Redact   bool     `toml:"redact"`
	Patterns []string `toml:"patterns"`
}

// Default are the settings of a person without a file.
func Default() Config {
	return Config{
		OnFault:   event.Ask,
		Answer:    Answer{DefaultAllow: "approve"},
		Ledger:    Ledger{Backend: "sqlite", Path: "~/.overseer/ledger", Sync: "verdicts", Dolt: Dolt{Branch: "main"}},
		Precedent: Precedent{MinScore: 0.25, AllowThreshold: 3, TopK: 10},
		Privacy:   Privacy{Redact: true},
	}
}

// Load reads the settings file in the folder root over the settings in base. A
// missing file changes nothing. With an error, base is returned as it was: half
// a file decides nothing.
func Load(base Config, root string) (Config, error) {
	path := filepath.Join(root, File)
	src, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return base, nil
	}
	if err != nil {
		return base, fmt.Errorf("read settings: %w", err)
	}
	c, err := parse(base, src)
	if err != nil {
		return base, fmt.Errorf("%s:%w", path, err)
	}
	return c, nil
}

// parse reads src over base. The error begins with line:col.
func parse(base Config, src []byte) (Config, error) {
	c := base
	d := toml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(src, []byte("\ufeff"))))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return base, place(err)
	}
	return c, check(&c, src)
}

// place gives a decoding error its line:col and a hint.
func place(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		e := strict.Errors[0]
		line, col := e.Position()
		key := e.Key()
		name := strings.Join(key, ".")
		err := fmt.Errorf("%d:%d: unknown setting %q", line, col, name)
		if best := hint.Nearest(name, keys); best != "" {
			return hint.Wrap(err, "did you mean %q?", best)
		}
		return hint.Wrap(err, "the settings are %s", strings.Join(keys, ", "))
	}
	var de *toml.DecodeError
	if errors.As(err, &de) {
		line, col := de.Position()
		return fmt.Errorf("%d:%d: %s", line, col, strings.TrimPrefix(de.Error(), "toml: "))
	}
	return fmt.Errorf("1:1: %w", err)
}

// keys are all settings by their full name.
var keys = []string{
	"safe_mode", "on_fault", "answer.default_allow",
	"ledger.backend", "ledger.path", "ledger.sync", "ledger.dolt.branch",
	"precedent.min_score", "precedent.allow_threshold", "precedent.top_k",
	"privacy.redact", "privacy.patterns",
}

func check(c *Config, src []byte) error {
	for _, w := range []struct {
		key, value string
		allowed    []string
	}{
		{"on_fault", string(c.OnFault), []string{"ask", "allow", "deny"}},
		{"default_allow", c.Answer.DefaultAllow, []string{"approve", "silent"}},
		{"backend", c.Ledger.Backend, []string{"sqlite", "dolt"}},
		{"sync", c.Ledger.Sync, []string{"verdicts", "always"}},
	} {
		if !contains(w.allowed, w.value) {
			err := fmt.Errorf("%s %s = %q is not known", lineOf(src, w.key), w.key, w.value)
			return hint.Wrap(err, "write one of %s", strings.Join(w.allowed, ", "))
		}
	}
	switch p := c.Precedent; {
	case p.MinScore < 0 || p.MinScore > 1:
		return fmt.Errorf("%s min_score = %v is not from 0 to 1", lineOf(src, "min_score"), p.MinScore)
	case p.AllowThreshold < 1:
		return fmt.Errorf("%s allow_threshold = %d is not at least 1", lineOf(src, "allow_threshold"), p.AllowThreshold)
	case p.TopK < 1:
		return fmt.Errorf("%s top_k = %d is not at least 1", lineOf(src, "top_k"), p.TopK)
	}
	return nil
}

// lineOf finds the line:col: of a key; the decoder does not keep it.
func lineOf(src []byte, key string) string {
	for i, line := range strings.Split(string(src), "\n") {
		name, _, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(name) == key {
			return fmt.Sprintf("%d:%d:", i+1, strings.Index(line, key)+1)
		}
	}
	return "1:1:"
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// Tighten takes from a project's settings only what is stricter than the user's
// own, and names what it left out.
func Tighten(user, project Config) (Config, []string) {
	out := user
	var skipped []string
	if project.SafeMode {
		out.SafeMode = true
	} else if user.SafeMode {
		skipped = append(skipped, "safe_mode = false")
	}
	if project.OnFault != user.OnFault {
		if project.OnFault.Strictness() > user.OnFault.Strictness() {
			out.OnFault = project.OnFault
		} else {
			skipped = append(skipped, fmt.Sprintf("on_fault = %q", project.OnFault))
		}
	}
	if project.Answer != user.Answer {
		if project.Answer.DefaultAllow == "silent" {
			out.Answer = project.Answer
		} else {
			skipped = append(skipped, `answer.default_allow = "approve"`)
		}
	}
	if project.Ledger != user.Ledger {
		skipped = append(skipped, "[ledger]")
	}
	if project.Precedent != user.Precedent {
		skipped = append(skipped, "[precedent]")
	}
	if project.Privacy.Redact != user.Privacy.Redact && user.Privacy.Redact {
		skipped = append(skipped, "privacy.redact = false")
	}
	return out, skipped
}
