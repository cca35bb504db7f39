package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fireharp/overseer/internal/constitution"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/judgment"
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
	l.checkJudgments()
	for _, err := range faults {
		l.fault(err)
	}
}

// checkJudgments finds the thresholds of the constitution's rules that no judgment
// of a policy file answers to.
func (l *Loaded) checkJudgments() {
	var specs []judgment.Spec
	for _, p := range l.Policies {
		specs = append(specs, p.Judgments...)
	}
	for _, r := range l.Rules {
		for _, c := range r.Judge {
			if err := c.Check(specs); err != nil {
				l.fault(&constitution.Problem{File: r.File, Line: r.Line, Col: 1, Rule: r.ID, Err: err})
			}
		}
	}
}
