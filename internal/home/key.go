package home

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fireharp/overseer/internal/atomicfile"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/precedent"
	"github.com/fireharp/overseer/internal/regular"
)

// KeyFile is the file with the key that the signatures of actions are made with.
// Whoever loses it loses the precedents: earlier signatures are like nothing then.
func (h Home) KeyFile() string { return filepath.Join(h.Root, "key") }

// Key reads the key, [precedent.KeySize] bytes.
func (h Home) Key() ([]byte, error) {
	b, err := regular.Read(h.KeyFile(), precedent.KeySize)
	if err == nil && len(b) != precedent.KeySize {
		err = fmt.Errorf("it has %d bytes instead of %d", len(b), precedent.KeySize)
	}
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("read the key %s: %w", h.KeyFile(), err), `without it no precedent counts; "overseer init" makes one where there is none`)
	}
	return b, nil
}

// AdoptKey puts another key in the place of this machine's own: that of a team.
// Signatures that were made before are like nothing then.
func (h Home) AdoptKey(key []byte) error {
	if len(key) != precedent.KeySize {
		return fmt.Errorf("adopt the team's key: it has %d bytes instead of %d", len(key), precedent.KeySize)
	}
	if err := atomicfile.Write(h.KeyFile(), key, 0o600); err != nil {
		return fmt.Errorf("adopt the team's key: %w", err)
	}
	return nil
}

// MakeKey makes the key if there is none.
func (h Home) MakeKey() (Made, error) {
	made := Made{Path: h.KeyFile()}
	if _, err := os.Lstat(made.Path); err == nil {
		made.Kept = true
		return made, nil
	}
	// It appears as a whole: of several processes the first one's stays.
	f, err := os.CreateTemp(h.Root, "key.*")
	if err != nil {
		return made, fmt.Errorf("make the key: %w", err)
	}
	defer os.Remove(f.Name())
	key := make([]byte, precedent.KeySize)
	_, err1 := rand.Read(key)
	_, err2 := f.Write(key)
	if err := errors.Join(err1, err2, f.Sync(), f.Close()); err != nil {
		return made, fmt.Errorf("make the key: %w", err)
	}
	if err := os.Link(f.Name(), made.Path); errors.Is(err, fs.ErrExist) {
		made.Kept = true
	} else if err != nil {
		// A file system without links: rename, the last one's stays.
		if err := os.Rename(f.Name(), made.Path); err != nil {
			return made, fmt.Errorf("make the key: %w", err)
		}
	}
	return made, nil
}
