package rule_test

import (
	"testing"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/rule"
)

func bash(command string) event.Event {
	return event.Event{Name: event.PreToolUse, Agent: "claude", CWD: "/repo", Tool: event.Tool{Name: "Bash", Command: command}}
}

func on(globs ...string) rule.Paths { return rule.Paths{Globs: globs} }

func write(path string) event.Event {
	return event.Event{Name: event.PreToolUse, Agent: "claude", CWD: "/repo", Tool: event.Tool{Name: "Write", Paths: []string{path}}}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	prompt := event.Event{Name: event.UserPromptSubmit, Prompt: "Please DEPLOY it"}
	mcp := event.Event{Name: event.PreToolUse, Tool: event.Tool{Name: "mcp__db__query"}}
	cursor := event.Event{Name: event.PreToolUse, Native: "beforeShellExecution",
		Tool: event.Tool{Name: "Shell", Aliases: []string{"Bash"}}}
	anyServer := event.Event{Name: event.PreToolUse, Tool: event.Tool{Name: "MCP:query", Aliases: []string{"mcp__*__query"}}}
	for _, tt := range []struct {
		name string
		c    rule.Condition
		e    event.Event
		want bool
	}{
		{"event in list", rule.Events{"Stop", "PreToolUse"}, bash("ls"), true},
		{"event not in list", rule.Events{"Stop"}, bash("ls"), false},
		{"event in another case", rule.Events{"pretooluse"}, bash("ls"), true},
		{"event by the agent's own name", rule.Events{"beforeshellexecution"}, cursor, true},
		{"event by the rules' name", rule.Events{"PreToolUse"}, cursor, true},
		{"event by another name", rule.Events{"beforeMCPExecution"}, cursor, false},
		{"tool", rule.Tools{"Bash"}, bash("ls"), true},
		{"tool of another name", rule.Tools{"Bash"}, write("/repo/a"), false},
		{"tool where there is none", rule.Tools{"*"}, prompt, false},
		{"tool by glob", rule.Tools{"mcp__db__*"}, mcp, true},
		{"tool by another glob", rule.Tools{"mcp__fs__*"}, mcp, false},
		{"tool by another agent's name", rule.Tools{"bash"}, cursor, true},
		{"tool by its own name", rule.Tools{"Shell"}, cursor, true},
		{"tool by a glob of another agent's name", rule.Tools{"Ba*"}, cursor, true},
		{"tool by a name of neither", rule.Tools{"Write", "Sh"}, cursor, false},
		{"tool of a server that is not told", rule.Tools{"mcp__db__query"}, anyServer, true},
		{"another tool of a server that is not told", rule.Tools{"mcp__db__drop"}, anyServer, false},
		{"any tool of a server that is not told", rule.Tools{"mcp__*"}, anyServer, true},
		{"any tool of one server, which may be it", rule.Tools{"mcp__db__*"}, anyServer, true},
		{"any tool of some servers, which may be it", rule.Tools{"mcp__db*"}, anyServer, true},
		{"some tools of one server, which may be it", rule.Tools{"MCP__DB__{query,drop}"}, anyServer, true},
		{"other tools of any server", rule.Tools{"mcp__*__drop"}, anyServer, false},
		{"tool by the agent's own glob", rule.Tools{"MCP:*"}, anyServer, true},
		{"no server's tool", rule.Tools{"Bash", "Read*", "mcp_*_x"}, anyServer, false},

		{"keyword in prompt, whatever case", rule.Keywords{"deploy"}, prompt, true},
		{"keyword in command", rule.Keywords{"migrate"}, bash("npx prisma MIGRATE dev"), true},
		{"keyword in path", rule.Keywords{"migrations"}, write("/repo/migrations/1.sql"), true},
		{"keyword nowhere", rule.Keywords{"deploy"}, bash("ls"), false},

		{"path below any folder", on("**/.env"), write("/repo/a/b/.env"), true},
		{"path at the top", on("**/.env"), write("/.env"), true},
		{"path outside of the repo", on("**/.env"), write("/elsewhere/.env"), true},
		{"path of a longer name", on("**/.env"), write("/repo/.envelope"), false},
		{"absolute glob", on("/etc/**"), write("/etc/ssh/sshd_config"), true},
		{"absolute glob, other folder", on("/etc/**"), write("/repo/etc/x"), false},
		{"relative glob is the repo's", on("src/**"), write("/repo/src/a.go"), true},
		{"relative glob is not the machine's", on("src/**"), write("/src/a.go"), false},
		{"relative glob with ./", on("./src/*"), write("/repo/src/a.go"), true},
		{"relative glob of a project, after cd", rule.Paths{Globs: []string{"config/*.yml"}, Root: "/repo"},
			event.Event{CWD: "/repo/config", Tool: event.Tool{Name: "Write", Paths: []string{"/repo/config/prod.yml"}}}, true},
		{"path with dots", on("/etc/**"), write("/repo/../etc/passwd"), true},
		{"relative path", on("/repo/.env"), write(".env"), true},
		{"home glob", on("~/.ssh/**"), write("/home/dev/.ssh/id_rsa"), true},
		{"home path", on("~/.ssh/**"), write("~/.ssh/id_rsa"), true},
		{"braces", on("**/*.{pem,key}"), write("/repo/x.key"), true},
		{"path in a command", on("**/.env"), bash("cat .env"), true},
		{"path after cd is the word's own", on("**/.env"), bash("cd sub && cat .env"), true},
		{"redirection target", on("/etc/**"), bash("echo x > /etc/hosts"), true},
		{"path behind sudo", on("/etc/**"), bash("sudo cat /etc/shadow"), true},
		{"$HOME in a command", on("~/.ssh/**"), bash(`cat "$HOME/.ssh/id_rsa"`), true},
		{"text that echo prints", on("**/.env"), bash("echo .env >> .gitignore"), false},
		{"a search pattern", on("**/.env"), bash("grep -rn .env src"), false},
		{"a commit message", on("**/.env"), bash("git commit -m .env"), false},
		{"no paths at all", on("**"), prompt, false},

		{"command", rule.NewCommand(`\brm\b`), bash("sudo rm x"), true},
		{"command without the text", rule.NewCommand(`\brm\b`), bash("ls"), false},
		{"command with the text only", rule.NewCommand(`\brm\b`), bash("charm"), false},
		{"command where there is none", rule.NewCommand(`.*`), write("/repo/a"), false},
		{"broken expression", rule.NewCommand(`(`), bash("("), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &rule.Subject{Event: &tt.e, Home: "/home/dev"}
			if got := tt.c.Holds(s); got != tt.want {
				t.Errorf("%s: got %v, want %v", tt.c, got, tt.want)
			}
		})
	}
}

func TestFires(t *testing.T) {
	t.Parallel()
	e := bash("rm x")
	fires := func(agent string, when ...rule.Condition) bool {
		r := rule.Rule{ID: "r", Agent: agent, When: when}
		return r.Fires(&rule.Subject{Event: &e})
	}
	if fires("") {
		t.Error("a rule without conditions fires")
	}
	if !fires("", rule.Tools{"Bash"}, rule.Keywords{"rm"}) {
		t.Error("a rule whose conditions all hold does not fire")
	}
	if fires("", rule.Tools{"Bash"}, rule.Keywords{"cp"}) {
		t.Error("a rule fires with one condition unmet")
	}
	if fires("codex", rule.Tools{"Bash"}) {
		t.Error("a rule for codex fires on claude")
	}
	e.Caller = "cursor"
	if !fires("cursor", rule.Tools{"Bash"}) || !fires("claude", rule.Tools{"Bash"}) {
		t.Error("a rule does not fire on what cursor does through claude's settings")
	}
}
