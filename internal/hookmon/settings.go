package hookmon

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/judgment/systemone"
	"github.com/fireharp/overseer/internal/policy"
)

// SettingsFile is the name of the settings file, in a folder and in the home
// folder.
const SettingsFile = ".hookmon.yaml"

// PolicyLog is the default name of the record of denies.
const PolicyLog = ".hookmon-policy.log"

// Settings are all settings of the hookmon face.
type Settings struct {
	// Agent is the agent that calls, "" to tell by the payload.
	Agent string
	// LogFile is where every event is recorded, "" for nowhere.
	LogFile string
	// LogRoot is the folder that LogFile must not lead out of, "" for none.
	LogRoot string
	// LogMaxSize is the size at which LogFile is renamed and begun anew, 0 for
	// never.
	LogMaxSize int64
	// PolicyFile is the policy.
	PolicyFile string
	// PolicyLogFile is where denies are recorded, "" for nowhere.
	PolicyLogFile string
	// PolicyLogRoot is the folder that PolicyLogFile must not lead out of, "" for
	// none.
	PolicyLogRoot string
	TypeSafe      TypeSafe
}

// TypeSafe are the settings of the judgment model.
type TypeSafe struct {
	// APIKey is "" where judgments are not configured.
	APIKey   string
	Endpoint string
	Model    string
	// Timeout bounds a whole call, its retries included.
	Timeout time.Duration
	// CacheTTL is how long an answer is used again, 0 for never.
	CacheTTL time.Duration
	// CacheDir is the cache's folder, "" for the user's.
	CacheDir string
	// SendContent lifts the stripping of contents.
	SendContent bool
	// DryRun prints the request and sends nothing.
	DryRun bool
}

// Default are the settings of a person who has set nothing.
func Default() Settings {
	return Settings{
		PolicyFile:    policy.File,
		PolicyLogFile: PolicyLog,
		TypeSafe: TypeSafe{
			Endpoint: systemone.DefaultEndpoint,
			Model:    systemone.DefaultModel,
			Timeout:  systemone.DefaultTimeout,
			CacheTTL: systemone.DefaultCacheTTL,
		},
	}
}

// Setting is one setting by its name: the flag's, the field's in a settings file,
// and with HOOKMON_ before it the environment variable's.
type Setting struct {
	Name string
	// Usage is its line of help, "" where there is no flag for it.
	Usage string
	// Arg names the flag's argument in the help, "" for a flag without one.
	Arg string
	// Personal is true for a setting that a folder's file must not decide, since
	// folders are cloned: a key, where it and a file's content are sent, and where
	// answers are kept.
	Personal bool

	set func(*Settings, string) error
	// path is set for one that names a file.
	path bool
	// root is set for a file that is written to. What a folder's file names must be
	// in that folder: a log elsewhere could become a line of the person's .bashrc.
	// Its empty value says "nowhere"; that of other settings is none.
	root func(*Settings) *string
}

// All lists the settings in the order of the help.
func All() []Setting {
	return []Setting{
		{Name: "agent", Arg: "NAME", Usage: "the agent that calls: claudecode, cursor or codex",
			set: func(s *Settings, v string) error { s.Agent = v; return nil }},
		{Name: "log-file", Arg: "PATH", Usage: "append every event to this file (default: record nothing)", path: true,
			root: func(s *Settings) *string { return &s.LogRoot },
			set:  func(s *Settings, v string) error { s.LogFile = v; return nil }},
		{Name: "log-max-size", Arg: "SIZE", Usage: "rename the log to PATH.1 when it would outgrow this size, e.g. 100MB (default: never)",
			set: func(s *Settings, v string) (err error) { s.LogMaxSize, err = parseSize(v); return err }},
		{Name: "policy-file", Arg: "PATH", Usage: "decide by this policy (default: " + policy.File + ")", path: true,
			set: func(s *Settings, v string) error { s.PolicyFile = v; return nil }},
		{Name: "policy-log-file", Arg: "PATH", Usage: `append every deny to this file, "" for none (default: ` + PolicyLog + `)`, path: true,
			root: func(s *Settings) *string { return &s.PolicyLogRoot },
			set:  func(s *Settings, v string) error { s.PolicyLogFile = v; return nil }},
		{Name: "typesafe-api-key", Personal: true,
			set: func(s *Settings, v string) (err error) { s.TypeSafe.APIKey, err = parseKey(v); return err }},
		{Name: "typesafe-endpoint", Personal: true,
			set: func(s *Settings, v string) error { s.TypeSafe.Endpoint = v; return nil }},
		{Name: "typesafe-model", Arg: "NAME", Usage: "the model that answers judgments (default: jev-latest)",
			set: func(s *Settings, v string) error { s.TypeSafe.Model = v; return nil }},
		{Name: "typesafe-timeout", Arg: "TIME", Usage: "how long judgments may take, retries included (default: 3s)",
			set: func(s *Settings, v string) error { return setDuration(&s.TypeSafe.Timeout, v, time.Millisecond) }},
		{Name: "typesafe-cache-ttl", Arg: "TIME", Usage: "how long an answer is used again, 0 for never (default: 24h)",
			set: func(s *Settings, v string) error { return setDuration(&s.TypeSafe.CacheTTL, v, 0) }},
		{Name: "typesafe-cache-dir", Arg: "PATH", Usage: "where answers are kept (default: the user's cache folder)", path: true, Personal: true,
			set: func(s *Settings, v string) error { s.TypeSafe.CacheDir = v; return nil }},
		{Name: "typesafe-send-content", Usage: "send contents of files and messages too (default: false)", Personal: true,
			set: func(s *Settings, v string) error { return setBool(&s.TypeSafe.SendContent, v) }},
		{Name: "typesafe-dry-run", Usage: "print the request to standard error and send nothing",
			set: func(s *Settings, v string) error { return setBool(&s.TypeSafe.DryRun, v) }},
	}
}

// Names lists the settings' names.
func Names() []string {
	var out []string
	for _, s := range All() {
		out = append(out, s.Name)
	}
	return out
}

// Env is the setting's environment variable.
func (s Setting) Env() string {
	return "HOOKMON_" + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
}

// apply sets a value. Paths get a leading ~ replaced, and a relative one is taken
// from the folder base, if that is given. The error does not repeat a key.
func (s Setting) apply(to *Settings, value, home, base string) error {
	if value == "" && s.root == nil {
		return nil
	}
	if s.path && value != "" {
		if rest, ok := strings.CutPrefix(value, "~/"); ok && home != "" {
			value = filepath.Join(home, rest)
		}
		if base != "" && !filepath.IsAbs(value) {
			value = filepath.Join(base, value)
		}
	}
	if s.root != nil {
		*s.root(to) = base
	}
	return s.set(to, value)
}

func setDuration(to *time.Duration, v string, least time.Duration) error {
	d, err := time.ParseDuration(v)
	if err != nil {
		return hint.Wrap(fmt.Errorf("%q is no time", v), "write it as in 3s, 500ms or 24h")
	}
	if d < least {
		return fmt.Errorf("%q is less than %v", v, least)
	}
	*to = d
	return nil
}

func setBool(to *bool, v string) error {
	b, err := strconv.ParseBool(v)
	if err != nil {
		return hint.Wrap(fmt.Errorf("%q is neither true nor false", v), "write true or false")
	}
	*to = b
	return nil
}

// parseKey refuses what no key is, without repeating it.
func parseKey(v string) (string, error) {
	v = strings.TrimSpace(v)
	if strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("a key has no blanks and only plain characters")
	}
	return v, nil
}

// parseSize reads a number of bytes: 0, 1048576, 512K, 100MB, 1GiB. A unit counts
// by 1024.
func parseSize(v string) (int64, error) {
	s := strings.ToUpper(strings.TrimSpace(v))
	s = strings.TrimSuffix(strings.TrimSuffix(s, "B"), "I")
	unit := int64(1)
	for i, u := range []string{"K", "M", "G", "T"} {
		if rest, ok := strings.CutSuffix(s, u); ok {
			s, unit = strings.TrimSpace(rest), 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > (1<<62)/unit {
		return 0, hint.Wrap(fmt.Errorf("%q is no size", v), "write it as in 100MB, or 0 for never")
	}
	return n * unit, nil
}
