package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/judgment/judgmenttest"
)

// mon runs hookmon on an event made as by hook, in the script's present folder:
//
//	mon <exit status> <agent> <event> [<tool>] [key=value ...] [-- <flag> ...]
func mon(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: mon status agent event [tool] [key=value ...] [-- flag ...]")
	}
	body, flags := payload(ts, args[2:])
	run(ts, args[0], body, append([]string{"hookmon", "--agent", args[1]}, flags...))
}

// judges are the System One servers of the scripts.
type judges struct {
	t  *testing.T
	mu sync.Mutex
	of map[*testscript.TestScript]*judgmenttest.Server
}

// judge starts and steers a System One server of the script's own:
//
//	judge start                  set the endpoint and the key for hookmon
//	judge answer NAME VALUE      from now on
//	judge model VERSION          that answers from now on
//	judge fail STATUS | stall | half | wrong-types   at the next request
//	judge asked N                fail unless there were N requests since the last such line
//	judge request FILE           write the last request's state and questions to FILE
func (j *judges) judge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: judge start | answer NAME VALUE | model VERSION | fail STATUS | stall | half | wrong-types | asked N | request FILE")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.of[ts]
	switch {
	case args[0] == "start":
		s = judgmenttest.New(j.t)
		if j.of == nil {
			j.of = map[*testscript.TestScript]*judgmenttest.Server{}
		}
		j.of[ts] = s
		ts.Setenv("HOOKMON_TYPESAFE_ENDPOINT", s.Endpoint)
		ts.Setenv("HOOKMON_TYPESAFE_API_KEY", judgmenttest.Key)
		ts.Setenv("JUDGED", "0")
	case s == nil:
		ts.Fatalf("judge start comes first")
	case args[0] == "answer" && len(args) == 3:
		if v, err := strconv.ParseFloat(args[2], 64); err == nil {
			s.Answer(args[1], v)
		} else {
			s.Answer(args[1], args[2])
		}
	case args[0] == "model" && len(args) == 2:
		s.Model(args[1])
	case args[0] == "fail" && len(args) == 2:
		code, err := strconv.Atoi(args[1])
		ts.Check(err)
		s.Script(judgmenttest.Status(code))
	case args[0] == "stall":
		s.Script(judgmenttest.Stall)
	case args[0] == "half":
		s.Script(judgmenttest.Half)
	case args[0] == "wrong-types":
		s.Script(judgmenttest.WrongTypes)
	case args[0] == "asked" && len(args) == 2:
		before, err := strconv.Atoi(ts.Getenv("JUDGED"))
		ts.Check(err)
		n := s.Count()
		if strconv.Itoa(n-before) != args[1] {
			ts.Fatalf("%d requests, want %s", n-before, args[1])
		}
		ts.Setenv("JUDGED", strconv.Itoa(n))
	case args[0] == "request" && len(args) == 2:
		all := s.Requests()
		if len(all) == 0 {
			ts.Fatalf("no request came")
		}
		r := all[len(all)-1]
		var names []string
		for n := range r.Questions {
			names = append(names, n)
		}
		slices.Sort(names)
		text := fmt.Sprintf("model %s\nquestions %s\n%s\n", r.Model, strings.Join(names, " "), r.State)
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
	default:
		ts.Fatalf("judge %q", args)
	}
}

// TestHookmonByName: the name that the program is started under chooses the face,
// also where that is a link, and however it was built.
func TestHookmonByName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "hookmon")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, face := range map[string]bool{
		"hookmon": true, "hookmon-linux-amd64": true, "Hookmon.exe": true, "hookmon2": true,
		"overseer": false, "main": false, "my-hookmon": false,
	} {
		path := filepath.Join(dir, name)
		if path != program {
			if err := os.Symlink(program, path); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.Command(path, "--agent", "codex")
		c.Dir, c.Env = dir, []string{"HOME=" + dir}
		c.Stdin = strings.NewReader(`{"hook_event_name":"Stop"}`)
		if out, err := c.CombinedOutput(); (err == nil && string(out) == "{}\n") != face {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// TestHookmonParallel: every event in a process of its own, as agents run them,
// from 64 agents at once. The larger number is in internal/hookmon.
func TestHookmonParallel(t *testing.T) {
	t.Parallel()
	const agents, events = 64, 4
	dir := t.TempDir()
	log := filepath.Join(dir, "hooks.log")
	var all sync.WaitGroup
	for a := range agents {
		all.Go(func() {
			for e := range events {
				c := exec.Command("hookmon", "--agent", "codex", "--log-file", log)
				c.Dir, c.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
				c.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":"Stop","agent":%d,"event":%d,"pad":%q}`, a, e, strings.Repeat("x", a*100)))
				if out, err := c.CombinedOutput(); err != nil || string(out) != "{}\n" {
					t.Errorf("%v: %s", err, out)
				}
			}
		})
	}
	all.Wait()
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]int]bool{}
	for line := range bytes.Lines(content) {
		var l struct {
			Agent   string
			Payload struct{ Agent, Event int }
		}
		if err := json.Unmarshal(line, &l); err != nil || l.Agent != "codex" {
			t.Fatalf("%v: %.200q", err, line)
		}
		seen[[2]int{l.Payload.Agent, l.Payload.Event}] = true
	}
	if n := bytes.Count(content, []byte{'\n'}); n != agents*events || len(seen) != n {
		t.Errorf("%d lines with %d events, want %d", n, len(seen), agents*events)
	}
}

// TestHookmonAnswersInTime: an agent that never closes its end still gets an
// acknowledgment before its own patience ends.
func TestHookmonAnswersInTime(t *testing.T) {
	t.Parallel()
	c := exec.Command("hookmon", "--agent", "claudecode")
	c.Dir, c.Env = t.TempDir(), []string{"HOME=" + t.TempDir()}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		if err != nil || stdout.String() != "{}\n" || !strings.Contains(stderr.String(), "no answer within 10s") {
			t.Errorf("%v: %q, %q", err, stdout.String(), stderr.String())
		}
	case <-time.After(2 * time.Minute):
		_ = c.Process.Kill()
		t.Fatal("it waits for ever")
	}
}

// hooksFile is one of the examples of an agent's settings.
type hooksFile struct {
	Version     int    `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	Hooks       map[string][]struct {
		Matcher string `json:"matcher,omitempty"`
		Command string `json:"command,omitempty"` // Cursor has no groups
		Hooks   []struct {
			Type    string `json:"type"`
			Command string `json:"command"`
			Timeout int    `json:"timeout,omitempty"`
		} `json:"hooks,omitempty"`
	} `json:"hooks"`
}

// TestExampleSettings: each example is valid, registers the events that the agent
// has, and its command runs as it stands.
func TestExampleSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		agent, file string
		without     []string // events that are left out for the reason in the capabilities
	}{
		{"claudecode", "examples/claudecode/settings.json", nil},
		{"codex", "examples/codex/hooks.json", nil},
		{"cursor", "examples/cursor/hooks.json", []string{"workspaceOpen"}},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			d := json.NewDecoder(bytes.NewReader(src))
			d.DisallowUnknownFields() // Codex and Cursor reject a file for one
			var f hooksFile
			if err := d.Decode(&f); err != nil {
				t.Fatal(err)
			}
			p, err := agent.Lookup(tt.agent)
			if err != nil {
				t.Fatal(err)
			}
			if s := p.Settings(); s.Version != f.Version || len(s.TopKeys) == 0 && f.Description != "" {
				t.Errorf("version %d, description %q", f.Version, f.Description)
			}
			var want, got []string
			for _, c := range p.Capabilities() {
				if !slices.Contains(tt.without, c.Event) {
					want = append(want, c.Event)
				}
			}
			dir := t.TempDir()
			if tt.agent == "claudecode" {
				dir = filepath.Join(dir, "a project") // the space must survive the shell
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			program, err := exec.LookPath("hookmon")
			if err == nil {
				err = os.Symlink(program, filepath.Join(dir, "hookmon"))
			}
			if err != nil {
				t.Fatal(err)
			}
			for name, groups := range f.Hooks {
				got = append(got, name)
				command := ""
				switch {
				case len(groups) != 1:
					t.Fatalf("%s: %d entries", name, len(groups))
				case groups[0].Command != "":
					command = groups[0].Command
				case len(groups[0].Hooks) == 1 && groups[0].Hooks[0].Type == "command":
					command = groups[0].Hooks[0].Command
				}
				isTool := slices.Contains([]string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"}, name)
				if (groups[0].Matcher == "*") != (isTool && tt.agent != "cursor") {
					t.Errorf("%s: matcher %q", name, groups[0].Matcher)
				}
				log := logs(t, strings.ReplaceAll(command, "/absolute/path/to", "${CLAUDE_PROJECT_DIR}"), dir, name)
				if diff := cmp.Diff(fmt.Sprintf(`{"agent":%q,"payload":{"hook_event_name":%q}}`+"\n", tt.agent, name), log); diff != "" {
					t.Errorf("%s (-want +got)\n%s", name, diff)
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("events (-want +got)\n%s", diff)
			}
		})
	}
}

// logs runs a hook's command as the agent does and gives back what it logged.
func logs(t *testing.T, command, dir, name string) string {
	t.Helper()
	c := exec.Command("sh", "-c", command)
	c.Dir, c.Env = dir, []string{"HOME=" + dir, "CLAUDE_PROJECT_DIR=" + dir}
	c.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":%q}`, name))
	if out, err := c.CombinedOutput(); err != nil || len(bytes.TrimSpace(bytes.TrimPrefix(out, []byte("{}")))) > 0 {
		t.Errorf("%s: %v: %s", name, err, out)
	}
	file := filepath.Join(dir, "hooks.log")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(file)
	return string(content)
}
