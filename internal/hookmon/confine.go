package hookmon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
)

// Confined reports whether a file that is to be written lies in the folder root,
// by way of all links: a repository that was cloned may bring settings and links,
// and neither is to have us write into the person's own files. An empty root
// confines nothing.
func Confined(root, path string) error {
	if root == "" {
		return nil
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	target := filepath.Join(dir, filepath.Base(path))
	if st, err := os.Lstat(target); err == nil && st.Mode()&os.ModeSymlink != 0 {
		if target, err = filepath.EvalSymlinks(target); err != nil {
			return err
		}
	}
	if rel, err := filepath.Rel(realRoot, target); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		err := fmt.Errorf("%s leads out of %s", path, root)
		return hint.Wrap(err, "set it by a flag, in the environment or in ~/%s", SettingsFile)
	}
	return nil
}
