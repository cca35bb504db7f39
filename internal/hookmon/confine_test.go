package hookmon_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fireharp/overseer/internal/hookmon"
)

func TestConfined(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	repo := filepath.Join(base, "repo")
	for _, dir := range []string{repo, filepath.Join(repo, "logs"), filepath.Join(base, "home")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"repo/old.log", "home/.bashrc"} {
		if err := os.WriteFile(filepath.Join(base, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"repo/within.log": "logs/x.log", "repo/good.log": "old.log", "repo/out.log": "../home/.bashrc",
		"repo/gone.log": "../home/.zshenv", "repo/dir": "../home", "linked": "repo",
	} {
		if err := os.Symlink(to, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, ok := range map[string]bool{
		"repo/new.log": true, "repo/old.log": true, "repo/logs/new.log": true, "repo/good.log": true, "linked/new.log": true,
		"repo/out.log": false, "repo/gone.log": false, "repo/dir/.bashrc": false, "repo/dir/new": false,
		"repo/../home/.bashrc": false, "home/.bashrc": false, "repo/none/new.log": false, "repository": false,
		"repo/within.log": false, // its target does not exist, so nothing is known of it
	} {
		for _, root := range []string{"repo", "linked"} {
			if err := hookmon.Confined(filepath.Join(base, root), base+"/"+path); (err == nil) != ok {
				t.Errorf("%s in %s: %v", path, root, err)
			}
		}
		if err := hookmon.Confined("", base+"/"+path); err != nil {
			t.Errorf("%s anywhere: %v", path, err)
		}
	}
}
