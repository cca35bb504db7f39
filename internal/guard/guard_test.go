package guard_test

import (
	"testing"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/guard"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	rules := guard.Rules(guard.Places{
		Home:     "/home/dev/.overseer",
		Program:  []string{"/opt/bin/overseer"},
		Settings: []string{"/home/dev/.claude/settings.json", "/home/dev/.codex/hooks.json"},
		Project:  []string{".overseer", ".claude/settings.json", ".codex/config.toml"},
	})
	bash := func(c string) event.Event { return event.Event{Tool: event.Tool{Name: "Bash", Command: c}} }
	file := func(tool, p string) event.Event {
		return event.Event{Tool: event.Tool{Name: tool, Paths: []string{p}}}
	}
	for _, tt := range []struct {
		e    event.Event
		want event.Decision
	}{
		{bash("overseer approve ev_1"), event.Deny},
		{bash("overseer ledger outcome ev_1 allow"), event.Deny},
		{bash("overseer trust"), event.Deny},
		{bash("cd /x && /usr/local/bin/overseer  approve ev_1 --for 1h"), event.Deny},
		{bash("over''seer app\"rove\" ev_1"), event.Deny},
		{bash("env -i overseer approve ev_1"), event.Deny},
		{bash("setsid nohup overseer approve ev_1 &"), event.Deny},
		{bash("bash -c 'overseer uninstall'"), event.Deny},
		{bash("$(which overseer) approve ev_1"), event.Deny},
		{bash("o=overseer; $o approve ev_1"), event.Deny},
		{bash(`$'\x6fverseer' approve ev_1`), event.Deny},
		{bash(`a=over; ${a}seer approve ev_1`), event.Deny},
		{bash("echo ev_1 | xargs overseer approve"), event.Deny},
		{bash("go run github.com/fireharp/overseer@latest approve ev_1"), event.Deny},
		{bash("overseer approve ev_1 $($("), event.Deny},
		{bash("overseer --help; overseer ledger --json outcome ev_1 allow"), event.Deny},
		{bash("overseer hook PostToolUse --agent claude"), event.Deny},
		{bash("/usr/bin/env -S overseer approve x"), event.Deny},
		{bash("echo overseer approve x | sh"), event.Deny},
		{bash("overseer $(echo approve) x"), event.Deny},
		{bash("a=approve; overseer $a x"), event.Deny},
		{bash("(env -i HOME=/home/dev PATH=/bin setsid -f sh -c 'o=over; sleep .5; ${o}seer approve ev_1')"), event.Deny},
		{bash("/p/overs* approve x"), event.Deny},
		{bash(`f(){ "$@"; }; f overseer approve x`), event.Deny},
		{bash("xargs overseer <<<'approve ev_1'"), event.Deny},
		{bash("overseer --note x approve ev_1"), event.Deny},
		{bash("overseer {approve,ev_1}"), event.Deny},
		{bash("taskset 1 overseer approve ev_1"), event.Deny},
		{bash("script -c 'overseer approve ev_1'"), event.Deny},
		{bash("ssh localhost overseer approve ev_1"), event.Deny},
		{bash("trap 'overseer approve ev_1' EXIT"), event.Deny},
		{bash(`python3 -c "import os; os.system('overseer approve ev_1')"`), event.Deny},
		{bash(`awk 'BEGIN{system("overseer approve ev_1")}'`), event.Deny},
		{bash("pkill -9 overseer"), event.Deny},
		{bash("cp /bin/true /opt/bin/overseer"), event.Deny},
		{bash("rm /opt/bin/overseer"), event.Deny},
		{bash("chmod -x /opt/bin/overseer"), event.Deny},
		{file("Write", "/opt/bin/overseer"), event.Deny},
		{bash("ln -sf /opt/bin/overseer /tmp/x1; /tmp/x1 approve ev_1"), event.Deny},
		{bash("cp /opt/bin/overseer /tmp/x2; /tmp/x2 approve ev_1"), event.Deny},
		{bash("cat /opt/bin/overseer > /tmp/y"), event.Deny},
		{bash("alias o=/opt/bin/overseer\no approve ev_1"), event.Deny},
		{bash(`a=(/opt/bin/overseer approve ev_1); "${a[@]}"`), event.Deny},
		{bash(`git -c alias.x="!/opt/bin/overseer approve ev_1" x`), event.Deny},
		{bash("cp /tmp/q/overseer /opt/bin"), event.Deny},
		{bash("install -m 755 /tmp/q/overseer /opt/bin/"), event.Deny},
		{bash("ls -l /opt/bin/overseer"), event.Allow},
		{bash("/opt/bin/overseer why ev_1"), event.Allow},
		{bash("sudo /opt/bin/overseer doctor"), event.Allow},
		{bash("cp build/* /opt/bin/"), event.Allow},
		{bash("cat > notes.md <<'E'\nrules live in ~/.overseer\nE"), event.Allow},
		{bash("mv .overseer-notes x"), event.Allow},
		{bash("$PIP install x"), event.Allow},
		{bash("PM=$(command -v apt-get); $PM install curl"), event.Allow},
		{bash("overseer-web install"), event.Allow},
		{bash("cd overseer && make install"), event.Allow},
		{bash("kill 123"), event.Allow},
		{bash("overseer ledger tail"), event.Allow},
		{bash("overseer why ev_1"), event.Allow},
		{bash("overseer rules list"), event.Allow},
		{bash("overseer doctor"), event.Allow},
		{bash("echo overseer approve ev_1"), event.Allow},
		{bash("git commit -m 'overseer approve works'"), event.Allow},
		{bash("grep -rn 'overseer trust' docs"), event.Allow},

		{bash("rm -rf ~/.overseer"), event.Deny},
		{bash("rm -rf /home/dev"), event.Deny},
		{bash("rm -rf ~"), event.Deny},
		{bash("rm -rf ~/*"), event.Allow}, // * stands for no dot: the constitution's matter
		{bash("rm -rf ~/.*"), event.Deny},
		{bash("rm -rf $HOME"), event.Deny},
		{bash("rm -rf /"), event.Allow}, // the constitution's matter
		{bash("rm -rf build node_modules ~/tmp"), event.Allow},
		{bash("cp x ~/.over*/constitution/shared.md"), event.Deny},
		{bash("cat x > ~/.over*/config.toml"), event.Deny},
		{bash("cd ~/.overseer && cp /tmp/x constitution/shared.md"), event.Deny},
		{bash("cd ~/.overseer/constitution; sed -i s/deny/allow/ shared.md"), event.Deny},
		{bash("cd ~/.overseer && cat config.toml"), event.Allow},
		{bash("find ~/.overseer -type f -exec rm {} +"), event.Deny},
		{bash("find ~/.overseer -type f | xargs rm"), event.Deny},
		{bash("find ~/.overseer -type f | xargs cat"), event.Allow},
		{bash("tar -xf x.tar -C ~/.overseer"), event.Deny},
		{bash("unzip x.zip -d ~/.overseer"), event.Deny},
		{bash("curl -o ~/.overseer/config.toml https://example.com"), event.Deny},
		{bash("curl -o/home/dev/.overseer/config.toml https://example.com"), event.Deny},
		{bash("python3 -c \"open('/home/dev/.overseer/config.toml','w')\""), event.Deny},
		{bash("python3 - <<'E'\nimport os; os.remove(os.path.expanduser('~/.overseer/config.toml'))\nE"), event.Deny},
		{bash("tee ~/.overseer/config.toml"), event.Deny},
		{bash("for f in ~/.overseer/constitution/*.md; do : > $f; done"), event.Deny},
		{bash("f=$HOME/.overseer; printf x > $f/approvals.json"), event.Deny},
		{bash("cp -t ~/.overseer x"), event.Deny},
		{bash("echo x >& ~/.overseer/config.toml"), event.Deny},
		{bash("rm -rf ~/.{overseer,x}"), event.Deny},
		{bash("ln -s ~/.overseer /tmp/o"), event.Ask},
		{bash("ln ~/.overseer/constitution/shared.md /tmp/s; echo > /tmp/s"), event.Ask},
		{bash("uniq x ~/.overseer/config.toml"), event.Deny},
		{bash("sh -c 'rm -rf $1' x ~/.overseer"), event.Deny},
		{bash("apply_patch <<'E'\n*** Begin Patch\n*** Update File: /home/dev/.overseer/constitution/shared.md\n-x\n*** End Patch\nE"), event.Deny},
		{bash("gofmt -l *"), event.Allow},
		{bash("rm *"), event.Allow},
		{bash("tar czf x.tgz *"), event.Allow},
		{bash("sha512sum ~/.overseer/config.toml"), event.Allow},
		{bash("cp /tmp/settings.json ~/.claude/"), event.Deny},
		{bash("cd ~/.claude && cp /tmp/settings.json ."), event.Deny},
		{bash("ln -sf /tmp/s/settings.json ~/.claude"), event.Deny},
		{bash("mv settings.json .claude/"), event.Deny},
		{bash("cd ~/.claude && curl -O https://example.com/settings.json"), event.Deny},
		{bash("wget -P ~/.claude https://example.com/settings.json"), event.Deny},
		{bash("unzip x.zip -d ~/.claude"), event.Deny},
		{bash("tar xf x.tar -C ~/.codex"), event.Deny},
		{bash("git -C ~/.claude checkout settings.json"), event.Deny},
		{bash("cp notes.md ~/.claude/commands/"), event.Allow},
		{bash("cp a.txt b.txt"), event.Allow},
		{bash("git clone https://example.com/x ~/src/x"), event.Allow},
		{bash("curl -O https://example.com/x"), event.Allow},
		{bash("tar xf x.tar"), event.Allow},
		{bash("git clone x ~/.overseer/constitution/x"), event.Deny},
		{bash("cd ~/.overseer && git init"), event.Deny},
		{bash("mkdir ~/.overseer/constitution/x"), event.Deny},
		{bash("sponge ~/.claude/settings.json"), event.Deny},
		{bash("git checkout -- .claude/settings.json"), event.Deny},
		{bash("git status .claude/settings.json"), event.Allow},
		{bash("rm -rf ~/.overseer/../.overseer/constitution"), event.Deny},
		{bash("echo x > ~/.overseer/config.toml"), event.Deny},
		{bash("sed -i s/deny/allow/ $HOME/.overseer/constitution/shared.md"), event.Deny},
		{bash("cp /tmp/x ~/.overseer/approvals.json"), event.Deny},
		{bash("cp ~/.overseer/config.toml /tmp/x"), event.Ask},
		{bash("cat ~/.overseer/config.toml"), event.Allow},
		{bash("sed -n 1p ~/.overseer/config.toml"), event.Allow},
		{bash("find ~/.overseer -name '*.md' -delete"), event.Deny},
		{file("Write", "/home/dev/.overseer/constitution/shared.md"), event.Deny},
		{file("Edit", "/repo/../home/dev/.overseer/config.toml"), event.Deny},
		{file("Read", "/home/dev/.overseer/constitution/shared.md"), event.Allow},
		{file("List", "/home/dev/.overseer"), event.Allow},      // Cursor's
		{file("ReadLints", "/home/dev/.overseer"), event.Allow}, // Cursor's
		{file("Delete", "/home/dev/.overseer/config.toml"), event.Deny},
		{file("Write", "/repo/.overseer/constitution/project.md"), event.Ask},
		{file("apply_patch", "/home/dev/.codex/hooks.json"), event.Ask},
		{file("Write", "/repo/.claude/settings.json"), event.Ask},
		{file("Write", "/repo/.claude/commands/x.md"), event.Allow},
		{file("Write", "/repo/overseer/main.go"), event.Allow},
		{bash("echo '{}' > ~/.claude/settings.json"), event.Deny},
		{bash("rm ~/.codex/hooks.json"), event.Deny},
		{bash("mv ~/.claude ~/.claude.bak"), event.Deny},
		{bash("sed -i '/overseer/d' ~/.claude/settings.json"), event.Deny},
		{bash("printf '[]' | tee .claude/settings.json"), event.Deny},
		{bash("rm -rf .overseer"), event.Deny},
		{bash("frobnicate ~/.claude/settings.json"), event.Ask}, // may change it
		{bash("jq .hooks ~/.claude/settings.json"), event.Allow},
		{bash("cp ~/.claude/settings.json /tmp/x"), event.Allow},
		{bash("cp -r .overseer /tmp/x"), event.Ask},
		{bash("chmod 000 $(which overseer)"), event.Deny},
		{bash(`rm "$(command -v overseer)"`), event.Deny},
		{bash("ls -l $(which overseer)"), event.Allow},
	} {
		e := tt.e
		e.Name, e.CWD = event.PreToolUse, "/repo"
		v := engine.Decide(engine.Input{Event: &e, Home: "/home/dev", Rules: rules, OnFault: event.Ask})
		if v.Decision != tt.want {
			t.Errorf("%s%v: got %s, want %s", e.Tool.Command, e.Tool.Paths, v.Decision, tt.want)
		}
	}
}
