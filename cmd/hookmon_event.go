package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/hookmon"
	"github.com/fireharp/overseer/internal/policy"
	"github.com/fireharp/overseer/internal/redact"
	"github.com/fireharp/overseer/internal/rule"
)

// settle finds the settings in force.
func (m *monitor) settle(given map[string]string) {
	s, warnings := hookmon.Resolve(hookmon.Sources{
		Home: m.w.getenv("HOME"), Folders: m.folders(), Env: m.w.lookupEnv, Flags: given,
	})
	m.settings = s
	for _, err := range warnings {
		m.warn(err)
	}
}

// folders are the present one and then the one that the agent was started in: an
// agent that goes into a subfolder is still held to its project's policy.
func (m *monitor) folders() []string {
	out := []string{m.w.cwd()}
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"} {
		if dir := m.w.getenv(name); dir != "" {
			out = append(out, dir)
		}
	}
	return out
}

// observe records the event and decides it; nil is to acknowledge it.
func (m *monitor) observe() *agent.Answer {
	payload, err := readAll(m.w.stdin)
	if err != nil {
		m.warn(fmt.Errorf("read the event: %w", err))
	}
	if len(payload) > maxInput {
		m.warn(fmt.Errorf("the event is larger than %d MiB, the rest of it is lost", maxInput>>20))
	}
	p := m.provider(payload)
	e, err := p.Decode("", payload)
	e.Caller = agent.CallerOf(&e, m.w.getenv)
	m.mu.Lock()
	m.event = e
	m.mu.Unlock()

	m.log(p, payload)
	if err != nil {
		m.warn(fmt.Errorf("read the event: %w", err))
		return nil
	}
	if !policy.Answered(&e) {
		return nil
	}
	return m.decide(p, &e)
}

// provider is the agent that calls.
func (m *monitor) provider(payload []byte) agent.Provider {
	if name := m.settings.Agent; name != "" {
		p, err := agent.Lookup(name)
		if err == nil {
			return p
		}
		m.warn(err)
	}
	p, err := agent.Lookup(agent.Sniff(payload))
	if err != nil {
		p = agent.All()[0]
	}
	m.warn(hint.Wrap(fmt.Errorf("the event is taken for one of %s", p.Title()), "say --agent %s", hookmon.AgentName(p.Name())))
	return p
}

// log appends the envelope.
func (m *monitor) log(p agent.Provider, payload []byte) {
	if m.settings.LogFile == "" {
		return
	}
	line, err := hookmon.Envelope(hookmon.AgentName(p.Name()), payload)
	m.warn(err)
	if err := appendTo(m.settings.LogFile, m.settings.LogRoot, line, m.settings.LogMaxSize); err != nil {
		m.warn(fmt.Errorf("the event is not logged: %w", err))
	}
}

// appendTo writes a line to a log that lies in the folder root.
func appendTo(path, root string, line []byte, maxSize int64) error {
	if err := hookmon.Confined(root, path); err != nil {
		return err
	}
	return hookmon.Append(path, line, maxSize)
}

// decide answers an event by the policy.
func (m *monitor) decide(p agent.Provider, e *event.Event) *agent.Answer {
	pol := m.policy()
	if pol == nil {
		return nil
	}
	s := &rule.Subject{Event: e, Home: m.w.getenv("HOME")}
	o := pol.Decide(s, m.w.asker(m.settings.TypeSafe, e, redact.Builtin))
	for _, err := range o.Warnings {
		m.warn(err)
	}
	if o.Decision == event.Allow {
		return nil // observing approves nothing on a person's behalf
	}
	if o.Decision == event.Deny {
		m.logDeny(s, &o)
	}
	a := p.Encode(e, &event.Verdict{Decision: o.Decision, Basis: event.ByPolicy, Reason: o.Reason()})
	if len(a.Stdout) == 0 && a.ExitCode == 0 {
		return nil
	}
	return &a
}

func (m *monitor) logDeny(s *rule.Subject, o *policy.Outcome) {
	if m.settings.PolicyLogFile == "" {
		return
	}
	line, err := hookmon.DenyRecord(m.w.now(), s, o)
	if err == nil {
		err = appendTo(m.settings.PolicyLogFile, m.settings.PolicyLogRoot, line, 0)
	}
	if err != nil {
		m.warn(fmt.Errorf("the deny is not logged: %w", err))
	}
}

// policy loads the policy in force, nil for none.
func (m *monitor) policy() *policy.Policy {
	file := m.settings.PolicyFile
	if file == "" {
		return nil
	}
	dir := m.w.cwd()
	if file == policy.File {
		if file = m.find(file); file == "" {
			return nil
		}
		dir = filepath.Dir(file)
	}
	if m.settings.PolicyLogFile == hookmon.PolicyLog { // beside its policy, wherever the agent has gone
		m.settings.PolicyLogFile, m.settings.PolicyLogRoot = filepath.Join(dir, hookmon.PolicyLog), dir
	}
	p, faults := policy.Load(file, knownAgents())
	for _, err := range faults {
		m.warn(err)
	}
	if p == nil {
		m.warn(fmt.Errorf("the policy is not in force: nothing is blocked"))
		return nil
	}
	for _, text := range p.Warnings {
		m.warn(errors.New(text))
	}
	return p
}

// find looks for a file in the folders; "" if none has it.
func (m *monitor) find(name string) string {
	for _, dir := range m.folders() {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	return ""
}
