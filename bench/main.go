// Bench measures one hook process from spawn to exit, recorded, beside /bin/cat
// on the same input, in one run: the machine's noise then hits both. It prints
// medians, the 99th percentile and their ratio to cat.
//
//	go run ./bench [-n 400]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	n := flag.Int("n", 400, "runs of each command")
	flag.Parse()
	if err := run(*n); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// subject is one command that is measured.
type subject struct {
	name  string
	argv  []string
	input []byte
	times []time.Duration
}

func run(n int) error {
	dir, err := os.MkdirTemp("", "overseer-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pure, cgo, bare := filepath.Join(dir, "overseer"), filepath.Join(dir, "overseer-cgo"), filepath.Join(dir, "bare")
	for _, b := range []struct{ out, cgo, pkg string }{{pure, "0", "."}, {cgo, "1", "."}, {bare, "0", "./bench/bare"}} {
		c := exec.Command("go", "build", "-o", b.out, b.pkg)
		c.Env = append(os.Environ(), "CGO_ENABLED="+b.cgo)
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", b.pkg, err, out)
		}
	}
	env := []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	start := exec.Command(pure, "init")
	start.Env = env
	if out, err := start.CombinedOutput(); err != nil {
		return fmt.Errorf("init: %w\n%s", err, out)
	}
	allow, deny := event("go test ./..."), event("rm -rf /")
	subjects := []*subject{
		{name: "cat", argv: []string{"/bin/cat"}, input: allow},
		{name: "bare Go, JSON in and out", argv: []string{bare}, input: allow},
		{name: "hook, allow", argv: []string{pure, "hook", "PreToolUse", "--agent", "claude"}, input: allow},
		{name: "hook, ask", argv: []string{pure, "hook", "PreToolUse", "--agent", "claude"}, input: event("git reset --hard")},
		{name: "hook, deny", argv: []string{pure, "hook", "PreToolUse", "--agent", "claude"}, input: deny},
		{name: "hook with cgo, allow", argv: []string{cgo, "hook", "PreToolUse", "--agent", "claude"}, input: allow},
	}
	for i := range n + 10 {
		for _, s := range subjects {
			t, err := s.once(env)
			if err != nil {
				return err
			}
			if i >= 10 { // the first rounds warm the caches
				s.times = append(s.times, t)
			}
		}
	}
	cat := median(subjects[0].times)
	fmt.Printf("%-26s %9s %9s %7s %7s\n", "", "median", "p99", "× cat", "p99 ×")
	for _, s := range subjects {
		m, p := median(s.times), s.times[len(s.times)*99/100]
		fmt.Printf("%-26s %7.2fms %7.2fms %7.2f %7.2f\n", s.name, ms(m), ms(p), float64(m)/float64(cat), float64(p)/float64(cat))
	}
	return nil
}

// once runs the command and returns the time from spawn to exit.
func (s *subject) once(env []string) (time.Duration, error) {
	c := exec.Command(s.argv[0], s.argv[1:]...)
	c.Env = env
	c.Stdin = bytes.NewReader(s.input)
	begun := time.Now()
	err := c.Run()
	t := time.Since(begun)
	if code := c.ProcessState.ExitCode(); code != 0 && code != 2 {
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	return t, nil
}

func event(command string) []byte {
	return fmt.Appendf(nil, `{"session_id":"bench","transcript_path":"/home/dev/.claude/projects/p/s.jsonl","cwd":"/repo","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q,"description":"run it"},"tool_use_id":"toolu_1"}`, command)
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
