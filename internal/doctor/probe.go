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

const (
	// mustDeny, with the id of an event after it, is what no agent may run, whatever
	// the rules are: the guard rule guardRule of this program denies it. It does
	// nothing even if it is run, since there is no such event.
	mustDeny  = "overseer approve "
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
	// env are the variables that the agent's settings add, NAME=value.
	env []string
}

// try gives the command line one event and returns its answer with what was
// recorded of it, nil if nothing was.
func (t trial) try(ctx context.Context, command string) (reply, *journal.Record, error) {
	dir := t.m.Home.Journal()
	from, err := journal.End(dir)
	if err != nil {
		return reply{}, nil, err
	}
	// All ids are as an agent's, and new each time: nothing may tell a trial from
	// the real thing.
	session, turn, id := newUUID(), newUUID(), newCallID()
	p := t.p.Probe(agent.Trial{
		Line: t.entry.Command, Args: t.entry.Args, Settings: t.place.Path, Project: t.place.Scope == install.ProjectScope,
		Command: command, CWD: t.m.CWD, Home: t.m.Home.User, Shell: t.m.Getenv("SHELL"), Version: t.version,
		Session: session, Turn: turn, ID: id,
	})
	p.Env = slices.Concat(t.m.Environ, t.env, p.Env)
	r := run(ctx, t.limit, p)
	rec, err := recordOf(dir, from, session, id)
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
	r, rec, err := t.try(ctx, mustDeny+journal.NewID("ev", time.Now()))
	if err != nil {
		return hint.Wrap(fmt.Errorf("the record cannot be read: %w", err), "see what is said of the folder and of the journal")
	}
	if err := t.denied(r); err != nil {
		return err
	}
	switch {
	case rec == nil:
		return t.unrecorded(fmt.Errorf("it denied and did not record the event in %s", t.m.Home.Journal()))
	case rec.Agent != t.p.Name() && rec.Caller != t.p.Name():
		return fmt.Errorf("it answers in the dialect of %q", rec.Agent)
	case rec.Decision != event.Deny || !settled(rec, guardRule):
		err := fmt.Errorf("it denied for another reason than the one it should have had: %s", verdict(rec))
		if rec.Basis == event.ByFault {
			err = hint.Wrap(err, "mend what it names")
		}
		return err
	}
	return nil
}

// unrecorded adds to a fault of a hook why it could not write its record, where that
// is so: to install it anew would not help.
func (t trial) unrecorded(err error) error {
	if why := journal.Writable(t.m.Home.Journal()); why != nil {
		return fmt.Errorf("%w: %w", err, why)
	}
	return err
}

// newUUID is a random UUID (RFC 9562, version 4), as agents name sessions.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// newCallID is what agents put at the end of the id of a tool call.
func newCallID() string {
	const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	b := make([]byte, 22)
	_, _ = rand.Read(b)
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b)
}

// recordOf finds the record of the probe of an id from a position on; nil if there
// is none.
func recordOf(dir string, from journal.Position, session, id string) (*journal.Record, error) {
	r := journal.NewReader(dir, from)
	defer r.Close()
	for {
		line, err := r.Next()
		switch {
		case err == io.EOF:
			return nil, nil
		case err != nil:
			return nil, err
		case line.Record != nil && line.Record.Session == session && strings.HasSuffix(line.Record.ToolUseID, id):
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
