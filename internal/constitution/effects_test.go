package constitution_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/constitution"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/hint"
)

// TestJoint reads rules about effects: which directives become one condition.
func TestJoint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, when, want string }{
		{"effect alone", "effect=git.*", "effect=git.*"},
		{"all of it is one", "path=/a\ntarget=Repo,temp\ntool=Bash\nprogram=git  push\neffect=FILE.write",
			"effect=file.write\nprogram=git push\ntarget=repo,temp\npath=/a|tool=Bash"},
		{"path without effect stands alone", "target=repo\npath=/a", "target=repo|path=/a"},
		{"program alone is about commands", "program=git push,kubectl\npath=/a", "program=git push,kubectl|path=/a"},
		{"the others", "url=*.example.com\ncwd=~/work/**\nagent=Codex", "url=*.example.com|cwd=~/work/**|agent=codex"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rules, problems := constitution.Parse("Rule: r\nWhen:\n  "+strings.ReplaceAll(tt.when, "\n", "\n  ")+"\nDo: deny\n", constitution.Defaults{File: "f.md"})
			if len(problems) > 0 || len(rules) != 1 {
				t.Fatalf("%d rules, %v", len(rules), problems)
			}
			var got []string
			for _, c := range rules[0].When {
				got = append(got, c.String())
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestEffectFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ when, err, hint string }{
		{"effect=git.discrad", `f.md:2:14: unknown effect "git.discrad"`, `did you mean "git.discard"?`},
		{"effect=file.read, gti.*", `f.md:2:25: unknown effect "gti.*"`, `did you mean "git.*"?`},
		{"effect=*", `f.md:2:14: unknown effect "*"`, `a whole group is written "delete.*"`},
		{"target=hom", `f.md:2:14: unknown target "hom"`, `did you mean "home"?`},
		{"target=/etc/x", `f.md:2:14: unknown target "/etc/x"`, "a path is written path="},
		{"agent=claud", `f.md:2:13: unknown agent "claud"`, `did you mean "claude"?`},
		{"program=/bin/rm", `f.md:2:15: program=/bin/rm: a program is named without its folder`, "write program=rm"},
		{"program=git push --force", `f.md:2:15: program=git push --force: flags are not looked at`, "effect="},
		{"cwd=$HOME/x", `f.md:2:11: cwd glob "$HOME/x": variables are not known here`, "write ~"},
		{"effet=file.read", `f.md:2:7: unknown directive "effet="`, `did you mean "effect="?`},
		{"effect=", `f.md:2:14: effect= has no value`, ""},
	} {
		t.Run(tt.when, func(t *testing.T) {
			t.Parallel()
			rules, problems := constitution.Parse("Rule: r\nWhen: "+tt.when+"\nDo: deny\n", constitution.Defaults{File: "f.md", Agents: []string{"claude", "codex"}})
			if len(rules) != 0 || len(problems) != 1 {
				t.Fatalf("%d rules, %v", len(rules), problems)
			}
			if got := problems[0].Error(); got != tt.err {
				t.Errorf("got %q, want %q", got, tt.err)
			}
			if h := strings.Join(hint.Of(problems[0]), " "); !strings.Contains(h, tt.hint) {
				t.Errorf("hint %q, want one with %q", h, tt.hint)
			}
		})
	}
}

// TestKindsAreDocumented holds docs/constitution.md to the list of effects.
func TestKindsAreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/constitution.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range effect.Kinds() {
		if row := "| `" + string(k.Kind) + "` | " + k.Meaning + " |"; !strings.Contains(string(doc), row) {
			t.Errorf("docs/constitution.md lacks the row %s", row)
		}
	}
	for _, sc := range effect.Scopes() {
		if !strings.Contains(string(doc), "`"+string(sc)+"`") {
			t.Errorf("docs/constitution.md lacks the target %s", sc)
		}
	}
}
