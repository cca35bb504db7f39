package yamlfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/yamlfile"
)

func parse(t *testing.T, src string) yamlfile.Node {
	t.Helper()
	n, err := yamlfile.Parse("f", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFields(t *testing.T) {
	t.Parallel()
	fields, err := parse(t, "b: &x [1, two]\na: *x\nc: {d: ~}\n").Fields("f")
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, f := range fields {
		v, err := f.Value.Value()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f.Name, f.Key.Line(), v)
	}
	want := []any{"b", 1, []any{1, "two"}, "a", 2, []any{1, "two"}, "c", 3, map[string]any{"d": nil}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestScalars(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"a": "a", "1.50": "1.50", "true": "true", `""`: "", "'1'": "1", "2026-01-02": "2026-01-02", "|\n  x\n  y\n": "x\ny\n",
	} {
		if got, err := parse(t, src).Text("it"); got != want || err != nil {
			t.Errorf("%q: got %q, %v", src, got, err)
		}
	}
	for src, want := range map[string]string{
		"~": "f:1:1: it is empty, want text", "[a]": "f:1:1: it is a list, want text", "{a: b}": "f:1:1: it is a mapping, want text",
		"": "f:1:1: it is empty, want text",
	} {
		if _, err := parse(t, src).Text("it"); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}

func TestWord(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{"aks": "did you mean \"ask\"?", "block": "write one of ask, deny", "~": "write one of ask, deny"} {
		_, err := parse(t, src).Word("action", "ask", "deny")
		if err == nil || strings.Join(hint.Of(err), "") != want {
			t.Errorf("%q: %v, hints %q", src, err, hint.Of(err))
		}
	}
}

func TestAliasesAreBounded(t *testing.T) {
	t.Parallel()
	src := "a0: &a0 [x, x]\n"
	for i := range 30 {
		src += strings.NewReplacer("N", string(rune('a'+i%26)), "M", strings.Repeat("i", i+1), "P", strings.Repeat("i", i)).Replace("kM: &kM [*kP, *kP]\n")
	}
	src = strings.Replace(src, "*k, *k", "*a0, *a0", 1)
	fields, err := parse(t, src).Fields("f")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fields[len(fields)-1].Value.Value(); err == nil || !strings.Contains(err.Error(), "alias") {
		t.Errorf("a file of one kilobyte becomes a billion values: %v", err)
	}
}

func TestReadIsNotHeldUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := yamlfile.Read(filepath.Join(dir, "none")); !yamlfile.Missing(err) {
		t.Errorf("got %v", err)
	}
	if _, err := yamlfile.Read(os.DevNull); err == nil || yamlfile.Missing(err) {
		t.Errorf("a device: %v", err)
	}
	file := filepath.Join(dir, "f.yaml")
	if err := os.WriteFile(file, []byte("a: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := yamlfile.Read(file); err == nil || !strings.HasPrefix(err.Error(), file+":2:1: ") {
		t.Errorf("got %v", err)
	}
}
