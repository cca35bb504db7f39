package shell_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/shell"
)

// TestCommands lists what each line would run, one command a line, with the
// wrappers before it.
func TestCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ src, want string }{
		{"ls -l", "ls -l"},
		{"a && b || c; d | e &", "a\nb\nc\nd\ne"},
		{`r''m -rf "/"`, "rm -rf /"},
		{`\rm x`, "rm x"},
		{`$'\x72m' x`, "rm x"},
		{`/usr/bin/rm x`, "rm x"},
		{"if a; then b; else c; fi; for x in 1; do d; done; while e; do f; done", "a\nb\nc\nd\ne\nf"},
		{"f() { rm x; }; f", "f\nrm x"},
		{"(a; b)", "a\nb"},
		{"echo $(rm x) `rm y`", "rm x\nrm y\necho $() $()"},
		{"cat <(rm x)", "rm x\ncat /dev/fd/1"},
		{"sudo -u root rm x", "sudo -u root rm x\nsudo: rm x"},
		{"env -u B A=1 rm x", "env -u B A=1 rm x\nenv: rm x"},
		{"env -S 'rm x'", "env -S rm x\nenv: rm x"},
		{"nohup nice -n 5 timeout 10 rm x", "nohup nice -n 5 timeout 10 rm x\nnohup: nice -n 5 timeout 10 rm x\nnohup nice: timeout 10 rm x\nnohup nice timeout: rm x"},
		{"bash -c 'rm x; ls'", "bash -c rm x; ls\nbash: rm x\nbash: ls"},
		{"bash -lc 'rm x'", "bash -lc rm x\nbash: rm x"},
		{"bash script.sh -c x", "bash script.sh -c x"},
		{"eval rm x", "eval rm x\neval: rm x"},
		{"xargs -n 1 rm", "xargs -n 1 rm\nxargs: rm $()"},
		{"find . -exec rm {} +", "find . -exec rm {} +\nfind: rm ./$every"},
		{"sh <<'E'\nrm x\nE", "sh\nsh: rm x"},
		{"bash <<< 'rm x'", "bash\nbash: rm x"},
		{"echo rm x | sh", "echo rm x\nsh\nsh: rm x"},
		{"printf 'rm x' | bash -s", "printf rm x\nbash -s\nbash: rm x"},
		{"echo rm x | cat", "echo rm x\ncat"},
		{"env -S rm x", "env -S rm x\nenv: rm x"},
		{"a=rm; b=x; $a ${b}y", "rm xy"},
		{"a=$(c); $a x", "c\n$() x"},
		{"a=rm; ${a:1} x", "m x"},
		{"ls *.go(.om[1])", "ls *.go(.om[1])"},
		{"cat > x <<'E'\n" + strings.Repeat("((\n", 300) + "E\nls", "cat\nls"},
		{"cat <<'E'\nrm x\nE", "cat"},
		{"echo 'rm x'", "echo rm x"},
		{"# rm x\nls", "ls"},
		{"A=1 B=2 rm x", "rm x"},
		{"A=1", ""},
	} {
		t.Run(tt.src, func(t *testing.T) {
			t.Parallel()
			p := shell.Analyze(tt.src, shell.Context{})
			var lines []string
			for _, c := range p.Commands {
				line := strings.Join(append([]string{c.Program}, c.Args...), " ")
				if len(c.Via) > 0 {
					line = strings.Join(c.Via, " ") + ": " + line
				}
				lines = append(lines, line)
			}
			if diff := cmp.Diff(tt.want, strings.Join(lines, "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if p.Incomplete {
				t.Error("reported as incomplete")
			}
		})
	}
}

func TestBrokenLineStillTells(t *testing.T) {
	t.Parallel()
	p := shell.Analyze("rm -rf / ; $($($(", shell.Context{})
	if !p.Incomplete {
		t.Error("a syntax error is not reported")
	}
	if len(p.Commands) == 0 || p.Commands[0].Program != "rm" {
		t.Errorf("the command before the error is lost: %v", p.Commands)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	deep := "rm x"
	for range 40 {
		deep = "sudo " + deep
	}
	for name, src := range map[string]string{
		"nested substitutions": strings.Repeat("$(", 10_000),
		"nested brackets":      "ls\n" + strings.Repeat("(", 100_000),
		"nested keywords":      strings.Repeat("if ", 100_000),
		"negations":            strings.Repeat("! ", 100_000),
		"nested loops":         strings.Repeat("for x in a b c d e f g h; do ", 40) + "rm $x" + strings.Repeat("; done", 40),
		"many commands":        strings.Repeat("true;", 30_000),
		"many wrappers":        deep,
		"too long":             strings.Repeat("a", 2<<20),
		"a nested script":      "python3 - <<'E'\n" + strings.Repeat("f(", 20_000) + "\nE",
		"a nested PowerShell":  "pwsh -c - <<'E'\n" + strings.Repeat("(", 20_000) + "\nE",
	} {
		if p := shell.Analyze(src, shell.Context{}); !p.Incomplete {
			t.Errorf("%s: not reported as incomplete", name)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"cd a && cat b":                               "a|a/b",
		"(cd a); cat b":                               "a|b",
		"cd a; cd /x; cat b":                          "a|/x|/x/b",
		"cd ~/a; cat b":                               "~/a|~/a/b",
		"for f in a b; do rm $f; done":                "a|b",
		"d=$HOME/x; rm $d/y":                          "~/x/y",
		"cat $(pwd)/a":                                "./a",
		"rm --file=a -r b":                            "a|b",
		"git commit -m x a":                           "commit|a",
		"grep -e p a":                                 "a",
		"apply_patch <<'E'\n*** Add File: a\n+x\nE":   "a",
		"cd d; apply_patch '*** Delete File: a'":      "d|d/a",
		"echo a > b; cat < c; d >& e; f 2>&1 | tee g": "b|e|c|g",
	} {
		if got := strings.Join(shell.Analyze(src, shell.Context{}).Files(), "|"); got != want {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	p := shell.Analyze("a > one 2>> two < three; b &> four", shell.Context{})
	if diff := cmp.Diff([]string{"one", "two", "four"}, p.Writes); diff != "" {
		t.Errorf("writes (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"three"}, p.Reads); diff != "" {
		t.Errorf("reads (-want +got)\n%s", diff)
	}
}
