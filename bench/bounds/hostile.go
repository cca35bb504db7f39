package main

import (
	"fmt"
	"strings"
)

// hostile are lines and calls that were made up to be slow.
func hostile() []load {
	long := "a=" + strings.Repeat("x", 20_000) + ";"
	return []load{
		numbered("files made, then commands", 60_000, "", ">d#/bin/f#;ls;", ""),
		numbered("downloads named alike, then run", 20_000, "", "curl -so d#/bin/x h;x;", ""),
		bash("aliases that double", func(s int) string {
			return number("alias a#='b# ; b#';alias b#=a#;", 3000*s) + number("a#;", 3000*s)
		}),
		rep("a=(${a[@]} ${a[@]})", 60, "a=(x x x x);", "a=(${a[@]} ${a[@]});", "rm ${a[@]}"),
		rep("set -- $@ $@", 60, "set -- x x x x;", `set -- "$@" "$@";`, "rm $@"),
		rep("printf -v doubles", 60, "a=xxxxxxxx;", `printf -v a %s%s "$a" "$a";`, "rm $a"),
		rep("${a//x/xx}", 60, "a=xxxxxxxx;", "a=${a//x/xx};", "rm $a"),
		rep("${a//x/y} of a long value", 4000, long, "b=${a//x/y};", "rm $b"),
		rep("${a:1} of a long value", 20_000, long, "b=${a:1};", "rm $b"),
		rep("${a^^} of a long value", 20_000, long, "b=${a^^};", "rm $b"),
		rep("${a%x} of a long value", 20_000, long, "b=${a%x*x*x};", "rm $b"),
		rep("${!a}", 60_000, "a=b;b=c;", "echo ${!a};", ""),
		rep("read of a long here-string", 10_000, long, "read b <<<$a;", "rm $b"),
		rep("arithmetic on variables", 100_000, "a=1;", "((a+=a));", "rm $a"),
		bash("arithmetic, one term", func(s int) string { return "echo $((" + strings.Repeat("1+", 200_000*s) + "1))" }),
		bash("case, many patterns", func(s int) string { return "case x in " + strings.Repeat("a|", 200_000*s) + "b) rm x;; esac" }),
		bash("case of a long word, many globs", func(s int) string {
			return "case " + strings.Repeat("a", 50_000) + " in " + strings.Repeat("*a*a*b) rm x;; ", 20_000*s) + "esac"
		}),
		bash("traps", func(s int) string { return number("trap 'rm x#' EXIT;", 20_000*s) }),
		bash("a pipe of 100000", func(s int) string { return "echo " + strings.Repeat("x", 50_000) + strings.Repeat("|cat", 50_000*s) }),
		bash("a pipe of sed", func(s int) string {
			return "echo " + strings.Repeat("x", 50_000) + strings.Repeat("|sed s/x/xx/g", 20_000*s) + "|sh"
		}),
		bash("xargs -I, many {}", func(s int) string {
			return "printf '" + strings.Repeat("x\\n", 20_000*s) + "' | xargs -I{} rm " + strings.Repeat("{}", 20_000*s)
		}),
		bash("sh -c, many words", func(s int) string {
			return "sh -c '" + strings.Repeat("rm $@;", 5000*s) + "' " + strings.Repeat("x ", 50_000*s)
		}),
		bash("functions with many words", func(s int) string {
			return "f(){ " + strings.Repeat("rm $@;", 5000*s) + "};f " + strings.Repeat("x ", 50_000*s)
		}),
		bash("functions in functions", func(s int) string {
			return number("f#(){ ", 2000*s) + "rm x;" + strings.Repeat("};", 2000*s) + number("f#;", 2000*s)
		}),
		bash("declare -n", func(s int) string { return number("declare -n a#=b#;b#=x;rm $a#;", 15_000*s) }),
		bash("git -C", func(s int) string { return "git " + strings.Repeat("-C a ", 100_000*s) + "push" }),
		bash("git aliases", func(s int) string { return number("git config alias.a# '!rm x';git a#;", 12_000*s) }),
		bash("cd of many names", func(s int) string { return number("cd d#;rm x;", 40_000*s) }),
		bash("pushd, popd", func(s int) string { return strings.Repeat("pushd d;", 30_000*s) + strings.Repeat("popd;", 30_000*s) }),
		bash("copies of copies", func(s int) string { return number("cp f# f#x;cat f#x >>g;sh g;", 15_000*s) }),
		bash("cp, many to many", func(s int) string { return "cp " + number("f# ", 3000*s) + number("-t d# ", 3000*s) }),
		bash("tee -a of a long text", func(s int) string {
			return "echo " + strings.Repeat("x", 20_000) + strings.Repeat("|tee -a f|cat f", 20_000*s)
		}),
		bash("mkfifo and trap", func(s int) string { return number("mkfifo p#;cat p#|sh;", 25_000*s) }),
		bash("kill of substitutions", func(s int) string { return strings.Repeat("kill $(pgrep x);", 30_000*s) }),
		bash("names with wildcards", func(s int) string { return "rm " + number("*a?[b-c]#* ", 40_000*s) }),
		bash("a name of a program of wildcards", func(s int) string { return strings.Repeat("*?[a]", 100_000*s) + " x" }),
		bash("one word of 5 MiB", func(s int) string { return "echo " + filled("x", 5*mib/2*s) }),
		bash("overseer, many times", func(s int) string { return filled("echo overseer approve;", mib/2*s-1024) }),
		bash("overseer, written to many files", func(s int) string { return number("echo overseer approve >f#.sh;", 15_000*s) }),
		bash("python in python", func(s int) string {
			line := "rm x"
			for range 5 * s {
				line = fmt.Sprintf("python3 -c \"import os;os.system(%q)\"", line)
			}
			return line
		}),
		tool("Write 5 MiB", "Write", func(s int) map[string]any {
			return map[string]any{"file_path": "a.txt", "content": filled("a line of \"text\" <b>\n", 5*mib/2*s)}
		}),
		tool("Edit 5 MiB", "Edit", func(s int) map[string]any {
			return map[string]any{"file_path": "a.go", "old_string": filled("old\n", 5*mib/4*s), "new_string": filled("new\n", 5*mib/4*s)}
		}),
		tool("Write, a script about overseer", "Write", func(s int) map[string]any {
			return map[string]any{"file_path": "a.sh", "content": filled("for i in {1..250}; do rm f$i; done; overseer approve2 # approve\n", 120<<10*s)}
		}),
		tool("Write, a makefile about overseer", "Write", func(s int) map[string]any {
			return map[string]any{"file_path": "Makefile", "content": number("a#=overseer ledger\n\t$(a#)\n", 5000*s)}
		}),
		tool("Write, package.json about overseer", "Write", func(s int) map[string]any {
			return map[string]any{"file_path": "package.json", "content": `{"scripts":{` + number(`"a#":"for i in {1..250}; do rm f$i; done; overseer ledger",`, 2000*s) + `"b":""}}`}
		}),
		tool("apply_patch, one line", "apply_patch", func(s int) map[string]any {
			return map[string]any{"input": "*** Begin Patch *** Update File: " + filled("*** Delete File: x ", mib/2*s)}
		}),
		tool("MCP, 50000 keys", "mcp__x__y", func(s int) map[string]any {
			in := map[string]any{}
			for i := range 25_000 * s {
				in[fmt.Sprint("key", i)] = "value of some words"
			}
			return in
		}),
		tool("MCP, escapes", "mcp__fs__write_file", func(s int) map[string]any {
			return map[string]any{"path": "a.txt", "content": filled("\x01\u2028<&>\"\\", mib/8*s)}
		}),
		tool("MCP, list of paths and texts", "mcp__fs__write_files", func(s int) map[string]any {
			var files []map[string]string
			for i := range 5000 * s {
				files = append(files, map[string]string{"path": fmt.Sprintf("d%d/x.sh", i), "content": "echo overseer approve"})
			}
			return map[string]any{"files": files}
		}),
		raw("payload, not JSON", func(s int) string { return strings.Repeat(`{"a":`, 100_000*s) }),
		raw("payload, brackets", func(s int) string { return `{"a":` + strings.Repeat("[", 250_000*s) }),
		raw("payload, members that repeat", func(s int) string {
			return `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}` + strings.Repeat(`,"tool_input":{"command":"rm x"}`, 15_000*s) + "}"
		}),
		raw("payload, other members", func(s int) string {
			return `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}` + number(`,"m#":[1,2]`, 40_000*s) + "}"
		}),
		raw("payload, spaces", func(s int) string {
			return `{"hook_event_name":"PreToolUse","tool_name":"Bash",` + strings.Repeat(" ", mib/2*s) + `"tool_input":{"command":"ls"}}`
		}),
	}
}

// raw is a whole payload.
func raw(name string, payload func(scale int) string) load {
	return load{name, func(scale int) (string, map[string]any) { return "", map[string]any{"": payload(scale)} }}
}
