package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/journal"
)

const (
	// maxInput bounds one event; more is a fault. An agent's largest payload seen
	// is a file's whole content.
	maxInput = 64 << 20
	// deadline is how long one event may take. All agents let a tool run when their
	// own timeout passes (install sets 30 s), so overseer answers well before.
	deadline = 10 * time.Second
	// shortDeadline serves the events that Codex and Claude Code cut off after 1 to
	// 3 s at the end of a session.
	shortDeadline = 800 * time.Millisecond
)

func newHook(w *world, code *int) *cobra.Command {
	var h hookRun
	c := &cobra.Command{
		Use:   "hook [event]",
		Short: "Judge one event (the agents run this)",
		Long: `Hook reads one hook event as JSON from standard input, judges it, records it
and answers on standard output, standard error and by the exit code, in the
agent's own dialect. "overseer install" registers it.`,
		Args: cobra.ArbitraryArgs,
		// Only help gets here; see runHook.
		RunE: func(*cobra.Command, []string) error {
			*code, _ = runHook(w)
			return nil
		},
	}
	h.flags(c.Flags())
	return c
}

// runHook is the hook without the other commands and without cobra's own work:
// it runs at every step of an agent. ok is false where the arguments ask for help.
func runHook(w *world) (code int, ok bool) {
	var h hookRun
	f := pflag.NewFlagSet("hook", pflag.ContinueOnError)
	h.flags(f)
	// A flag that a newer install wrote must not keep an event from being judged.
	f.ParseErrorsAllowlist.UnknownFlags = true
	f.Usage = func() {}
	switch err := f.Parse(w.args[1:]); {
	case errors.Is(err, pflag.ErrHelp):
		return 0, false
	case err != nil:
		h.faults = append(h.faults, "arguments of the hook: "+err.Error())
	}
	if f.NArg() > 0 && h.name == "" {
		h.name = f.Arg(0)
	}
	return h.run(w), true
}

// hookRun judges one event.
type hookRun struct {
	agent  string // --agent
	name   string // the event named on the command line
	home   string // --home
	faults []string
}

func (h *hookRun) flags(f *pflag.FlagSet) {
	f.StringVar(&h.agent, "agent", "", "the agent that calls: "+strings.Join(agent.Names(), ", ")+" (default: by the payload)")
	f.StringVar(&h.name, "event", "", "the event's name, where the payload has none")
	f.StringVar(&h.home, "home", "", "overseer's folder, whatever the environment says")
}

// run answers one event and returns the exit code. Whichever comes first, the
// verdict, a panic or the deadline, is the one answer.
func (h *hookRun) run(w *world) (code int) {
	limit := h.limit()
	var once sync.Once
	answer := func(a agent.Answer) {
		once.Do(func() {
			_, _ = w.stdout.Write(a.Stdout)
			_, _ = w.stderr.Write(a.Stderr)
			code = a.ExitCode
		})
	}
	timer := time.AfterFunc(limit-w.now().Sub(w.started), func() {
		late := h.fault(w, nil, fmt.Sprintf("no verdict within %v", limit), "")
		once.Do(func() {
			_, _ = w.stdout.Write(late.Stdout)
			_, _ = w.stderr.Write(late.Stderr)
			os.Exit(late.ExitCode)
		})
	})
	defer timer.Stop()
	defer func() {
		if p := recover(); p != nil {
			answer(h.fault(w, nil, fmt.Sprintf("panic: %v", p), string(debug.Stack())))
		}
	}()
	answer(h.judge(w))
	return code
}

// limit is how long this event may take.
func (h *hookRun) limit() time.Duration {
	switch h.name {
	case event.SessionEnd, event.Interrupt:
		return shortDeadline
	}
	return deadline
}

// judge takes one event from standard input to its recorded answer.
func (h *hookRun) judge(w *world) agent.Answer {
	t := journal.Timings{}
	payload, err := readAll(w.stdin)
	t.Read = since(w)
	p, faults := h.provider(payload)
	faults = append(faults, h.faults...)
	if err != nil {
		return h.fault(w, p, "read the event: "+err.Error(), "")
	}
	if len(payload) > maxInput {
		return h.fault(w, p, fmt.Sprintf("the event is larger than %d MiB", maxInput>>20), "")
	}
	e, err := p.Decode(h.name, payload)
	if err != nil {
		return h.fault(w, p, "read the event: "+err.Error(), "")
	}
	e.ID, e.Time = journal.NewID("ev", w.now()), w.now()
	if e.Name == "" && e.Tool.Name != "" {
		e.Name = event.PreToolUse // the strictest reading of a call that does not say when
	}
	e.Caller = agent.CallerOf(&e, w.getenv)
	t.Decode = since(w) - t.Read

	hm, err := w.homeAt(h.home)
	if err != nil {
		faults = append(faults, err.Error())
	}
	l := loadFor(hm, &e, w)
	v := engine.Decide(w.input(hm, &e, l, faults))
	v.ApproveBy = "overseer approve " + e.ID
	t.Judge = since(w) - t.Decode - t.Read
	a := p.Encode(&e, &v)
	if err := record(hm, l, w, &e, &v, a, t, h.limit()-time.Second/4); err != nil {
		v = engine.Unrecorded(&e, v, l.Config.OnFault, err.Error())
		a = p.Encode(&e, &v)
	}
	return a
}

// readAll reads an event, at most a byte more than maxInput. Other than [io.ReadAll] it
// doubles its room, which copies many megabytes twice and not five times.
func readAll(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	_, err := b.ReadFrom(io.LimitReader(r, maxInput+1))
	return b.Bytes(), err
}

// provider finds the agent whose dialect the event speaks: the one named by
// --agent, else by the payload's own marks.
func (h *hookRun) provider(payload []byte) (agent.Provider, []string) {
	var faults []string
	if h.agent != "" {
		p, err := agent.Lookup(h.agent)
		if err == nil {
			return p, nil
		}
		faults = append(faults, err.Error())
	}
	p, err := agent.Lookup(agent.Sniff(payload))
	if err != nil {
		p = agent.All()[0]
	}
	return p, faults
}

// fault answers an event that could not be judged at all, and records it as far
// as that is possible. p is nil where the payload was not seen.
func (h *hookRun) fault(w *world, p agent.Provider, what, detail string) agent.Answer {
	if p == nil {
		p, _ = h.provider(nil)
	}
	name := h.name
	if name == "" {
		name = event.PreToolUse // the strictest reading of an event that names itself nowhere
	}
	e := agent.Named(p, name)
	e.ID, e.Time, e.CWD = journal.NewID("ev", w.now()), w.now(), w.cwd()
	e.Caller = agent.CallerOf(&e, w.getenv) // which may not obey p's form of an ask
	l := home.Loaded{Config: config.Default()}
	hm, err := w.homeAt(h.home)
	if err == nil {
		l.Config, _, _ = config.Load(l.Config, hm.Root)
		l.Key, l.KeyError = hm.Key()
	}
	v := engine.Fault(&e, l.Config.OnFault, what)
	if detail != "" {
		v.Faults = append(v.Faults, detail)
	}
	a := p.Encode(&e, &v)
	if err := record(hm, l, w, &e, &v, a, journal.Timings{}, h.limit()+time.Second/4); err != nil {
		v.Faults = append(v.Faults, err.Error())
	}
	return a
}

// record appends the event and its answer to the journal.
func record(hm home.Home, l home.Loaded, w *world, e *event.Event, v *event.Verdict, a agent.Answer, t journal.Timings, limit time.Duration) error {
	if !hm.Exists() {
		return fmt.Errorf("%s does not exist: run \"overseer init\"", hm.Root)
	}
	t.Total = since(w)
	secrets := l.Config.Privacy.Secrets()
	// Without a key, fingerprints can be guessed at.
	r := journal.FromEvent(e, v, a.Decision, a.Degraded, t, secrets, w.action.of(e, l.Key))
	for _, err := range secrets.Met() {
		// It is the record that lacks something; the verdict was reached in full.
		r.Faults = append(slices.Clip(r.Faults), err.Error())
	}
	sync := v.Decision != event.Allow || l.Config.Ledger.Sync == "always"
	ctx, cancel := context.WithDeadline(context.Background(), w.started.Add(limit))
	defer cancel()
	return journal.Append(ctx, hm.Journal(), r, journal.Options{Sync: sync, Secrets: secrets})
}

// maxScript bounds how much of a script that a command runs is read.
const maxScript = 1 << 20

// since is the time since the process began, in microseconds.
func since(w *world) int64 { return w.now().Sub(w.started).Microseconds() }
