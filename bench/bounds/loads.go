package main

import (
	"fmt"
	"strings"
)

// load is one event, of a size that scale 1 halves.
type load struct {
	name string
	make func(scale int) (tool string, input map[string]any)
}

// A command line of overseer's own limit, and the half of it.
const mib = 1 << 20

func loads() []load {
	var all []load
	all = append(all, words()...)
	all = append(all, nests()...)
	all = append(all, programs()...)
	all = append(all, languages()...)
	all = append(all, tools()...)
	all = append(all, hostile()...)
	return all
}

// bash is a command line.
func bash(name string, line func(scale int) string) load {
	return load{name, func(scale int) (string, map[string]any) {
		return "Bash", map[string]any{"command": line(scale)}
	}}
}

// fill is a line of a MiB (less a few bytes) made of one text.
func fill(name, text string) load {
	return bash(name, func(scale int) string { return filled(text, mib/2*scale-1024) })
}

// filled repeats a text up to so many bytes.
func filled(text string, bytes int) string { return strings.Repeat(text, max(1, bytes/len(text))) }

// rep is begin, then n times text, then end.
func rep(name string, n int, begin, text, end string) load {
	return bash(name, func(scale int) string { return begin + strings.Repeat(text, n/2*scale) + end })
}

// numbered is n times a text in which # is a number.
func numbered(name string, n int, begin, text, end string) load {
	return bash(name, func(scale int) string { return begin + number(text, n/2*scale) + end })
}

func number(text string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// words are long lines of a plain shape.
func words() []load {
	return []load{
		fill("one word", "x"),
		fill("spaces", " "),
		fill("newlines", "\n"),
		fill("semicolons", ";"),
		fill("single quote open", "'x"),
		fill("quoted words", "'a' \"b\" "),
		fill("echo words", "echo a b c; "),
		fill("one command, many words", "a "),
		fill("rm with many operands", "rm/a "),
		rep("rm, 200000 operands", 200_000, "rm ", "f ", ""),
		numbered("rm, 90000 paths", 90_000, "rm -f ", "d#/f# ", ""),
		numbered("rm -rf, 50000 absolute paths", 50_000, "rm -rf ", "/srv/d#/f# ", ""),
		numbered("cat, 50000 dot files", 50_000, "cat ", "~/.d#/id_x# ", ""),
		fill("rm x;", "rm x;"),
		numbered("rm # each", 60_000, "", "rm x#;", ""),
		numbered("rm 19000 lines", 19_000, "", "rm x#\n", ""),
		fill("git status;", "git status;"),
		fill("git push --force;", "git push --force;"),
		numbered("unknown programs", 60_000, "", "p# a b;", ""),
		numbered("assignments", 90_000, "", "a#=#;", ""),
		numbered("PATH= assignments", 60_000, "", "PATH=/a# ", "ls"),
		fill("a|b|c", "a|b|"),
		fill("cat|grep", "cat f | grep x | "),
		fill("a && b", "ls && "),
		fill("a || b &", "ls || cd x & "),
		fill("cd x;", "cd x;"),
		fill("cd ..;", "cd ..;"),
		fill("globs", "*?[a-z]"),
		fill("rm of globs", "rm *?[a-z]*.*/**;"),
		fill("cat of globs", "cat /*/*/.s*/i?_*;"),
		fill("cat of secrets", "cat ~/.ssh/id_rsa;"),
		fill("unicode", "é漢🙂"),
		fill("NULs", "\x00"),
		fill("control characters", "\x01\x1b[31m"),
		fill("bad UTF-8", "\xff\xfe"),
		fill("backslashes", `\`),
		fill("escaped words", `\a\b\ `),
		fill("comments", "# x\n"),
		numbered("redirects of one command", 100_000, "echo a ", ">f# ", ""),
		numbered("redirects, a command each", 60_000, "", ">f#;", ""),
		numbered("appends to one file", 40_000, "", "echo # >>f;", ""),
		numbered("fd redirects", 100_000, "echo a ", "2>&1 ", ""),
		numbered("reads", 60_000, "", "cat <f#;", ""),
		fill("here-strings", "cat <<<x;"),
		numbered("here-documents", 40_000, "", "cat <<E#\nx\nE#\n", ""),
		bash("one here-document", func(s int) string {
			return "cat > f <<'EOF'\n" + filled("a line ($x) of text\n", mib/2*s-4096) + "EOF\n"
		}),
		bash("one open here-document", func(s int) string { return "cat > f <<EOF\n" + filled("a $x $(y) {z}\n", mib/2*s-4096) + "EOF\n" }),
		bash("here-document to bash", func(s int) string { return "bash <<'EOF'\n" + filled("rm -rf build/x\n", mib/2*s-4096) + "EOF\n" }),
		bash("a normal long script", func(s int) string { return normalScript(s * 150) }),
		bash("normal, written by cat", func(s int) string {
			return "mkdir -p src && cat > src/a.go <<'EOF'\n" + filled("func f(x int) { return g(x, \"a b\") } // ok\n", s*50<<10) + "EOF\ngo test ./...\n"
		}),
	}
}

// normalScript is a script as agents write them, of so many lines.
func normalScript(lines int) string {
	block := "set -e\ncd \"$PWD/src\"\nfor f in a b c; do\n  echo \"building $f\"\n  go build -o bin/$f ./cmd/$f\ndone\n" +
		"if [ -f go.mod ]; then\n  grep -n module go.mod | cut -d' ' -f2\nfi\nmkdir -p out && cp bin/* out/\n" +
		"curl -s http://localhost:8080/health | jq .status\ngit add -A && git commit -m 'step'\npython3 -c 'import json; print(json.load(open(\"a.json\")))'\ncd ..\n"
	return filled(block, lines*len(block)/14)
}

// nests are deep lines, and such as grow while they are followed.
func nests() []load {
	deep := func(name, open, mid, close string) load {
		return bash(name, func(s int) string {
			n := min(5_000*s, mib/2*s/(len(open)+len(close)+1))
			return strings.Repeat(open, n) + mid + strings.Repeat(close, n)
		})
	}
	shallow := func(name, text string) load { return fill(name, text) }
	return []load{
		deep("10000 $(", "echo $(", "rm x", ")"),
		deep("10000 $( not closed", "$(", "", ""),
		deep("10000 backticks", "`", "", ""),
		deep("10000 (", "(", "ls", ")"),
		deep("10000 ( (", "( ", "ls", ")"),
		deep("10000 ((", "((", "1", "))"),
		deep("10000 $((", "$((", "1", "))"),
		deep("10000 {", "{ ", "ls", ";}"),
		deep("10000 ${", "${x:-", "y", "}"),
		deep("10000 \"$(", "\"$(", "ls", ")\""),
		deep("10000 <(", "cat <(", "ls", ")"),
		deep("10000 [[ (", "[[ ( ", "x", " ) ]]"),
		deep("10000 if", "if ", "ls", ";then :;fi"),
		deep("10000 while", "while ", "ls", ";do :;done"),
		deep("10000 case", "case x in x) ", "ls", ";; esac"),
		deep("10000 !", "! ", "ls", ""),
		deep("10000 time", "time ", "ls", ""),
		deep("10000 f(){", "f(){ ", "ls", ";}"),
		deep("10000 {a,", "{a,", "b", "}"),
		deep("10000 [", "[", "b", "]"),
		rep("150 $( deep, wide", 20_000, "", strings.Repeat("$(", 3)+strings.Repeat(")", 3)+" ", ""),
		bash("150 $( deep", func(s int) string { return strings.Repeat("echo $(", 75*s) + "rm -rf /" + strings.Repeat(")", 75*s) }),
		bash("150 ( deep, 100 wide", func(s int) string {
			return strings.Repeat(strings.Repeat("(", 75*s)+"ls"+strings.Repeat(")", 75*s)+"\n", 100)
		}),
		shallow("substitutions", "echo $(ls x);"),
		shallow("process substitutions", "diff <(ls a) <(ls b);"),
		shallow("subshells", "(ls);"),
		shallow("arithmetic", "echo $((1+2));"),
		shallow("tests", "[[ -f x && $y == z ]];"),
		shallow("braces {a,b}", "{a,b}"),
		rep("braces {a,b} x 14", 28, "rm ", "{a,b}", ""),
		shallow("braces in words", "echo {a,b}{c,d};"),
		shallow("braces {1..999999}", "echo {1..999999};"),
		rep("commas in braces", 400_000, "rm {", "a,", "b}"),
		rep("open braces", 400_000, "cat ", "{a,", ""),
		rep("a=$a$a", 60, "a=xxxxxxxx;", "a=$a$a;", "rm $a"),
		rep("a=$a$a, 30000 times", 30_000, "a=xxxxxxxx;", "a=$a$a;", "rm $a"),
		rep("a+=a", 100_000, "", "a+=x;", "rm $a"),
		rep("many uses of a long value", 20_000, "a="+strings.Repeat("x", 50_000)+";", "echo $a;", ""),
		rep("echo of a long value, piped", 20_000, "a="+strings.Repeat("x", 50_000)+";", "echo $a | cat;", ""),
		rep("cat of a file made", 20_000, "echo "+strings.Repeat("x", 50_000)+">f;", "cat f|sh;", ""),
		numbered("variables and subshells", 20_000, "", "v#=x;(ls);", ""),
		numbered("variables, then pipes", 20_000, "", "v#=x;ls|cat;", ""),
		numbered("array", 200_000, "a=(", "x ", ");rm ${a[@]}"),
		numbered("array grown", 30_000, "", "a+=(x);", "rm ${a[@]}"),
		numbered("array in a loop", 300, "a=("+strings.Repeat("x ", 100_000)+");", "echo ${a[@]};", ""),
		numbered("functions", 40_000, "", "f#(){ rm x;};", "f1"),
		numbered("functions, each calls the next two", 60, "f0(){ rm x;};", "f#(){ f0;f0;};", "f1"),
		bash("functions that double", func(s int) string {
			var b strings.Builder
			b.WriteString("f0(){ rm x; };")
			for i := range 15 * s {
				fmt.Fprintf(&b, "f%d(){ f%d; f%d; };", i+1, i, i)
			}
			return b.String() + fmt.Sprintf("f%d", 15*s)
		}),
		bash("function that calls itself", func(s int) string { return "f(){ f a; f b | f c; };" + strings.Repeat("f;", 50_000*s) }),
		bash("functions, large body", func(s int) string {
			return "f(){ " + strings.Repeat("rm x;", 5000*s) + "};" + strings.Repeat("f;", 5000*s)
		}),
		bash("loops in loops", func(s int) string {
			w := strings.Repeat("x ", 8*s)
			return strings.Repeat("for i in "+w+"; do ", 6) + "rm $i" + strings.Repeat("; done", 6)
		}),
		bash("loop over a large range", func(s int) string { return "for i in {1..100000000}; do rm $i; done;" }),
		bash("loop of many words", func(s int) string { return "for i in " + strings.Repeat("x ", 100_000*s) + "; do rm $i; done" }),
		bash("loop with a large body", func(s int) string {
			return "for i in " + strings.Repeat("x ", 200) + "; do " + strings.Repeat("rm $i;", 5000*s) + " done"
		}),
		bash("many loops", func(s int) string { return strings.Repeat("for i in a b; do rm $i; done;", 15_000*s) }),
		bash("while read", func(s int) string {
			return "printf '" + strings.Repeat("x\\n", 50_000*s) + "' | while read l; do rm $l; done"
		}),
		bash("case, many arms", func(s int) string { return "case x in " + strings.Repeat("a) rm x;; ", 45_000*s) + "esac" }),
		bash("if, elif", func(s int) string { return "if a; then b; " + strings.Repeat("elif c; then d; ", 150*s) + "fi" }),
		bash("if, 30000 elif", func(s int) string { return "if a; then b; " + strings.Repeat("elif c; then d; ", 15_000*s) + "fi" }),
		bash("aliases", func(s int) string { return number("alias a#='a# x';a# y;", 15_000*s) }),
		bash("syntax errors", func(s int) string { return filled("rm x; ) fi ;; (\n", mib/2*s-1024) }),
		bash("syntax error at the end", func(s int) string { return filled("rm x;", mib/2*s-1024) + "(" }),
	}
}
