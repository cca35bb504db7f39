package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fireharp/overseer/cmd"
	"github.com/fireharp/overseer/internal/hookmon"
)

// testRoot is the variable with which the tests tell the programs that they start
// where the tests' own processes end.
const testRoot = "OVERSEER_TEST_ROOT"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"overseer": func() {
		if pid, err := strconv.Atoi(os.Getenv(testRoot)); err == nil {
			cmd.TestOnlyRoot(pid)
		}
		main()
	}, "hookmon": main})
}

// TestScripts runs every script in testdata/script with the program as a real
// process. A script begins in a folder of its own with an empty home folder.
func TestScripts(t *testing.T) {
	t.Parallel()
	judges := &judges{t: t}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("USER", "dev")
			e.Setenv(testRoot, strconv.Itoa(os.Getpid()))
			examples, err := filepath.Abs("examples")
			if err != nil {
				return err
			}
			e.Setenv("EXAMPLES", examples)
			e.Setenv("n", "\n")
			e.Setenv("esc", "\x1b")
			e.Setenv("long", strings.Repeat("x", 20_000))
			return os.MkdirAll(filepath.Join(e.WorkDir, "repo"), 0o755)
		},
		Condition: func(c string) (bool, error) { return c == "dolt" && withDolt, nil },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"hook":   hook,
			"status": status,
			"lastid": lastID,
			"mon":    mon,
			"judge":  judges.judge,
		},
	})
}

// hook runs the hook on an event made of its arguments and leaves the answer in
// the files out and err:
//
//	hook <exit status> <agent> <event> [<tool>] [key=value ...] [-- <argument of overseer> ...]
//
// A key of the tool's input is written as it is, one of the event itself as
// @key. The event's folder is the script's present one.
func hook(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: hook status agent event [tool] [key=value ...] [-- argument ...]")
	}
	body, extra := payload(ts, args[2:])
	run(ts, args[0], body, append([]string{"overseer", "hook", args[2], "--agent", args[1]}, extra...))
}

// payload makes an event of its name, its tool and the rest of hook's arguments,
// and gives back what follows a "--".
func payload(ts *testscript.TestScript, args []string) (body []byte, extra []string) {
	payload := map[string]any{"session_id": "s1", "cwd": ts.MkAbs("."), "hook_event_name": args[0], "permission_mode": "default"}
	input := map[string]any{}
	for i, a := range args[1:] {
		key, value, ok := strings.Cut(a, "=")
		switch {
		case a == "--":
			extra = args[1+i+1:]
		case i == 0 && !ok:
			payload["tool_name"] = a
			payload["tool_input"] = input
			payload["tool_use_id"] = "call_1"
		case strings.HasPrefix(key, "@") && value == "true":
			payload[key[1:]] = true
		case strings.HasPrefix(key, "@"):
			payload[key[1:]] = value
		default:
			input[key] = value
		}
		if a == "--" {
			break
		}
	}
	body, err := json.Marshal(payload)
	ts.Check(err)
	return body, extra
}

// status runs a command with the file stdin.json (if there is one) as its input,
// checks its exit status and leaves its output in the files out and err.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status code command [argument ...]")
	}
	input, err := os.ReadFile(ts.MkAbs("stdin.json"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		ts.Fatalf("%v", err)
	}
	run(ts, args[0], input, args[1:])
}

func run(ts *testscript.TestScript, want string, input []byte, args []string) {
	var path string
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, args[0]); path == "" {
			if _, err := os.Stat(p); err == nil {
				path = p
			}
		}
	}
	if path == "" {
		ts.Fatalf("%s: not found", args[0])
	}
	var stdout, stderr bytes.Buffer
	c := exec.Command(path, args[1:]...)
	c.Dir = ts.MkAbs(".")
	c.Env = environ(ts)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(input), &stdout, &stderr
	code := 0
	if err := c.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	ts.Logf("[%s]\nstdout: %sstderr: %s", strings.Join(args, " "), stdout.String(), stderr.String())
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "out"), stdout.Bytes(), 0o644))
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "err"), stderr.Bytes(), 0o644))
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit status %d, want %s", code, want)
	}
	if out := bytes.TrimSpace(stdout.Bytes()); args[1] == "hook" && len(out) > 0 && !json.Valid(out) {
		ts.Fatalf("standard output is not one JSON document: %s", out)
	}
}

// environ is the script's environment without what an agent would leave in it.
func environ(ts *testscript.TestScript) []string {
	var out []string
	for _, k := range []string{testRoot, "HOME", "USER", "PATH", "OVERSEER_HOME", "CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLAUDECODE", "CURSOR_VERSION", "COPILOT_CLI", "OVERSEER_DOLT_PASSWORD", "SHELL", "TMPDIR", "CURSOR_PROJECT_DIR"} {
		if v := ts.Getenv(k); v != "" {
			out = append(out, k+"="+v)
		}
	}
	for _, s := range hookmon.All() {
		if v := ts.Getenv(s.Env()); v != "" {
			out = append(out, s.Env()+"="+v)
		}
	}
	return out
}

// lastID puts the id of the newest event in the ledger into a variable:
//
//	lastid NAME
func lastID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lastid NAME")
	}
	run(ts, "0", nil, []string{"overseer", "ledger", "tail", "-n", "1", "--json"})
	var e struct{ ID string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(filepath.Join(ts.Getenv("WORK"), "out"))), &e))
	ts.Setenv(args[0], e.ID)
}
