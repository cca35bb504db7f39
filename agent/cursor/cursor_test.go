package cursor_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/agent/agenttest"
	_ "github.com/fireharp/overseer/agent/claudecode" // whose entries Cursor runs too
	_ "github.com/fireharp/overseer/agent/codex"      // so that sniffing has a choice
	_ "github.com/fireharp/overseer/agent/cursor"
	"github.com/fireharp/overseer/event"
)

func provider(t testing.TB, name string) agent.Provider {
	t.Helper()
	p, err := agent.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func cursor(t testing.TB) agent.Provider { t.Helper(); return provider(t, "cursor") }

// TestDecodeConstructed decodes payloads that were made up by hand from the
// documented fields: there are no recorded ones.
func TestDecodeConstructed(t *testing.T) {
	t.Parallel()
	agenttest.Decode(t, cursor(t), "testdata/constructed", "testdata/golden/constructed")
}

func TestEveryEventHasAPayload(t *testing.T) {
	t.Parallel()
	for _, c := range cursor(t).Capabilities() {
		if files, err := filepath.Glob("testdata/constructed/" + c.Event + "*.json"); err != nil || len(files) == 0 {
			t.Errorf("no payload of %s: %v", c.Event, err)
		}
	}
}

func decode(t *testing.T, entry, name, payload string) event.Event {
	t.Helper()
	e, err := provider(t, entry).Decode(name, []byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNames(t *testing.T) {
	t.Parallel()
	about := []string{"preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead", "subagentStart"}
	tests := []struct{ argv, payload, name, native string }{
		{"preToolUse", `{}`, "PreToolUse", "preToolUse"},
		{"PreToolUse", `{}`, "PreToolUse", "preToolUse"},
		{"BEFORESHELLEXECUTION", `{}`, "PreToolUse", "beforeShellExecution"},
		{"stop", `{"hook_event_name":"beforeReadFile"}`, "PreToolUse", "beforeReadFile"},
		{"subagentStart", `{}`, "PreToolUse", "subagentStart"},
		{"SubagentStart", `{}`, "PreToolUse", "subagentStart"},
		{"UserPromptSubmit", `{}`, "UserPromptSubmit", "beforeSubmitPrompt"},
		{"afterFileEdit", `{}`, "PostToolUse", "afterFileEdit"},
		{"PostToolUse", `{}`, "PostToolUse", "postToolUse"},
		{"afterAgentThought", `{}`, "afterAgentThought", ""},
		{"WORKSPACEOPEN", `{}`, "workspaceOpen", ""},
		{"", `{"hook_event_name":"beforeEverything"}`, "beforeEverything", ""},
		{"", `{}`, "", ""},
	}
	for _, tt := range tests {
		e := decode(t, "cursor", tt.argv, tt.payload)
		if e.Name != tt.name || e.Native != tt.native || e.Agent != "cursor" {
			t.Errorf("%s %s: %q, natively %q", tt.argv, tt.payload, e.Name, e.Native)
		}
		if got, want := e.AboutToRun(), slices.Contains(about, e.NativeName()); got != want {
			t.Errorf("%s: about to run is %v", e.NativeName(), got)
		}
	}
	// What cannot be read is named all the same, so that the fault can be answered.
	e, err := cursor(t).Decode("beforeshellexecution", []byte(`{"command":`))
	if err == nil || e.Native != "beforeShellExecution" || !e.AboutToRun() || e.Agent != "cursor" {
		t.Errorf("event %+v, error %v", e, err)
	}
}

func TestDecodeFields(t *testing.T) {
	t.Parallel()
	type fields struct {
		Session, Turn, CWD, Tool, Command, Input string
		Aliases, Paths                           []string
		StopActive                               bool
	}
	const root = `"workspace_roots":["/r","/s"]`
	tests := []struct {
		name, in string
		want     fields
	}{
		{"conversation for a session", `{"conversation_id":"c","generation_id":"g"}`, fields{Session: "c", Turn: "g"}},
		{"session before conversation", `{"conversation_id":"c","session_id":"s"}`, fields{Session: "s"}},
		{"first root for a folder", `{` + root + `}`, fields{CWD: "/r"}},
		{"roots of another type", `{"workspace_roots":[1,"",{"a":1},"/s"]}`, fields{CWD: "/s"}},
		{"no array of roots", `{"workspace_roots":"/r"}`, fields{}},
		{"folder before root", `{"cwd":"/c",` + root + `}`, fields{CWD: "/c"}},
		{"command's folder", `{"hook_event_name":"preToolUse","cwd":"/c","tool_name":"Shell","tool_input":{"command":"ls","cwd":"/d"}}`,
			fields{CWD: "/d", Tool: "Shell", Command: "ls", Input: `{"command":"ls","cwd":"/d"}`, Aliases: []string{"Bash"}}},
		{"command's relative folder", `{"hook_event_name":"beforeShellExecution","command":"ls","cwd":"../d",` + root + `}`,
			fields{CWD: "../d", Tool: "Shell", Command: "ls", Input: `{"command":"ls","cwd":"../d"}`, Aliases: []string{"Bash"}}},
		{"a file's folder is not a command's", `{"hook_event_name":"preToolUse","cwd":"/c","tool_name":"Read","tool_input":{"file_path":"a","cwd":"/d"}}`,
			fields{CWD: "/c", Tool: "Read", Input: `{"file_path":"a","cwd":"/d"}`, Paths: []string{"/c/a"}}},
		{"shell without a command", `{"hook_event_name":"beforeShellExecution","command":["ls"]}`,
			fields{Tool: "Shell", Input: `{"command":["ls"]}`, Aliases: []string{"Bash"}}},
		{"shell by another name", `{"hook_event_name":"beforeShellExecution","tool_name":"Read","command":"ls"}`,
			fields{Tool: "Shell", Command: "ls", Input: `{"command":"ls"}`, Aliases: []string{"Bash"}}},
		{"a shell that is not documented", `{"hook_event_name":"preToolUse","tool_name":"Terminal","tool_input":{"command":"ls"}}`,
			fields{Tool: "Terminal", Command: "ls", Input: `{"command":"ls"}`, Aliases: []string{"Bash"}}},
		{"tools in another case", `{"hook_event_name":"preToolUse","cwd":"/c","tool_name":"SHELL","tool_input":{"cwd":"/d"}}`,
			fields{CWD: "/d", Tool: "SHELL", Input: `{"cwd":"/d"}`, Aliases: []string{"Bash"}}},
		{"sandbox on is another call", `{"hook_event_name":"beforeShellExecution","command":"ls","sandbox":true}`,
			fields{Tool: "Shell", Command: "ls", Input: `{"command":"ls","sandbox":true}`, Aliases: []string{"Bash"}}},
		{"the server's command is not the call's", `{"hook_event_name":"beforeMCPExecution","tool_name":"q","tool_input":"{\"path\":\"x\",\"src\":\"y\"}","mcp_server_name":"db","command":"rm -rf /","url":"http://x",` + root + `}`,
			fields{CWD: "/r", Tool: "MCP:q", Input: `{"path":"x","src":"y"}`, Aliases: []string{"mcp__db__q"}, Paths: []string{"/r/x", "/r/y"}}},
		{"an MCP tool that runs commands", `{"hook_event_name":"beforeMCPExecution","tool_name":"run","tool_input":"{\"command\":\"rm x\"}","mcp_server_name":"sh"}`,
			fields{Tool: "MCP:run", Command: "rm x", Input: `{"command":"rm x"}`, Aliases: []string{"mcp__sh__run"}}},
		{"an MCP tool that is called like a shell", `{"hook_event_name":"beforeMCPExecution","tool_name":"Shell","tool_input":"{}"}`,
			fields{Tool: "MCP:Shell", Input: `{}`, Aliases: []string{"mcp__*__Shell"}}},
		{"an MCP tool with a glob for a name", `{"hook_event_name":"preToolUse","tool_name":"MCP:*","tool_input":{}}`,
			fields{Tool: "MCP:*", Input: `{}`, Aliases: []string{"mcp__*___"}}},
		{"an MCP server with a glob for a name", `{"hook_event_name":"beforeMCPExecution","tool_name":"q","mcp_server_name":"*"}`,
			fields{Tool: "MCP:q", Aliases: []string{"mcp_____q"}}},
		{"arguments that are no JSON", `{"hook_event_name":"beforeMCPExecution","tool_name":"q","tool_input":"{oops"}`,
			fields{Tool: "MCP:q", Input: `"{oops"`, Aliases: []string{"mcp__*__q"}}},
		{"a read and what is attached", `{"hook_event_name":"beforeReadFile","file_path":"/a","content":"x","attachments":[{"type":"file","file_path":"/b"},"/c",null]}`,
			fields{Tool: "Read", Input: `{"file_path":"/a"}`, Paths: []string{"/a", "/b"}}},
		{"went on once", `{"hook_event_name":"stop","loop_count":1}`, fields{StopActive: true}},
		{"did not go on", `{"hook_event_name":"stop","loop_count":"1"}`, fields{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := decode(t, "cursor", "workspaceOpen", tt.in)
			got := fields{e.Session, e.Turn, e.CWD, e.Tool.Name, e.Tool.Command, string(e.Tool.Input), e.Tool.Aliases, e.Tool.Paths, e.StopActive}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

// output has the members of Cursor's answers.
type output struct {
	Permission *string `json:"permission"`
	Continue   *bool   `json:"continue"`
	User       string  `json:"user_message"`
	Agent      string  `json:"agent_message"`
	Followup   string  `json:"followup_message"`
	Context    string  `json:"additional_context"`
}

func TestAnswersKeepTheInvariants(t *testing.T) {
	t.Parallel()
	waits := []string{"preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead", "subagentStart"}
	agenttest.Answers(t, cursor(t), func(t *testing.T, c agenttest.Case, a agent.Answer) {
		name := c.Event.NativeName()
		// Stdout at exit 2 is shown as it stands; no stdout at exit 0 is a failed hook.
		if (a.ExitCode == 0) == (len(a.Stdout) == 0) {
			t.Fatalf("exit %d with %q on stdout at %s", a.ExitCode, a.Stdout, name)
		}
		if a.ExitCode != 0 {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(a.Stdout))
		dec.DisallowUnknownFields()
		var o output
		if err := dec.Decode(&o); err != nil {
			t.Fatalf("%s: %v", a.Stdout, err)
		}
		if o.Permission == nil {
			if a.Decision != event.Allow && (o.Continue == nil || *o.Continue) && o.Followup == "" {
				t.Fatalf("%s is answered with %s at %s", a.Decision, a.Stdout, name)
			}
			return
		}
		switch p := *o.Permission; {
		case p != string(a.Decision):
			t.Fatalf("%s says %s at %s", a.Decision, p, name)
		case p == "ask" && name != "beforeShellExecution":
			t.Fatalf("ask at %s", name)
		case p == "allow" && !slices.Contains(waits, name):
			t.Fatalf("allow at %s", name)
		case p == "deny" && (o.User == "" || o.User != o.Agent):
			t.Fatalf("deny at %s tells the person %q and the model %q", name, o.User, o.Agent)
		}
	})
}

func TestEncode(t *testing.T) {
	t.Parallel()
	deny := event.Verdict{Decision: event.Deny, Basis: event.ByRule, Reason: "no"}
	ask := event.Verdict{Decision: event.Ask, Basis: event.ByRule, Reason: "sure?", ApproveBy: "overseer approve ev_01"}
	allow := func(b event.Basis, guidance ...string) event.Verdict {
		return event.Verdict{Decision: event.Allow, Basis: b, Reason: "fine", Guidance: guidance}
	}
	with := func(v event.Verdict, guidance string) event.Verdict {
		v.Guidance = []string{guidance}
		return v
	}
	silent := allow(event.ByDefault)
	silent.Silent = true
	fault := event.Verdict{Decision: event.Deny, Basis: event.ByFault, Reason: "rules are broken"}
	const approve = `sure?\nThis needs a person's approval, and Cursor cannot ask for it here. Tell the user: to let it through, run ` +
		"`overseer approve ev_01`" + ` in a terminal of your own, then have it retried unchanged. Do not run that command yourself and do not look for a way around it.`
	const send = `sure?\nThis needs a person's approval, and Cursor cannot ask for it here. To let it through, run ` +
		"`overseer approve ev_01`" + ` in a terminal, then send it again unchanged.`
	const no = `{"permission":"deny","user_message":"no","agent_message":"no"}`

	tests := []struct {
		name     string
		event    string
		verdict  event.Verdict
		stdout   string
		stderr   string
		decision event.Decision
		degraded string
	}{
		{"deny a tool", "preToolUse", deny, no, "", event.Deny, ""},
		{"deny a shell command", "beforeShellExecution", deny, no, "", event.Deny, ""},
		{"deny an MCP call", "beforeMCPExecution", deny, no, "", event.Deny, ""},
		{"deny a read", "beforeReadFile", deny, no, "", event.Deny, ""},
		{"deny Tab a read", "beforeTabFileRead", deny, no, "", event.Deny, ""},
		{"deny a subagent", "subagentStart", deny, no, "", event.Deny, ""},
		{"guidance joins the reason of a deny", "preToolUse", with(deny, "use trash"),
			`{"permission":"deny","user_message":"no\nuse trash","agent_message":"no\nuse trash"}`, "", event.Deny, ""},
		{"ask for a shell command", "beforeShellExecution", ask, `{"permission":"ask","user_message":"sure?"}`, "", event.Ask, ""},
		{"ask with guidance", "beforeShellExecution", with(ask, "mind"), `{"permission":"ask","user_message":"sure?"}`, "", event.Ask,
			"guidance could not be delivered with beforeShellExecution"},
		{"ask for a tool", "preToolUse", ask,
			`{"permission":"deny","user_message":"` + approve + `","agent_message":"` + approve + `"}`, "", event.Deny, "ask became deny: Cursor cannot ask at preToolUse"},
		{"ask for a read", "beforeReadFile", ask,
			`{"permission":"deny","user_message":"` + approve + `","agent_message":"` + approve + `"}`, "", event.Deny, "ask became deny: Cursor cannot ask at beforeReadFile"},
		{"allow by rule", "preToolUse", allow(event.ByRule), `{"permission":"allow"}`, "", event.Allow, ""},
		{"allow by default", "beforeShellExecution", allow(event.ByDefault), `{"permission":"allow"}`, "", event.Allow, ""},
		{"allow with guidance", "preToolUse", allow(event.ByDefault, "mind"), `{"permission":"allow","additional_context":"mind"}`, "", event.Allow, ""},
		{"guidance has no way there", "beforeShellExecution", allow(event.ByDefault, "mind"), `{"permission":"allow"}`, "", event.Allow,
			"guidance could not be delivered with beforeShellExecution"},
		{"silent", "preToolUse", silent, `{}`, "", event.Allow, ""},
		{"a fault never approves", "beforeShellExecution", allow(event.ByFault), `{}`, "", event.Allow, ""},
		{"a fault denies plainly", "beforeShellExecution", fault, "", "rules are broken", event.Deny, ""},
		{"deny what is unknown", "beforeEverything", deny, "", "no", event.Deny, ""},
		{"allow what is unknown", "beforeEverything", allow(event.ByRule), `{}`, "", event.Allow, ""},
		{"deny nothing known", "", deny, "", "no", event.Deny, ""},

		{"deny a prompt", "beforeSubmitPrompt", deny, `{"continue":false,"user_message":"no"}`, "", event.Deny, ""},
		{"a fault denies a prompt in words", "beforeSubmitPrompt", fault, `{"continue":false,"user_message":"rules are broken"}`, "", event.Deny, ""},
		{"ask for a prompt", "beforeSubmitPrompt", ask, `{"continue":false,"user_message":"` + send + `"}`, "", event.Deny,
			"ask became deny: Cursor cannot ask at beforeSubmitPrompt"},
		{"context for a prompt", "beforeSubmitPrompt", allow(event.ByDefault, "mind"), `{"additional_context":"mind"}`, "", event.Allow, ""},
		{"a prompt", "beforeSubmitPrompt", allow(event.ByRule), `{}`, "", event.Allow, ""},

		{"feedback", "postToolUse", with(deny, "use trash"),
			`{"permission":"deny","user_message":"no\nuse trash","agent_message":"no\nuse trash","additional_context":"no\nuse trash"}`, "", event.Deny, ""},
		{"feedback on a failure", "postToolUseFailure", deny,
			`{"permission":"deny","user_message":"no","agent_message":"no","additional_context":"no"}`, "", event.Deny, ""},
		{"guidance after the fact", "postToolUse", allow(event.ByDefault, "mind"), `{"additional_context":"mind"}`, "", event.Allow, ""},
		{"nothing left to ask", "postToolUse", ask, `{}`, "", event.Allow, "ask: postToolUse reports what has happened, nobody was asked"},
		{"deny what was done", "afterFileEdit", deny, `{}`, "", event.Allow, "deny: Cursor takes no answer to afterFileEdit"},
		{"go on", "stop", deny, `{"followup_message":"no"}`, "", event.Deny, ""},
		{"a subagent goes on", "subagentStop", with(deny, "test it"), `{"followup_message":"no\ntest it"}`, "", event.Deny, ""},
		{"a stop", "stop", allow(event.ByRule, "mind"), `{}`, "", event.Allow, "guidance could not be delivered with stop"},
		{"deny a start", "sessionStart", deny, `{"additional_context":"overseer objects: no"}`, "", event.Allow, "deny became context: Cursor cannot block sessionStart"},
		{"deny an end", "sessionEnd", deny, `{}`, "", event.Allow, "deny: Cursor takes no answer to sessionEnd"},
		{"deny a compaction", "preCompact", deny, `{}`, "", event.Allow, "deny: Cursor takes no answer to preCompact"},
		{"a word", "afterAgentResponse", allow(event.ByDefault), `{}`, "", event.Allow, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := cursor(t)
			e := agent.Named(p, tt.event)
			agenttest.Same(t, answer(tt.stdout, tt.stderr, tt.decision, tt.degraded), p.Encode(&e, &tt.verdict))
		})
	}
}

func answer(stdout, stderr string, d event.Decision, degraded string) agent.Answer {
	a := agent.Answer{Decision: d, Degraded: degraded}
	if stdout != "" {
		a.Stdout = []byte(stdout + "\n")
	}
	if stderr != "" {
		a.Stderr, a.ExitCode = []byte(stderr+"\n"), 2
	}
	return a
}

func TestStop(t *testing.T) {
	t.Parallel()
	deny := event.Verdict{Decision: event.Deny, Basis: event.ByRule, Reason: "no"}
	const itself = "deny: the agent did not stop by itself"
	tests := []struct {
		in       string
		want     string
		decision event.Decision
		degraded string
	}{
		{`{"hook_event_name":"stop","status":"completed","loop_count":0}`, `{"followup_message":"no"}`, event.Deny, ""},
		{`{"hook_event_name":"stop"}`, `{"followup_message":"no"}`, event.Deny, ""},
		{`{"hook_event_name":"stop","status":"completed","loop_count":1}`, `{}`, event.Allow, "deny: the agent already goes on because of a stop hook, once more could loop"},
		{`{"hook_event_name":"stop","status":"aborted","loop_count":0}`, `{}`, event.Allow, itself},
		{`{"hook_event_name":"subagentStop","status":"error"}`, `{}`, event.Allow, itself},
	}
	for _, tt := range tests {
		e := decode(t, "cursor", "", tt.in)
		agenttest.Same(t, answer(tt.want, "", tt.decision, tt.degraded), cursor(t).Encode(&e, &deny))
	}
}

// TestThroughClaude: Cursor runs the entries in Claude Code's settings with
// payloads of its own, and is answered as Cursor.
func TestThroughClaude(t *testing.T) {
	t.Parallel()
	verdicts := []event.Verdict{
		{Decision: event.Deny, Basis: event.ByRule, Reason: "no"}, {Decision: event.Ask, Basis: event.ByRule, Reason: "sure?"},
		{Decision: event.Allow, Basis: event.ByRule}, {Decision: event.Deny, Basis: event.ByFault, Reason: "broken"},
	}
	files, err := filepath.Glob("testdata/constructed/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no payloads", err)
	}
	for _, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		own := decode(t, "cursor", "PreToolUse", string(payload))
		e := decode(t, "claude", "PreToolUse", string(payload))
		if e.Agent != "claude" || e.Caller != "cursor" {
			t.Errorf("%s: agent %q, caller %q", file, e.Agent, e.Caller)
		}
		like := e
		like.Agent, like.Caller = own.Agent, own.Caller
		if diff := cmp.Diff(own, like); diff != "" {
			t.Errorf("%s (-own +through claude):\n%s", file, diff)
		}
		if own.Native == "" {
			continue
		}
		for _, v := range verdicts {
			agenttest.Same(t, cursor(t).Encode(&own, &v), provider(t, "claude").Encode(&e, &v))
		}
	}
}

// TestThroughClaudeByGuess: where only the environment speaks of Cursor, it may
// be Claude Code itself, which does not obey Cursor's deny.
func TestThroughClaudeByGuess(t *testing.T) {
	t.Parallel()
	p := provider(t, "claude")
	e := decode(t, "claude", "", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
	e.Caller = agent.CallerOf(&e, func(name string) string { return map[string]string{"CURSOR_VERSION": "3.2"}[name] })
	if e.Caller != "cursor" {
		t.Fatalf("caller %q", e.Caller)
	}
	a := p.Encode(&e, &event.Verdict{Decision: event.Deny, Basis: event.ByRule, Reason: "no"})
	agenttest.Same(t, answer("", "no", event.Deny, ""), a)
}

func TestCursorIsNoForeigner(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`{}`, `{"hook_event_name":"preToolUse","cursor_version":"3"}`} {
		e := decode(t, "cursor", "preToolUse", in)
		if c := agent.CallerOf(&e, func(string) string { return "3.2" }); c != "" {
			t.Errorf("%s: caller %q", in, c)
		}
	}
}

func TestSniff(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"hook_event_name":"beforeShellExecution","command":"ls"}`,
		`{"hook_event_name":"stop","transcript_path":null}`,
		`{"cursor_version":"3"}`,
		`{"hook_event_name":"brandNew","conversation_id":"c","generation_id":"g"}`,
	} {
		if got := agent.Sniff([]byte(in)); got != "cursor" {
			t.Errorf("%s: %q", in, got)
		}
	}
}
