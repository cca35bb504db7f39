package shell

import (
	"testing"

	"github.com/fireharp/overseer/internal/effect"
)

func TestPublic(t *testing.T) {
	for host, want := range map[string]bool{
		"198.51.100.7": true, "u@203.0.113.9": true, "[2001:db8::1]": true,
		"10.0.0.7": false, "192.168.1.4": false, "127.0.0.1": false, "example.com": false, "": false,
	} {
		if got := public(host); got != want {
			t.Errorf("public(%q) = %t", host, got)
		}
	}
}

func TestHostOf(t *testing.T) {
	for p, want := range map[string]string{
		"u@198.51.100.7:/in": "u@198.51.100.7", "root@[2001:db8::1]:/x": "2001:db8::1", "rsync://198.51.100.7/in": "198.51.100.7", "web1:": "web1",
	} {
		if got := hostOf(p); got != want {
			t.Errorf("hostOf(%q) = %q, want %q", p, got, want)
		}
	}
}

func TestDatabaseHost(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{"-h", "db.example", "app"}, "db.example"},
		{[]string{"--host=db.example"}, "db.example"},
		{[]string{"-hdb.example", "app"}, "db.example"},
		{[]string{"postgres://u:p@db.example:5432/app"}, "db.example"},
		{[]string{"host=db.example user=x"}, "db.example"},
		{[]string{"-h", "localhost", "app"}, ""},
		{[]string{"-h", "/run/postgresql", "app"}, ""},
		{[]string{"app"}, ""},
	} {
		var words []effect.Value
		for _, w := range tt.words {
			words = append(words, effect.Lit(w))
		}
		if got := databaseHost(words); got != tt.want {
			t.Errorf("databaseHost(%q) = %q, want %q", tt.words, got, tt.want)
		}
	}
}

func TestBucket(t *testing.T) {
	for _, tt := range []struct{ program, address, want string }{
		{"aws", "s3://a/x", "s3://a"}, {"azcopy", "https://a.blob.example/c?sig=1", "https://a.blob.example"},
		{"rclone", "gdrive:docs", "gdrive"}, {"rclone", "./docs", ""}, {"aws", "dist", ""},
	} {
		if got := bucket(tt.program, tt.address); got != tt.want {
			t.Errorf("bucket(%q, %q) = %q, want %q", tt.program, tt.address, got, tt.want)
		}
	}
}

func TestLockFiles(t *testing.T) {
	for _, tt := range []struct {
		edit          string
		source, check bool
	}{
		{`s#https://[^/]*#http://npm.example.top#g`, true, false},
		{`s|https://a.example|http://203.0.113.4|`, true, false},
		{`s#http://localhost:4873#https://registry.npmjs.example#`, false, false},
		{`s/1.0.0/1.0.1/`, false, false},
		{`/"integrity"/d`, false, true},
		{`s/--hash=sha256:[0-9a-f]*//`, false, true},
		{`/flask/d`, false, false},
	} {
		if got := otherSource(replacement(tt.edit)) && sourced(tt.edit); got != tt.source {
			t.Errorf("%s: another source: %t", tt.edit, got)
		}
		if got := dropsCheck(tt.edit); got != tt.check {
			t.Errorf("%s: a check less: %t", tt.edit, got)
		}
	}
}

func TestWantsSecret(t *testing.T) {
	for pattern, want := range map[string]bool{
		"password": true, ".db_password.value": true, "secret|token": true, ".redis.auth.password": true,
		"imagePullSecrets": false, "secretKeyRef": false, ".image.tag": false, "keys[]": false,
	} {
		if got := wantsSecret(pattern); got != want {
			t.Errorf("wantsSecret(%q) = %t", pattern, got)
		}
	}
}
