package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/diff"

	"github.com/fireharp/overseer/internal/hint"
)

// lockWait bounds how long Apply waits for another overseer that is writing.
// A write takes milliseconds.
const lockWait = 10 * time.Second

// Plan is a change to one settings file that is worked out and not yet made.
type Plan struct {
	Target Target
	// Exists is false when the file is not there before the change.
	Exists bool
	// Before and After are the file's content. After equals Before where
	// nothing changes.
	Before, After []byte
	// Delete is true when the file goes: there was none before the install.
	Delete bool
	// Changes says what happens to the file, one line each, e.g.
	// "PreToolUse: added". Empty if nothing does.
	Changes []string
	// Warnings are what the person should know besides.
	Warnings []string

	file       file
	statePath  string
	old, next  *record // what is remembered of the file now and afterwards
	damaged    bool    // the state file cannot be read
	makeBackup bool
	dropBackup bool
	newFolders []string // to be made, the outermost first
	oldFolders []string // made by us, to go if empty
	binary     string   // what the record will name
}

// Changed reports whether Apply would change the settings file.
func (p Plan) Changed() bool {
	return p.Delete || !bytes.Equal(p.Before, p.After)
}

// Diff is the change as a unified diff, "" if nothing changes.
func (p Plan) Diff() string {
	from, to := p.Target.Path, p.Target.Path
	if !p.Exists {
		from = os.DevNull
	}
	if p.Delete {
		to = os.DevNull
	}
	return string(diff.Diff(from, p.Before, to, p.After))
}

// backupPath is beside the settings file as the person knows it, not beside
// what it may link to: that folder can be a repository of dotfiles.
func (p Plan) backupPath() string { return p.Target.Path + ".overseer-backup" }

// readBackup is the backup that belongs to this install; nil if there is none.
func (p Plan) readBackup() ([]byte, error) {
	if p.old != nil && p.old.Backup == "" {
		return nil, nil
	}
	b, err := os.ReadFile(p.backupPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read backup: %w", err)
	case p.old != nil && p.old.Backup != sum(b):
		return nil, nil // not what was put there
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}

// idle is true when Apply has nothing to do at all.
func (p Plan) idle() bool {
	return !p.Changed() && !p.makeBackup && !p.dropBackup && p.old == p.next
}

// Apply makes the change: the backup and the record first, then the file, in
// one step. Nothing is written when the file is no longer as it was planned
// for; where it already is as planned, that is a success.
func (p Plan) Apply() error {
	if p.idle() {
		return nil
	}
	unlock, err := lock(p.statePath)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := readFile(p.Target.Path)
	if err != nil {
		return err
	}
	if p.Changed() && now.exists == !p.Delete && bytes.Equal(now.data, p.After) {
		return nil // another overseer was faster
	}
	if now.exists != p.Exists || now.real != p.file.real || !bytes.Equal(now.data, p.Before) {
		return changedMeanwhile(p.Target.Path)
	}
	if p.Changed() {
		if err := now.writable(); err != nil {
			return err
		}
	}
	if p.next != nil {
		return p.applyInstall(now)
	}
	return p.applyRemoval(now)
}

// applyInstall keeps what is needed to undo the change before it makes it.
func (p Plan) applyInstall(now file) (err error) {
	folderMode, fileMode := fs.FileMode(0o700), fs.FileMode(0o600)
	if p.Target.Scope == ProjectScope { // shared with whoever has the project
		folderMode, fileMode = 0o755, 0o644
	}
	var undo []func()
	defer func() {
		if err != nil {
			for _, f := range slices.Backward(undo) {
				f()
			}
		}
	}()
	for _, f := range p.newFolders {
		if err := os.Mkdir(f, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make folder: %w", err)
		}
		undo = append(undo, func() { removeEmpty(f) })
	}
	if p.makeBackup {
		kept := exists(p.backupPath()) // one left by an earlier install
		if err := writeFile(p.backupPath(), p.Before, now.info, fileMode); err != nil {
			return fmt.Errorf("back up the settings: %w", err)
		}
		if !kept {
			undo = append(undo, func() { os.Remove(p.backupPath()) })
		}
	}
	if err := remember(p.statePath, p.Target.Path, p.next); err != nil {
		return err
	}
	undo = append(undo, func() { _ = remember(p.statePath, p.Target.Path, p.old) })
	if err := writeFile(now.real, p.After, now.info, fileMode); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

// applyRemoval changes the file first and forgets afterwards, so that an
// interrupted removal can be run again.
func (p Plan) applyRemoval(now file) error {
	switch {
	case p.Delete:
		if err := os.Remove(now.real); err != nil {
			return fmt.Errorf("remove settings: %w", err)
		}
	case p.Changed():
		if err := writeFile(now.real, p.After, now.info, 0o600); err != nil {
			return fmt.Errorf("write settings: %w", err)
		}
	}
	for _, f := range slices.Backward(p.oldFolders) {
		removeEmpty(f)
	}
	if p.dropBackup {
		if err := os.Remove(p.backupPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove backup: %w", err)
		}
	}
	if p.old == nil && !p.damaged {
		return nil
	}
	return remember(p.statePath, p.Target.Path, nil)
}

// lock keeps other overseers from writing settings at the same time.
func lock(statePath string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(statePath), 0o700); err != nil {
		return nil, fmt.Errorf("make overseer's folder: %w", err)
	}
	path := statePath + ".lock"
	l := flock.New(path, flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if _, err := l.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, hint.Wrap(fmt.Errorf("another overseer is changing settings (%s is locked)", path),
				"wait for it to end, then run the command again")
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = l.Close() }, nil
}
