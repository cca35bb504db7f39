package guard

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSpelled compares with what it saves: a copy without quotes, in small letters.
func TestSpelled(t *testing.T) {
	t.Parallel()
	const letters = `oOvVeErRsS'"\.{x `
	random := rand.New(rand.NewPCG(1, 2))
	for _, word := range []string{"overseer", ".over", ".{over", "oo"} {
		found := 0
		for range 20_000 {
			b := make([]byte, random.IntN(12))
			for i := range b {
				b[i] = letters[random.IntN(len(letters))]
			}
			// Most have the word in them, or nearly.
			text := string(b)
			for _, c := range word {
				text += string(c) + strings.Repeat(`\`, random.IntN(2))
			}
			text = text[:len(text)-random.IntN(3)] + string(b)
			want := strings.Contains(strings.ToLower(unquoted(text)), word)
			if got := spelled(text, word); got != want {
				t.Fatalf("%q in %q: %v, want %v", word, text, got, want)
			}
			if want {
				found++
			}
		}
		if found < 1000 {
			t.Errorf("%s: only %d texts have it", word, found)
		}
	}
}
