//go:build unix

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/fireharp/overseer/e2e/model"
)

// agent is a coding agent as the tests drive it.
type agent struct {
	// label names the agent in the tests.
	label string
	// name is the agent's name in overseer's records and install flags, and the
	// name of its command.
	name string
	// pkg is the agent's npm package.
	pkg string
	// settings is where overseer registers its hooks, below the home folder.
	settings string
	// model is the model that the agent is told to use, "" for its own choice.
	model string
	// shellTool is the tool with which that model runs commands.
	shellTool string
	// run hands the agent a prompt, without a person who could approve anything.
	run func(w *world, m *model.Server, o options) transcript
	// failedHook matches the agent's word that a hook failed, which is not that it
	// denied something.
	failedHook *regexp.Regexp
	// talk does the same over the agent's client protocol, with a person.
	talk func(w *world, m *model.Server, o options, p *person) transcript
}

// options are what differs from one run of an agent to the next.
type options struct {
	prompt string
	// careful leaves the agent's own approvals on. Otherwise the agent runs all
	// that nobody stops, so that whatever does not run was stopped by overseer.
	careful bool
	// trusted leaves Codex's own check on whether the person trusts the hooks.
	trusted bool
}

// transcript is what a run of an agent left on its streams.
type transcript struct {
	stdout, stderr string
}

var agents = []*agent{claude, codex, codexInCodeMode}

// check reports whether the agent can be started, and what to do if not.
func (a *agent) check() error {
	dir := filepath.Join(filepath.Dir(agentDir), filepath.FromSlash(a.pkg))
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("%s is not installed; run: npm ci --prefix e2e", a.pkg)
	}
	program := filepath.Join(agentDir, a.name)
	if out, err := exec.Command(program, "--version").CombinedOutput(); err != nil {
		// The installation ran no scripts (see .npmrc), so Claude Code's command is
		// still a stub until its own installer has put the program in its place.
		installer := filepath.Join(dir, "install.cjs")
		if _, statErr := os.Stat(installer); statErr != nil {
			return fmt.Errorf("start %s: %w\n%s", a.name, err, out)
		}
		if out, err := exec.Command("node", installer).CombinedOutput(); err != nil {
			return fmt.Errorf("place the program of %s: %w\n%s", a.pkg, err, out)
		}
		if out, err := exec.Command(program, "--version").CombinedOutput(); err != nil {
			return fmt.Errorf("start %s: %w\n%s", a.name, err, out)
		}
	}
	return nil
}

// question is what an agent asked the person.
type question struct {
	tool, reason string
}

// person answers an agent's questions.
type person struct {
	// yes is the answer to all of them.
	yes   bool
	asked []question
}
