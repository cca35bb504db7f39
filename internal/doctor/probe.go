package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
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

// trial is an entry under trial, run as its agent runs it.
type trial struct {
	m     Machine
	p     agent.Prober
	place *place
	entry install.Entry
	// version is the agent's, "" if unknown.
	version string
	limit   time.Duration
}

// try gives the command line one event and returns its answer with what was
// recorded of it, nil if nothing was.
func (t trial) try(ctx context.Context, command string) (reply, *journal.Record, error) {
	dir := t.m.Home.Journal()
	from, err := journal.End(dir)
	if err != nil {
		return reply{}, nil, err
	}
	id := "doctor" + rand.Text()
	p := t.p.Probe(agent.Trial{
		Line: t.entry.Command, Args: t.entry.Args, Settings: t.place.Path, Project: t.place.Scope == install.ProjectScope,
		Command: command, CWD: t.m.CWD, Home: t.m.Home.User, Shell: t.m.Getenv("SHELL"), Version: t.version,
		Session: Session, ID: id,
	})
	p.Env = append(slices.Clip(t.m.Environ), p.Env...)
	r := run(ctx, t.limit, p)
	rec, err := recordOf(dir, from, id)
	if rec != nil {
		t.m.probes.ids = append(t.m.probes.ids, rec.ID)
	}
	return r, rec, err
}

// denied fails with what keeps the agent from taking the reply for a deny.
func (t trial) denied(r reply) error {
	if bad := r.ending(t.limit); bad != "" {
		return errors.New(bad)
	}
	err := t.p.Denied(agent.Answer{Stdout: r.stdout, Stderr: r.stderr, ExitCode: r.status.ExitStatus()})
	if out := bytes.TrimSpace(r.stdout); err != nil && slices.Contains(r.argv, "-lc") && len(out) > 0 && out[0] != '{' {
		err = hint.Wrap(err, "%s runs hooks by a login shell, and what your profile files print stands before the answer: see what %s -lc true prints",
			t.p.Title(), r.argv[0])
	}
	return err
}

// enforces tries the command line with what must be denied. It fails with what
// speaks against it, as a sentence that goes on from "it does not enforce".
func (t trial) enforces(ctx context.Context) error {
	r, rec, err := t.try(ctx, mustDeny)
	if err != nil {
		return fmt.Errorf("the record cannot be read: %w", err)
	}
	if err := t.denied(r); err != nil {
		return err
	}
	switch {
	case rec == nil:
		return fmt.Errorf("it denied and did not record the event in %s", t.m.Home.Journal())
	case rec.Agent != t.p.Name() && rec.Caller != t.p.Name():
		return fmt.Errorf("it answers in the dialect of %q", rec.Agent)
	case rec.Decision != event.Deny || !settled(rec, guardRule):
		return fmt.Errorf("it denied for another reason than the one it should have had: %s", verdict(rec))
	}
	return nil
}

// recordOf finds the record of the probe of an id from a position on; nil if there
// is none.
func recordOf(dir string, from journal.Position, id string) (*journal.Record, error) {
	r := journal.NewReader(dir, from)
	defer r.Close()
	for {
		line, err := r.Next()
		switch {
		case err == io.EOF:
			return nil, nil
		case err != nil:
			return nil, err
		case line.Record != nil && line.Record.Session == Session && strings.HasSuffix(line.Record.ToolUseID, id):
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
