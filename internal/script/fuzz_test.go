package script

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
)

var languages = []string{"python", "node", "perl", "ruby", "php", "awk", "lua", "r", "tcl", "applescript", "go", "java"}

// FuzzRead looks for scripts that the reader fails on.
func FuzzRead(f *testing.F) {
	for i, src := range []string{
		`import os as o; o.system("rm -rf " + "/")`,
		`const {rmSync: r} = require('fs'); r('/')`,
		`open(F,"|cmd"); print F "x"; unlink for qw(/a /b); s/a/b()/e; y/a/b/`,
		`%w[/a /b].each do |f| File.delete f end; %x(id #{1})`,
		`<?php $f='system'; $f("id $x[0] {$y}"); eval(<<<EOT` + "\nx\nEOT\n);",
		`BEGIN{"id" | getline x; print x > "/f"; while ((getline l < "g") > 0) print l | "sh"}`,
		`os.execute [[rm]] .. "x"`,
		`x <- paste0("a", "b"); do.call("system", list(x))`,
		`exec [open "a"] {b} "$c"`,
		`do shell script "a" & quoted form of b`,
		`exec.Command("a").Run()`,
		"f'{a!r:>{w}}' % (1, 2)[::-1]; {x: y for x in z}; lambda a=1: a",
		"`a${`b${c}`}`; (a, b) => {}; async x => y; a ? b : c; /re[/]/g",
	} {
		f.Add(byte(i), src)
	}
	f.Fuzz(func(t *testing.T, lang byte, src string) {
		r := Read(languages[int(lang)%len(languages)], effect.Lit(src), budget.New())
		for _, c := range r.Calls {
			if c.Name == "" || c.Line < 1 {
				t.Fatalf("call without a name or line: %+v", c)
			}
		}
	})
}

// TestReadBounds reads what is nested or long beyond all use, in every language.
func TestReadBounds(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"(", "[", "{", "f(", "[f(", "x=", "a.b", "'", "\"", "`", "${", "#{", "f'{", "'a'+", "x+=x+'a';", "-", "not ", "lambda:", "def f(a):", "for x in ", "{a:", "a=>", "function(){", "%w[", "qq{", "<<EOT\n", "<<~A\n", "/*", "\"\"\"", "s/a", "q(", "|", "$x->", "if ", "[x for x in ", "a if b else ", "print ", "system ", "x.map{|y|", "map { ", "/[", "a[", "new ", "import ", "\\", "@{[", "f(a,", "do shell script ", "x='a'*999999;", "x=[x,x];", "y=y.replace('a','aa');", "e=e+e;", "z=open(z);", "import('"} {
		t.Run(unit, func(t *testing.T) {
			t.Parallel()
			for _, lang := range languages {
				r := Read(lang, effect.Lit(strings.Repeat(unit, 1<<13/len(unit))), budget.New())
				if len(r.Calls) > maxCalls {
					t.Errorf("%s: %d calls", lang, len(r.Calls))
				}
			}
		})
	}
}
