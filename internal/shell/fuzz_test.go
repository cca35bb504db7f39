package shell_test

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/shell"
)

// lines are some of the command lines in testdata/cases.
func lines(f *testing.F) []string {
	f.Helper()
	var out []string
	for _, name := range []string{"attacks", "commands", "everyday"} {
		file, err := os.Open("../../testdata/cases/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		defer file.Close()
		n := 0
		for sc := bufio.NewScanner(file); sc.Scan(); n++ {
			var row struct{ Input struct{ Command string } }
			if json.Unmarshal(sc.Bytes(), &row) == nil && n%40 == 0 && row.Input.Command != "" {
				out = append(out, row.Input.Command)
			}
		}
	}
	return out
}

// FuzzAnalyze looks for lines that the walk fails on, and checks what holds for all:
// the same line has the same effects, all of them of known kinds, and its work stays
// within the budget.
func FuzzAnalyze(f *testing.F) {
	for _, s := range append(lines(f),
		"ls", "a && b", "bash -c 'x'", "$(", "<<E\n", "env -S ''", "${a:-$(b)}", "$'\\x", "case x in a) b;; esac",
		"f(){ f|f& };f", "a=$a$a;eval $a", "a=(x {1..3});a+=(y);for i in ${a[@]:1};do rm $i;done", "alias a='a b';a;unset a",
		"echo cm0geA==|base64 -d|sh", "printf '%s\\n' a b|xargs -I{} sh -c '{}'", "cat <<'E'|python3 -\nimport os;os.remove('x')\nE\n",
		"find a b -exec rm {} \\; -o -delete", "docker run -v /:/h i rm /h/x", "psql -c 'drop table x'", "pwsh -c 'rm x'", "x>a<b 2>&1 &>>c",
	) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ctx := shell.Context{Places: effect.Places{Home: "/home/dev", CWD: "/home/dev/p", Repo: "/home/dev/p"}, Work: budget.New()}
		p := shell.Analyze(s, ctx)
		p.Files()
		if ctx.Work.Spent() && !p.Cut {
			t.Error("the budget was spent and the program is not cut")
		}
		for _, c := range p.Commands {
			if c.Program == "" && len(c.Args) == 0 && len(c.Via) == 0 && !strings.Contains(s, "/") {
				t.Errorf("an empty command in %q", s)
			}
		}
		for _, e := range p.Effects {
			if !effect.Known(e.Kind) {
				t.Errorf("unknown kind %q", e.Kind)
			}
		}
		ctx.Work = budget.New()
		if again := shell.Analyze(s, ctx); !reflect.DeepEqual(again, p) {
			t.Errorf("read twice, it differs:\n%+v\n%+v", p, again)
		}
	})
}
