package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger/ledgertest"
)

// runLedger measures hooks and readers with an empty ledger and with one of so many
// events, in one run: only the ratios mean something on a machine that others use.
func runLedger(n, events int) error {
	dir, err := os.MkdirTemp("", "overseer-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "overseer")
	if err := build(program, "0", "."); err != nil {
		return err
	}
	homes := map[string][]string{}
	for _, name := range []string{"empty", "full"} {
		home := filepath.Join(dir, name)
		if err := os.Mkdir(home, 0o755); err != nil {
			return err
		}
		homes[name] = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		if _, err := timed(homes[name], program, "init"); err != nil {
			return err
		}
	}
	full := filepath.Join(dir, "full", ".overseer", "journal")
	if err := fillJournal(full, events); err != nil {
		return err
	}
	took, err := timed(homes["full"], program, "ledger", "tail", "-n", "1")
	if err != nil {
		return err
	}
	fi, err := os.Stat(filepath.Join(dir, "full", ".overseer", "ledger", "ledger.db"))
	if err != nil {
		return err
	}
	fmt.Printf("%d events: taken in within %v, %d bytes an event\n", events, took.Round(time.Millisecond), fi.Size()/int64(events))

	input := event(dir, "go test ./...")
	var subjects []*subject
	for _, name := range []string{"empty", "full"} {
		add := func(what string, input []byte, args ...string) {
			subjects = append(subjects, &subject{name: what + ", " + name, argv: append([]string{program}, args...), input: input, dir: dir, env: homes[name]})
		}
		hook := []string{"hook", "PreToolUse", "--agent", "claude"}
		add("hook, allow", input, hook...)
		add("hook, ask", event(dir, "git reset --hard"), hook...)
		add("ledger tail", nil, "ledger", "tail")
		add("ledger search, common", nil, "ledger", "search", "test", "file")
		add("ledger search, rare", nil, "ledger", "search", "zzz")
	}
	for i := range n + 3 {
		for _, s := range subjects {
			t, err := s.once()
			if err != nil {
				return err
			}
			if i >= 3 {
				s.times = append(s.times, t)
			}
		}
	}
	fmt.Printf("%-30s %9s %9s %7s\n", "", "empty", "full", "ratio")
	half := len(subjects) / 2
	for i, s := range subjects[:half] {
		a, b := median(s.times), median(subjects[half+i].times)
		fmt.Printf("%-30s %7.2fms %7.2fms %7.2f\n", s.name[:len(s.name)-len(", empty")], ms(a), ms(b), float64(b)/float64(a))
	}
	return nil
}

// timed runs the program once.
func timed(env []string, program string, args ...string) (time.Duration, error) {
	c := exec.Command(program, args...)
	c.Env = env
	begun := time.Now()
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%v: %w\n%s", args, err, out)
	}
	return time.Since(begun), err
}

// fillJournal writes sample events.
func fillJournal(dir string, events int) error {
	sample := ledgertest.NewSample(1)
	for left := events; left > 0; {
		var bodies [][]byte
		for range min(left, 1000) {
			body, err := journal.Body(sample.Next())
			if err != nil {
				return err
			}
			bodies = append(bodies, body)
		}
		if err := journal.AppendBodies(context.Background(), dir, bodies); err != nil {
			return err
		}
		left -= len(bodies)
	}
	return nil
}
