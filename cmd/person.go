package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
)

// agentMarks are environment variables that an agent sets for the commands it
// runs (docs/agents.md, "environment").
var agentMarks = []string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_SANDBOX", "CODEX_THREAD_ID", "CURSOR_AGENT", "COPILOT_CLI", "GEMINI_CLI"}

// agentPrograms are the agents' own programs.
var agentPrograms = []string{"claude", "codex", "cursor-agent", "copilot", "gemini"}

// testRoot ends the search for agents among this process's ancestors.
var testRoot int

// TestOnlyRoot is for this module's own tests: whoever started the process pid is
// not looked at, so that the tests can also be run by an agent.
func TestOnlyRoot(pid int) { testRoot = pid }

// personOnly refuses a ruling (approve, ledger outcome, trust) when it is an agent
// that gives it. The guard rules already deny such a call before it starts; this is
// the second lock, for the call that no hook saw.
func (w *world) personOnly(what string) error {
	by := w.agentAbove()
	if by == "" {
		return nil
	}
	err := fmt.Errorf("%s is for a person, and this was started by an agent (%s)", what, by)
	return hint.Wrap(err, "run it in a terminal of your own, outside of the agent")
}

// agentAbove says by what an agent is recognised among the processes that
// started this one, "" if none is.
func (w *world) agentAbove() string {
	for _, v := range agentMarks {
		if w.getenv(v) != "" {
			return "environment variable " + v
		}
	}
	pid := os.Getppid()
	for depth := 0; pid > 1 && pid != testRoot && depth < 64; depth++ {
		p, ok := process(pid)
		if !ok {
			return ""
		}
		if p.isAgent() {
			return fmt.Sprintf("process %d, %s", pid, p.name)
		}
		pid = p.parent
	}
	return ""
}

// proc is a process as /proc tells of it.
type proc struct {
	name   string
	argv   []string
	parent int
}

// isAgent recognises an agent's own program, also as a script run by node.
func (p proc) isAgent() bool {
	if slices.Contains(agentPrograms, p.name) {
		return true
	}
	for i, a := range p.argv {
		if i > 1 {
			break
		}
		base := strings.TrimSuffix(filepath.Base(a), ".js")
		if slices.Contains(agentPrograms, base) || strings.Contains(a, "/@anthropic-ai/claude-code") || strings.Contains(a, "/@openai/codex") {
			return true
		}
	}
	return false
}

// process reads /proc/<pid>; ok is false where there is none (other systems have
// the environment marks alone).
func process(pid int) (proc, bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return proc{}, false
	}
	// pid (comm) state ppid …; comm may contain spaces and parentheses.
	open, end := strings.IndexByte(string(stat), '('), strings.LastIndexByte(string(stat), ')')
	if open < 0 || end < open {
		return proc{}, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 2 {
		return proc{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return proc{}, false
	}
	cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
	return proc{name: string(stat[open+1 : end]), argv: strings.Split(strings.TrimRight(string(cmdline), "\x00"), "\x00"), parent: parent}, true
}
