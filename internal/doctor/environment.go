package doctor

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/install"
)

// claudeFile is one of the files that Claude Code takes settings from.
type claudeFile struct {
	path string
	// own is true for a file of the person's or of their organisation's, false for
	// one that a project may have brought along.
	own bool
}

// claudeFiles are Claude Code's settings files, from the weakest on.
func (a *patient) claudeFiles() []claudeFile {
	user, project := a.userTarget().Path, install.ProjectTarget(a.p, a.CWD).Path
	out := []claudeFile{{user, true}}
	if filepath.IsAbs(project) {
		for _, path := range []string{project, filepath.Join(filepath.Dir(project), "settings.local.json")} {
			if !sameFile(path, user) {
				out = append(out, claudeFile{path, false})
			}
		}
	}
	for _, path := range managedSettings() {
		out = append(out, claudeFile{path, true})
	}
	return out
}

// claudeState is the file in which Claude Code keeps its state. An older one kept
// settings there too, of which "env" still holds (read in 2.1.332).
func (a *patient) claudeState() claudeFile {
	dir := a.Getenv(a.p.Settings().HomeEnv)
	if dir == "" {
		dir = a.Home.User
	}
	return claudeFile{filepath.Join(dir, ".claude.json"), true}
}

// variable is one that a settings file puts into the environment of the agent, and
// so of its hooks.
type variable struct {
	file        claudeFile
	name, value string
}

// settingsEnv lists what Claude Code's settings files put into the environment; the
// last of a name holds.
func (a *patient) settingsEnv() []variable {
	if a.p.Name() != "claude" {
		return nil
	}
	var out []variable
	for _, f := range append([]claudeFile{a.claudeState()}, a.claudeFiles()...) {
		top, err := readObject(f.path, a.p.Settings())
		if err != nil {
			continue // a file that is broken has its say elsewhere
		}
		var env object
		if json.Unmarshal(top["env"], &env) != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(env)) {
			value, isText := text(env[name])
			if !isText {
				value = string(env[name])
			}
			// A name with "=" in it ends there, as the system sees it.
			name, value, _ := strings.Cut(name+"="+value, "=")
			if name != "" && !strings.Contains(name+value, "\x00") {
				out = append(out, variable{f, name, value})
			}
		}
	}
	return out
}

// probeEnv is what the settings files add to the environment of the hooks under
// trial. Of a project's, nothing counts by which it could have its own code run:
// that is reported, and never tried.
func probeEnv(vars []variable) []string {
	var out []string
	for _, v := range vars {
		if v.file.own || v.harm() == "" {
			out = append(out, v.name+"="+v.value)
		}
	}
	return out
}

// environment reports what in the agent's settings or in doctor's own environment
// takes the hooks away or gives them other rules.
func (a *patient) environment(vars []variable) bool {
	const name = "claude-environment"
	well := true
	for _, key := range []string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SHELL_PREFIX"} {
		if harm := (variable{name: key, value: a.Getenv(key)}).harm(); harm != "" {
			well = false
			if !a.say(name, Failed, []string{"unset " + key}, "%s is set in this environment, which %s", key, harm) {
				return false
			}
		}
	}
	for _, v := range vars {
		if harm := v.harm(); harm != "" {
			well = false
			state := Failed
			if v.file.own && harm != switchesOff {
				state = Warning // the person's own doing, and the trial runs with it
			}
			if !a.say(name, state, []string{`take it out of "env" in the file`}, "%s sets %s, which %s", v.file.path, v.name, harm) {
				return false
			}
		}
	}
	return !well || a.say(name, OK, nil, "no settings of Claude Code change the hooks' environment for the worse")
}

// What a variable may do to a hook.
const (
	switchesOff = "switches all hooks off"
	standsFor   = "can have other code run in the hook's place"
	movesFiles  = "can lead the hook, or the agent, to other files than yours"
	changesForm = "makes the hook answer as another agent wants it"
)

// harmful are the variables that the agents, the shells, the system's loader and
// overseer itself read. Of Claude Code's own, CLAUDE_CODE_SIMPLE was measured (it
// switches all hooks off in 2.1.197); what the others do to hooks is assumed.
func harmful(variable string) string {
	switch variable {
	case "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE":
		return switchesOff
	case "CLAUDE_CODE_SHELL_PREFIX", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_GIT_BASH_PATH", "PATH", "SHELL", "COMSPEC",
		"ENV", "ZDOTDIR", "FPATH", "IFS", "PS4", "SHELLOPTS", "BASHOPTS", "GCONV_PATH":
		return standsFor
	case "HOME", "USERPROFILE", "CLAUDE_CONFIG_DIR", "CODEX_HOME":
		return movesFiles
	case "CURSOR_VERSION", "COPILOT_CLI":
		return changesForm
	}
	return ""
}

// harmfulPrefixes are those of whole families: the loader's, and what bash runs.
var harmfulPrefixes = []struct{ prefix, harm string }{
	{"LD_", standsFor}, {"DYLD_", standsFor}, {"BASH_", standsFor}, {"OVERSEER_", movesFiles},
}

// harm says what the variable may do to a hook, "" for nothing.
func (v variable) harm() string {
	harm := harmful(v.name)
	if harm == switchesOff {
		switch strings.ToLower(v.value) {
		case "", "0", "false", "no", "off":
			return ""
		}
	}
	if v.name == "CLAUDE_CODE_SHELL_PREFIX" && v.value == "" {
		return ""
	}
	for _, f := range harmfulPrefixes {
		if strings.HasPrefix(v.name, f.prefix) {
			harm = f.harm
		}
	}
	// By these a person sets the policies that hold; a project does not.
	if strings.HasPrefix(v.name, "HOOKMON_") && !v.file.own {
		harm = movesFiles
	}
	return harm
}
