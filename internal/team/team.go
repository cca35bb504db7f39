// Package team keeps what a machine knows of the ledger it shares with others: the
// name under which its events stand there, the branch that it works on, and when
// it last saw the server. It is two small files in the .overseer folder.
package team

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fireharp/overseer/internal/atomicfile"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/regular"
)

// Files are where things lie in an .overseer folder.
type Files struct {
	// Machine has the machine's name, State the rest.
	Machine, State string
}

// In are the files of a folder.
func In(root string) Files {
	return Files{filepath.Join(root, "machine"), filepath.Join(root, "team.json")}
}

// maxSize bounds the files.
const maxSize = 64 << 10

// Name is the machine's name. It is made of the host's name and four random hex
// digits when it is first asked for, and stays the same from then on whatever the
// host is called: machines may share a host name, and the server keeps the place
// reached in each one's journal by it.
func (f Files) Name(host string) (string, error) {
	for range 2 {
		b, err := regular.Read(f.Machine, maxSize)
		if name := strings.TrimSpace(string(b)); err == nil && name != "" {
			return name, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("read the machine's name: %w", err)
		}
		if err := f.make(host); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("name the machine: %w", err)
		}
	}
	return "", hint.Wrap(fmt.Errorf("read the machine's name: %s is empty", f.Machine), "remove the file")
}

// make writes a new name. Of several processes one wins.
func (f Files) make(host string) error {
	host, _, _ = strings.Cut(host, ".")
	if host == "" {
		host = "machine"
	}
	var random [2]byte
	_, _ = rand.Read(random[:]) // never fails
	tmp, err := os.CreateTemp(filepath.Dir(f.Machine), ".machine-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = fmt.Fprintf(tmp, "%s-%s\n", host, hex.EncodeToString(random[:]))
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Link(tmp.Name(), f.Machine)
}

// State is what changes.
type State struct {
	// Checkout is the branch that "overseer ledger checkout" went to.
	Checkout Checkout `json:"checkout,omitzero"`
	// Synced is when the journal was last taken to the server and the team's
	// rulings back, and Reached how far that was.
	Synced  time.Time        `json:"synced,omitzero"`
	Reached journal.Position `json:"reached,omitzero"`
}

// Checkout is a branch that was gone to.
type Checkout struct {
	Branch string `json:"branch"`
	// From is the branch of the settings at that time. When they name another, they
	// count again.
	From string `json:"from"`
}

// Branch is the branch to work on where the settings name one.
func (s State) Branch(settings string) string {
	if s.Checkout.Branch != "" && s.Checkout.From == settings {
		return s.Checkout.Branch
	}
	return settings
}

// Load reads the state. A file that is not there is the zero state.
func (f Files) Load() (State, error) {
	var s State
	b, err := regular.Read(f.State, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		return State{}, hint.Wrap(fmt.Errorf("read %s: %w", f.State, err), "remove the file; the branch of config.toml counts then")
	}
	return s, nil
}

// Save replaces the state.
func (f Files) Save(s State) error {
	b, err := json.Marshal(s)
	if err == nil {
		err = atomicfile.Write(f.State, append(b, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", f.State, err)
	}
	return nil
}
