//go:build unix

package systemone_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/fireharp/overseer/internal/judgment/judgmenttest"
)

func TestCacheIsPrivate(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	c, _ := cached(t, s)
	ask(t, c, `"S3CRET"`, specs...)
	info, err := os.Stat(c.Cache.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v", info.Mode(), err)
	}
	list := files(t, c.Cache.Dir)
	if len(list) != 4 { // three answers and the model
		t.Errorf("%d files", len(list))
	}
	for _, f := range list {
		info, err := os.Stat(f)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
		data, _ := os.ReadFile(f)
		if text := string(data); strings.Contains(text, "S3CRET") || strings.Contains(text, judgmenttest.Key) {
			t.Errorf("%s: %s", f, text)
		}
	}
}

// A pipe where an answer should be would keep a reader waiting, and a link could
// lead anywhere.
func TestCacheReadsFilesOnly(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"pipe": func(p string) error { return errors.Join(os.Remove(p), syscall.Mkfifo(p, 0o600)) },
		"link": func(p string) error { return errors.Join(os.Rename(p, p+".x"), os.Symlink(p+".x", p)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := judgmenttest.New(t)
			c, _ := cached(t, s)
			ask(t, c, `"a"`, work)
			for _, f := range files(t, c.Cache.Dir) {
				if err := spoil(f); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				ask(t, c, `"a"`, work)
			}
			if s.Count() != 2 {
				t.Errorf("%d requests", s.Count())
			}
		})
	}
}
