//go:build unix

package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/fireharp/overseer/internal/regular"
)

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(at("file"), []byte("content"), 0o600))
	must(os.WriteFile(at("empty"), nil, 0o600))
	must(os.Symlink(at("file"), at("link")))
	must(os.Symlink("/dev/zero", at("zero")))
	must(syscall.Mkfifo(at("pipe"), 0o600))
	for _, tt := range []struct {
		name, want string
		err        error
	}{
		{"file", "content", nil},
		{"link", "content", nil},
		{"empty", "", nil},
		{"zero", "", regular.ErrNot},
		{"pipe", "", regular.ErrNot},
		{".", "", regular.ErrNot},
		{"none", "", fs.ErrNotExist},
	} {
		got, err := regular.Read(at(tt.name), 100)
		if string(got) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
	if _, err := regular.Read(at("file"), 3); err == nil {
		t.Error("a file that is too large is read")
	}
}
