package rule_test

import (
	"testing"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/rule"
)

func bash(command string) event.Event {
	return event.Event{Name: event.PreToolUse, Agent: "claude", CWD: "/repo", Tool: event.Tool{Name: "Bash", Command: command}}
}

func write(path string) event.Event {
	return event.Event{Name: event.PreToolUse, Agent: "claude", CWD: "/repo", Tool: event.Tool{Name: "Write", Paths: []string{path}}}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	prompt := event.Event{Name: event.UserPromptSubmit, Prompt: "Please DEPLOY it"}
	mcp := event.Event{Name: event.PreToolUse, Tool: event.Tool{Name: "mcp__db__query"}}
	for _, tt := range []struct {
		name string
		c    rule.Condition
		e    event.Event
		want bool
	}{
		{"event in list", rule.Events{"Stop", "PreToolUse"}, bash("ls"), true},
		{"event not in list", rule.Events{"Stop"}, bash("ls"), false},
		{"event in another case", rule.Events{"pretooluse"}, bash("ls"), true},
		{"tool", rule.Tools{"Bash"}, bash("ls"), true},
		{"tool of another name", rule.Tools{"Bash"}, write("/repo/a"), false},
		{"tool where there is none", rule.Tools{"*"}, prompt, false},
		{"tool by glob", rule.Tools{"mcp__db__*"}, mcp, true},
		{"tool by another glob", rule.Tools{"mcp__fs__*"}, mcp, false},

		{"keyword in prompt, whatever case", rule.Keywords{"deploy"}, prompt, true},
		{"keyword in command", rule.Keywords{"migrate"}, bash("npx prisma MIGRATE dev"), true},
		{"keyword in path", rule.Keywords{"migrations"}, write("/repo/migrations/1.sql"), true},
		{"keyword nowhere", rule.Keywords{"deploy"}, bash("ls"), false},

		{"path below any folder", rule.Paths{"**/.env"}, write("/repo/a/b/.env"), true},
		{"path at the top", rule.Paths{"**/.env"}, write("/.env"), true},
		{"path outside of the repo", rule.Paths{"**/.env"}, write("/elsewhere/.env"), true},
		{"path of a longer name", rule.Paths{"**/.env"}, write("/repo/.envelope"), false},
		{"absolute glob", rule.Paths{"/etc/**"}, write("/etc/ssh/sshd_config"), true},
		{"absolute glob, other folder", rule.Paths{"/etc/**"}, write("/repo/etc/x"), false},
		{"relative glob is the repo's", rule.Paths{"src/**"}, write("/repo/src/a.go"), true},
		{"relative glob is not the machine's", rule.Paths{"src/**"}, write("/src/a.go"), false},
		{"relative glob with ./", rule.Paths{"./src/*"}, write("/repo/src/a.go"), true},
		{"path with dots", rule.Paths{"/etc/**"}, write("/repo/../etc/passwd"), true},
		{"relative path", rule.Paths{"/repo/.env"}, write(".env"), true},
		{"home glob", rule.Paths{"~/.ssh/**"}, write("/home/dev/.ssh/id_rsa"), true},
		{"home path", rule.Paths{"~/.ssh/**"}, write("~/.ssh/id_rsa"), true},
		{"braces", rule.Paths{"**/*.{pem,key}"}, write("/repo/x.key"), true},
		{"path in a command", rule.Paths{"**/.env"}, bash("cat .env"), true},
		{"path after cd is the word's own", rule.Paths{"**/.env"}, bash("cd sub && cat .env"), true},
		{"redirection target", rule.Paths{"/etc/**"}, bash("echo x > /etc/hosts"), true},
		{"path behind sudo", rule.Paths{"/etc/**"}, bash("sudo cat /etc/shadow"), true},
		{"$HOME in a command", rule.Paths{"~/.ssh/**"}, bash(`cat "$HOME/.ssh/id_rsa"`), true},
		{"text that echo prints", rule.Paths{"**/.env"}, bash("echo .env >> .gitignore"), false},
		{"a search pattern", rule.Paths{"**/.env"}, bash("grep -rn .env src"), false},
		{"a commit message", rule.Paths{"**/.env"}, bash("git commit -m .env"), false},
		{"no paths at all", rule.Paths{"**"}, prompt, false},

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
	on := func(agent string, when ...rule.Condition) bool {
		r := rule.Rule{ID: "r", Agent: agent, When: when}
		return r.Fires(&rule.Subject{Event: &e})
	}
	if on("") {
		t.Error("a rule without conditions fires")
	}
	if !on("", rule.Tools{"Bash"}, rule.Keywords{"rm"}) {
		t.Error("a rule whose conditions all hold does not fire")
	}
	if on("", rule.Tools{"Bash"}, rule.Keywords{"cp"}) {
		t.Error("a rule fires with one condition unmet")
	}
	if on("codex", rule.Tools{"Bash"}) {
		t.Error("a rule for codex fires on claude")
	}
}
