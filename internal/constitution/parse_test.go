package constitution_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/constitution"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/rule"
)

// describe writes rules in one line each.
func describe(rules []*rule.Rule) string {
	var out []string
	for _, r := range rules {
		var when []string
		for _, c := range r.When {
			when = append(when, c.String())
		}
		line := fmt.Sprintf("%d %s p=%d %s [%s] %s", r.Line, r.ID, r.Priority, r.Scope, strings.Join(when, "; "), r.Do)
		for _, s := range []string{r.Text, r.Reason, strings.Join(r.Examples, "|")} {
			line += " <" + s + ">"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"the documented block", `Rule: block-rm-rf-root
Priority: 1000
Scope: shared
When:
  event=PreToolUse
  tool=Bash
  cmd=/rm\s+-rf/
Do: deny
Reason: it is catastrophic.
Examples: rm -rf /, sudo rm -rf /
`, `1 block-rm-rf-root p=1000 shared [event=PreToolUse; tool=Bash; cmd=/rm\s+-rf/] deny <> <it is catastrophic.> <rm -rf /|sudo rm -rf />`},
		{"defaults", "Rule: a\nWhen: tool=Bash\nDo: ask\n", `1 a p=100 shared [tool=Bash] ask <> <> <>`},
		{"several blocks with markdown around them", `# Title

Some text: with a colon.

Rule: a
When:
  tool=Bash
Do: deny

More text.

## Next

` + "```" + `
Rule: b
When:
  tool=Write,Edit
  path=**/.env,/etc/**
Do: ask
` + "```" + `
- a list
`, "5 a p=100 shared [tool=Bash] deny <> <> <>\n15 b p=100 shared [tool=Write,Edit; path=**/.env,/etc/**] ask <> <> <>"},
		{"blocks one after the other", "Rule: a\nWhen: tool=A\nDo: deny\nRule: b\nWhen: tool=B\nDo: allow\n",
			"1 a p=100 shared [tool=A] deny <> <> <>\n4 b p=100 shared [tool=B] allow <> <> <>"},
		{"blank lines within a block", "Rule: a\n\nWhen:\n\n  tool=A\n\nDo: deny\n\nReason: r\n", "1 a p=100 shared [tool=A] deny <> <r> <>"},
		{"Windows line ends and a byte order mark", "\ufeffRule: a\r\nWhen:\r\n  tool=A\r\nDo: deny\r\n", "1 a p=100 shared [tool=A] deny <> <> <>"},
		{"any case of keys and verdicts", "rule: a\nWHEN:\n tool=A\ndo: DENY\n", "1 a p=100 shared [tool=A] deny <> <> <>"},
		{"free text", "Rule: a\nWhen:\n  Drop the DB now\nDo: ask\n", "1 a p=100 shared [keyword=drop,the,now] ask <> <> <>"},
		{"free text and directives are AND-ed", "Rule: a\nWhen:\n  tool=Bash\n  production database\n  keyword=drop\nDo: ask\n", "1 a p=100 shared [tool=Bash; keyword=production,database; keyword=drop] ask <> <> <>"},
		{"a directive with spaces and a comma in braces", "Rule: a\nWhen:\n  path = **/*.{pem,key} , /etc/**\nDo: ask\n", "1 a p=100 shared [path=**/*.{pem,key},/etc/**] ask <> <> <>"},
		{"a regular expression with slashes, commas and equals signs", "Rule: a\nWhen:\n  cmd=/a=b,c\\/d/\nDo: ask\n", `1 a p=100 shared [cmd=/a=b,c\/d/] ask <> <> <>`},
		{"a regular expression that ignores case", "Rule: a\nWhen:\n  cmd=/drop/i\nDo: ask\n", `1 a p=100 shared [cmd=/(?i)drop/] ask <> <> <>`},
		{"guidance", "Rule: a\nWhen: tool=Bash\nDo: prefer make test over go test.\n  It sets the tags.\n", "1 a p=100 shared [tool=Bash] guidance <prefer make test over go test. It sets the tags.> <> <>"},
		{"guidance that begins with a verb", "Rule: a\nWhen: tool=Bash\nDo: ask yourself whether this is needed\n", "1 a p=100 shared [tool=Bash] guidance <ask yourself whether this is needed> <> <>"},
		{"a reason over several lines", "Rule: a\nWhen: tool=A\nDo: deny\nReason: one\n  two\nthree\n\nprose\n", "1 a p=100 shared [tool=A] deny <> <one two three> <>"},
		{"examples as a list", "Rule: a\nWhen: tool=A\nDo: deny\nExamples:\n  - a, b\n  - `c`\n  d, e\n", "1 a p=100 shared [tool=A] deny <> <> <a, b|`c`|d|e>"},
		{"commas within quotes and brackets", "Rule: a\nWhen: tool=A\nDo: deny\nExamples: echo 'a, b', `x, y`, f(1, 2)\n", "1 a p=100 shared [tool=A] deny <> <> <echo 'a, b'|x, y|f(1, 2)>"},
		{"a rule that is switched off", "<!--\nRule: a\nWhen: tool=A\nDo: deny\n-->\n<!-- note -->\nRule: b\nWhen: tool=B\nDo: deny\n", "7 b p=100 shared [tool=B] deny <> <> <>"},
		{"a comment's characters within an expression", "Rule: a\nWhen:\n  cmd=/<!--x/\nDo: deny\nReason: r\n", "1 a p=100 shared [cmd=/<!--x/] deny <> <r> <>"},
		{"nothing", "just text\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rules, problems := constitution.Parse(tt.src, constitution.Defaults{File: "f.md"})
			if diff := cmp.Diff(tt.want, describe(rules)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, p := range problems {
				t.Errorf("problem: %v", p)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	const ok = "Rule: a\nWhen: tool=A\nDo: deny\n"
	for _, tt := range []struct{ name, src, want, hint string }{
		{"no id", "Rule:\nWhen: tool=A\nDo: deny\n", `f.md:1:6: the rule has no id`, "block-something"},
		{"an id with spaces", "Rule: my rule\nWhen: tool=A\nDo: deny\n", `f.md:1:7: rule id "my rule" contains a space`, `"my-rule"`},
		{"no effect", "Rule: a\nWhen: tool=A\n", `f.md:1:1: rule a has no Do: line`, "Do: deny"},
		{"no condition", "Rule: a\nDo: deny\n", `f.md:1:1: rule a has no conditions`, "event=PreToolUse"},
		{"a mistyped field", "Rule: a\nWhen: tool=A\nReson: x\nDo: deny\n", `f.md:3:1: unknown field "Reson"`, `"Reason:"`},
		{"a field twice", "Rule: a\nWhen: tool=A\nDo: deny\nDo: allow\n", `f.md:4:1: Do is given twice, first in line 3`, ""},
		{"a mistyped directive", "Rule: a\nWhen:\n  tools=Bash\nDo: deny\n", `f.md:3:3: unknown directive "tools="`, `"tool="`},
		{"a broken expression", "Rule: a\nWhen:\n  cmd=/a(/\nDo: deny\n", `f.md:3:8: regular expression: missing closing ): a(`, ""},
		{"an expression without slashes", "Rule: a\nWhen:\n  cmd=rm\nDo: deny\n", `f.md:3:7: cmd=rm is not a regular expression between slashes`, "cmd=/rm/"},
		{"a lookahead", "Rule: a\nWhen:\n  cmd=/a(?!b)/\nDo: deny\n", `f.md:3:8: regular expression: invalid or unsupported Perl syntax: (?!`, "lookahead"},
		{"a broken glob", "Rule: a\nWhen:\n  path=/ok,[a\nDo: deny\n", `f.md:3:12: path glob "[a" is malformed`, "backslash"},
		{"two directives in a line", "Rule: a\nWhen: event=PreToolUse tool=Bash\nDo: deny\n", `f.md:2:13: event=PreToolUse tool=Bash: a name has no spaces`, "one directive a line"},
		{"a priority that is no number", "Rule: a\nPriority: high\nWhen: tool=A\nDo: deny\n", `f.md:2:11: priority "high" is not a whole number from -1000000 to 1000000`, "1000"},
		{"an unknown scope", "Rule: a\nScope: world\nWhen: tool=A\nDo: deny\n", `f.md:2:8: unknown scope "world"`, "shared, project, agent"},
		{"a verdict with text behind it", "Rule: a\nWhen: tool=A\nDo: deny it is bad\n", `f.md:3:5: "deny it is bad" is neither a verdict nor guidance`, `"Do: deny"`},
		{"a verdict with a mark behind it", "Rule: a\nWhen: tool=A\nDo: ask.\n", `f.md:3:5: "ask." is neither a verdict nor guidance`, `"Do: ask"`},
		{"a verdict with text below it", "Rule: a\nWhen: tool=A\nDo: deny\n  because\n", `f.md:4:3: text after "Do: deny"`, "Reason:"},
		{"a field outside of a rule", "When:\n  tool=A\nDo: deny\n", `f.md:1:1: "When:" stands outside of a rule`, "Rule: <id>"},
		{"text in the middle of a rule", "Rule: a\nPriority: 1\nnonsense\nWhen: tool=A\nDo: deny\n", `f.md:3:1: "nonsense" belongs to no field of rule a`, "blank line"},
		{"a free text without a word", "Rule: a\nWhen:\n  a b\nDo: deny\n", `f.md:3:3: "a b" has no word of 3 letters or more`, "key=value"},
		{"an effect that is none", "Rule: a\nWhen: tool=A\nDo: block\n", `f.md:3:5: "block" is neither a verdict nor guidance`, "deny, ask and allow"},
		{"a decorated verdict", "Rule: a\nWhen: tool=A\nDo: **deny**\n", `f.md:3:5: "**deny**" is neither a verdict nor guidance`, `"Do: deny"`},
		{"a quoted verdict", "Rule: a\nWhen: tool=A\nDo: `ask`\n", "f.md:3:5: \"`ask`\" is neither a verdict nor guidance", `"Do: ask"`},
		{"a directive with a colon", "Rule: a\nWhen:\n  event: PreToolUse\nDo: deny\n", `f.md:3:3: "event: PreToolUse" looks like a directive`, "event=PreToolUse"},
		{"a folder as a glob", "Rule: a\nWhen:\n  path=secrets/\nDo: deny\n", `f.md:3:8: path glob "secrets/" ends in a slash and matches no file`, `"secrets/**"`},
		{"a variable in a glob", "Rule: a\nWhen:\n  path=$HOME/.ssh/**\nDo: deny\n", `f.md:3:8: path glob "$HOME/.ssh/**": variables are not known here`, "~"},
		{"a glob that climbs", "Rule: a\nWhen:\n  path=../x\nDo: deny\n", `f.md:3:8: path glob "../x" contains .. and matches no file`, "**/"},
		{"a decorated rule line", "**Rule:** a\nWhen: tool=A\nDo: deny\n", `f.md:1:1: "**Rule:** a" does not begin a rule`, "without markup"},
		{"a judgment that compares nothing", "Rule: a\nWhen:\n  tool=A\n  judge=harm\nDo: deny\n", `f.md:4:3: "harm" compares nothing`, "0.85"},
		{"a judgment alone", "Rule: a\nWhen: judge=harm>=0.85\nDo: deny\n", `f.md:1:1: rule a has a judgment and no other condition`, "tool=Bash"},
		{"an empty directive", "Rule: a\nWhen:\n  tool=\nDo: deny\n", `f.md:3:8: tool= has no value`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rules, problems := constitution.Parse(tt.src+"\n"+ok, constitution.Defaults{File: "f.md"})
			if len(problems) == 0 {
				t.Fatalf("no problem; rules:\n%s", describe(rules))
			}
			if got := problems[0].Error(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if hints := strings.Join(hint.Of(problems[0]), " "); !strings.Contains(hints, tt.hint) {
				t.Errorf("hint %q, want one about %q", hints, tt.hint)
			}
			if len(rules) != 1 || rules[0].ID != "a" || rules[0].Do != rule.Deny {
				t.Errorf("the whole rule behind it is lost:\n%s", describe(rules))
			}
		})
	}
}

func TestWholeFileProblems(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"\xff\xfeR\x00u\x00":                      "f.md:1:1: the file is not text in UTF-8",
		"text\n<!-- off\nRule: a\nWhen: tool=A\n": "f.md:2:1: the comment that begins here has no end",
	} {
		if _, problems := constitution.Parse(src, constitution.Defaults{File: "f.md"}); len(problems) != 1 || problems[0].Error() != want {
			t.Errorf("%q: %v, want %s", src, problems, want)
		}
	}
}

func TestExamples(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, block string
		fails       int
	}{
		{"a command", "When:\n  tool=Bash\n  cmd=/rm/\nDo: deny\nExamples: rm x, sudo rm y\n", 0},
		{"a command that does not match", "When:\n  tool=Bash\n  cmd=/rm/\nDo: deny\nExamples: rm x, ls\n", 1},
		{"a path for a file tool", "When:\n  tool=Write\n  path=**/.env\nDo: deny\nExamples: .env, sub/.env, x.env\n", 1},
		{"a path in a command", "When:\n  path=**/.env\nDo: deny\nExamples: cat .env\n", 0},
		{"a command for a tool that runs none", "When:\n  tool=Write\n  cmd=/rm/\nDo: deny\nExamples: rm x\n", 1},
		{"a quoted keyword", "When:\n  keyword=\"rm\"\nDo: deny\nExamples: rm x\n", 0},
		{"a prompt", "When:\n  event=UserPromptSubmit\n  keyword=deploy\nDo: ask\nExamples: please deploy\n", 0},
		{"a tool's name", "When:\n  tool=mcp__*\nDo: ask\nExamples: mcp__db__query\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rules, problems := constitution.Parse("Rule: a\n"+tt.block, constitution.Defaults{File: "f.md"})
			if len(rules) != 1 || len(problems) > 0 {
				t.Fatalf("rules %v, problems %v", rules, problems)
			}
			if errs := constitution.CheckExamples(rules[0], "/home/dev"); len(errs) != tt.fails {
				t.Errorf("%d examples fail, want %d: %v", len(errs), tt.fails, errs)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, constitution.Dir)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	block := func(id, do string) string { return "Rule: " + id + "\nWhen: tool=A\nDo: " + do + "\n\n" }
	for name, content := range map[string]string{
		"shared.md":  block("s", "deny") + block("loose", "allow") + block("advice", "be careful"),
		"project.md": block("p", "ask"),
		"claude.md":  block("c", "deny"),
		"extra.md":   block("x", "deny"),
		"notes.txt":  block("no", "deny"),
		".hidden.md": block("no", "deny"),
		"broken.md":  "Rule: b\nDo: deny\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	list := func(l constitution.Loaded) string {
		var out []string
		for _, r := range l.Rules {
			out = append(out, fmt.Sprintf("%s:%s:%s:%s", r.ID, r.Do, r.Scope, r.Agent))
		}
		for _, r := range l.Skipped {
			out = append(out, "skipped "+r.ID)
		}
		for _, p := range l.Problems {
			out = append(out, strings.TrimPrefix(p.Error(), dir+"/"))
		}
		return strings.Join(out, "\n")
	}
	place := constitution.Place{Root: root, Agents: []string{"claude", "codex"}}
	want := `c:deny:agent:claude
x:deny:shared:
p:ask:project:
s:deny:shared:
loose:allow:shared:
advice:guidance:shared:
broken.md:1:1: rule b has no conditions
folder.md:1:1: not a regular file`
	if diff := cmp.Diff(want, list(constitution.Load(place))); diff != "" {
		t.Errorf("own folder (-want +got)\n%s", diff)
	}

	place.Project = true
	place.Trusted = func(string, []byte) bool { return false }
	want = `c:deny:agent:claude
x:deny:project:
p:ask:project:
s:deny:shared:
skipped loose
skipped advice
broken.md:1:1: rule b has no conditions
folder.md:1:1: not a regular file`
	if diff := cmp.Diff(want, list(constitution.Load(place))); diff != "" {
		t.Errorf("untrusted project (-want +got)\n%s", diff)
	}

	place.Trusted = func(path string, content []byte) bool {
		return path == filepath.Join("constitution", "shared.md") && strings.Contains(string(content), "loose")
	}
	if got := list(constitution.Load(place)); strings.Contains(got, "skipped") {
		t.Errorf("a trusted project's rules are skipped:\n%s", got)
	}
	if got := list(constitution.Load(constitution.Place{Root: t.TempDir(), Project: true})); got != "" {
		t.Errorf("a project without rules holds %s", got)
	}
	if got := list(constitution.Load(constitution.Place{Root: t.TempDir()})); !strings.Contains(got, "there are no rules") {
		t.Errorf("a person without rules: %s", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Rule: a\nWhen:\n  event=PreToolUse\n  cmd=/x/\nDo: deny\nReason: r\nExamples: x, 'y, z'\n")
	f.Add("<!-- -->\n```\nRule: a\n  path={a,b\nDo: guidance text\n")
	f.Fuzz(func(t *testing.T, src string) {
		rules, problems := constitution.Parse(src, constitution.Defaults{File: "f"})
		for _, r := range rules {
			if r.ID == "" || r.Do == "" || len(r.When) == 0 {
				t.Errorf("half a rule: %+v", r)
			}
			constitution.CheckExamples(r, "/home/dev")
		}
		for _, p := range problems {
			if p.Line < 1 || p.Col < 1 || p.Err == nil {
				t.Errorf("a problem without a place: %+v", p)
			}
		}
	})
}
