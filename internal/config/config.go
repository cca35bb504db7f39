// Package config reads config.toml, the settings of the overseer face. The
// user's file decides; a project's file may only tighten it unless a person has
// vouched for it.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/redact"
	"github.com/fireharp/overseer/internal/regular"
)

// File is the name of the settings file in an .overseer folder.
const File = "config.toml"

// Config are all settings.
type Config struct {
	// SafeMode asks for every tool about to run that nothing else decided.
	SafeMode bool
	// OnFault is the verdict for a tool about to run when overseer itself fails.
	OnFault event.Decision
	Answer  Answer
	Ledger  Ledger
	// Precedent tunes the weight of earlier rulings.
	Precedent Precedent
	Privacy   Privacy
}

// Answer governs what an allow says to the agent.
type Answer struct {
	// DefaultAllow is "approve" or "silent": whether an allow that rests on nothing
	// but the default approves the call, or leaves it to the agent's own prompt.
	DefaultAllow string
}

// Ledger says where the ledger is.
type Ledger struct {
	Backend string
	// Path is a folder, or a server's address for the dolt backend.
	Path string
	// Sync is "verdicts" (deny and ask are on disk before they are answered) or
	// "always".
	Sync string
	// Keep is how long the journal's segments stay after the ledger has them.
	Keep time.Duration
	Dolt Dolt
}

// Dolt are the settings of the dolt backend.
type Dolt struct {
	Branch string
}

// Precedent tunes the weight of earlier rulings.
type Precedent struct {
	MinScore       float64
	AllowThreshold int
	TopK           int
	// MaxAge is how long a ruling counts.
	MaxAge time.Duration
	// CatchUp is how long a hook that would ask may spend on taking in what happened
	// since.
	CatchUp time.Duration
}

// Privacy governs redaction.
type Privacy struct {
	// Redact takes secrets out of what is recorded.
	Redact bool
	// Patterns are secrets besides those that are built in.
	Patterns []redact.Pattern
}

// Secrets is what is taken out of what is recorded, nil for nothing.
func (p Privacy) Secrets() *redact.Set {
	if !p.Redact {
		return nil
	}
	return redact.New(p.Patterns...)
}

// Default are the settings of a person without a file.
func Default() Config {
	return Config{
		OnFault:   event.Ask,
		Answer:    Answer{DefaultAllow: "approve"},
		Ledger:    Ledger{Backend: "sqlite", Path: "~/.overseer/ledger", Sync: "verdicts", Keep: 90 * 24 * time.Hour, Dolt: Dolt{Branch: "main"}},
		Precedent: Precedent{MinScore: 0.25, AllowThreshold: 3, TopK: 10, MaxAge: 90 * 24 * time.Hour, CatchUp: 300 * time.Millisecond},
		Privacy:   Privacy{Redact: true},
	}
}

// maxFile bounds a settings file.
const maxFile = 1 << 20

// Load reads the settings file in the folder root over the settings in base, and
// returns the bytes that it has read. A missing file changes nothing. With an
// error, only what is stricter than base is taken from what could be read: a
// mistake in one line must not undo another.
func Load(base Config, root string) (Config, []byte, error) {
	path := filepath.Join(root, File)
	src, err := regular.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return base, nil, nil
	}
	if err != nil {
		return base, nil, fmt.Errorf("%s: %w", path, err)
	}
	c, err := parse(base, src)
	for i := len(base.Privacy.Patterns); i < len(c.Privacy.Patterns); i++ {
		c.Privacy.Patterns[i].At = path + ":" + c.Privacy.Patterns[i].At
	}
	if err != nil {
		c, _ = Tighten(base, c)
		return c, src, fmt.Errorf("%s:%w", path, err)
	}
	return c, src, nil
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
	if !project.Privacy.Redact && user.Privacy.Redact {
		skipped = append(skipped, "privacy.redact = false")
	}
	out.Privacy.Redact = user.Privacy.Redact || project.Privacy.Redact
	for _, p := range project.Privacy.Patterns {
		if !slices.Contains(user.Privacy.Patterns, p) {
			out.Privacy.Patterns = append(slices.Clip(out.Privacy.Patterns), p)
		}
	}
	return out, skipped
}
