package hookmon

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/yamlfile"
)

// Sources are the places that settings come from. The last one named here that
// has a setting decides it.
type Sources struct {
	// Home is the person's home folder, "" if it is not known: ~/.hookmon.yaml.
	Home string
	// Folders are where a .hookmon.yaml is looked for, the first that has one
	// decides: the present folder, then the one that the agent was started in.
	Folders []string
	// Env reads an environment variable and tells whether it is set at all.
	Env func(string) (string, bool)
	// Flags are the flags given, by the setting's name.
	Flags map[string]string
}

// Resolve finds the settings in force. A value or a file that cannot be read is a
// warning and leaves what was before: this face never stands in an agent's way.
func Resolve(from Sources) (s Settings, warnings []error) {
	r := resolver{Settings: Default(), home: from.Home, settings: map[string]Setting{}}
	for _, st := range All() {
		r.settings[st.Name] = st
	}
	personal := ""
	if from.Home != "" {
		personal = filepath.Join(from.Home, SettingsFile)
		r.file(personal, true)
	}
	for _, dir := range from.Folders {
		path := filepath.Join(dir, SettingsFile)
		if _, err := os.Stat(path); err == nil {
			if !sameFile(path, personal) {
				r.file(path, false)
			}
			break
		}
	}
	for _, st := range All() {
		if v, ok := from.Env(st.Env()); ok {
			r.warn(st.apply(&r.Settings, v, from.Home, ""), st.Env())
		}
		if v, ok := from.Flags[st.Name]; ok {
			r.warn(st.apply(&r.Settings, v, from.Home, ""), "--"+st.Name)
		}
	}
	return r.Settings, r.warnings
}

type resolver struct {
	Settings
	home     string
	settings map[string]Setting
	warnings []error
}

func (r *resolver) warn(err error, what string) {
	if err != nil {
		r.warnings = append(r.warnings, fmt.Errorf("%s: %w", what, err))
	}
}

// file applies one settings file. personal is true for the one in the home
// folder.
func (r *resolver) file(path string, personal bool) {
	doc, err := yamlfile.Read(path)
	if yamlfile.Missing(err) {
		return
	}
	if err != nil {
		r.warn(err, "settings")
		return
	}
	if doc.Empty() {
		return
	}
	fields, err := doc.Fields("the settings")
	if err != nil {
		r.warn(err, "settings")
		return
	}
	base := ""
	if !personal {
		base = filepath.Dir(path)
	}
	for _, f := range fields {
		r.warn(r.field(f, base, personal), "settings")
	}
}

func (r *resolver) field(f yamlfile.Field, base string, personal bool) error {
	st, ok := r.settings[f.Name]
	switch {
	case !ok:
		return f.Unknown(Names()...)
	case st.Personal && !personal:
		err := f.Key.Errorf("%s is not taken from a folder's file, which may be checked in or cloned", f.Name)
		return hint.Wrap(err, "set %s, or write it into ~/%s", st.Env(), SettingsFile)
	}
	if strings.HasSuffix(st.Name, "api-key") {
		r.keyFile(f.Key.File())
	}
	v, err := f.Value.Text(f.Name)
	if err != nil {
		return err
	}
	if err := st.apply(&r.Settings, v, r.home, base); err != nil {
		return hintedAt(f, err)
	}
	return nil
}

// hintedAt gives a value's error its place and keeps its hints.
func hintedAt(f yamlfile.Field, err error) error { return f.Value.Errorf("%s: %w", f.Name, err) }

// keyFile warns of a file with a key in it that others may read.
func (r *resolver) keyFile(path string) {
	if runtime.GOOS == "windows" {
		return
	}
	if st, err := os.Stat(path); err == nil && st.Mode().Perm()&0o077 != 0 {
		err := fmt.Errorf("%s holds a key and is open to others (mode %04o)", path, st.Mode().Perm())
		r.warnings = append(r.warnings, hint.Wrap(err, "chmod 600 %s", path))
	}
}

func sameFile(a, b string) bool {
	sa, err := os.Stat(a)
	if err != nil {
		return false
	}
	sb, err := os.Stat(b)
	return err == nil && os.SameFile(sa, sb)
}
