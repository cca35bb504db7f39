// Package agenttest holds the tests that every agent's provider must pass: it
// decodes recorded payloads field by field, and it answers every event with every
// verdict without breaking what all agents rely on.
package agenttest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// decoded is what a golden file holds: the event without the payload itself.
type decoded struct {
	Agent, Name                                        string
	Native                                             string `json:",omitempty"`
	Caller, Session, Turn, CWD, PermissionMode, Prompt string
	StopActive                                         bool
	Tool                                               tool
}

type tool struct {
	Name                string
	Aliases             []string `json:",omitempty"`
	UseID, Command, URL string
	Paths               []string
	Input               json.RawMessage `json:",omitempty"`
}

// Decode decodes each payload, one file a payload below dir, and compares the
// event with the file of the same name below golden. A file's name begins with the
// agent's own name of its event.
func Decode(t *testing.T, p agent.Provider, dir, golden string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads below %s: %v", dir, err)
	}
	for _, file := range files {
		base := filepath.Base(file)
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			payload, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			e, err := p.Decode("FromArgv", payload)
			if err != nil {
				t.Fatal(err)
			}
			if want := base[:strings.IndexAny(base, "-.")]; e.NativeName() != want {
				t.Errorf("event name %q, want %q", e.NativeName(), want)
			}
			if got := agent.Sniff(payload); got != p.Name() {
				t.Errorf("Sniff says %q, want %q", got, p.Name())
			}
			if !bytes.Equal(e.Raw, bytes.TrimSpace(payload)) {
				t.Errorf("Raw is not the payload:\n%s", e.Raw)
			}
			got, err := json.MarshalIndent(decoded{
				e.Agent, e.Name, e.Native, e.Caller, e.Session, e.Turn, e.CWD, e.PermissionMode, e.Prompt, e.StopActive,
				tool{e.Tool.Name, e.Tool.Aliases, e.Tool.UseID, e.Tool.Command, e.Tool.URL, e.Tool.Paths, e.Tool.Input},
			}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			Golden(t, filepath.Join(golden, base), append(got, '\n'))
		})
	}
}

// Golden compares got with the file's content; with -update it rewrites the file.
func Golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", file, diff)
	}
}

// Texts are reasons that an answer must survive.
func Texts() map[string]string {
	return map[string]string{
		"plain":      `rule block-rm-rf-root: "rm -rf /" && worse`,
		"empty":      "",
		"blank":      " \n\t ",
		"NUL":        "a\x00b",
		"only NUL":   "\x00\x01\x1b",
		"escape":     "\x1b[2J\x1b]0;title\x07red",
		"not UTF-8":  "a\xff\xfe\xc3",
		"JSON":       `{"decision":"allow"}`,
		"a number":   "1",
		"bidi":       "safe\u202Eexe.txt",
		"CRLF":       "one\r\ntwo\rthree",
		"long":       strings.Repeat("long reason ", 1_000),
		"long runes": strings.Repeat("🦀", 9_000),
		"HTML":       "</script><!-- & --> \u2028",
	}
}

// Case is one verdict on one event.
type Case struct {
	Event   event.Event
	Verdict event.Verdict
}

// Cases are all verdicts on all events of p and on two that it does not have.
func Cases(p agent.Provider) []Case {
	names := []string{"", "NoSuchEvent"}
	for _, c := range p.Capabilities() {
		names = append(names, c.Event)
	}
	bases := []event.Basis{
		event.ByRule, event.ByPolicy, event.ByPrecedent, event.ByJudgment, event.ByApproval,
		event.BySafeMode, event.ByDefault, event.ByFault, "", "unknown",
	}
	var out []Case
	for _, name := range names {
		for _, d := range []event.Decision{event.Allow, event.Ask, event.Deny, "", "defer"} {
			for _, b := range bases {
				for i := range 16 {
					e := agent.Named(p, name)
					e.StopActive, e.PermissionMode = i&1 != 0, "default"
					v := event.Verdict{Decision: d, Basis: b, Reason: "because", Silent: i&2 != 0}
					if i&4 != 0 {
						v.Guidance = []string{"mind the gap", ""}
					}
					if i&8 != 0 {
						v.ApproveBy = "overseer approve ev_01"
					}
					out = append(out, Case{e, v})
				}
			}
		}
	}
	return out
}

// Answers checks what no answer of p may break, for all [Cases] and [Texts].
// more, if not nil, checks what only this agent asks for.
func Answers(t *testing.T, p agent.Provider, more func(t *testing.T, c Case, a agent.Answer)) {
	t.Helper()
	for _, c := range Cases(p) {
		check(t, p, c, more)
	}
	for _, c := range Cases(p) {
		if c.Verdict.ApproveBy == "" || c.Verdict.Guidance == nil || c.Verdict.Silent ||
			c.Verdict.Basis != event.ByRule && c.Verdict.Basis != event.ByFault {
			continue // texts have nothing to do with what differs there
		}
		for _, text := range Texts() {
			c.Verdict.Reason, c.Verdict.Guidance, c.Verdict.ApproveBy = text, []string{text, text}, text
			check(t, p, c, more)
		}
	}
}

func check(t *testing.T, p agent.Provider, c Case, more func(t *testing.T, c Case, a agent.Answer)) {
	t.Helper()
	a := p.Encode(&c.Event, &c.Verdict)
	if err := Invariant(c, a); err != nil {
		t.Fatalf("%v\nevent %q stopActive=%v, verdict %.500q\nanswer stdout %.500q stderr %.500q exit %d decision %s degraded %q",
			err, c.Event.Name, c.Event.StopActive, fmt.Sprint(c.Verdict), a.Stdout, a.Stderr, a.ExitCode, a.Decision, a.Degraded)
	}
	if more != nil {
		more(t, c, a)
	}
}

// Invariant says what is wrong with an answer that no agent may be given.
func Invariant(c Case, a agent.Answer) error {
	if len(a.Stdout) > 0 {
		dec := json.NewDecoder(bytes.NewReader(a.Stdout))
		var o map[string]any
		if err := dec.Decode(&o); err != nil || o == nil {
			return fmt.Errorf("stdout is not a JSON object: %v", err)
		}
		if _, err := dec.Token(); err != io.EOF {
			return fmt.Errorf("stdout has more than one document")
		}
		if err := texts(o); err != nil {
			return fmt.Errorf("stdout: %w", err)
		}
	}
	if len(a.Stderr) > 0 {
		if json.Valid(a.Stderr) {
			return fmt.Errorf("stderr reads as JSON")
		}
		if err := text(string(a.Stderr)); err != nil {
			return fmt.Errorf("stderr: %w", err)
		}
	}
	switch a.Decision {
	case event.Deny:
		if len(a.Stdout) == 0 && (a.ExitCode != 2 || len(a.Stderr) == 0) {
			return fmt.Errorf("a deny that says nothing")
		}
	case event.Allow, event.Ask:
		if a.ExitCode != 0 || len(a.Stderr) > 0 {
			return fmt.Errorf("exit %d, stderr %q without a deny", a.ExitCode, a.Stderr)
		}
	default:
		return fmt.Errorf("decision %q", a.Decision)
	}
	switch {
	case a.ExitCode != 0 && a.ExitCode != 2:
		return fmt.Errorf("exit %d", a.ExitCode)
	case a.ExitCode == 2 && len(a.Stderr) == 0:
		return fmt.Errorf("exit 2 without a reason on stderr")
	case a.Decision != c.Verdict.Decision && a.Degraded == "":
		return fmt.Errorf("degraded without saying so")
	case a.Decision == event.Allow && c.Verdict.Basis == event.ByFault && bytes.Contains(a.Stdout, []byte(`"allow"`)):
		return fmt.Errorf("a fault was given as an approval")
	}
	return nil
}

// texts checks every string of a JSON value.
func texts(v any) error {
	switch v := v.(type) {
	case string:
		if v == "" {
			return fmt.Errorf("an empty text")
		}
		return text(v)
	case map[string]any:
		for k, m := range v {
			if err := texts(m); err != nil {
				return fmt.Errorf("%s: %w", k, err)
			}
		}
	}
	return nil
}

func text(s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("not UTF-8")
	}
	if strings.TrimSpace(s) == "" {
		return fmt.Errorf("blank")
	}
	if n := utf8.RuneCountInString(s); n > 4100 {
		return fmt.Errorf("%d characters", n)
	}
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u202E' {
			return fmt.Errorf("control character %U", r)
		}
	}
	return nil
}

// Same fails the test where an answer is not the wanted one.
func Same(t *testing.T, want, got agent.Answer) {
	t.Helper()
	type text struct {
		Stdout, Stderr string
		ExitCode       int
		Decision       event.Decision
		Degraded       string
	}
	of := func(a agent.Answer) text {
		return text{string(a.Stdout), string(a.Stderr), a.ExitCode, a.Decision, a.Degraded}
	}
	if diff := cmp.Diff(of(want), of(got)); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}
