package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fireharp/overseer/event"
)

// spawned is what hook processes took for one load: medians of all runs.
type spawned struct {
	name      string
	wall, cpu time.Duration
	times     float64 // the processor time as a multiple of a plain hook's beside it
	peak      int     // MiB of memory
	verdict   string
}

// spawn measures whole hook processes, from spawn to exit and recorded, each beside
// one that judges a plain line, so that both meet the same noise of the machine.
func spawn(dir string, pick *regexp.Regexp, runs int) error {
	bin := filepath.Join(dir, "overseer")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	user := filepath.Join(dir, "user")
	repo := filepath.Join(user, "repo")
	if err := os.MkdirAll(filepath.Join(repo, ".git"), 0o755); err != nil {
		return err
	}
	env := []string{"HOME=" + user, "PATH=" + os.Getenv("PATH")}
	start := exec.Command(bin, "init", "--packs", "all")
	start.Env = env
	if out, err := start.CombinedOutput(); err != nil {
		return fmt.Errorf("init: %w\n%s", err, out)
	}
	hook := func(payload []byte) (wall, cpu time.Duration, peak int, out string, err error) {
		c := exec.Command(bin, "hook", "PreToolUse", "--agent", "claude")
		c.Env, c.Dir, c.Stdin = env, repo, bytes.NewReader(payload)
		begun := time.Now()
		b, err := c.Output()
		wall = time.Since(begun)
		if err != nil && c.ProcessState.ExitCode() != 2 {
			return 0, 0, 0, "", fmt.Errorf("hook: %w", err)
		}
		u := c.ProcessState.SysUsage().(*syscall.Rusage)
		return wall, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), int(u.Maxrss >> 10), string(b), nil
	}
	b := &bench{repo: repo}
	plain := b.payload(bash("", func(int) string { return "go test ./..." }), 2)
	var results []spawned
	var plainWall, plainCPU []time.Duration
	for _, l := range loads() {
		if !pick.MatchString(l.name) {
			continue
		}
		payload := b.payload(l, 2)
		r := spawned{name: l.name}
		var walls, cpus []time.Duration
		var times []float64
		for range runs {
			w0, c0, _, _, err := hook(plain)
			if err != nil {
				return err
			}
			w, c, peak, out, err := hook(payload)
			if err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			plainWall, plainCPU = append(plainWall, w0), append(plainCPU, c0)
			walls, cpus, times = append(walls, w), append(cpus, c), append(times, float64(c)/float64(c0))
			r.peak, r.verdict = max(r.peak, peak), decision(out)
		}
		r.wall, r.cpu, r.times = median(walls), median(cpus), median(times)
		results = append(results, r)
		if verbose {
			fmt.Fprintf(os.Stderr, "%-36s %6.1fms %6.1fms\n", r.name, ms(r.wall), ms(r.cpu))
		}
	}
	slices.SortFunc(results, func(x, y spawned) int { return cmp.Compare(y.wall, x.wall) })
	fmt.Printf("%-36s %8s %8s %8s %8s  %s\n", "one hook process", "time", "CPU", "× plain", "memory", "verdict")
	line := func(r spawned) {
		fmt.Printf("%-36s %6.1fms %6.1fms %8.1f %5d MiB  %s\n", r.name, ms(r.wall), ms(r.cpu), r.times, r.peak, r.verdict)
	}
	over := 0
	for _, r := range results {
		line(r)
		if r.wall > limit {
			over++
		}
	}
	fmt.Printf("\n%d loads, %d over %v; medians of %d runs. The plain hooks beside them took %.1f ms, %.1f ms of the processor.\n",
		len(results), over, limit, runs, ms(median(plainWall)), ms(median(plainCPU)))
	return nil
}

// decision reads Claude Code's answer.
func decision(out string) string {
	var a struct {
		Hook struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal([]byte(out), &a) != nil || a.Hook.Decision == "" {
		return string(event.Allow)
	}
	if strings.Contains(a.Hook.Reason, "could not") {
		return a.Hook.Decision + " (not read whole)"
	}
	return a.Hook.Decision
}

func median[T cmp.Ordered](all []T) T {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
