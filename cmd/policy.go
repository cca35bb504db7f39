package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/hookmon"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/judgment/systemone"
	"github.com/fireharp/overseer/internal/policy"
	"github.com/fireharp/overseer/internal/redact"
)

// asker has the judgments of an event answered as the settings say. Nothing is
// prepared before it is called: most events need no judgment. What leaves the
// machine is redacted also where the record is not, with nil secrets.
func (w *world) asker(s hookmon.TypeSafe, e *event.Event, secrets *redact.Set) policy.Ask {
	if secrets == nil {
		secrets = redact.Builtin
	}
	return func(specs []judgment.Spec) (map[string]judgment.Answer, error) {
		if s.APIKey == "" && !s.DryRun {
			return nil, hint.Wrap(&policy.Inert{Why: "no API key is set"}, "set HOOKMON_TYPESAFE_API_KEY; until then rules with when do not fire")
		}
		c := systemone.Client{
			Endpoint: s.Endpoint, Key: s.APIKey, Model: s.Model, Timeout: s.Timeout,
			Cache:     &systemone.Cache{Dir: judgmentCache(s), TTL: s.CacheTTL},
			UserAgent: "overseer",
			Env:       os.Environ(),
		}
		if s.DryRun {
			c.DryRun = w.stderr
		}
		state := judgment.State(e, judgment.Options{Content: s.SendContent, Redact: secrets.Text})
		answers, err := c.Ask(context.Background(), state, specs)
		if errors.Is(err, systemone.ErrDryRun) {
			return nil, &policy.Inert{Why: systemone.ErrDryRun.Error()}
		}
		return answers, err
	}
}

// judgmentCache is the folder of the answers, "" where none is to be had.
func judgmentCache(s hookmon.TypeSafe) string {
	if s.CacheDir != "" {
		return s.CacheDir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "hookmon", "judgments")
}

// knownAgents tells a policy about the agents linked in.
func knownAgents() policy.Agents {
	known := policy.Agents{
		Lookup: func(name string) (string, bool) {
			p, err := agent.Lookup(name)
			if err != nil {
				return "", false
			}
			return p.Name(), true
		},
		Events: func(name string) []string {
			var out []string
			for _, p := range agent.All() {
				if name != "" && name != p.Name() {
					continue
				}
				for _, c := range p.Capabilities() {
					out = append(out, c.Event)
				}
			}
			return out
		},
		Shared: func(name, native string) string {
			p, err := agent.Lookup(name)
			if err != nil {
				return native
			}
			e := agent.Named(p, native)
			return e.Name
		},
	}
	for _, name := range agent.Names() {
		known.Names = append(known.Names, hookmon.AgentName(name))
	}
	return known
}
