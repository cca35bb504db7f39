package program

import (
	"reflect"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/effect"
)

// FuzzTables looks for words that a program's table fails on, and for texts that the
// reader of tables does.
func FuzzTables(f *testing.F) {
	for _, s := range []string{
		"git\x00-C x -c a=b push --force-with-lease=x o +m", "rm\x00-rf --no-preserve-root -- /", "find\x00. -exec rm {} + -o -delete", "tar\x00xzf a -C/b",
		"aws\x00s3 rm --recursive s3://b", "kubectl\x00--context=x delete -f -", "curl\x00-sSLo/x -d@y u", "python:os.remove\x00--path=x y", "reg\x00add HKLM\\x /v y /f",
		"x\x00values -a --b\n-c|--d=*x &1=y|z !2=a $stdin => delete.file operands, out:content -c\n+ x -a b\n- x\n", "x\x00style: pwsh\nnone -h\na|b => run after -x|-y",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, rest, _ := strings.Cut(s, "\x00")
		var words []effect.Value
		for w := range strings.FieldsSeq(rest) {
			words = append(words, effect.Lit(w))
		}
		var x, y Tables
		r, ok := x.Match(Name(name), words, len(rest)%2 == 0, "/p")
		if again, ok2 := y.Match(Name(name), words, len(rest)%2 == 0, "/p"); ok != ok2 || !reflect.DeepEqual(r, again) {
			t.Errorf("asked twice, it differs: %+v %+v", r, again)
		}
		load([]block{{body: rest, file: "x"}}, nil, func(error) {})
		table := load([]block{{body: rest, file: "x"}}, nil, nil)
		table.match("x", words, false, "/p", nil)
	})
}
