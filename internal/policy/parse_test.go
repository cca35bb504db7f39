package policy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/policy"
	"github.com/fireharp/overseer/internal/yamlfile"
)

const whole = `
judgments:
  destroys_work:
    type: noul
    instructions: >
      Would running this irreversibly destroy source code?
    criteria:
      "true": "It loses work."
      "false": "It only affects build output."
  destination:
    type: choice
    instructions: Where does it go?
    criteria:
      shared: "Others use it."
      local:
  blast_radius:
    type: score
    instructions: How much is hit?
    criteria: ["nothing", "one file", "the repo"]
rules:
  - event: PreToolUse
    agent: claudecode
    tools: ["Bash", Write]
    paths: [".env", "*.pem"]
    commands: ["rm -rf"]
    when: { destroys_work: ">= 0.85", destination: shared, destination.confidence: 0.6, blast_radius: "> 1" }
    on-error: ask
    action: deny
    reason: "Lost."
  - tools: ["Bash"]
    action: allow
default-action: ask
`

func TestParse(t *testing.T) {
	t.Parallel()
	p := parse(t, whole)
	var got []string
	for _, r := range append(p.Rules, p.DefaultRule()) {
		s := fmt.Sprintf("%s %s agent=%s do=%s on-error=%s reason=%s line=%d", r.ID, r.Scope, r.Agent, r.Do, r.OnError, r.Reason, r.Line)
		for _, c := range r.When {
			s += "\n  " + c.String()
		}
		for _, c := range r.Judge {
			s += "\n  when " + c.String()
		}
		got = append(got, s)
	}
	want := []string{
		`policy.1 policy agent=claude do=deny on-error=ask reason=Lost. line=21
  event: PreToolUse
  tools: ["Bash", "Write"]
  paths: [".env", "*.pem"]
  commands: ["rm -rf"]
  when destroys_work >= 0.85
  when destination == shared
  when destination.confidence >= 0.6
  when blast_radius > 1`,
		"policy.2 policy agent= do=allow on-error= reason= line=30\n  tools: [\"Bash\"]",
		"policy.default policy agent= do=ask on-error= reason= line=32\n  default-action",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(p.Judgments) != 3 || p.Default != event.Ask || len(p.Warnings) > 0 {
		t.Errorf("got %+v", p)
	}
}

func TestParseFaults(t *testing.T) {
	t.Parallel()
	const j = "judgments: {d: {type: noul, instructions: q}, c: {type: choice, instructions: q, criteria: {a: x, b: y}}, s: {type: score, instructions: q, criteria: [x, y]}}\n"
	for _, tt := range []struct{ name, src, want string }{
		{"a field that is not known", "rules:\n  - event: PreToolUse\n    tool: [Bash]\n    action: deny\n", `f:3:5: unknown field "tool" | did you mean "tools"?`},
		{"one far from all", "rules:\n  - event: E\n    colour: red\n    action: deny\n", `f:3:5: unknown field "colour" | the fields are event, agent, tools, paths, commands, action, reason, when, on-error`},
		{"at the top", "rule: []\n", `f:1:1: unknown field "rule" | did you mean "rules"?`},
		{"in other case", "Rules: []\n", `f:1:1: unknown field "Rules" | did you mean "rules"?`},
		{"of a judgment", "judgments: {d: {typ: noul}}\n", `f:1:17: unknown field "typ" | did you mean "type"?`},
		{"all faults are told", "rules:\n  - event: E\n    action: dney\n  - tools: Bash\n    action: deny\n", `f:3:13: action "dney" is not known | did you mean "deny"?
f:4:12: tools is text, want a list | write tools: ["Bash"]`},
		{"twice", "rules:\n  - event: E\n    event: F\n    action: deny\n", `f:3:5: a rule: "event" stands twice`},
		{"twice at the top", "rules: []\nrules: []\n", `f:2:1: the policy: "rules" stands twice`},
		{"no action", "rules:\n  - event: E\n", `f:2:5: the rule has no action | add action: allow, deny or ask`},
		{"an empty action", "rules:\n  - event: E\n    action:\n", `f:3:12: action is empty, want text | write one of allow, deny, ask`},
		{"a rule about everything", "rules:\n  - action: deny\n", `f:2:5: the rule says of no event what it is about | add event:, tools:, paths: or commands:, or set default-action: deny`},
		{"default-action", "default-action: block\n", `f:1:17: default-action "block" is not known | write one of allow, deny, ask`},
		{"an empty list", "rules: [{event: E, tools: [], action: deny}]\n", `f:1:27: tools is an empty list | leave the field out if it is not to filter`},
		{"a list with nothing in it", "rules:\n  - event: E\n    commands:\n    action: deny\n", `f:3:14: commands is empty, want a list`},
		{"a command that is everywhere", "rules: [{event: E, commands: [\"\"], action: deny}]\n", `f:1:31: an element of commands is empty`},
		{"a list in a list", "rules: [{event: E, tools: [[a]], action: deny}]\n", `f:1:28: an element of tools is a list, want text`},
		{"a pattern", "rules: [{event: E, paths: [a, \"[b\"], action: deny}]\n", `f:1:31: path pattern "[b": not a glob | an open "[" or a "\" at the end: put a "\" before a character that is meant as it is`},
		{"patterns that only take back", "rules: [{event: E, paths: [\"!a\"], action: deny}]\n", `f:1:27: paths only takes back with "!" and selects nothing | put what it is to select before it`},
		{"a rule that is none", "rules: [deny]\n", `f:1:9: a rule is text, want a mapping of names to values`},
		{"rules that are none", "rules: {event: E}\n", `f:1:8: rules is a mapping, want a list`},
		{"a file that is none", "- event: E\n", `f:1:1: the policy is a list, want a mapping of names to values`},
		{"two documents", "rules: []\n---\nrules: []\n", `f:2:1: a second document: only one is read`},
		{"not YAML", "rules:\n  - event: [\n", `f:3:1: did not find expected node content`},
		{"not YAML either", "a: b: c\n", `f:1:5: mapping values are not allowed in this context`},
		{"a merge", "rules:\n  - &a {event: E, action: deny}\n  - <<: *a\n", `f:3:5: unknown field "<<" | the fields are event, agent, tools, paths, commands, action, reason, when, on-error`},
		{"a key for the model", "typesafe-api-key: sk-1\nrules: []\n", `f:1:1: "typesafe-api-key": a key is never read from a policy, which is checked in | take it out, have it revoked if the file was shared, and set HOOKMON_TYPESAFE_API_KEY`},
		{"a key within", "judgments: {d: {type: noul, instructions: q, API_KEY: x}}\n", `f:1:46: "API_KEY": a key is never read from a policy, which is checked in | take it out, have it revoked if the file was shared, and set HOOKMON_TYPESAFE_API_KEY`},

		{"an unknown judgment", j + "rules: [{event: E, when: {dd: 0.5}, action: deny}]\n", `f:2:27: unknown judgment "dd" | declared are d, c, s`},
		{"the confidence of a noul", j + "rules: [{event: E, when: {d.confidence: 0.5}, action: deny}]\n", `f:2:27: condition "d.confidence >= 0.5": a noul has no confidence | the probability is the signal: write d >= 0.5`},
		{"an option that is none", j + "rules: [{event: E, when: {c: z}, action: deny}]\n", `f:2:27: condition "c == z": "z" is no option of the judgment | the options are a, b`},
		{"a level that is none", j + "rules: [{event: E, when: {s: 2}, action: deny}]\n", `f:2:27: condition "s >= 2": level 2 is out of range, the levels count from 0 to 1`},
		{"an operator", j + "rules: [{event: E, when: {d: \"=> 1\"}, action: deny}]\n", `f:2:27: condition on "d": unknown operator "=>" | the operators are >=, >, <=, <, == and !=`},
		{"an empty when", j + "rules: [{event: E, when: {}, action: deny}]\n", `f:2:26: when is empty | name a judgment and a threshold, or take it out`},
		{"when is a list", j + "rules: [{event: E, when: [d], action: deny}]\n", `f:2:26: when is a list, want a mapping of names to values`},
		{"on-error", j + "rules: [{event: E, when: {d: 0.5}, on-error: open, action: deny}]\n", `f:2:46: on-error "open" is not known | write one of allow, deny, ask`},
		{"a type", "judgments: {d: {type: bool, instructions: q}}\nrules: [{event: E, when: {d: 0.5}, action: deny}]\n", `f:1:23: type "bool" is not known | did you mean "noul"?`},
		{"no instructions", "judgments: {d: {type: noul}}\n", `f:1:13: judgment "d": no instructions | write the question that it answers`},
		{"criteria of another type", "judgments: {d: {type: noul, instructions: q, criteria: [a, b]}}\n", `f:1:56: criteria is a list, want a mapping of names to values`},
		{"levels with names", "judgments: {d: {type: score, instructions: q, criteria: {a: x}}}\n", `f:1:57: criteria is a mapping, want a list`},
		{"an alias of itself", "judgments: &a {d: *a}\n", `f:1:16: unknown field "d" | the fields are type, instructions, criteria`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, errs := policy.Parse("f", []byte(tt.src), known())
			if p != nil {
				t.Error("a policy that is understood only in part is in force")
			}
			if diff := cmp.Diff(tt.want+"\n", faults(errs)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseNothing(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"", "# nothing\n", "---\n", "{}", "rules:\n", "rules: []\ndefault-action: allow\n", "\ufeffrules: []\r\n"} {
		if p := parse(t, src); len(p.Rules) != 0 || p.Default != event.Allow {
			t.Errorf("%q: got %+v", src, p)
		}
	}
}

func TestParseAlias(t *testing.T) {
	t.Parallel()
	p := parse(t, "rules:\n  - event: E\n    tools: &t [a, b]\n    action: deny\n  - tools: *t\n    action: ask\n")
	if got := p.Rules[1].When[0].String(); got != `tools: ["a", "b"]` {
		t.Errorf("got %s", got)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"rules: [{event: PreTolUse, action: deny}]":                     `f:1:17: no agent here has an event "PreTolUse", the rule never fires (did you mean "PreToolUse"?)`,
		"rules: [{event: preToolUse, agent: claudecode, action: deny}]": `f:1:17: no agent here has an event "preToolUse", the rule never fires (did you mean "PreToolUse"?)`,
		"rules: [{event: PreToolUse, agent: claudecod, action: deny}]":  `f:1:36: no agent "claudecod" is known here, the rule never fires (did you mean "claudecode"?)`,
		"rules: [{event: PostToolUse, action: deny}]":                   `f:1:17: PostToolUse takes no answer, so the rule cannot deny anything`,
		"rules: [{event: PostToolUse, action: allow}]":                  "",
		"rules: [{event: PreToolUse, on-error: ask, action: deny}]":     `f:1:29: on-error has no effect without when`,
		"rules: [{event: preToolUse, agent: cursor, action: deny}]":     "",
	} {
		p, errs := policy.Parse("f", []byte(src), known())
		if p == nil {
			t.Fatalf("%s: %v", src, errs)
		}
		if got := strings.Join(p.Warnings, "\n"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", src, got, want)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, errs := policy.Load(filepath.Join(dir, "none"), known()); len(errs) != 1 || !yamlfile.Missing(errs[0]) {
		t.Errorf("a missing file: %v", errs)
	}
	if _, errs := policy.Load(dir, known()); len(errs) != 1 || !strings.Contains(errs[0].Error(), "is a folder") {
		t.Errorf("a folder: %v", errs)
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, make([]byte, yamlfile.MaxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs := policy.Load(big, known()); len(errs) != 1 || !strings.Contains(errs[0].Error(), "larger than") {
		t.Errorf("a huge file: %v", errs)
	}
	if _, errs := policy.Load(os.DevNull, known()); len(errs) != 1 || !strings.Contains(errs[0].Error(), "not a regular file") {
		t.Errorf("a device: %v", errs)
	}
	file := filepath.Join(dir, policy.File)
	if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, errs := policy.Load(file, known()); len(errs) > 0 || p.File != file || len(p.Rules) != 2 {
		t.Errorf("got %+v, %v", p, errs)
	}
}

// FuzzParse: no file brings the reader down, and every fault has its place.
func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add("rules: [{event: E, tools: *a}]")
	f.Add("a: &a [*a]\n? [x]\n: y")
	f.Fuzz(func(t *testing.T, src string) {
		p, errs := policy.Parse("f", []byte(src), known())
		if (p == nil) == (len(errs) == 0) {
			t.Errorf("policy %v, faults %v", p, errs)
		}
		for _, err := range errs {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("no place: %v", err)
			}
		}
	})
}
