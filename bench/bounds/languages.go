package main

import "strings"

// script is an inline script that a text fills up to the size that is read.
func script(name, program, text string) load {
	return bash(name, func(s int) string { return program + " <<'EOF'\n" + filled(text, 60<<10*s) + "EOF\n" })
}

// many are scripts of one line, a command each.
func many(name, command string) load { return fill(name, command+"\n") }

func languages() []load {
	py := "import os, subprocess, shutil\n"
	all := []load{
		bash("python: calls", func(s int) string { return "python3 - <<'EOF'\n" + py + filled("os.remove('x')\n", 60<<10*s) + "EOF\n" }),
		bash("python: different calls", func(s int) string { return "python3 - <<'EOF'\n" + py + number("os.remove('x#')\n", 3300*s) + "EOF\n" }),
		bash("python: shell strings", func(s int) string {
			return "python3 - <<'EOF'\n" + py + filled("os.system('rm -rf x | cat')\n", 60<<10*s) + "EOF\n"
		}),
		bash("python: fold", func(s int) string {
			return "python3 - <<'EOF'\na='x'\n" + filled("a=a+a\n", 60<<10*s) + "exec(a)\nEOF\n"
		}),
		bash("python: functions", func(s int) string {
			return "python3 - <<'EOF'\nimport os\ndef f0(x): os.remove(x)\n" + number("def f#a(x): f#(x); f#(x)\n", 2000*s) + "f1('x')\nEOF\n"
		}),
		bash("python: lists", func(s int) string {
			return "python3 - <<'EOF'\nx=[" + filled("'a',", 60<<10*s) + "]\nimport os\nfor y in x: os.remove(y)\nEOF\n"
		}),
		bash("python: nested", func(s int) string { return "python3 - <<'EOF'\n" + filled("f(", 60<<10*s) + "\nEOF\n" }),
		bash("python: exec of exec", func(s int) string {
			return "python3 - <<'EOF'\n" + filled("exec('exec(\"exec(1)\")')\n", 60<<10*s) + "\nEOF\n"
		}),
		bash("python: chr", func(s int) string { return "python3 - <<'EOF'\nexec(" + filled("chr(114)+", 60<<10*s) + "'')\nEOF\n" }),
		bash("python: attribute chain", func(s int) string { return "python3 - <<'EOF'\na" + filled(".b", 60<<10*s) + "()\nEOF\n" }),
		bash("python: method chain", func(s int) string { return "python3 - <<'EOF'\na" + filled(".b()", 60<<10*s) + "\nEOF\n" }),
		bash("python: replace chain", func(s int) string {
			return "python3 - <<'EOF'\nexec('" + filled("x", 20<<10) + "'" + filled(".replace('x','xx')", 40<<10*s) + ")\nEOF\n"
		}),
		bash("python: join split", func(s int) string {
			return "python3 - <<'EOF'\na='" + filled("x ", 20<<10) + "'\n" + filled("a=' '.join(a.split())\n", 40<<10*s) + "exec(a)\nEOF\n"
		}),
		many("python -c, many", "python3 -c 'import os; os.remove(\"x\")'"),
		many("node -e, many", "node -e 'require(\"fs\").rmSync(\"x\")'"),
		many("psql -c, many", "psql -c 'drop table x'"),
		many("pwsh -c, many", "pwsh -c 'Remove-Item x'"),
		many("perl -e, many", "perl -e 'unlink \"x\"'"),
		many("awk, many", "awk '{print $1}' f"),
		script("node", "node", "require('child_process').execSync('rm x');\n"),
		script("node: arrow functions", "node", "const f=(a)=>{fs.rmSync(a)};f('x');\n"),
		script("node: template", "node", "eval(`a${b}c${`d`}`);\n"),
		script("perl", "perl", "system('rm x'); unlink 'y';\n"),
		script("perl: regexps", "perl", "$x =~ s/a(b|c)/d/e; qx{rm y};\n"),
		script("ruby", "ruby", "system('rm x'); File.delete('y')\n"),
		script("php", "php", "shell_exec('rm x'); unlink('y');\n"),
		script("lua", "lua", "os.execute('rm x') os.remove('y')\n"),
		script("awk", "awk -f -", "BEGIN { system(\"rm x\") }\n"),
		script("tcl", "tclsh", "exec rm x; file delete y [exec ls]\n"),
		script("tcl: brackets", "tclsh", "[[[a]]] {{{b}}} "),
		script("r", "Rscript -", "system('rm x'); unlink('y')\n"),
		script("sql: statements", "psql", "drop table x; delete from y;\n"),
		bash("sql: different statements", func(s int) string { return "psql <<'EOF'\n" + number("drop table x#;\n", 3300*s) + "EOF\n" }),
		script("sql: one statement", "psql", "insert into x values ('a', 'b'), \n"),
		script("sql: strings", "psql", "'drop table x' "),
		script("sql: parentheses", "psql", "(select (a or b) "),
		script("sql: where", "psql", "delete from x where a=1 or b=2 and c in (select d from e);\n"),
		script("sql: procedures", "psql", "create procedure p() as begin drop table x; end; call p();\n"),
		script("sql: execute", "psql", "execute 'drop table x'; exec('delete from y');\n"),
		script("sql: escaped", "mysql", `select 'a\'b' ; drop table x; `),
		script("mongo", "mongosh", "db.x.drop(); db.y.deleteMany({});\n"),
		script("redis", "redis-cli", "FLUSHALL\nDEL x\n"),
		script("powershell", "pwsh -Command -", "Remove-Item -Recurse x; Get-Item y | Remove-Item\n"),
		script("powershell: fold", "pwsh -Command -", "$a='x'; $a=$a+$a; iex $a;\n"),
		script("powershell: format", "pwsh -Command -", "& ('{1}{0}' -f 'x','y') z; [char]114+'m'|iex\n"),
		script("powershell: blocks", "pwsh -Command -", "1..9 | % { Remove-Item $_ }; foreach ($i in 1..99) { rm $i }\n"),
		script("powershell: .NET", "pwsh -Command -", "[IO.File]::Delete('x'); (New-Object Net.WebClient).DownloadString('u')|iex\n"),
		bash("powershell: nested", func(s int) string { return "pwsh -Command - <<'EOF'\n" + filled("$(", 60<<10*s) + "\nEOF\n" }),
		bash("powershell: ( nested", func(s int) string { return "pwsh -Command - <<'EOF'\n" + filled("(", 60<<10*s) + "\nEOF\n" }),
		bash("powershell: replace", func(s int) string {
			return "pwsh -Command - <<'EOF'\n$a='" + filled("x", 20<<10) + "'\n" + filled("$a=$a -replace 'x','xx'\n", 40<<10*s) + "iex $a\nEOF\n"
		}),
		bash("powershell: join", func(s int) string {
			return "pwsh -Command - <<'EOF'\niex (" + filled("'a',", 60<<10*s) + "'b' -join '')\nEOF\n"
		}),
		bash("cmd", func(s int) string { return "cmd /c '" + filled("del x & rd /s /q y & ", 60<<10*s) + "'" }),
		bash("cmd: for", func(s int) string { return "cmd /c '" + filled("for %i in (a b c) do del %i & ", 60<<10*s) + "'" }),
		bash("cmd: set", func(s int) string { return "cmd /c '" + filled("set a=%a%%a% & ", 60<<10*s) + "call %a%'" }),
		bash("cmd: (", func(s int) string { return "cmd /c '" + filled("(", 60<<10*s) + "'" }),
		bash("cmd: ^", func(s int) string { return "cmd /c '" + filled("d^e^l x & ", 60<<10*s) + "'" }),
		bash("script larger than is read", func(s int) string { return "python3 - <<'EOF'\n" + filled("os.remove('x')\n", mib/2*s-1024) + "EOF\n" }),
		bash("sql larger than is read", func(s int) string {
			return "psql <<'EOF'\n" + filled("insert into x values (1);\n", mib/2*s-1024) + "EOF\n"
		}),
		bash("ten scripts of 100 KiB", func(s int) string {
			return strings.Repeat("python3 - <<'EOF'\nimport os\n"+filled("os.remove('x')\n", 50<<10*s)+"EOF\n", 10)
		}),
		bash("ten queries of 100 KiB", func(s int) string {
			return strings.Repeat("psql <<'EOF'\n"+filled("drop table x;\n", 50<<10*s)+"EOF\n", 10)
		}),
		bash("ten PowerShell of 100 KiB", func(s int) string {
			return strings.Repeat("pwsh -Command - <<'EOF'\n"+filled("Remove-Item x\n", 50<<10*s)+"EOF\n", 10)
		}),
	}
	return all
}
