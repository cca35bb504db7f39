package doctor

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/install"
	"github.com/fireharp/overseer/internal/journal"
)

// Session is the session id of the events by which doctor tries a hook.
const Session = "overseer-doctor"

const (
	// mustDeny is what no agent may run, whatever the rules are: the guard rule
	// guardRule of this program denies it. It does nothing even if it is run.
	mustDeny  = "overseer approve ev_00000000000000000000000000"
	guardRule = "guard.tamper-command"
	// disaster is what the rules should deny. It is sent only to a command line
	// that has proved to be overseer's hook.
	disaster = "rm -rf /"
)

// probe is one try of a hook: a command line that an agent is about to run.
type probe struct {
	event.Event
}

func newProbe(p agent.Provider, cwd, command string) probe {
	var e probe
	e.Agent, e.Name, e.Session, e.CWD = p.Name(), event.PreToolUse, Session, cwd
	e.Tool = event.Tool{Name: "Bash", Command: command, UseID: toolUsePrefix(p) + "doctor" + rand.Text()}
	return e
}

// toolUsePrefix is how the agent begins the id of a tool call.
func toolUsePrefix(p agent.Provider) string {
	if p.Name() == "codex" {
		return "call_"
	}
	return "toolu_"
}

// payload is the probe as the agent itself would write it (docs/agents.md has
// the fields).
func (e probe) payload(user string) []byte {
	type tool struct {
		Command string `json:"command"`
	}
	m := map[string]any{
		"session_id": e.Session, "cwd": e.CWD, "hook_event_name": e.Name, "permission_mode": "default",
		"tool_name": e.Tool.Name, "tool_input": tool{e.Tool.Command}, "tool_use_id": e.Tool.UseID,
	}
	switch e.Agent {
	case "codex":
		m["transcript_path"], m["turn_id"], m["model"] = nil, Session, "none"
	default:
		m["transcript_path"], m["prompt_id"] = filepath.Join(user, ".claude", "projects", Session, Session+".jsonl"), Session
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings always encode
	}
	return append(b, '\n')
}

// trial is a command line under trial, run as its agent runs it.
type trial struct {
	m     Machine
	p     agent.Provider
	entry install.Entry
	limit time.Duration
}

// argv is how the agent starts the command line: Claude Code by sh, Codex by a
// login shell.
func (t trial) argv() []string {
	switch {
	case len(t.entry.Args) > 0:
		return append([]string{t.entry.Command}, t.entry.Args...)
	case t.p.Name() == "codex":
		shell := t.m.Getenv("SHELL")
		if shell == "" {
			shell = "/bin/sh"
		}
		return []string{shell, "-lc", t.entry.Command}
	}
	return []string{"/bin/sh", "-c", t.entry.Command}
}

// environ is what the agent adds to its own environment for a hook.
func (t trial) environ() []string {
	if t.p.Name() != "claude" {
		return t.m.Environ
	}
	return append(t.m.Environ[:len(t.m.Environ):len(t.m.Environ)], "CLAUDECODE=1", "CLAUDE_PROJECT_DIR="+t.m.CWD)
}

// try gives the command line one event and returns its answer with what was
// recorded of it, nil if nothing was.
func (t trial) try(ctx context.Context, command string) (reply, *journal.Record, error) {
	dir := t.m.Home.Journal()
	from, err := journal.End(dir)
	if err != nil {
		return reply{}, nil, err
	}
	e := newProbe(t.p, t.m.CWD, command)
	r := run(ctx, t.limit, t.m.CWD, t.environ(), t.argv(), e.payload(t.m.Home.User))
	rec, err := recordOf(dir, from, e.Tool.UseID)
	if rec != nil {
		t.m.probes.ids = append(t.m.probes.ids, rec.ID)
	}
	return r, rec, err
}

// enforces tries the command line with what must be denied. It fails with what
// speaks against it, as a sentence that goes on from "it does not enforce".
func (t trial) enforces(ctx context.Context) error {
	r, rec, err := t.try(ctx, mustDeny)
	if err != nil {
		return fmt.Errorf("the record cannot be read: %w", err)
	}
	if bad := r.ending(t.limit); bad != "" {
		return errors.New(bad)
	}
	if strings.TrimSpace(string(r.stderr)) == "" {
		return errors.New("it wrote no reason to standard error, without which Codex takes exit status 2 for a failure and goes on")
	}
	if err := denies(r.stdout, event.PreToolUse); err != nil {
		if argv := t.argv(); argv[1] == "-lc" {
			err = hint.Wrap(err, "Codex runs hooks by a login shell, and what your profile files print stands before the answer: see what %s -lc true prints", argv[0])
		}
		return err
	}
	switch {
	case rec == nil:
		return fmt.Errorf("it denied and did not record the event in %s", t.m.Home.Journal())
	case rec.Agent != t.p.Name():
		return fmt.Errorf("it answers in the dialect of %q", rec.Agent)
	case rec.Decision != event.Deny || !settled(rec, guardRule):
		return fmt.Errorf("it denied for another reason than the one it should have had: %s", verdict(rec))
	}
	return nil
}

// recordOf finds the record of a tool call from a position on; nil if there is
// none.
func recordOf(dir string, from journal.Position, useID string) (*journal.Record, error) {
	r := journal.NewReader(dir, from)
	defer r.Close()
	for {
		line, err := r.Next()
		switch {
		case err == io.EOF:
			return nil, nil
		case err != nil:
			return nil, err
		case line.Record != nil && line.Record.Session == Session && line.Record.ToolUseID == useID:
			return line.Record, nil
		}
	}
}

func settled(r *journal.Record, rule string) bool {
	for _, x := range r.Reasons {
		if x.Rule == rule && x.Settled {
			return true
		}
	}
	return false
}

// verdict is a recorded verdict in a few words.
func verdict(r *journal.Record) string {
	for _, x := range r.Reasons {
		if x.Settled {
			return fmt.Sprintf("%s by rule %s", past(r.Decision), x.Rule)
		}
	}
	out := fmt.Sprintf("%s by %s", past(r.Decision), r.Basis)
	if len(r.Faults) > 0 {
		out += ": " + firstLine([]byte(r.Faults[0]))
	}
	return out
}

func past(d event.Decision) string {
	switch d {
	case event.Deny:
		return "denied"
	case event.Ask:
		return "asked"
	}
	return "allowed"
}
