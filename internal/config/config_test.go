package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/redact"
)

func load(t *testing.T, src string) (config.Config, error) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, config.File), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := config.Load(config.Default(), root)
	if err != nil {
		return c, hint.Wrap(err, "%s", strings.TrimPrefix(err.Error(), root+"/"))
	}
	return c, nil
}

func TestLoad(t *testing.T) {
	t.Parallel()
	// The documented file, as it stands in the document.
	got, err := load(t, `safe_mode = false

[ledger]
backend = "dolt"            # or "sqlite"
path    = "~/.overseer/ledger"
[ledger.dolt]
branch  = "main"

[precedent]
min_score       = 0.25
allow_threshold = 3
top_k           = 10

[privacy]
redact = true
patterns = [
  '(?i)(api[_-]?key|secret|token|password)\s*[:=]\s*\S+',
  'AKIA[0-9A-Z]{16}',
  '[A-Za-z0-9+/]{40,}={0,2}',
]
`)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Ledger.Backend = "dolt"
	want.Privacy.Patterns = []redact.Pattern{
		{Expr: `(?i)(api[_-]?key|secret|token|password)\s*[:=]\s*\S+`, At: "config.toml:17:3"},
		{Expr: `AKIA[0-9A-Z]{16}`, At: "config.toml:18:3"},
		{Expr: `[A-Za-z0-9+/]{40,}={0,2}`, At: "config.toml:19:3"},
	}
	for i := range got.Privacy.Patterns {
		got.Privacy.Patterns[i].At = filepath.Base(got.Privacy.Patterns[i].At)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	inline, err := load(t, "ledger = { sync = \"always\", dolt = { branch = \"x\" } }\nprivacy.redact = false\n")
	if err != nil || inline.Ledger.Sync != "always" || inline.Ledger.Dolt.Branch != "x" || inline.Privacy.Redact {
		t.Errorf("inline tables and dotted keys: %+v, %v", inline, err)
	}
	if got, _, err := config.Load(config.Default(), t.TempDir()); err != nil || !cmp.Equal(got, config.Default()) {
		t.Errorf("a missing file: %v, %v", got, err)
	}
	if got, err := load(t, "\ufeffsafe_mode = true\r\non_fault = \"deny\"\r\n"); err != nil || !got.SafeMode || got.OnFault != event.Deny {
		t.Errorf("a file from Windows: %v, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want, hint string }{
		{"unknown key", "safe_mode = true\nsafemode = true\n", `config.toml:2:1: unknown setting "safemode"`, `"safe_mode"`},
		{"unknown key in a table", "[ledger]\nbakend = \"x\"\n", `config.toml:2:1: unknown setting "ledger.bakend"`, `"ledger.backend"`},
		{"unknown table", "[colours]\na = 1\n", `config.toml:1:2: unknown setting "[colours`, "the settings are"},
		{"syntax", "safe_mode = yes\n", `config.toml:1:13: `, ""},
		{"type", "safe_mode = \"true\"\n", `config.toml:1:1: safe_mode is not true or false`, ""},
		{"no server", "[ledger]\npath = \"eve:s3cret@tpc(x)/y\"\n", `config.toml:2:1: path is no server's address`, "user@tcp(127.0.0.1:3306)/overseer"},
		{"a relative path", "[ledger]\npath = \"here\"\n", `config.toml:2:1: path = "here" is not an absolute path`, "~/"},
		{"set twice", "on_fault = \"ask\"\non_fault = \"deny\"\n", `config.toml:2:1: on_fault is set twice`, ""},
		{"list of other things", "[privacy]\npatterns = [1]\n", `config.toml:2:1: patterns is not a list of texts`, ""},
		{"unknown word", "\non_fault = \"stop\"\n", `config.toml:2:1: on_fault = "stop" is not known`, `"ask", "allow", "deny"`},
		{"unknown backend", "[ledger]\nbackend = \"oracle\"\n", `config.toml:2:1: backend = "oracle" is not known`, `"sqlite", "dolt"`},
		{"out of range", "[precedent]\nmin_score = 2.0\n", `config.toml:2:1: min_score = 2.0 is not a number from 0 to 1`, ""},
		{"no number", "[precedent]\nmin_score = nan\n", `config.toml:2:1: min_score = nan is not a number from 0 to 1`, ""},
		{"a wait too long", "[precedent]\ncatch_up = \"9s\"\n", `config.toml:2:1: catch_up = "9s" is not a time span of at most 8s`, "300ms"},
		{"out of range too", "[precedent]\ntop_k = 0\n", `config.toml:2:1: top_k = 0 is not a whole number of at least 1`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := load(t, tt.src)
			if err == nil {
				t.Fatal("no error")
			}
			hints := hint.Of(err)
			if !strings.HasPrefix(hints[0], tt.want) {
				t.Errorf("got  %s\nwant %s", hints[0], tt.want)
			}
			if !strings.Contains(strings.Join(hints[1:], " "), tt.hint) {
				t.Errorf("hints %q, want one about %q", hints[1:], tt.hint)
			}
			want := config.Default()
			want.SafeMode = strings.HasPrefix(tt.src, "safe_mode = true") // stricter, and read before the fault
			if !cmp.Equal(got, want) {
				t.Errorf("half a file loosens: %+v", got)
			}
		})
	}
}

func TestTighten(t *testing.T) {
	t.Parallel()
	with := func(change func(*config.Config)) config.Config {
		c := config.Default()
		change(&c)
		return c
	}
	for _, tt := range []struct {
		name          string
		user, project config.Config
		want          config.Config
		skipped       int
	}{
		{"nothing said", config.Default(), config.Default(), config.Default(), 0},
		{"stricter", config.Default(),
			with(func(c *config.Config) { c.SafeMode, c.OnFault, c.Answer.DefaultAllow = true, event.Deny, "silent" }),
			with(func(c *config.Config) { c.SafeMode, c.OnFault, c.Answer.DefaultAllow = true, event.Deny, "silent" }), 0},
		{"looser",
			with(func(c *config.Config) { c.SafeMode, c.OnFault, c.Answer.DefaultAllow = true, event.Deny, "silent" }),
			with(func(c *config.Config) { c.OnFault = event.Allow }),
			with(func(c *config.Config) { c.SafeMode, c.OnFault, c.Answer.DefaultAllow = true, event.Deny, "silent" }), 3},
		{"not a project's business", config.Default(),
			with(func(c *config.Config) {
				c.Ledger.Path, c.Privacy.Redact, c.Precedent.AllowThreshold = "/tmp/x", false, 1
			}),
			config.Default(), 3},
		{"more is secret", with(func(c *config.Config) { c.Privacy.Patterns = []redact.Pattern{{Expr: "a", At: "x:1:1"}} }),
			with(func(c *config.Config) { c.Privacy.Patterns = []redact.Pattern{{Expr: "b", At: "y:1:1"}} }),
			with(func(c *config.Config) {
				c.Privacy.Patterns = []redact.Pattern{{Expr: "a", At: "x:1:1"}, {Expr: "b", At: "y:1:1"}}
			}), 0},
		{"redaction is switched on", with(func(c *config.Config) { c.Privacy.Redact = false }), config.Default(), config.Default(), 0},
	} {
		got, skipped := config.Tighten(tt.user, tt.project)
		if diff := cmp.Diff(tt.want, got); diff != "" || len(skipped) != tt.skipped {
			t.Errorf("%s: skipped %q (-want +got)\n%s", tt.name, skipped, diff)
		}
	}
}
