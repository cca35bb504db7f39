package home

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/constitution"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/precedent/snapshot"
)

//go:embed scaffold
var scaffold embed.FS

// Made is one file or folder that a scaffold has written or found.
type Made struct {
	Path string
	// Kept is true for one that was there before; it is left as it is.
	Kept bool
}

// Packs are the sets of rules that overseer ships, in the order in which documents
// name them. Paranoid is not among those that are made by default.
var Packs = []string{
	"core", "git", "secrets", "exfiltration", "execution", "persistence", "privilege", "system", "database", "infra", "supply-chain", Paranoid,
}

// Paranoid is the pack that also asks about everyday work.
const Paranoid = "paranoid"

// guardPack is the name of the rules that protect overseer. They are built in and
// always there.
const guardPack = "guard"

// ParsePacks reads a choice of packs: their names, "all" for all but paranoid,
// "none". An unknown name is an error.
func ParsePacks(names []string) ([]string, error) {
	var out []string
	add := func(p string) {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, n := range names {
		switch n = strings.ToLower(strings.TrimSpace(n)); {
		case n == "all":
			for _, p := range Packs {
				if p != Paranoid {
					add(p)
				}
			}
		case n == "none" && len(names) > 1:
			return nil, hint.Wrap(errors.New("packs: none stands alone"), "leave out the other names, or none")
		case n == "none", n == guardPack:
		case slices.Contains(Packs, n):
			add(n)
		default:
			err := fmt.Errorf("unknown pack %q", n)
			if best := hint.Nearest(n, Packs); best != "" {
				return nil, hint.Wrap(err, "did you mean %q?", best)
			}
			return nil, hint.Wrap(err, "the packs are %s; all is all but %s, none is none", strings.Join(Packs, ", "), Paranoid)
		}
	}
	return out, nil
}

// Init makes the person's folder with settings, the packs of rules and an empty
// journal. What exists is kept, so it also mends a folder in which something is
// missing. packs are names of [Packs].
func (h Home) Init(packs ...string) ([]Made, error) {
	var made []Made
	dirs := []string{h.Root, filepath.Join(h.Root, constitution.Dir), h.Journal(), filepath.Join(h.Root, "ledger")}
	if len(packs) > 0 {
		dirs = append(dirs, filepath.Join(h.Root, constitution.Dir, constitution.Packs))
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return made, fmt.Errorf("make folder: %w", err)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return made, fmt.Errorf("close folder to others: %w", err)
		}
	}
	files := []string{"config.toml", "constitution/shared.md", "constitution/project.md", "constitution/claude.md", "constitution/codex.md"}
	for _, p := range packs {
		files = append(files, path.Join(constitution.Dir, constitution.Packs, p+".md"))
	}
	for _, f := range files {
		m, err := write(path.Join("scaffold", f), filepath.Join(h.Root, filepath.FromSlash(f)), 0o600)
		if err != nil {
			return made, err
		}
		made = append(made, m)
	}
	m, err := h.MakeKey()
	if err != nil {
		return made, err
	}
	return append(made, m), h.noRulings(!m.Kept)
}

// noRulings writes a snapshot of no rulings where nobody can have ruled yet: under a
// key that was just made. Anywhere else one that is missing was lost.
func (h Home) noRulings(newKey bool) error {
	if _, err := os.Lstat(h.Precedents()); !newKey || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	key, err := h.Key()
	if err != nil {
		return err
	}
	return snapshot.Write(h.Precedents(), key, nil)
}

// InitProject makes the folder of a project in dir.
func InitProject(dir string) ([]Made, error) {
	to := filepath.Join(dir, Name, "constitution")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	m, err := write("scaffold/project.md", filepath.Join(to, "project.md"), 0o644)
	return []Made{m}, err
}

// write copies one scaffold file unless it exists.
func write(from, to string, mode os.FileMode) (Made, error) {
	content, err := scaffold.ReadFile(from)
	if err != nil {
		return Made{}, err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return Made{Path: to, Kept: true}, nil
	}
	if err != nil {
		return Made{}, fmt.Errorf("scaffold: %w", err)
	}
	_, err = f.Write(content)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return Made{}, fmt.Errorf("scaffold %s: %w", to, err)
	}
	return Made{Path: to}, nil
}
