//go:build unix

package hookmon_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fireharp/overseer/internal/hookmon"
)

// A key that others can read is used, and the person is told.
func TestKeyFileMode(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "typesafe-api-key: sk-secret", "")
	path := filepath.Join(m.home, hookmon.SettingsFile)
	for mode, want := range map[os.FileMode]string{
		0o600: "", 0o400: "",
		0o644: "HOME/.hookmon.yaml holds a key and is open to others (mode 0644) | chmod 600 HOME/.hookmon.yaml",
		0o640: "HOME/.hookmon.yaml holds a key and is open to others (mode 0640) | chmod 600 HOME/.hookmon.yaml",
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		got, warnings := m.resolve(nil, nil)
		if got.TypeSafe.APIKey != "sk-secret" || warnings != want {
			t.Errorf("%04o: got %q, want %q", mode, warnings, want)
		}
	}
	if err := os.WriteFile(path, []byte("log-file: /l"), 0o644); err != nil { // mode stays
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, warnings := m.resolve(nil, nil); warnings != "" {
		t.Errorf("without a key: %s", warnings)
	}
}

func TestAppendMode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hooks.log")
	if err := hookmon.Append(path, []byte("secret"), 0); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}
