// Bench measures one hook process from spawn to exit, recorded, beside /bin/cat
// on the same input, in one run: the machine's noise then hits both. It prints
// medians, the 99th percentile and their ratio to cat.
//
// Programs are copied after they are built, as an installer does: one that still
// lies in the page cache as the linker wrote it starts up to a third slower.
//
//	go run ./bench [-n 400]
//	go run ./bench -events 1000000 [-n 100]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	n := flag.Int("n", 400, "runs of each command")
	events := flag.Int("events", 0, "instead: an empty ledger beside one of so many events")
	flag.Parse()
	do := func() error { return run(*n) }
	if *events > 0 {
		do = func() error { return runLedger(*n, *events) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// subject is one command that is measured.
type subject struct {
	name  string
	argv  []string
	input []byte
	dir   string
	env   []string
	times []time.Duration
}

func run(n int) error {
	dir, err := os.MkdirTemp("", "overseer-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, b := range []struct{ out, cgo, pkg string }{{"overseer", "0", "."}, {"overseer-cgo", "1", "."}, {"bare", "0", "./bench/bare"}} {
		if err := build(at(b.out), b.cgo, b.pkg); err != nil {
			return err
		}
	}
	env := []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	judge, err := startJudge()
	if err != nil {
		return err
	}
	defer judge.Close()
	judged := append(env, "HOOKMON_TYPESAFE_API_KEY=bench", "HOOKMON_TYPESAFE_ENDPOINT=http://"+judge.Addr)
	start := exec.Command(at("overseer"), "init")
	start.Env = env
	if out, err := start.CombinedOutput(); err != nil {
		return fmt.Errorf("init: %w\n%s", err, out)
	}
	for name, policy := range map[string]string{"plain": "", "lexical": lexical, "judged": lexical + semantic} {
		if err := os.Mkdir(at(name), 0o755); err != nil {
			return err
		}
		if policy != "" {
			if err := os.WriteFile(at(name+"/.hookmon-policy.yaml"), []byte(policy), 0o644); err != nil {
				return err
			}
		}
	}
	hook := []string{at("overseer"), "hook", "PreToolUse", "--agent", "claude"}
	mon := []string{at("overseer"), "hookmon", "--agent", "claudecode", "--log-file", at("hooks.log")}
	allow := func(folder string) []byte { return event(at(folder), "go test ./...") }
	subjects := []*subject{
		{name: "cat", argv: []string{"/bin/cat"}, input: allow("plain")},
		{name: "bare Go, JSON in and out", argv: []string{at("bare")}, input: allow("plain")},
		{name: "hook, allow", argv: hook, input: allow("plain")},
		{name: "hook, ask", argv: hook, input: event(at("plain"), "git reset --hard")},
		{name: "hook, deny", argv: hook, input: event(at("plain"), "rm -rf /")},
		{name: "hook, allow, with cgo", argv: append([]string{at("overseer-cgo")}, hook[1:]...), input: allow("plain")},
		{name: "hook, policy", argv: hook, input: allow("lexical"), dir: at("lexical")},
		{name: "hook, policy with when", argv: hook, input: event(at("judged"), "ls"), dir: at("judged"), env: judged},
		{name: "hook, judged, warm cache", argv: hook, input: allow("judged"), dir: at("judged"), env: judged},
		{name: "hookmon, log", argv: mon, input: allow("plain"), dir: at("plain")},
		{name: "hookmon, log, policy", argv: mon, input: allow("lexical"), dir: at("lexical")},
		{name: "hookmon, judged, warm cache", argv: mon, input: allow("judged"), dir: at("judged"), env: judged},
	}
	for _, s := range subjects {
		if s.env == nil {
			s.env = env
		}
		if s.dir == "" {
			s.dir = dir
		}
	}
	for i := range n + 10 {
		for _, s := range subjects {
			t, err := s.once()
			if err != nil {
				return err
			}
			if i >= 10 { // the first rounds warm the caches
				s.times = append(s.times, t)
			}
		}
	}
	cat := median(subjects[0].times)
	fmt.Printf("%-28s %9s %9s %7s %7s\n", "", "median", "p99", "× cat", "p99 ×")
	for _, s := range subjects {
		m, p := median(s.times), s.times[len(s.times)*99/100]
		fmt.Printf("%-28s %7.2fms %7.2fms %7.2f %7.2f\n", s.name, ms(m), ms(p), float64(m)/float64(cat), float64(p)/float64(cat))
	}
	return nil
}

// once runs the command and returns the time from spawn to exit.
func (s *subject) once() (time.Duration, error) {
	c := exec.Command(s.argv[0], s.argv[1:]...)
	c.Env, c.Dir = s.env, s.dir
	c.Stdin = bytes.NewReader(s.input)
	begun := time.Now()
	err := c.Run()
	t := time.Since(begun)
	if code := c.ProcessState.ExitCode(); code != 0 && code != 2 {
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	return t, nil
}

func event(folder, command string) []byte {
	return fmt.Appendf(nil, `{"session_id":"bench","transcript_path":"/home/dev/.claude/projects/p/s.jsonl","cwd":%q,"permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q,"description":"run it"},"tool_use_id":"toolu_1"}`, folder, command)
}

// build makes a program and copies it to out.
func build(out, cgo, pkg string) error {
	c := exec.Command("go", "build", "-o", out+".built", pkg)
	c.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, text)
	}
	b, err := os.ReadFile(out + ".built")
	if err != nil {
		return err
	}
	return os.WriteFile(out, b, 0o755)
}

const lexical = `rules:
  - {event: PreToolUse, tools: [Bash], commands: ["git push"], action: ask, reason: "pushing is confirmed"}
`

const semantic = `  - event: PreToolUse
    tools: [Bash]
    commands: ["go test"]
    when: {destroys_work: ">= 0.85"}
    action: deny
judgments:
  destroys_work: {type: noul, instructions: "Would this destroy work?"}
`

// startJudge answers every judgment on this machine, so that the cache fills.
func startJudge() (*http.Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{Addr: l.Addr().String(), Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"model":"bench-1","answers":{"destroys_work":{"type":"noul","noul":0.02}}}`)
	})}
	go func() { _ = s.Serve(l) }()
	return s, nil
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
