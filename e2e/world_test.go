//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fireharp/overseer/e2e/model"
)

// patience is how long one run of an agent may take. It is meant for a machine
// that is overloaded; a run takes two seconds.
const patience = 2 * time.Minute

// slots bounds how many agents run at once; each is a large program.
var slots = make(chan struct{}, 2)

// world is one test's own machine: a home in which overseer is installed for one
// agent, and a repo in which that agent works.
type world struct {
	*testing.T
	agent     *agent
	home      string
	repo      string
	bin       string // first on the PATH, for a test's own stand-ins
	constPath string // the shared rules
	// trustedHooks are the hooks that the person trusts, Codex's key to its hash.
	trustedHooks map[string]string
	// anyHook is set where a test breaks the hooks itself, so that they may fail.
	anyHook bool
	// env is added to the environment of every process, "NAME=value" each.
	env []string
}

// newWorld makes a home and a repo and installs overseer for the agent as a
// person would: init, then install.
func newWorld(t *testing.T, a *agent) *world {
	t.Helper()
	w := bareWorld(t, a)
	w.overseer("init")
	w.overseer("install", "--"+a.name)
	return w
}

// bareWorld makes a home and a repo in which nothing is installed.
func bareWorld(t *testing.T, a *agent) *world {
	t.Helper()
	if !wanted(a) {
		t.Skip(howTo)
	}
	root := filepath.Join(scratch, strings.ReplaceAll(t.Name(), "/", "-"))
	w := &world{T: t, agent: a, home: filepath.Join(root, "home"), repo: filepath.Join(root, "repo"), bin: filepath.Join(root, "bin")}
	w.constPath = filepath.Join(w.home, ".overseer", "constitution", "shared.md")
	for _, dir := range []string{w.home, w.repo, w.bin} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// Codex starts commands in a login shell, where /etc/profile sets the PATH anew.
	w.write(filepath.Join(w.home, ".profile"), "PATH='"+w.path()+"'\nexport PATH\n")
	if out, err := w.command("git", "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return w
}

func (w *world) path() string {
	return strings.Join([]string{w.bin, overseerDir, agentDir, os.Getenv("PATH")}, string(os.PathListSeparator))
}

// command is a process of this world, in its repo and with its home. Of the
// tests' own environment it sees the PATH alone; a proxy that does not exist
// keeps it from every other machine.
func (w *world) command(name string, args ...string) *exec.Cmd {
	const nowhere = "http://127.0.0.1:9"
	env := []string{
		"PATH=" + w.path(), "HOME=" + w.home, "SHELL=/bin/bash", "USER=tester", "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1",
		"HTTP_PROXY=" + nowhere, "HTTPS_PROXY=" + nowhere, "http_proxy=" + nowhere, "https_proxy=" + nowhere,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
	env = append(env, w.env...)
	if name == w.agent.name { // exec looks a bare name up in the tests' PATH, not in this world's
		name = filepath.Join(agentDir, name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	w.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = w.repo, env
	// A group of its own, so that what the agent started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// overseer runs one of overseer's commands, as the person at the keyboard, and
// gives back its stdout. The command must succeed.
func (w *world) overseer(args ...string) string {
	w.Helper()
	out, err := w.tryOverseer(args...)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// ownTerminal runs a command below no process of ours: the outer shell ends, the
// inner one waits for that and reports the exit status. overseer refuses to take
// a person's commands from below an agent, and these tests may well be run by
// one.
const ownTerminal = `sh -c 'while kill -0 "$0" 2>/dev/null; do sleep 0.01; done; "$@"; echo $? >&3' $$ "$@" &`

// tryOverseer is overseer where the command may fail; stdout is given either way.
func (w *world) tryOverseer(args ...string) (string, error) {
	w.Helper()
	status, report, err := os.Pipe()
	if err != nil {
		w.Fatal(err)
	}
	defer status.Close()
	cmd := w.command("sh", append([]string{"-c", ownTerminal, "sh", filepath.Join(overseerDir, "overseer")}, args...)...)
	cmd.WaitDelay = patience // the command goes on after the shell has ended
	cmd.ExtraFiles = []*os.File{report}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	report.Close()
	if err != nil {
		w.Fatalf("overseer %s: %v", strings.Join(args, " "), err)
	}
	code, err := io.ReadAll(status)
	if err != nil {
		w.Fatal(err)
	}
	if c := strings.TrimSpace(string(code)); c != "0" {
		return stdout.String(), fmt.Errorf("overseer %s: exit status %s\n%s%s", strings.Join(args, " "), c, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

// rules adds rules to the shared constitution.
func (w *world) rules(blocks string) {
	w.Helper()
	f, err := os.OpenFile(w.constPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		w.Fatal(err)
	}
	_, err = f.WriteString("\n" + blocks + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		w.Fatal(err)
	}
}

// run lets the agent work through a script and gives back the model that it
// talked to.
func (w *world) run(o options, steps ...model.Step) *model.Server {
	w.Helper()
	return w.drive(o, nil, steps)
}

// runWith does the same with a person at the agent's side.
func (w *world) runWith(p *person, o options, steps ...model.Step) *model.Server {
	w.Helper()
	return w.drive(o, p, steps)
}

func (w *world) drive(o options, p *person, steps []model.Step) *model.Server {
	w.Helper()
	if o.prompt == "" {
		o.prompt = "carry on"
	}
	slots <- struct{}{}
	defer func() { <-slots }()
	m := model.Start(w, steps...)
	var tr transcript
	if p == nil {
		tr = w.agent.run(w, m, o)
	} else {
		tr = w.agent.talk(w, m, o, p)
	}
	if failed := w.agent.failedHook.FindString(tr.stdout + "\n" + tr.stderr); failed != "" && !w.anyHook {
		w.Errorf("to the agent a hook failed: %s", failed)
	}
	w.Cleanup(func() {
		if !w.Failed() {
			return
		}
		for i, c := range m.Calls() {
			told, _ := m.Told(i)
			w.Logf("step %d: %s %s %s\n\ttold: %s", i, c.Tool, c.Input, c.Text, told.Text)
		}
		w.Logf("stdout of %s ends:\n%s\nstderr ends:\n%s", w.agent.name, tail(tr.stdout), tail(tr.stderr))
	})
	return m
}

// finish runs a process to its end and gives back its streams. That the agent
// ends with an error is no failure: some do when their prompt is blocked.
func (w *world) finish(cmd *exec.Cmd) transcript {
	w.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	w.reap(cmd)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 0) {
		w.Fatalf("%s: %v\n%s\n%s", cmd.Path, err, tail(stdout.String()), tail(stderr.String()))
	}
	return transcript{stdout.String(), stderr.String()}
}

// converse runs a process that speaks JSON by lines: each line that it prints is
// handed to hear, which may answer through say and ends the conversation with
// true.
func (w *world) converse(cmd *exec.Cmd, begin func(say func(any)), hear func(line []byte, say func(any)) (over bool)) transcript {
	w.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		w.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	say := func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			w.Error(err)
			return
		}
		_, _ = stdin.Write(append(b, '\n')) // a process that is gone shows in what it printed
	}
	begin(say)
	over := false
	dec := json.NewDecoder(io.TeeReader(out, &stdout))
	for !over {
		var line json.RawMessage
		if err := dec.Decode(&line); err != nil {
			break
		}
		over = hear(line, say)
	}
	stdin.Close()
	if over { // it has nothing more to say, but may like to stay
		nudge := time.AfterFunc(5*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) })
		defer nudge.Stop()
	}
	_, _ = io.Copy(&stdout, out)
	err = cmd.Wait()
	w.reap(cmd)
	if !over {
		w.Fatalf("%s ended the conversation early: %v\n%s\n%s", cmd.Path, err, tail(stdout.String()), tail(stderr.String()))
	}
	return transcript{stdout.String(), stderr.String()}
}

// reap ends what is left of a process's group.
func (w *world) reap(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

// file is the absolute path of a file in the repo.
func (w *world) file(name string) string { return filepath.Join(w.repo, name) }

func (w *world) write(path, content string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.Fatal(err)
	}
}

// exists and missing assert on the repo.
func (w *world) exists(name string) {
	w.Helper()
	if _, err := os.Stat(w.file(name)); err != nil {
		w.Errorf("%s should have been written: %v", name, err)
	}
}

func (w *world) missing(name string) {
	w.Helper()
	if _, err := os.Lstat(w.file(name)); err == nil {
		w.Errorf("%s exists, though what writes it should have been stopped", name)
	}
}

// told asserts that the model was told all these texts of a step, and gives back
// the whole.
func (w *world) told(m *model.Server, step int, texts ...string) string {
	w.Helper()
	r, ok := m.Told(step)
	if !ok {
		w.Errorf("the model was told nothing of step %d", step)
	}
	for _, text := range texts {
		if !strings.Contains(r.Text, text) {
			w.Errorf("the model was told %q of step %d, want %q in it", r.Text, step, text)
		}
	}
	return r.Text
}

func tail(s string) string {
	const n = 3000
	if len(s) > n {
		return "..." + s[len(s)-n:]
	}
	return s
}
