package effect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var places = Places{Home: "/home/ann", CWD: "/home/ann/work/app", Repo: "/home/ann/work/app"}

func TestClasses(t *testing.T) {
	t.Parallel()
	for class, paths := range map[string]string{
		"secret": `~/.ssh/id_rsa ~/.ssh /home/ann/.ssh/id_ed25519 /root/.ssh/id_ecdsa /home/bob/.ssh/id_rsa /Users/bob/.ssh/id_rsa ~bob/.ssh/id_rsa ~root/.ssh/id_rsa
			$HOME/.ssh/id_rsa ${HOME}/.aws/credentials $UNKNOWN/.ssh/id_rsa $env:USERPROFILE\.ssh\id_rsa %USERPROFILE%\.aws\credentials C:\Users\bob\.ssh\id_rsa /mnt/c/Users/bob/.ssh/id_rsa /c/Users/bob/.ssh/id_rsa
			~/.ssh/* ~/.ssh/id_* ~/.ss?/id_rsa ~/.s*/id_rsa ~/.*/id_rsa /home/*/.ssh/id_rsa ~/.ssh/{id_rsa,config} ~/.[s]sh/id_rsa ~/.SSH/ID_RSA ~/.ssh/../.ssh/id_rsa
			~/.aws ~/.aws/cred* ~/.kube/config ~/.kube $KUBECONFIG ~/.docker/config.json ~/.config/gcloud ~/.config/gcloud/application_default_credentials.json ~/.azure/msal_token_cache.json
			~/.netrc ~/.pgpass ~/.my.cnf ~/.npmrc ~/.pypirc ~/.git-credentials ~/.config/gh/hosts.yml ~/.gnupg ~/.gnupg/private-keys-v1.d/a.key ~/.password-store/mail.gpg
			~/.mozilla ~/.mozilla/firefox/x.default/logins.json /tmp/key4.db "~/.config/google-chrome/Default/Login Data" "~/Library/Application Support/Google/Chrome/Default/Cookies" ~/Library/Keychains/login.keychain-db
			/etc/shadow /etc//shadow /etc/./shadow /etc/../etc/shadow /etc/sh* /etc/{passwd,shadow} /e?c/shadow /etc/shado[w] /*/shadow /etc/gshadow- /host/etc/shadow /proc/1/root/etc/shadow /etc/sudoers /etc/ssh/ssh_host_rsa_key
			/proc/self/environ /proc/1/environ /proc/*/environ .env ./.env /srv/app/.env.production .env.local .env* config/prod.env /app/.env.* .dev.vars *.env
			server.key tls/server.key certs/site.pem app.p12 a.pfx release.keystore debug.jks prod.tfvars terraform.tfstate vault.kdbx service-account-prod.json client_secret_1.json config/credentials.json credentials.yml.enc config/master.key wallet.dat
			~/.codex/auth.json ~/.claude/.credentials.json ~/.vault-token ~/.config/op/config /run/secrets/db /var/run/secrets/kubernetes.io/serviceaccount/token /etc/kubernetes/admin.conf
			C:\Windows\System32\config\SAM c:\windows\system32\config\system \\?\GLOBALROOT\Device\HarddiskVolumeShadowCopy1\Windows\System32\config\SAM C:\Windows\NTDS\ntds.dit %SystemRoot%\System32\config\SECURITY
			$env:APPDATA\gcloud\credentials.db %LOCALAPPDATA%\Google\Chrome\User?Data\Default\Cookies /dev/mem /proc/kcore cred*.json id_*`,
		"history":   `~/.bash_history ~/.zsh_history $HISTFILE ~/.mysql_history ~/.psql_history ~/.python_history ~/.node_repl_history ~/.local/share/fish/fish_history ~/.*_history /root/.bash_history ~/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt`,
		"startup":   `~/.bashrc ~/.profile ~/.zshenv ~/.config/fish/config.fish /etc/profile.d/x.sh /etc/rc.local /etc/init.d/x /etc/systemd/system/x.service ~/.config/systemd/user/x.service ~/.config/autostart/x.desktop ~/Library/LaunchAgents/a.plist /Library/LaunchDaemons/a.plist /etc/update-motd.d/00 /etc/udev/rules.d/9.rules $PROFILE ~/.bash{rc,_profile} ~/.bash* /etc/environment "$env:APPDATA\Microsoft\Windows\Start Menu\Programs\Startup\x.lnk" "C:\ProgramData\Microsoft\Windows\Start Menu\Programs\StartUp\x.bat" $X/.bashrc`,
		"schedule":  `/etc/crontab /etc/cron.d/x /etc/cron.daily/x /var/spool/cron/root /var/spool/cron/crontabs/ann /etc/systemd/system/x.timer ~/.config/systemd/user/x.timer C:\Windows\System32\Tasks\x /var/spool/at/a`,
		"access":    `~/.ssh/authorized_keys /root/.ssh/authorized_keys2 ~/.ssh/config /etc/passwd /etc/shadow /etc/ssh/sshd_config /etc/pam.d/sshd ~/.rhosts /etc/hosts.equiv /host/root/.ssh/authorized_keys /mnt/etc/passwd`,
		"hook":      `.git/hooks/pre-commit .git/config ~/.gitconfig ~/.vimrc ~/.config/nvim/init.lua ~/.emacs .vscode/tasks.json /usr/lib/python3/dist-packages/sitecustomize.py venv/lib/python3.12/site-packages/a.pth ~/.local/bin/sudo $GIT_DIR/hooks/pre-push .githooks/pre-push`,
		"preload":   `/etc/ld.so.preload /etc/ld.so.conf.d/x.conf`,
		"privilege": `/etc/sudoers /etc/sudoers.d/ann /etc/doas.conf /etc/polkit-1/rules.d/x.rules /private/etc/sudoers.d/x`,
		"kernel":    `/proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/fs/cgroup/release_agent /etc/sysctl.d/x.conf /lib/modules/x.ko /etc/modprobe.d/x.conf /proc/sys/fs/binfmt_misc/register`,
		"capture":   `/dev/input/event0 /dev/input/by-path/x-kbd /dev/video0`,
		"trust":     `~/.config/pip/pip.conf /etc/pip.conf ~/.npmrc .npmrc ~/.yarnrc /etc/apt/sources.list /etc/apt/sources.list.d/x.list /etc/yum.repos.d/x.repo ~/.cargo/config.toml ~/.m2/settings.xml ~/.gradle/init.gradle ~/.curlrc /etc/docker/daemon.json`,
		"tls":       `/usr/local/share/ca-certificates/x.crt /etc/ssl/certs/x.pem /etc/pki/ca-trust/source/anchors/x.pem`,
		"proxy":     `/etc/hosts /etc/resolv.conf C:\Windows\System32\drivers\etc\hosts`,
		"ci":        `.github/workflows/ci.yml .gitlab-ci.yml Jenkinsfile .circleci/config.yml azure-pipelines.yml .travis.yml`,
		"log":       `/var/log/auth.log /var/log /var/log/*.log /var/log/wtmp ~/Library/Logs/x C:\Windows\System32\winevt\Logs\Security.evtx`,
		"watcher":   `/etc/audit/auditd.conf /etc/audit/rules.d/x.rules /etc/rsyslog.conf /etc/falco/falco.yaml /etc/osquery/osquery.conf`,
		"socket":    `/var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock //./pipe/docker_engine ~/.docker/run/docker.sock`,
		"device":    `/dev/sda /dev/sda1 /dev/nvme0n1 /dev/nvme0n1p2 /dev/vda /dev/xvda /dev/mmcblk0 /dev/disk2 /dev/rdisk2 /dev/mapper/vg-root /dev/md0 /dev/dm-0 /dev/disk/by-id/x \\.\PhysicalDrive0 \\.\C: /dev/sd* /dev/sd{a,b} /dev/mem`,
	} {
		for _, p := range words(paths) {
			if got := Classes(p, places); !slices.Contains(got, class) {
				t.Errorf("Classes(%q) = %v, want %s", p, got, class)
			}
		}
	}
}

// TestNoClasses has what people work with every day.
func TestNoClasses(t *testing.T) {
	t.Parallel()
	for _, p := range words(`main.go src/main.go *.go src/**/*.ts README.md package.json package*.json *.json *.yml *.yaml *.txt *.md * ./* ** .env.example .env.sample .env.template .env.dist *.env.example env.ts
		src/env.d.ts src/environment.ts ~/.ssh/id_rsa.pub ~/.ssh/*.pub public.pem ca-bundle.pem fullchain.pem src/credentials.ts src/secrets/manager.go docs/passwords.md internal/private_keys.go
		/etc/os-release /etc/*-release /etc/*release /etc/hostname /proc/cpuinfo /proc/meminfo /proc/self/status /proc/1/cmdline /sys-notes /tmp/x /tmp/* /dev/null /dev/stdout /dev/stdin /dev/tty /dev/fd/3 /dev/shm/x /dev/zero /dev/urandom /dev/ttyUSB0 /dev/tcp/h/80
		~/.cache/pip/x ~/Downloads/x.zip ~/work/app/main.go /home/ann/work/app/lib/hooks/useUpdate.ts .vscode/settings.json .vscode/launch.json .gitignore .gitattributes .github/ISSUE_TEMPLATE.md .git/index.lock Makefile Dockerfile docker-compose.yml .dockerignore
		go.mod Cargo.toml pyproject.toml requirements.txt tsconfig.json .eslintrc.json .prettierrc .editorconfig $DIR/main.go $(pwd)/main.go C:\Users\bob\src\main.go tokens.json design/keys.json src/key.ts locales/*.json /usr/local/bin/mytool ~/.local/bin/mytool
		/opt/app/config.yaml /var/lib/app/data /var/www/html/index.html .husky/pre-commit logs/app.log app.log test.env.ts conftest.py ~/.nuget/packages/a/readme.md ~/.m2/x/../../src node_modules/.bin/tsc secrets.go secret_test.go keyboard.ts monkey.go`) {
		if got := Classes(p, places); got != nil {
			t.Errorf("Classes(%q) = %v, want none", p, got)
		}
	}
}

// words splits at spaces that are not within quotes.
func words(s string) []string {
	var out []string
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

func TestClassTable(t *testing.T) {
	t.Parallel()
	for l := range strings.Lines(classTable) {
		name, globs, _ := strings.Cut(strings.TrimSpace(l), " ")
		switch {
		case name == "" || name[0] == '#':
			continue
		case !slices.Contains(classNames[:], name):
			t.Errorf("unknown class in %q", l)
		case globs != strings.ToLower(globs) || strings.ContainsAny(globs, "{}\t\\") || strings.Contains(globs, "  "):
			t.Errorf("not in lower case, with braces, backslashes or too many spaces: %q", l)
		}
	}
	type key struct {
		class uint8
		text  string
		not   bool
	}
	seen := map[key]bool{}
	for _, c := range allClassGlobs() {
		k := key{c.class, c.text, c.not}
		if seen[k] {
			t.Errorf("%s %s stands there twice", classNames[c.class], c.text)
		}
		seen[k] = true
		if len(c.needed()) < 2 || len(c.text) > 255 || strings.Trim(c.needed(), "/") != c.needed() {
			t.Errorf("%s: needs %q", c.text, c.needed())
		}
		if c.letters != letters(c.needed()) {
			t.Errorf("%s: letters of %q", c.text, c.needed())
		}
		if len(c.segments()) > 16 {
			t.Errorf("%s: too deep", c.text)
		}
	}
}

// TestHostilePaths has paths that are made to take long.
func TestHostilePaths(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]string{
		"stars":      "~/.ssh/id_" + strings.Repeat("*", 5000),
		"star pairs": "~/.ssh/" + strings.Repeat("*a", 200),
		"folders":    strings.Repeat("/**/a", 1000),
		"braces":     strings.Repeat("{", 4000) + "a,b" + strings.Repeat("}", 4000),
		"products":   strings.Repeat("{a,b}", 500),
		"open sets":  strings.Repeat("[", 4000),
		"long":       "/" + strings.Repeat("a", 1<<20),
		"NUL":        "/etc/\x00shadow",
		"slashes":    strings.Repeat("/", 4000),
		"empty":      "",
		"colon":      ":",
		"drive":      "c:",
		"tilde":      "~",
		"dollar":     "$",
		"backslash":  `\`,
		"percent":    "%",
	} {
		Classes(p, places)
		ScopeOf(Lit(p), places)
		places.Abs(p)
		if name == "stars" && !slices.Contains(Classes(p, places), "secret") {
			t.Errorf("many stars hide a key")
		}
	}
	if got := Classes("/etc/{"+strings.Repeat("a,", 300)+"shadow}", places); !slices.Contains(got, "secret") {
		t.Errorf("many alternatives hide a secret: %v", got)
	}
}

func TestUnbrace(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"a{b,c}d":     {"abd", "acd"},
		"{a,b}{c,d}":  {"ac", "ad", "bc", "bd"},
		"{a,{b,c}}":   {"a", "b", "c"},
		"a{b}":        {"a{b}"},
		"${HOME},{a}": {"${HOME},{a}"},
		"{{x}{a,b}":   {"{{x}a", "{{x}b"},
		"a{,b}":       {"a", "ab"},
	} {
		if diff := cmp.Diff(want, unbrace(in)); diff != "" {
			t.Errorf("unbrace(%q) (-want +got):\n%s", in, diff)
		}
	}
}

func FuzzClasses(f *testing.F) {
	for _, s := range []string{"~/.ssh/{a,b}*", `C:\Users\x`, "$HOME/[a", "/**/**", "\\\\?\\c:\\x"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, p string) {
		Classes(p, places)
		ScopeOf(Lit(p), places)
	})
}
