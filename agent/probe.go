package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Prober is a [Provider] whose registered hooks can be tried: it says how its
// agent asks a hook about a shell command, and what that agent takes for a no.
type Prober interface {
	Provider
	// Probe is how the agent would run the hook of t.
	Probe(t Trial) Process
	// Denied is nil where the agent, given the answer, does not run the command.
	// Else it says what is wrong with the answer, as a sentence about the hook.
	Denied(a Answer) error
}

// Trial is a registered hook and what it is asked about.
type Trial struct {
	// Line is the hook's command line as it stands in the settings. With Args it is
	// the program that the agent starts itself, without a shell.
	Line string
	Args []string
	// Settings is the path of the settings file; Project is true for a project's.
	Settings string
	Project  bool
	// Command is the shell command that the agent is about to run in the folder CWD.
	Command, CWD string
	// Home is the person's home folder, Shell the value of SHELL, Version the
	// agent's version. The last two may be empty.
	Home, Shell, Version string
	// Session is the id of the session, Turn that of the prompt in it, ID the end of
	// that of the tool call. The record of the event is found by the first and the
	// last.
	Session, Turn, ID string
}

// Process is a process as an agent starts it.
type Process struct {
	// Argv is the program with its arguments, Dir the folder that it starts in.
	Argv []string
	Dir  string
	// Env are the variables that the agent adds to its environment, NAME=value.
	Env []string
	// Stdin is all that can be read from standard input.
	Stdin []byte
}

// LoginShell hands a command line to the person's shell, which first reads the
// profile files of a login.
func (t Trial) LoginShell(line string) []string {
	return []string{orElse(t.Shell, "/bin/sh"), "-lc", line}
}

// Line is a payload of these members as one line of JSON.
func Line(members map[string]any) []byte {
	b, err := json.Marshal(members)
	if err != nil {
		panic(err) // texts always encode
	}
	return append(b, '\n')
}

// DeniedByExit is [Prober.Denied] for the agents that a deny reaches by exit
// status 2 with the reason on standard error. Beside them standard output is
// empty, or exactly one [Output] that says deny for the event: with text around it
// no agent reads it, and one of another form undoes the exit status (quirks 2
// and 4).
func DeniedByExit(a Answer, event string) error {
	switch {
	case a.ExitCode != 2:
		return exitError(a, 2)
	case len(bytes.TrimSpace(a.Stderr)) == 0:
		return errors.New("it wrote no reason to standard error, without which Codex takes exit status 2 for a failure and goes on")
	case len(bytes.TrimSpace(a.Stdout)) == 0:
		return nil
	}
	var o Output
	if err := document(a.Stdout, &o); err != nil {
		return err
	}
	switch s := o.Specific; {
	case s == nil:
		return fmt.Errorf("its standard output says no deny: %s", firstLine(a.Stdout))
	case s.Event != event:
		return fmt.Errorf("its standard output answers the event %q, not %s", s.Event, event)
	case s.Permission != "deny":
		return fmt.Errorf("its standard output says %q, not deny", s.Permission)
	case s.PermissionReason == "":
		return errors.New("its standard output denies without a reason")
	}
	return nil
}

// DeniedByJSON is [Prober.Denied] for an agent that a deny reaches by exit status
// 0 and the one member permission. Exit status 2 means deny there too, whatever
// the output.
func DeniedByJSON(a Answer) error {
	switch a.ExitCode {
	case 0:
	case 2:
		return nil
	default:
		return exitError(a, 0)
	}
	if len(bytes.TrimSpace(a.Stdout)) == 0 {
		return errors.New("it gave no answer on standard output")
	}
	var o map[string]json.RawMessage // a struct would take "Permission" too
	if err := document(a.Stdout, &o); err != nil {
		return err
	}
	if p := string(o["permission"]); p != `"deny"` {
		return fmt.Errorf("its standard output says %s, not deny: %s", orElse(p, "nothing"), firstLine(a.Stdout))
	}
	return nil
}

// document reads the one JSON document that standard output must be.
func document(stdout []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(stdout))
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("its standard output is not JSON: %s", firstLine(stdout))
	}
	if err := d.Decode(&struct{}{}); err != io.EOF {
		return fmt.Errorf("its standard output goes on after the JSON: %s", firstLine(stdout[d.InputOffset():]))
	}
	return nil
}

func exitError(a Answer, want int) error {
	said := orElse(firstLine(a.Stderr), firstLine(a.Stdout))
	if said != "" {
		said = ": " + said
	}
	return fmt.Errorf("exit status %d instead of %d%s", a.ExitCode, want, said)
}

// firstLine is the first line of an output that says anything.
func firstLine(b []byte) string {
	line, _, _ := strings.Cut(clean(string(b), maxText), "\n")
	return clean(line, 200)
}
