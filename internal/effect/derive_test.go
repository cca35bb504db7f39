package effect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDerive(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind Kind
		path string
		want string // kinds, separated by spaces
	}{
		{FileRead, "~/.ssh/id_rsa", "secret.read"},
		{FileRead, "~/.ssh/id_rsa.pub", ""},
		{FileRead, "/etc/passwd", ""},
		{FileRead, "/etc/hosts", ""},
		{FileRead, "~/.bash_history", "secret.read"},
		{FileRead, "/var/run/docker.sock", "privilege.escape"},
		{FileRead, "/dev/input/event3", "data.capture"},
		{FileRead, "/dev/sda", ""},
		{FileRead, "/var/log/syslog", ""},
		{DataSend, "~/.aws/credentials", "secret.send"},
		{DataSend, "report.pdf", ""},
		{FileWrite, "~/.bashrc", "persist.startup"},
		{FileWrite, "/etc/cron.d/x", "persist.schedule"},
		{FileWrite, "~/.ssh/authorized_keys", "persist.access"},
		{FileWrite, ".git/hooks/pre-commit", "persist.hook"},
		{FileWrite, "/etc/sudoers.d/x", "privilege.grant"},
		{FileWrite, "/etc/ld.so.preload", "privilege.preload"},
		{FileWrite, "/proc/sys/kernel/core_pattern", "privilege.kernel"},
		{FileWrite, "~/.config/pip/pip.conf", "trust.source"},
		{FileWrite, "/etc/hosts", "trust.proxy"},
		{FileWrite, "/usr/local/share/ca-certificates/x.crt", "trust.tls"},
		{FileWrite, ".github/workflows/ci.yml", "trust.build"},
		{FileWrite, "/dev/sda", "disk.overwrite"},
		{FileWrite, "/dev/null", ""},
		{FileWrite, "/dev/tcp/h/80", ""},
		{FileWrite, "/var/log/auth.log", "trace.wipe"},
		{FileWrite, "/etc/rsyslog.conf", "trace.blind"},
		{FileWrite, "/etc/nginx/nginx.conf", "system.config"},
		{FileWrite, "/etc/{nginx,apache2}/x.conf", "system.config"},
		{FileWrite, "main.go", ""},
		{FileWrite, ".env", ""},
		{"permission.widen", "/etc/shadow", "persist.access"},
		{FileDelete, "~/.zsh_history", "trace.wipe"},
		{FileDelete, ".git/hooks/pre-commit", "persist.hook"},
		{FileDelete, ".git/index.lock", ""},
		{FileDelete, "app.log", ""},
		{DeleteRecursive, "/var/log", "trace.wipe"},
		{DeleteRecursive, "node_modules", ""},
		{"file.move", "/var/log/syslog", "trace.wipe"},
	} {
		name := tt.path
		if name[0] != '~' {
			name = places.Abs(name)
		}
		e := Effect{Kind: tt.kind, Program: "p", Targets: []Target{{Name: name, Scope: ScopeOf(Lit(tt.path), places)}}, Via: []string{"sudo"}}
		var got []string
		for _, d := range Derive(e, places) {
			if len(d.Targets) != 1 || d.Program != "p" || len(d.Via) != 1 {
				t.Errorf("%s %s: derived %+v", tt.kind, tt.path, d)
			}
			if len(got) == 0 || got[len(got)-1] != string(d.Kind) {
				got = append(got, string(d.Kind))
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.kind, tt.path, diff)
		}
	}
}
