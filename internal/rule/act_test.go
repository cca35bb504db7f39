package rule_test

import (
	"testing"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/rule"
)

func TestActs(t *testing.T) {
	t.Parallel()
	fetch := event.Event{Name: event.PreToolUse, Agent: "codex", CWD: "/repo/sub", Tool: event.Tool{Name: "WebFetch", URL: "https://user@API.example.com:8443/v1/x?next=https://other.org#a"}}
	viaCursor := event.Event{Agent: "claude", Caller: "cursor"}
	mcp := event.Event{Tool: event.Tool{Name: "mcp__x__y", Input: []byte(`{"a":"see https:\/\/example.org\/z now"}`)}}
	writes := func(scopes ...effect.Scope) rule.Act { return rule.Act{Kinds: []string{"file.write"}, Scopes: scopes} }
	for _, tt := range []struct {
		name string
		c    rule.Condition
		e    event.Event
		want bool
	}{
		{"kind", writes(), write("/repo/a"), true},
		{"group", rule.Act{Kinds: []string{"file.*"}}, write("/repo/a"), true},
		{"another group", rule.Act{Kinds: []string{"git.*"}}, write("/repo/a"), false},
		{"scope", writes(effect.Repo), write("/repo/a"), true},
		{"another scope", writes(effect.System, effect.Home), write("/repo/a"), false},
		{"scope of any kind", rule.Act{Scopes: []effect.Scope{effect.System}}, write("/etc/x"), true},
		{"path", rule.Act{Kinds: []string{"file.write"}, Paths: []rule.Paths{on("**/a")}}, write("/repo/a"), true},
		{"path of another effect", rule.Act{Kinds: []string{"file.write"}, Paths: []rule.Paths{on("**/a")}}, bash("cat a > b"), false},
		{"a redirection", rule.Act{Kinds: []string{"file.write"}, Paths: []rule.Paths{on("**/b")}}, bash("cat a > b"), true},
		{"two paths of one target", rule.Act{Kinds: []string{"file.write"}, Paths: []rule.Paths{on("/repo/**"), on("**/b")}}, bash("echo > b"), true},
		{"two paths of two targets", rule.Act{Kinds: []string{"file.write"}, Paths: []rule.Paths{on("**/a"), on("**/b")}}, bash("echo > a > b"), false},
		{"program", rule.Act{Kinds: []string{"file.*"}, Programs: rule.Programs{"tee"}}, write("/repo/a"), false},

		{"a program", rule.Programs{"kubectl"}, bash("kubectl get pods"), true},
		{"by a glob", rule.Programs{"kube*"}, bash("kubectl get pods"), true},
		{"another program", rule.Programs{"kubectl"}, bash("echo kubectl"), false},
		{"behind others", rule.Programs{"git push"}, bash("sudo bash -c 'git push'"), true},
		{"behind flags", rule.Programs{"git push"}, bash("git -C x --no-pager push"), true},
		{"another subcommand", rule.Programs{"git push"}, bash("git commit -m push"), false},
		{"no subcommand", rule.Programs{"git push"}, bash("git"), false},
		{"two words", rule.Programs{"docker compose up"}, bash("docker compose -f x up"), true},
		{"no command", rule.Programs{"git"}, write("/repo/git"), false},

		{"agent", rule.Agents{"codex"}, fetch, true},
		{"another agent", rule.Agents{"claude"}, fetch, false},
		{"through another's settings", rule.Agents{"cursor"}, viaCursor, true},

		{"host", rule.URLs{"api.example.com"}, fetch, true},
		{"host with port", rule.URLs{"api.example.com:8443"}, fetch, true},
		{"all hosts of a domain", rule.URLs{"*.example.com"}, fetch, true},
		{"a name that ends alike", rule.URLs{"*.ample.com"}, fetch, false},
		{"a host in the query", rule.URLs{"other.org"}, fetch, false},
		{"path below", rule.URLs{"api.example.com/v1/**"}, fetch, true},
		{"another path", rule.URLs{"api.example.com/v2/**"}, fetch, false},
		{"scheme", rule.URLs{"https://*.example.com/**"}, fetch, true},
		{"another scheme", rule.URLs{"http://*.example.com/**"}, fetch, false},
		{"any", rule.URLs{"**"}, fetch, true},
		{"in a command", rule.URLs{"example.com"}, bash("echo 'http://example.com/a'"), true},
		{"at the end of a command", rule.URLs{"example.com"}, bash("x http://example.com"), true},
		{"in an MCP tool's arguments", rule.URLs{"example.org/z"}, mcp, true},
		{"none", rule.URLs{"**"}, bash("echo ://"), false},

		{"folder", rule.Folders{"/repo/**"}, fetch, true},
		{"folder itself", rule.Folders{"/repo/sub/**"}, fetch, true},
		{"another folder", rule.Folders{"~/**", "/rep"}, fetch, false},
		{"no folder", rule.Folders{"**"}, viaCursor, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &rule.Subject{Event: &tt.e, Home: "/home/dev", Repo: "/repo"}
			if got := tt.c.Holds(s); got != tt.want {
				t.Errorf("%s: got %v, want %v", tt.c, got, tt.want)
			}
		})
	}
}

// TestLinks reaches files by links: what is behind counts, and where it lies is told
// from behind links too.
func TestLinks(t *testing.T) {
	t.Parallel()
	real := func(p string) string {
		for link, to := range map[string]string{"/repo/keys": "/home/dev/.ssh", "/repo": "/data/repo", "/repo/rc": "/home/dev/.bashrc"} {
			if p == link {
				return to
			}
			if len(p) > len(link) && p[:len(link)+1] == "/repo/keys/" {
				return "/home/dev/.ssh" + p[len(link):]
			}
		}
		if len(p) > 6 && p[:6] == "/repo/" {
			return "/data" + p
		}
		return p
	}
	for _, tt := range []struct {
		name string
		c    rule.Condition
		e    event.Event
		want bool
	}{
		{"a key behind a link", rule.Act{Kinds: []string{"secret.read"}}, event.Event{Tool: event.Tool{Name: "Read", Paths: []string{"/repo/keys/id_rsa"}}}, true},
		{"a start-up file", rule.Act{Kinds: []string{"persist.startup"}}, write("/repo/rc"), true},
		{"the project itself is behind one", rule.Act{Kinds: []string{"file.write"}, Scopes: []effect.Scope{effect.OutsideRepo, effect.System}}, write("/repo/a"), false},
		{"a path rule sees it", on("~/.bashrc"), write("/repo/rc"), true},
	} {
		s := &rule.Subject{Event: &tt.e, Home: "/home/dev", Repo: "/repo", Real: real}
		if got := tt.c.Holds(s); got != tt.want {
			t.Errorf("%s: got %v, want %v: %v", tt.name, got, tt.want, s.Effects())
		}
	}
}
