package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fireharp/overseer/internal/config"
)

// folder looks at the person's own folder: prompts and commands are recorded in
// it, and whoever may write there makes the rules.
func (m Machine) folder() []Result {
	const name = "folder"
	root := m.Home.Root
	st, err := os.Stat(root)
	switch {
	case err != nil && !os.IsNotExist(err):
		return []Result{result(name, Failed, nil, "%v", err)}
	case err != nil:
		return []Result{result(name, Failed, []string{"overseer init"}, "%s does not exist: there are no rules and nothing is recorded", root)}
	case !st.IsDir():
		return []Result{result(name, Failed, []string{"move it away, then run overseer init"}, "%s is not a folder", root)}
	}
	var out []Result
	add := func(hint, format string, args ...any) {
		out = append(out, result(name, Failed, []string{hint}, format, args...))
	}
	for _, dir := range m.private() {
		open, foreign := survey(dir)
		if len(open) > 0 {
			add("chmod -R go-rwx "+quote(dir), "others may read or write %s", several(open))
		}
		if len(foreign) > 0 {
			mend := "sudo chown -R \"$(id -un)\" " + quote(dir)
			if os.Geteuid() == 0 {
				mend = "run overseer as the user whose folder it is, without sudo"
			}
			add(mend, "another user owns %s", several(foreign))
		}
	}
	switch st, err := os.Stat(m.Home.Journal()); {
	case err != nil || !st.IsDir():
		add("overseer init", "there is no folder %s to record events in", m.Home.Journal())
	case !writable(m.Home.Journal()):
		add("chmod u+rwx "+quote(m.Home.Journal()), "%s may not be written: events are going to be lost", m.Home.Journal())
	}
	if len(out) > 0 {
		return out
	}
	return []Result{result(name, OK, nil, "%s is yours alone", root)}
}

// private are the folders that nobody else may look into: the person's own, and
// that of the ledger where the settings put it elsewhere.
func (m Machine) private() []string {
	dirs := []string{m.Home.Root}
	if c, _, err := config.Load(config.Default(), m.Home.Root); err == nil {
		if dir := filepath.Dir(m.Home.Ledger(c)); filepath.IsAbs(dir) && !strings.HasPrefix(dir, m.Home.Root+"/") && exists(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// survey walks a folder and finds what others may read or write, and what is
// another user's. Of a symbolic link only what it leads to counts, and only
// whether others may write that: a rule file may well lie in a repository of
// dotfiles that others can read.
func survey(root string) (open, foreign []string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir // its mode was judged by its own entry
			}
			return nil
		}
		mask := fs.FileMode(0o077)
		if d.Type()&fs.ModeSymlink != 0 && path != root {
			mask = 0o022
		}
		st, err := os.Stat(path)
		if err != nil {
			return nil // a link to nowhere, or gone since
		}
		if st.Mode().Perm()&mask != 0 {
			open = append(open, fmt.Sprintf("%s (%04o)", path, st.Mode().Perm()))
		}
		if !mine(st) {
			foreign = append(foreign, path)
		}
		return nil
	})
	return open, foreign
}

// several names the first of a list and counts the rest.
func several(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}
