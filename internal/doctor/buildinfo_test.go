package doctor

import (
	"debug/buildinfo"
	"os"
	"path/filepath"
	"testing"
)

// TestPackageOf reads what debug/buildinfo reads, of this very test program and of
// files that are none.
func TestPackageOf(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, err := buildinfo.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if got := packageOf(self); got != want.Path || got == "" {
		t.Errorf("this program is %q, want %q", got, want.Path)
	}
	const magic = "\xff Go buildinf:"
	for name, content := range map[string]string{
		"empty":     "",
		"text":      "path\tgithub.com/fireharp/overseer\n",
		"cut":       magic,
		"no length": magic + string(make([]byte, 18)),
		"too long":  magic + string(make([]byte, 18)) + "\x05go1.2\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		"elsewhere": "x" + magic + string(make([]byte, 18)) + "\x02go\x30",
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := packageOf(path); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := packageOf(filepath.Join(t.TempDir(), "none")); got != "" {
		t.Errorf("no file: %q", got)
	}
}
