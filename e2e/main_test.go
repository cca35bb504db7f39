//go:build unix

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// howTo is what is said of tests that are not run.
const howTo = "not run, for want of the real agents; to run them: npm ci --prefix e2e && OVERSEER_E2E=1 go test ./e2e -count=1"

var (
	// scratch holds every file of this run; TestMain removes it.
	scratch string
	// overseerDir holds the program under test, as "overseer".
	overseerDir string
	// agentDir holds the agents' commands, as npm lays them.
	agentDir string
)

func TestMain(m *testing.M) {
	if !wanted(claude) { // then Codex is not wanted either
		// No test at all rather than skipped ones that look like success. The second
		// line is package testing's own; go test then prints "[no tests to run]"
		// beside the package's name, and caches nothing.
		fmt.Println("e2e:", howTo)
		fmt.Println("testing: warning: no tests to run")
		return
	}
	code, err := 1, prepare()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
	} else {
		code = m.Run()
	}
	if scratch != "" {
		if err := os.RemoveAll(scratch); err != nil {
			fmt.Fprintln(os.Stderr, "e2e: remove scratch folder:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// wanted reports whether the environment asks for tests on this agent.
func wanted(a *agent) bool {
	return os.Getenv("OVERSEER_E2E") != "" || a == claude && os.Getenv("OVERSEER_E2E_CLAUDE") != ""
}

// prepare makes the scratch folder, builds overseer into it and sees to it that
// the agents can be started.
func prepare() (err error) {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	agentDir = filepath.Join(here, "node_modules", ".bin")
	if scratch, err = makeScratch(here); err != nil {
		return fmt.Errorf("make scratch folder: %w", err)
	}
	for _, a := range agents {
		if wanted(a) {
			if err := a.check(); err != nil {
				return err
			}
		}
	}
	overseerDir = filepath.Join(scratch, "program files") // the space must survive the agents' settings
	build := exec.Command("go", "build", "-o", filepath.Join(overseerDir, "overseer"), "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build overseer: %w\n%s", err, out)
	}
	return nil
}

// makeScratch makes a folder outside the system's temporary one, where Codex
// would not put its home, and outside this checkout, whose own project files
// the agents would find above the scratch repo. Where the user has no cache
// folder, a folder beside this file has to do.
func makeScratch(here string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil || within(os.TempDir(), base) || within("/tmp", base) {
		base = filepath.Join(here, ".scratch")
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(base, "overseer-e2e-")
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir) // agents report real paths
}

// within reports whether path lies in dir or is it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// onEach runs a test on every agent that was asked for.
func onEach(t *testing.T, test func(t *testing.T, w *world)) {
	for _, a := range agents {
		t.Run(a.label, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, a))
		})
	}
}
