package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/fireharp/overseer/internal/regular"
)

// state is what overseer remembers of the settings files that it changed.
type state struct {
	Files map[string]record `json:"files"` // by the target's path

	damage error // why an earlier state could not be read
}

// record is what is needed to give one file back as it was.
type record struct {
	// Existed is false when install made the file.
	Existed bool `json:"existed"`
	// Written is the hash of the content that install left. While the file still
	// has it, nobody else changed the file. "" once somebody did.
	Written string `json:"written,omitempty"`
	// Backup is the hash of the backup, "" if there is none.
	Backup string `json:"backup,omitempty"`
	// Binary is the program that install registered, for recognising its entries
	// whatever it is called.
	Binary string `json:"binary,omitempty"`
	// Folders are those that install made, the outermost first.
	Folders []string `json:"folders,omitempty"`
}

// maxState bounds the state file: some KiB for a settings file.
const maxState = 16 << 20

// loadState reads the state file. One that is absent or damaged counts as
// empty: an uninstall must work without it.
func loadState(path string) (state, error) {
	s := state{}
	data, err := regular.Read(path, maxState)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("read the record of installs %s: %w", path, err)
	}
	if err == nil {
		if err := json.Unmarshal(data, &s); err != nil {
			s = state{damage: fmt.Errorf("the record of installs %s is damaged: %w", path, err)}
		}
	}
	if s.Files == nil {
		s.Files = map[string]record{}
	}
	return s, nil
}

// remember stores the record of one settings file, or forgets it if r is nil.
// The caller holds the lock.
func remember(path, settings string, r *record) error {
	s, err := loadState(path)
	if err != nil {
		return err
	}
	if r == nil {
		delete(s.Files, settings)
	} else {
		s.Files[settings] = *r
	}
	if len(s.Files) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the record of installs: %w", err)
		}
		return nil
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the record of installs: %w", err)
	}
	if err := writeFile(path, append(data, '\n'), nil, 0o600); err != nil {
		return fmt.Errorf("write the record of installs: %w", err)
	}
	return nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
