//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/e2e/model"
	"github.com/fireharp/overseer/internal/judgment/judgmenttest"
)

// hookmonName is the name that hookmon's flags, logs and policies have for the
// agent.
func (a *agent) hookmonName() string {
	if a == claude {
		return "claudecode"
	}
	return a.name
}

// hookmonProgram is the program under test under the name hookmon: not a copy by
// a link, but a file of its own, as "go build -o hookmon ." makes one.
var hookmonProgram = sync.OnceValues(func() (string, error) {
	path := filepath.Join(overseerDir, "hookmon")
	return path, os.Link(filepath.Join(overseerDir, "overseer"), path)
})

// monitored is a world in which hookmon, and not overseer, is the agent's hook
// command.
type monitored struct {
	*world
	log, policyLog string
	witness        string // a folder with what the agent gave to a second hook
}

// onEachMonitored runs a test on every agent that was asked for, with hookmon
// registered. flags are added to its command line.
func onEachMonitored(t *testing.T, test func(t *testing.T, m *monitored), flags ...string) {
	for _, a := range agents {
		t.Run(a.label, func(t *testing.T) {
			t.Parallel()
			m := newMonitored(t, a)
			m.register("", flags...)
			test(t, m)
		})
	}
}

func newMonitored(t *testing.T, a *agent) *monitored {
	t.Helper()
	w := bareWorld(t, a)
	root := filepath.Dir(w.home)
	m := &monitored{
		world:     w,
		log:       filepath.Join(root, "logs", "hooks.log"),
		policyLog: filepath.Join(root, "logs", "denied.log"),
		witness:   filepath.Join(root, "witness"),
	}
	for _, dir := range []string{filepath.Dir(m.log), m.witness} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// example is the file in which the examples register hookmon for the agent, and
// where the agent looks for it: Claude Code's is the project's.
func (m *monitored) example() (content []byte, path string) {
	m.Helper()
	from, path := filepath.Join("..", "examples", "codex", "hooks.json"), filepath.Join(m.home, ".codex", "hooks.json")
	if m.agent == claude {
		from, path = filepath.Join("..", "examples", "claudecode", "settings.json"), m.file(".claude/settings.json")
	}
	content, err := os.ReadFile(from)
	if err != nil {
		m.Fatal(err)
	}
	return content, path
}

// register writes the example with this world's paths in it, and a second hook
// for every event which keeps what the agent gave it. The command is run by
// wrapper, if that is given, and ends in flags.
func (m *monitored) register(wrapper string, flags ...string) {
	m.Helper()
	program, err := hookmonProgram()
	if err != nil {
		m.Fatal(err)
	}
	quoted := func(s string) string { return "'" + s + "'" }
	example, path := m.example()
	var settings map[string]any
	if err := json.Unmarshal(example, &settings); err != nil {
		m.Fatal(err)
	}
	hooks, _ := settings["hooks"].(map[string]any)
	for event, groups := range hooks {
		all, _ := groups.([]any)
		group, _ := all[0].(map[string]any)
		handlers, _ := group["hooks"].([]any)
		handler, _ := handlers[0].(map[string]any)
		command, _ := handler["command"].(string)
		argv := strings.Fields(strings.ReplaceAll(command, `"`, ""))
		if len(argv) != 5 || filepath.Base(argv[0]) != "hookmon" || filepath.Base(argv[4]) != "hooks.log" {
			m.Fatalf("the example's command for %s is %q", event, command)
		}
		argv[0], argv[4] = quoted(program), quoted(m.log)
		if wrapper != "" {
			argv = slices.Insert(argv, 0, quoted(wrapper))
		}
		argv = append(argv, "--policy-log-file", quoted(m.policyLog))
		for _, f := range flags {
			argv = append(argv, quoted(f))
		}
		handler["command"] = strings.Join(argv, " ")
		group["hooks"] = append(handlers, map[string]any{
			"type":    "command",
			"command": fmt.Sprintf("f=$(mktemp '%s/%s.XXXXXX') && cat > \"$f\"", m.witness, event),
		})
	}
	content, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		m.Fatal(err)
	}
	m.write(path, string(content))
}

// policy writes the project's policy, where hookmon finds it by itself.
func (m *monitored) policy(text string) {
	m.Helper()
	m.write(m.file(".hookmon-policy.yaml"), text)
}

// logged lists the log's lines, of whatever event. Each is the envelope of a
// payload by this agent.
func (m *monitored) logged() (payloads []string) {
	m.Helper()
	content, err := os.ReadFile(m.log)
	if err != nil {
		m.Fatal(err)
	}
	if !bytes.HasSuffix(content, []byte("}\n")) {
		m.Errorf("the log does not end with a whole line: %q", tail(string(content)))
	}
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSuffix(line, "\n")
		var e map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			m.Errorf("not one JSON object: %v: %s", err, line)
			continue
		}
		payload := string(e["payload"])
		if want := fmt.Sprintf(`{"agent":%q,"payload":%s}`, m.agent.hookmonName(), payload); line != want {
			m.Errorf("not the envelope of a payload: %s", line)
		}
		payloads = append(payloads, payload)
	}
	return payloads
}

// witnessed lists what the agent gave to the second hook.
func (m *monitored) witnessed() (payloads []string) {
	m.Helper()
	files, err := os.ReadDir(m.witness)
	if err != nil {
		m.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(m.witness, f.Name()))
		if err != nil {
			m.Fatal(err)
		}
		payloads = append(payloads, strings.TrimSpace(string(b)))
	}
	return payloads
}

// complete asserts that the log holds exactly what the agent gave out: each event
// once, to the byte. It gives back how often each event is there.
func (m *monitored) complete() map[string]int {
	m.Helper()
	got, want := m.logged(), m.witnessed()
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		m.Errorf("the log is not what the agent gave out (-given +logged):\n%s", diff)
	}
	count := map[string]int{}
	for _, payload := range got {
		var e struct {
			Name string `json:"hook_event_name"`
		}
		if err := json.Unmarshal([]byte(payload), &e); err != nil || e.Name == "" {
			m.Errorf("an event without a name (%v): %s", err, payload)
		}
		count[e.Name]++
	}
	return count
}

// denial is one line of the policy log.
type denial struct {
	Time, Agent, Event, Tool, Path, Command, Action, Reason string
	Judgment                                                string
	Value                                                   float64 `json:"judgment_value"`
	Condition                                               string  `json:"judgment_condition"`
}

// denied lists the policy log, without the times, which it checks.
func (m *monitored) denied() (all []denial) {
	m.Helper()
	content, err := os.ReadFile(m.policyLog)
	if err != nil && !os.IsNotExist(err) {
		m.Fatal(err)
	}
	for line := range bytes.Lines(content) {
		var d denial
		if err := json.Unmarshal(line, &d); err != nil {
			m.Fatalf("%v: %s", err, line)
		}
		if _, err := time.Parse(time.RFC3339, d.Time); err != nil {
			m.Error(err)
		}
		d.Time = ""
		all = append(all, d)
	}
	return all
}

// The policies of the tests; a word in each reason occurs nowhere else.
const (
	hookmonPolicy = `rules:
  - event: PreToolUse
    commands: ["forbidden"]
    action: deny
    reason: "The quartz policy forbids this."
  - event: PreToolUse
    commands: ["delicate"]
    action: ask
    reason: "The zinc policy wants a person to look."
  - event: PreToolUse
    paths: [".env", "vault/"]
    action: deny
    reason: "The jade policy guards secrets."
  - event: PreToolUse
    commands: ["harmless"]
    action: allow
`
	quartz, zinc, jade = "The quartz policy forbids this.", "The zinc policy wants a person to look.", "The jade policy guards secrets."

	judgedPolicy = `judgments:
  destroys_work:
    type: noul
    instructions: Would running this destroy work?
rules:
  - event: PreToolUse
    commands: ["touch judged"]
    when: { destroys_work: ">= 0.85" }
    on-error: ask
    action: deny
    reason: "The basalt policy keeps work from harm."
`
	basalt = "The basalt policy keeps work from harm."
)

// Without a policy hookmon watches and never blocks, and its log holds every event
// that the agent gave out, calls that the agent makes at the same time included.
func TestHookmonObserves(t *testing.T) {
	onEachMonitored(t, func(t *testing.T, m *monitored) {
		const together = 6
		steps := []model.Step{model.Shell("touch forbidden"), model.Write(m.file(".env"), "A=ü <&>\n"), model.Shell("false")}
		var calls []model.Step
		for i := range together {
			calls = append(calls, model.Shell(fmt.Sprintf("touch together-%d", i)))
		}
		m.run(options{}, append(steps, model.Together(calls...))...)
		m.exists("forbidden")
		m.exists(".env")
		for i := range together {
			m.exists(fmt.Sprintf("together-%d", i))
		}
		count := m.complete()
		for event, least := range map[string]int{
			"SessionStart": 1, "UserPromptSubmit": 1, "Stop": 1,
			"PreToolUse": len(steps) + together, "PostToolUse": len(steps) - 1 + together,
		} {
			if count[event] < least {
				t.Errorf("%s is logged %d times, want %d: %v", event, count[event], least, count)
			}
		}
		if _, err := os.Lstat(m.policyLog); err == nil {
			t.Errorf("without a policy a deny was recorded: %+v", m.denied())
		}
	})
}

// To observe is not to approve: what Claude Code would ask its person about it
// still does, also where a rule of the policy says allow.
func TestHookmonApprovesNothing(t *testing.T) {
	t.Parallel()
	m := newMonitored(t, claude)
	m.register("")
	m.run(options{careful: true}, model.Shell("touch unapproved"), model.Later(func(*model.Server) model.Step {
		m.policy(hookmonPolicy)
		return model.Shell("touch harmless")
	}))
	m.missing("unapproved")
	m.missing("harmless")
	m.complete()
}

// The example for Claude Code works as it stands, with the program in the project
// as the document builds it.
func TestHookmonExampleForClaude(t *testing.T) {
	t.Parallel()
	m := newMonitored(t, claude)
	content, path := m.example()
	m.write(path, string(content))
	program, err := hookmonProgram()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(program, m.file("hookmon")); err != nil {
		t.Fatal(err)
	}
	m.policy(hookmonPolicy)
	s := m.run(options{}, model.Shell("mkdir -p deep && cd deep && touch harmless"), model.Shell("touch forbidden"))
	m.exists("deep/harmless")
	m.missing("forbidden")
	m.missing("deep/forbidden")
	m.told(s, 1, quartz)
	m.log = m.file("hooks.log")
	if n := len(m.logged()); n < 6 {
		t.Errorf("the log has %d events", n)
	}
	// The default place is beside the policy, wherever the agent has gone.
	m.policyLog = m.file(".hookmon-policy.log")
	if d := m.denied(); len(d) != 1 || d[0].Reason != quartz {
		t.Errorf("recorded %+v, want one deny", d)
	}
}

// A deny of the policy blocks, tells the model why, and is recorded; an ask without
// a person at the agent's side refuses. Neither keeps an event out of the log.
func TestHookmonPolicy(t *testing.T) {
	onEachMonitored(t, func(t *testing.T, m *monitored) {
		m.policy(hookmonPolicy)
		s := m.run(options{},
			model.Shell("touch forbidden"),
			model.Shell("touch delicate"),
			model.Shell("touch harmless"),
			model.Write(m.file("vault/key.txt"), "secret\n"),
			model.Write(m.file("open.txt"), "plain\n"),
		)
		m.missing("forbidden")
		m.missing("delicate")
		m.exists("harmless")
		m.missing("vault")
		m.exists("open.txt")
		m.told(s, 0, quartz)
		ask := []string{zinc}
		if m.agent != claude {
			ask = append(ask, "Codex CLI cannot ask for it here")
		}
		told := m.told(s, 1, ask...)
		if strings.Contains(told, "overseer approve") {
			t.Errorf("hookmon takes no approvals, and yet the model is told of them: %q", told)
		}
		m.told(s, 3, jade)

		shell := denial{Agent: m.agent.hookmonName(), Event: "PreToolUse", Tool: "Bash", Command: "touch forbidden", Action: "deny", Reason: quartz}
		file := denial{Agent: m.agent.hookmonName(), Event: "PreToolUse", Tool: "Write", Path: m.file("vault/key.txt"), Action: "deny", Reason: jade}
		if m.agent != claude {
			file.Tool = "apply_patch"
		}
		if diff := cmp.Diff([]denial{shell, file}, m.denied()); diff != "" {
			t.Errorf("the policy log (-want +got):\n%s", diff)
		}
		if count := m.complete(); count["PreToolUse"] != 5 || count["PostToolUse"] != 2 {
			t.Errorf("logged %v, want 5 PreToolUse and 2 PostToolUse", count)
		}
	})
}

// With a person at its side Claude Code puts the policy's question to them.
func TestHookmonAsksThePerson(t *testing.T) {
	for name, yes := range map[string]bool{"yes": true, "no": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMonitored(t, claude)
			m.register("")
			m.policy(hookmonPolicy)
			p := &person{yes: yes}
			// Not careful: nobody but the policy has anything to ask.
			m.runWith(p, options{}, model.Shell("touch delicate"), model.Shell("touch harmless"))
			m.exists("harmless")
			if len(p.asked) != 1 || p.asked[0].tool != "Bash" || !strings.Contains(p.asked[0].reason, zinc) {
				t.Fatalf("the person was asked %+v, want one question with the reason", p.asked)
			}
			if yes {
				m.exists("delicate")
			} else {
				m.missing("delicate")
			}
			if d := m.denied(); len(d) != 0 {
				t.Errorf("an ask was recorded as a deny: %+v", d)
			}
		})
	}
}

// Where Codex would ask its person, a deny of the policy settles it, and an ask leaves
// the question to Codex.
func TestHookmonCodexPermissionRequest(t *testing.T) {
	for _, c := range []struct {
		name, action string
		yes          bool
		asked        int
		runs         bool
		told         string
	}{
		{"deny", "deny", true, 0, false, "The slate policy."},
		{"ask, yes", "ask", true, 1, true, ""},
		{"ask, no", "ask", false, 1, false, "rejected by user"},
		{"allow is no approval", "allow", false, 1, false, "rejected by user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newMonitored(t, codex)
			m.register("")
			m.policy("rules: [{event: PermissionRequest, action: " + c.action + ", reason: The slate policy.}]")
			m.trustHooks()
			p := &person{yes: c.yes}
			s := m.runWith(p, options{careful: true}, model.Shell("touch marker"))
			if len(p.asked) != c.asked {
				t.Errorf("the person was asked %d times, want %d: %+v", len(p.asked), c.asked, p.asked)
			}
			if c.runs {
				m.exists("marker")
			} else {
				m.missing("marker")
				m.told(s, 0, c.told)
			}
			if count := m.complete(); count["PermissionRequest"] != 1 {
				t.Errorf("logged %v, want one PermissionRequest", count)
			}
		})
	}
}

// A policy that cannot be read blocks nothing, and the events are logged all the
// same.
func TestHookmonBrokenPolicy(t *testing.T) {
	onEachMonitored(t, func(t *testing.T, m *monitored) {
		m.policy(strings.ReplaceAll(hookmonPolicy, "commands:", "command:"))
		m.run(options{}, model.Shell("touch forbidden"), model.Shell("touch delicate"))
		m.exists("forbidden")
		m.exists("delicate")
		m.complete()
	})
}

// A when clause blocks where the judgment reaches the threshold, and not below it.
// Where no answer is to be had on-error counts, and without a key the rule is inert.
func TestHookmonWhen(t *testing.T) {
	onEachMonitored(t, func(t *testing.T, m *monitored) {
		m.policy(judgedPolicy)
		judge := judgmenttest.New(t)
		m.env = []string{"HOOKMON_TYPESAFE_ENDPOINT=" + judge.Endpoint, "HOOKMON_TYPESAFE_API_KEY=" + judgmenttest.Key}
		answer := func(value float64, step model.Step) model.Step {
			return model.Later(func(*model.Server) model.Step {
				judge.Answer("destroys_work", value)
				return step
			})
		}
		s := m.run(options{},
			answer(0.92, model.Shell("touch judged-above")),
			answer(0.84, model.Shell("touch judged-below")),
			model.Shell("touch harmless"),                   // matches no rule, so nothing is asked
			answer(0.92, model.Shell("touch judged-below")), // judged already
		)
		m.missing("judged-above")
		m.told(s, 0, basalt)
		m.exists("judged-below")
		m.exists("harmless")
		if told, _ := s.Told(3); strings.Contains(told.Text, basalt) {
			t.Error("the answer to the same command was not used again")
		}
		var asked []string
		for _, r := range judge.Requests() {
			var state struct {
				Agent, Event, Tool string
				Input              struct{ Command string } `json:"tool_input"`
			}
			if err := json.Unmarshal(r.State, &state); err != nil {
				t.Fatal(err)
			}
			asked = append(asked, state.Input.Command)
			if len(r.Questions) != 1 || r.Questions["destroys_work"].Type != "noul" {
				t.Errorf("asked %+v", r.Questions)
			}
		}
		if diff := cmp.Diff([]string{"touch judged-above", "touch judged-below"}, asked); diff != "" {
			t.Errorf("judged (-want +got):\n%s", diff)
		}
		fired := denial{
			Agent: m.agent.hookmonName(), Event: "PreToolUse", Tool: "Bash", Command: "touch judged-above", Action: "deny", Reason: basalt,
			Judgment: "destroys_work", Value: 0.92, Condition: ">= 0.85",
		}
		if diff := cmp.Diff([]denial{fired}, m.denied()); diff != "" {
			t.Errorf("the policy log (-want +got):\n%s", diff)
		}

		m.env[0] = "HOOKMON_TYPESAFE_ENDPOINT=" + nobody(t)
		s = m.run(options{}, model.Shell("touch judged-by-nobody"))
		m.missing("judged-by-nobody")
		m.told(s, 0, basalt)

		m.env = nil
		m.run(options{}, model.Shell("touch judged-without-a-key"))
		m.exists("judged-without-a-key")
		if d := m.denied(); len(d) != 1 {
			t.Errorf("an ask or an inert rule was recorded as a deny: %+v", d)
		}
		m.complete()
	})
}

// nobody is an endpoint where no server listens any more.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/v1/systemone"
}

// A log that cannot be written stops no tool; hookmon warns on standard error. The
// policy holds all the same.
func TestHookmonUnwritableLog(t *testing.T) {
	for _, a := range agents {
		t.Run(a.label, func(t *testing.T) {
			t.Parallel()
			m := newMonitored(t, a)
			m.log = filepath.Join(filepath.Dir(m.home), "no", "such", "folder", "hooks.log")
			m.policyLog = m.log
			// Keeps a copy of standard error and changes nothing.
			warnings := filepath.Join(filepath.Dir(m.home), "warnings")
			listener := filepath.Join(m.bin, "listener")
			m.write(listener, fmt.Sprintf("#!/bin/sh\nf=$(mktemp '%s.XXXXXX')\n\"$@\" 2>\"$f\"\ncode=$?\ncat \"$f\" >&2\nexit $code\n", warnings))
			if err := os.Chmod(listener, 0o755); err != nil {
				t.Fatal(err)
			}
			m.register(listener)
			m.policy(hookmonPolicy)
			s := m.run(options{}, model.Shell("touch harmless"), model.Shell("touch forbidden"))
			m.exists("harmless")
			m.missing("forbidden")
			m.told(s, 1, quartz)
			if _, err := os.Lstat(filepath.Join(filepath.Dir(m.home), "no")); err == nil {
				t.Error("hookmon made the log's folder")
			}

			given := len(m.witnessed())
			heard, err := filepath.Glob(warnings + ".*")
			if err != nil {
				t.Fatal(err)
			}
			if given == 0 || len(heard) != given {
				t.Errorf("hookmon ran %d times, the agent gave out %d events", len(heard), given)
			}
			for _, file := range heard {
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(b), "hookmon: warning: the event is not logged: ") {
					t.Errorf("no warning on standard error, but %q", b)
				}
			}
		})
	}
}
