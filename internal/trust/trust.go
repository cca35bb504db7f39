// Package trust remembers which files of a project a person has vouched for, by
// the hash of their content, outside of the project: a repository that was
// cloned may tighten overseer's rules, and loosens them only after that.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sort"

	"github.com/fireharp/overseer/internal/atomicfile"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/regular"
)

// Store is the file with the pinned hashes, e.g. ~/.overseer/trust.json.
type Store struct {
	path  string
	roots map[string]map[string]string // project's .overseer folder → file → sha256
}

// Open reads the store. A missing file trusts nothing.
func Open(path string) (*Store, error) {
	s := &Store{path: path, roots: map[string]map[string]string{}}
	b, err := regular.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &s.roots)
	}
	if err != nil {
		s.roots = map[string]map[string]string{}
		return s, hint.Wrap(fmt.Errorf("%s: %w", path, err), "remove the file and run \"overseer trust\" again in the projects that you trust")
	}
	return s, nil
}

// Trusted reports whether the file below root was vouched for with just this
// content.
func (s *Store) Trusted(root, file string, content []byte) bool {
	return s.roots[root][filepath.ToSlash(file)] == sum(content)
}

// maxFile bounds the store and each file that is vouched for.
const maxFile = 4 << 20

// State says how a project's file stands.
type State struct {
	// File is relative to the project's .overseer folder.
	File string `json:"file"`
	// State is "trusted", "changed" (since it was vouched for) or "untrusted".
	State string `json:"state"`
}

// States lists the files below root that can hold rules or settings.
func (s *Store) States(root string) ([]State, error) {
	files, err := list(root)
	if err != nil {
		return nil, err
	}
	var out []State
	for _, f := range files {
		b, err := regular.Read(filepath.Join(root, f), maxFile)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(root, f), err)
		}
		st := State{File: f, State: "untrusted"}
		if s.Trusted(root, f, b) {
			st.State = "trusted"
		} else if s.roots[root][f] != "" {
			st.State = "changed"
		}
		out = append(out, st)
	}
	return out, nil
}

// Pin vouches for the present content of all rule and settings files below root
// and returns their names.
func (s *Store) Pin(root string) ([]string, error) {
	files, err := list(root)
	if err != nil {
		return nil, err
	}
	pins := map[string]string{}
	for _, f := range files {
		b, err := regular.Read(filepath.Join(root, f), maxFile)
		if err != nil {
			return nil, fmt.Errorf("pin %s: %w", filepath.Join(root, f), err)
		}
		pins[f] = sum(b)
	}
	s.roots[root] = pins
	return files, s.save()
}

// Forget takes the trust in root back and reports whether there was any.
func (s *Store) Forget(root string) (bool, error) {
	if _, ok := s.roots[root]; !ok {
		return false, nil
	}
	delete(s.roots, root)
	return true, s.save()
}

func (s *Store) save() error {
	b, err := json.MarshalIndent(s.roots, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(s.path, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("write trust: %w", err)
	}
	return nil
}

// list finds the files below root that can hold rules or settings.
func list(root string) ([]string, error) {
	var out []string
	for _, pattern := range []string{"config.toml", "constitution/*.md", "constitution/packs/*.md"} {
		m, err := filepath.Glob(filepath.Join(globEscape(root), filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, f := range m {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				return nil, err
			}
			out = append(out, filepath.ToSlash(rel))
		}
	}
	sort.Strings(out)
	return out, nil
}

func globEscape(s string) string {
	var out []rune
	for _, c := range s {
		if c == '*' || c == '?' || c == '[' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return string(out)
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
