package shell_test

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/shell"
)

// within reads a line and says which part of an event's budget that took.
func within(line string) (shell.Program, float64) {
	work := budget.New()
	p := shell.Analyze(line, shell.Context{Places: effect.Places{Home: "/home/dev", CWD: "/home/dev/p", Repo: "/home/dev/p"}, Work: work})
	return p, 1 - float64(work.Left())/budget.Steps
}

// TestEverydayBounds shows that long lines as agents write them are far from the bounds.
func TestEverydayBounds(t *testing.T) {
	t.Parallel()
	block := "cd \"$PWD/src\"\nfor f in a b c; do\n  go build -o bin/$f ./cmd/$f\ndone\nif [ -f go.mod ]; then\n  grep -n x go.mod | cut -d' ' -f2\nfi\n" +
		"cp bin/* out/\ncurl -s http://localhost/health | jq .status\ngit add -A && git commit -m 'step'\ncd ..\n"
	for name, line := range map[string]string{
		"300 lines of a script":      strings.Repeat(block, 28),
		"200 KiB written by cat":     "cat > a.go <<'EOF'\n" + strings.Repeat("func f(x int) { return g(x, \"a b\") }\n", 5500) + "EOF\n",
		"40 KiB of Python":           "python3 - <<'EOF'\nimport json\n" + strings.Repeat("for k, v in sorted(data.items()):\n    print(k.upper(), v['x'])\n", 640) + "EOF\n",
		"100 KiB of SQL":             "psql <<'EOF'\n" + strings.Repeat("insert into t values (1, 'a');\n", 3400) + "EOF\n",
		"a long list":                strings.Repeat("go vet ./x && ", 60) + "go test ./...",
		"a long pipe":                "cat a" + strings.Repeat(" | grep -v x", 60),
		"an if with many elif":       "if a; then b; " + strings.Repeat("elif c; then d; ", 60) + "fi",
		"2000 files for one program": "git add " + strings.Repeat("internal/x/file.go ", 2000),
	} {
		if p, part := within(line); p.Incomplete || part > 0.7 {
			t.Errorf("%s: incomplete %v, %.2f of the budget", name, p.Incomplete, part)
		}
	}
}

// TestCut shows that what is beyond the bounds is said, and that what stands before
// the bound is still read.
func TestCut(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for name, line := range map[string]string{
		"commands":         "rm -rf /;" + strings.Repeat("rm x;", mib/5),
		"other commands":   "rm -rf /;" + strings.Repeat("git status;", mib/11),
		"operands":         "rm -rf /;cat " + strings.Repeat("x ", mib/2),
		"pipes":            "rm -rf /;" + strings.Repeat("a|", mib/2) + "b",
		"evals":            "rm -rf /;" + strings.Repeat("eval ", 5000) + "ls",
		"functions":        "rm -rf /;f00(){ ls; };" + double(40) + "f40",
		"arrays":           "rm -rf /;a=(x x x x);" + strings.Repeat("a=(${a[@]} ${a[@]});", 60) + "echo ${a[@]}",
		"words":            "rm -rf /;set -- x x x x;" + strings.Repeat(`set -- "$@" "$@";`, 60) + "echo $@",
		"texts turned":     "rm -rf /;echo " + strings.Repeat("x", 200_000) + strings.Repeat("|rev", 200),
		"values":           "rm -rf /;a=xxxxxxxx;" + strings.Repeat("a=$a$a;", 60) + "echo $a",
		"found names":      "rm -rf /;printf '" + strings.Repeat(`x\n`, 20_000) + "' | xargs -I{} ls {}",
		"scripts":          "rm -rf /;" + strings.Repeat("python3 - <<'EOF'\n"+strings.Repeat("a.b(c)\n", 20_000)+"EOF\n", 5),
		"queries":          "rm -rf /;" + strings.Repeat("psql <<'EOF'\n"+strings.Repeat("select 1;\n", 10_000)+"EOF\n", 8),
		"long directories": "rm -rf /;" + strings.Repeat("cd x;", mib/5),
	} {
		p, _ := within(line)
		if !p.Cut || !p.Incomplete {
			t.Errorf("%s: read as if it were whole", name)
		}
		if len(p.Effects) == 0 || p.Effects[0].Kind != effect.DeleteRecursive {
			t.Errorf("%s: what stands first was lost", name)
		}
	}
	for _, line := range []string{strings.Repeat("$(", 10_000), "echo $((" + strings.Repeat("1+", 100_000) + "1))"} {
		if p, _ := within(line); !p.Cut {
			t.Errorf("what is nested too deeply is read as if it were whole: %.10s", line)
		}
	}
}

// double are functions of which each calls the one before it twice.
func double(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("N", itoa(i+1), "M", itoa(i)).Replace("fN(){ fM; fM; };"))
	}
	return b.String()
}

func itoa(i int) string { return string(rune('0'+i/10)) + string(rune('0'+i%10)) }
