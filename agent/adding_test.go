//go:build unix

package agent_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// guide says how an agent is added; the test below does as it says.
const guide = "../docs/adding-an-agent.md"

// block is one fenced block of the guide: a file, where the line before it is the
// file's name, or a console session.
type block struct{ file, language, text string }

func blocks(t *testing.T) (all []block) {
	t.Helper()
	src, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	fence := regexp.MustCompile("(?ms)(?:^`([^`\n]+)`\n\n)?^```(\\w*)\n(.*?)^```$")
	for _, m := range fence.FindAllStringSubmatch(string(src), -1) {
		all = append(all, block{m[1], m[2], m[3]})
	}
	return all
}

// TestAddingAnAgent adds the guide's agent in a module outside of this one: its code
// is built, its tests pass, and its commands say what the guide says.
func TestAddingAnAgent(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	module, bin, home := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(module, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	// The guide's "go mod tidy", without a network: all versions as they are here.
	write("go.sum", read("go.sum"))
	write("go.mod", strings.Replace(read("go.mod"), "module github.com/fireharp/overseer\n", `module example.com/otterseer

require github.com/fireharp/overseer v0.0.0

replace github.com/fireharp/overseer => `+strconv.Quote(root)+"\n", 1))
	// What this module needs is here, or is fetched now; the other one gets along with
	// that.
	list := exec.Command("go", "list", "-deps", "./cmd", "./agent/agenttest")
	list.Dir = root
	if out, err := list.CombinedOutput(); err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	gotool := func(args ...string) string {
		t.Helper()
		c := exec.Command("go", args...)
		c.Dir = module
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	files, sessions := 0, 0
	for _, b := range blocks(t) {
		switch {
		case b.file != "":
			write(b.file, b.text)
			files++
		case b.language == "console":
			if sessions == 0 { // all of the code stands above the first
				gotool("vet", "./...")
				gotool("build", "-o", filepath.Join(bin, "otterseer"), ".")
			}
			session(t, b.text, module, []string{"HOME=" + home, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")})
			sessions++
		}
	}
	if files != 5 || sessions != 2 {
		t.Fatalf("%s has %d files and %d sessions", guide, files, sessions)
	}

	gotool("test", "./otter", "-count=1", "-update")
	if out := gotool("test", "./otter", "-count=1", "-v"); !strings.Contains(out, "--- PASS: TestDecode/before_tool.json") || !strings.Contains(out, "--- PASS: TestAnswers") {
		t.Errorf("the suite did not run:\n%s", out)
	}
	golden, err := os.ReadFile(filepath.Join(module, "otter", "testdata", "golden", "before_tool.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"Agent": "otter"`, `"Name": "PreToolUse"`, `"Native": "before_tool"`, `"Command": "git status \u0026\u0026 cat notes.txt"`} {
		if !bytes.Contains(golden, []byte(want)) {
			t.Errorf("the event lacks %s:\n%s", want, golden)
		}
	}
}

// session runs the commands of a console session, which are the lines that begin with
// "$ ", and compares what each of them prints with the lines below it.
func session(t *testing.T, text, dir string, env []string) {
	t.Helper()
	for _, step := range strings.Split("\n"+text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(step, "\n")
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		c := exec.Command("sh", "-c", command)
		c.Dir, c.Env = dir, env
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		if diff := cmp.Diff(want, string(out)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", command, diff)
		}
	}
}
