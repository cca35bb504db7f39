package precedent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/precedent"
)

var key = []byte("0123456789abcdef0123456789abcdef")

func sample() precedent.Act {
	return precedent.Act{
		Tool: "shell", Programs: []string{"rm", "git push"}, Text: "rm -rf build/secret-name && git push", Form: []string{"a", "b"}, Loose: true, Root: "/r",
		Effects: []effect.Effect{
			{Kind: effect.DeleteRecursive, Targets: []effect.Target{{Name: "/r/build/secret-name", Scope: effect.Repo}, {Name: "/tmp/x", Scope: effect.Temp}}},
			{Kind: "git.rewrite-remote", Unsure: true, Targets: []effect.Target{{Name: "origin"}}},
		},
	}
}

func TestSignatureIsCoded(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]precedent.Act{"whole": sample(), "empty": {Tool: "other"}} {
		a := precedent.Of(act, key)
		text := a.Signature.String()
		got, err := precedent.Parse(text)
		if err != nil {
			t.Fatalf("%s: %q: %v", name, text, err)
		}
		if diff := cmp.Diff(a.Signature, got); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
	a := precedent.Of(sample(), key)
	text := a.Signature.String()
	for _, word := range []string{"secret", "build", "push", "origin", "/r"} {
		if strings.Contains(text, word) {
			t.Errorf("%q tells %q", text, word)
		}
	}
	for _, word := range []string{"delete.recursive:repo,temp:", "git.rewrite-remote?:"} {
		if !strings.Contains(text, word) {
			t.Errorf("%q does not tell %q", text, word)
		}
	}
	if b := precedent.Of(sample(), []byte("another")); b.Form == a.Form || cmp.Equal(b.Programs, a.Programs) || cmp.Equal(b.Words, a.Words) {
		t.Error("another key, the same hashes")
	}
}

func TestSignatureStaysSmall(t *testing.T) {
	t.Parallel()
	act := sample()
	for i := range 500 {
		act.Text += fmt.Sprint(" word", i)
		act.Programs = append(act.Programs, fmt.Sprint("program", i))
		act.Effects[0].Targets = append(act.Effects[0].Targets, effect.Target{Name: fmt.Sprint("/r/f", i), Scope: effect.Repo})
	}
	a := precedent.Of(act, key)
	if n := len(a.Signature.String()); n > 300 {
		t.Errorf("%d bytes", n)
	}
	if a.Form != "" || a.Licensed(&a.Signature) {
		t.Error("an action that is only known in part is vouched for")
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "1", "1 shell", "1 shell a b", "2 shell a - -", "0 shell a - -", "1 shell a ! -", "1 shell a AAA -", "1 shell a - AA", "1 shell a - - x:repo:!", "1 shell a - - :repo", "1 shell a - - ?",
	} {
		if s, err := precedent.Parse(text); err == nil {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	a := precedent.Of(sample(), key)
	f.Add(a.Signature.String())
	f.Add("1 other - - -")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := precedent.Parse(text)
		if err != nil {
			return
		}
		a.Licensed(&s)
		a.Includes(&s)
		again, err := precedent.Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q → %q, %v", text, s.String(), err)
		}
	})
}

func TestScore(t *testing.T) {
	t.Parallel()
	list := func(from, to int) (out []uint32) {
		for i := from; i < to; i++ {
			out = append(out, uint32(i))
		}
		return out
	}
	for _, tt := range []struct {
		a, b []uint32
		want float64
	}{
		{nil, nil, 0}, {list(0, 1), nil, 0}, {list(0, 4), list(0, 4), 1}, {list(0, 4), list(2, 6), 2.0 / 6}, {list(0, 16), list(0, 16), 1}, {list(0, 2), list(5, 7), 0},
	} {
		if got, back := precedent.Score(tt.a, tt.b), precedent.Score(tt.b, tt.a); got != tt.want || back != tt.want {
			t.Errorf("%v %v: %v and %v, want %v", tt.a, tt.b, got, back, tt.want)
		}
	}
}
