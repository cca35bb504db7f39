package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/policy"
)

// policies reads every policy file that counts: the one named in the settings, if
// it is, and those of the given folders and of all folders above them. A policy
// can only tighten, so all of them apply, and a folder with an empty one loosens
// nothing.
func policies(known policy.Agents, named string, dirs []string) (out []*policy.Policy, faults []error) {
	seen := map[string]bool{}
	load := func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		p, errs := policy.Load(path, known)
		if p != nil {
			out = append(out, p)
		}
		faults = append(faults, errs...)
	}
	if named != "" && named != policy.File {
		if _, err := os.Stat(named); errors.Is(err, os.ErrNotExist) {
			faults = append(faults, hint.Wrap(fmt.Errorf("policy %s does not exist", named), "mend policy-file in the settings or HOOKMON_POLICY_FILE"))
		} else {
			load(named)
		}
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
			path := filepath.Join(dir, policy.File)
			if _, err := os.Lstat(path); err == nil {
				load(path)
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return out, faults
}

// LoadPolicies adds the policies to what was loaded. named is the file that the
// settings name, "" or the default for none; dirs are the folders the agent is in.
func (l *Loaded) LoadPolicies(known policy.Agents, named string, dirs ...string) {
	got, faults := policies(known, named, dirs)
	l.Policies = got
	for _, err := range faults {
		l.fault(err)
	}
}
