// Package doctor finds out whether what is installed enforces. It does not read
// the settings and conclude: it runs the very command lines that the agents
// would run, with an event that must be denied, and looks at the answer and at
// the record of it.
//
// Each subject has a file and is a method of [Machine] that yields a [Result]
// for what is well, or one for each fault. An examination changes nothing; the
// probe events stay in the record, each of a session of its own.
package doctor

import (
	"context"
	"fmt"
	"iter"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/ledger"
)

// State is what an examination of one subject came to.
type State string

// The states. Only [Failed] means that something installed does not enforce.
const (
	OK      State = "ok"
	Warning State = "warning" // it works, and is probably not as meant
	Failed  State = "failed"
	Absent  State = "absent" // not installed, so there is nothing to prove
)

// Result is what was found of one subject.
type Result struct {
	// Name is the subject in kebab case, e.g. "claude-user". A subject with
	// several faults has a result for each.
	Name  string `json:"name"`
	State State  `json:"state"`
	// Text says what was found, in one line.
	Text string `json:"text"`
	// Hints say what mends it: commands to type, or what to do by hand.
	Hints []string `json:"hints,omitempty"`

	proof bool // the result is the proof that one installed place enforces
}

func result(name string, s State, hints []string, format string, args ...any) Result {
	return Result{Name: name, State: s, Text: fmt.Sprintf(format, args...), Hints: hints}
}

// Machine is what is examined, as the command sees it. All fields are needed
// except where they say otherwise.
type Machine struct {
	Home home.Home
	// CWD is the folder whose project is examined too, absolute.
	CWD string
	// Program is the absolute path of this overseer, Version its version. Cgo is
	// true if it links the C library.
	Program, Version string
	Cgo              bool
	// Environ is the environment of the hooks that are run.
	Environ []string
	Getenv  func(string) string
	// LookPath finds a program as [os/exec.LookPath] does.
	LookPath func(string) (string, error)
	// AgentVersion is the version of an agent's program, "" if there is none.
	AgentVersion func(agent.Provider) string
	// AllowMeans says in a sentence what an allow by default means.
	AllowMeans func(config.Config) string
	// OpenLedger opens the ledger with the journal taken in, and says what that did.
	OpenLedger func(context.Context) (ledger.Store, ledger.Intake, error)

	probes *probes
	was    error // what was wrong with the snapshot of rulings
}

// probes are the ids of the events that the examination left in the record.
type probes struct{ ids []string }

// Examine yields the results as they are found. Ending ctx ends it early, and
// kills what it runs.
func (m Machine) Examine(ctx context.Context) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		m.probes, m.was = &probes{}, m.snapshot()
		checks := []func(context.Context) iter.Seq[Result]{
			plain(m.program), plain(m.folder), plain(m.settings), plain(m.rules),
			// Before anything else is taken in.
			m.server,
			// Before the trials, which make the journal longer.
			m.shortened,
		}
		for _, p := range agent.All() {
			checks = append(checks, func(ctx context.Context) iter.Seq[Result] { return m.agent(ctx, p) })
		}
		// Last, so that it also takes in what the probes left.
		checks = append(checks, plain(m.journal), m.ledger)
		for _, check := range checks {
			for r := range check(ctx) {
				if ctx.Err() != nil || !yield(r) {
					return
				}
			}
		}
	}
}

// plain is a check that is quick and runs nothing.
func plain(check func() []Result) func(context.Context) iter.Seq[Result] {
	return func(context.Context) iter.Seq[Result] {
		return func(yield func(Result) bool) {
			for _, r := range check() {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Conclude says in one sentence what the results come to, and whether
// everything that is installed enforces.
func Conclude(results []Result) (text string, well bool) {
	failed, proofs := 0, 0
	for _, r := range results {
		switch {
		case r.State == Failed:
			failed++
		case r.proof:
			proofs++
		}
	}
	switch {
	case failed == 1:
		return "1 check failed", false
	case failed > 1:
		return fmt.Sprintf("%d checks failed", failed), false
	case proofs == 0:
		return `nothing is installed, so nothing is enforced: run "overseer install"`, true
	}
	return "everything that is installed enforces", true
}
