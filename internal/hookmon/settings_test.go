package hookmon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/hookmon"
)

// machine is a home folder and a project's with settings files in them.
type machine struct {
	home, project string
}

func newMachine(t *testing.T, homeFile, projectFile string) machine {
	t.Helper()
	m := machine{home: t.TempDir(), project: t.TempDir()}
	for dir, content := range map[string]string{m.home: homeFile, m.project: projectFile} {
		if content == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, hookmon.SettingsFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m machine) resolve(env, flags map[string]string) (hookmon.Settings, string) {
	s, warnings := hookmon.Resolve(hookmon.Sources{
		Home: m.home, Folders: []string{m.project},
		Env:   func(k string) (string, bool) { v, ok := env[k]; return v, ok },
		Flags: flags,
	})
	var lines []string
	for _, err := range warnings {
		lines = append(lines, strings.Join(append([]string{err.Error()}, hint.Of(err)...), " | "))
	}
	text := strings.NewReplacer(m.home, "HOME", m.project, "PROJECT").Replace(strings.Join(lines, "\n"))
	return s, text
}

type set = map[string]string

func TestDefaults(t *testing.T) {
	t.Parallel()
	got, warnings := newMachine(t, "", "").resolve(nil, nil)
	want := hookmon.Settings{
		PolicyFile:    ".hookmon-policy.yaml",
		PolicyLogFile: ".hookmon-policy.log",
		TypeSafe: hookmon.TypeSafe{
			Endpoint: "https://api.typesafe.ai/v1/systemone", Model: "jev-latest",
			Timeout: 3 * time.Second, CacheTTL: 24 * time.Hour,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || warnings != "" {
		t.Errorf("(-want +got)\n%s%s", diff, warnings)
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, home, project string
		env, flags          set
		want                string
	}{
		{name: "nothing"},
		{name: "the home folder's file", home: "log-file: /h", want: "/h"},
		{name: "the folder's file before it", home: "log-file: /h", project: "log-file: /p", want: "/p"},
		{name: "the environment before that", home: "log-file: /h", project: "log-file: /p", env: set{"HOOKMON_LOG_FILE": "/e"}, want: "/e"},
		{name: "a flag before all", home: "log-file: /h", project: "log-file: /p", env: set{"HOOKMON_LOG_FILE": "/e"}, flags: set{"log-file": "/f"}, want: "/f"},
		{name: "a file that sets something else", home: "log-file: /h", project: "agent: codex", want: "/h"},
		{name: "an empty path turns it off", home: "log-file: /h", project: `log-file: ""`},
		{name: "in the environment too", home: "log-file: /h", env: set{"HOOKMON_LOG_FILE": ""}},
		{name: "and as a flag", home: "log-file: /h", flags: set{"log-file": ""}},
		{name: "an empty policy file is none, and the default stays", env: set{"HOOKMON_POLICY_FILE": ""}, flags: set{"policy-file": ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, warnings := newMachine(t, tt.home, tt.project).resolve(tt.env, tt.flags)
			if got.LogFile != tt.want || got.PolicyFile != ".hookmon-policy.yaml" || warnings != "" {
				t.Errorf("got %q, want %q; %s", got.LogFile, tt.want, warnings)
			}
		})
	}
}

func TestAllSettings(t *testing.T) {
	t.Parallel()
	values := set{
		"agent": "codex", "log-file": "/l", "log-max-size": "2MB", "policy-file": "/p", "policy-log-file": "/d",
		"typesafe-api-key": " sk-1 ", "typesafe-endpoint": "https://x/y", "typesafe-model": "m", "typesafe-timeout": "1500ms",
		"typesafe-cache-ttl": "0", "typesafe-cache-dir": "/c", "typesafe-send-content": "true", "typesafe-dry-run": "1",
	}
	want := hookmon.Settings{
		Agent: "codex", LogFile: "/l", LogMaxSize: 2 << 20, PolicyFile: "/p", PolicyLogFile: "/d",
		TypeSafe: hookmon.TypeSafe{APIKey: "sk-1", Endpoint: "https://x/y", Model: "m", Timeout: 1500 * time.Millisecond, CacheDir: "/c", SendContent: true, DryRun: true},
	}
	env, yaml := set{}, ""
	for _, s := range hookmon.All() {
		v, ok := values[s.Name]
		if !ok {
			t.Errorf("no value for %s", s.Name)
		}
		env[s.Env()] = v
		yaml += s.Name + ": " + v + "\n"
	}
	if env["HOOKMON_TYPESAFE_CACHE_TTL"] != "0" || env["HOOKMON_POLICY_LOG_FILE"] != "/d" {
		t.Errorf("the documented names: %v", env)
	}
	got, warnings := newMachine(t, "", "").resolve(env, nil)
	if diff := cmp.Diff(want, got); diff != "" || warnings != "" {
		t.Errorf("environment (-want +got)\n%s%s", diff, warnings)
	}
	got, warnings = newMachine(t, yaml, "").resolve(nil, nil)
	if diff := cmp.Diff(want, got); diff != "" || warnings != "" {
		t.Errorf("file (-want +got)\n%s%s", diff, warnings)
	}
}

func TestSettingsFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, home, project string
		env                 set
		want                string
	}{
		{name: "a setting that is not known", project: "polcy-file: x\nlog-file: /l", want: `settings: PROJECT/.hookmon.yaml:1:1: unknown field "polcy-file" | did you mean "policy-file"?`},
		{name: "a value", home: "typesafe-timeout: soon\nlog-file: /l", want: `settings: HOME/.hookmon.yaml:1:19: typesafe-timeout: "soon" is no time | write it as in 3s, 500ms or 24h`},
		{name: "a list", home: "agent: [a]\nlog-file: /l", want: `settings: HOME/.hookmon.yaml:1:8: agent is a list, want text`},
		{name: "nothing", home: "policy-log-file:\nlog-file: /l", want: `settings: HOME/.hookmon.yaml:1:17: policy-log-file is empty, want text`},
		{name: "the environment", home: "log-file: /l", env: set{"HOOKMON_TYPESAFE_SEND_CONTENT": "perhaps"}, want: `HOOKMON_TYPESAFE_SEND_CONTENT: "perhaps" is neither true nor false | write true or false`},
		{name: "no time at all", home: "log-file: /l", env: set{"HOOKMON_TYPESAFE_TIMEOUT": "0"}, want: `HOOKMON_TYPESAFE_TIMEOUT: "0" is less than 1ms`},
		{name: "an empty variable is none", home: "log-file: /l", env: set{"HOOKMON_TYPESAFE_TIMEOUT": "", "HOOKMON_AGENT": ""}},
		{name: "a key that is none", home: "log-file: /l", env: set{"HOOKMON_TYPESAFE_API_KEY": "sk 1"}, want: `HOOKMON_TYPESAFE_API_KEY: a key has no blanks and only plain characters`},
		{name: "a folder's key", project: "typesafe-api-key: sk-1\nlog-file: /l", want: `settings: PROJECT/.hookmon.yaml:1:1: typesafe-api-key is not taken from a folder's file, which may be checked in or cloned | set HOOKMON_TYPESAFE_API_KEY, or write it into ~/.hookmon.yaml`},
		{name: "a folder's endpoint", project: "typesafe-endpoint: https://evil\nlog-file: /l", want: `settings: PROJECT/.hookmon.yaml:1:1: typesafe-endpoint is not taken from a folder's file, which may be checked in or cloned | set HOOKMON_TYPESAFE_ENDPOINT, or write it into ~/.hookmon.yaml`},
		{name: "a folder's cache", project: "typesafe-cache-dir: /x\nlog-file: /l", want: `settings: PROJECT/.hookmon.yaml:1:1: typesafe-cache-dir is not taken from a folder's file, which may be checked in or cloned | set HOOKMON_TYPESAFE_CACHE_DIR, or write it into ~/.hookmon.yaml`},
		{name: "a folder that sends more", project: "typesafe-send-content: true\nlog-file: /l", want: `settings: PROJECT/.hookmon.yaml:1:1: typesafe-send-content is not taken from a folder's file, which may be checked in or cloned | set HOOKMON_TYPESAFE_SEND_CONTENT, or write it into ~/.hookmon.yaml`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, warnings := newMachine(t, tt.home, tt.project).resolve(tt.env, nil)
			if diff := cmp.Diff(tt.want, warnings); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			// The other settings count all the same.
			want, _ := newMachine(t, "log-file: /l", "").resolve(nil, nil)
			got.LogRoot = ""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestBrokenSettingsFile(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "log-file: [", "- agent\n")
	got, warnings := m.resolve(set{"HOOKMON_AGENT": "codex"}, nil)
	if got.Agent != "codex" || got.LogFile != "" {
		t.Errorf("got %+v", got)
	}
	for _, want := range []string{"HOME/.hookmon.yaml:", "PROJECT/.hookmon.yaml:1:1: the settings is a list"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("%q is not in %s", want, warnings)
		}
	}
}

// The home folder may be the present one; its file is then the person's own.
func TestHomeAsFolder(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "typesafe-api-key: sk-1", "")
	m.project = m.home
	if got, warnings := m.resolve(nil, nil); got.TypeSafe.APIKey != "sk-1" || warnings != "" {
		t.Errorf("got %+v, %s", got, warnings)
	}
}

func TestRelativePaths(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "policy-file: h.yaml\ntypesafe-cache-dir: ~/c", "log-file: p.log")
	got, _ := m.resolve(set{"HOOKMON_POLICY_LOG_FILE": "~/d.log"}, nil)
	if got.LogRoot != m.project || got.PolicyLogRoot != "" {
		t.Errorf("a folder's log must stay there: %+v", got)
	}
	if again, _ := m.resolve(nil, set{"log-file": "/f"}); again.LogRoot != "" {
		t.Errorf("a flag's need not: %+v", again)
	}
	if got.PolicyFile != "h.yaml" || got.LogFile != filepath.Join(m.project, "p.log") ||
		got.TypeSafe.CacheDir != filepath.Join(m.home, "c") || got.PolicyLogFile != filepath.Join(m.home, "d.log") {
		t.Errorf("got %+v", got)
	}
}

func TestLogMaxSize(t *testing.T) {
	t.Parallel()
	for v, want := range map[string]int64{
		"0": 0, "1": 1, "1024": 1024, "1K": 1 << 10, "1kb": 1 << 10, "3 MB": 3 << 20, "2MiB": 2 << 20, "1G": 1 << 30, "1TB": 1 << 40,
		"": 0, "x": -1, "-1": -1, "1.5M": -1, "MB": -1, "9999999999999T": -1, "1PB": -1,
	} {
		got, warnings := newMachine(t, "", "").resolve(nil, set{"log-max-size": v})
		if want < 0 && (warnings == "" || got.LogMaxSize != 0) || want >= 0 && (warnings != "" || got.LogMaxSize != want) {
			t.Errorf("%q: got %d, %s", v, got.LogMaxSize, warnings)
		}
	}
}
