package home

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

//go:embed scaffold
var scaffold embed.FS

// Made is one file or folder that a scaffold has written or found.
type Made struct {
	Path string
	// Kept is true for one that was there before; it is left as it is.
	Kept bool
}

// Init makes the person's folder with settings, rules and an empty journal. What
// exists is kept, so it also mends a folder in which something is missing.
func (h Home) Init() ([]Made, error) {
	var made []Made
	for _, dir := range []string{h.Root, filepath.Join(h.Root, "constitution"), h.Journal(), filepath.Join(h.Root, "ledger")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return made, fmt.Errorf("make folder: %w", err)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return made, fmt.Errorf("close folder to others: %w", err)
		}
	}
	for _, f := range []string{"config.toml", "constitution/shared.md", "constitution/project.md", "constitution/claude.md", "constitution/codex.md"} {
		m, err := write(path.Join("scaffold", f), filepath.Join(h.Root, filepath.FromSlash(f)), 0o600)
		if err != nil {
			return made, err
		}
		made = append(made, m)
	}
	return made, nil
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
