package judgment_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/judgment"
)

func TestParseAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		spec judgment.Spec
		wire string
		want judgment.Answer
		err  string
	}{
		{"noul", noul, `{"type":"noul","noul":0.92}`, judgment.Answer{Type: judgment.Noul, Noul: 0.92}, ""},
		{"noul of 0", noul, `{"type":"noul","noul":0}`, judgment.Answer{Type: judgment.Noul}, ""},
		{"noul a hair over 1", noul, `{"type":"noul","noul":1.0000000002}`, judgment.Answer{Type: judgment.Noul, Noul: 1}, ""},
		{"more than asked", noul, `{"type":"noul","noul":1,"confidence":"x","new":null}`, judgment.Answer{Type: judgment.Noul, Noul: 1}, ""},
		{"choice", choice, `{"type":"choice","choice":"shared","confidence":0.8,"probabilities":{"shared":0.9,"local":0.1}}`, judgment.Answer{Type: judgment.Choice, Choice: "shared", Confidence: 0.8, Probabilities: map[string]float64{"shared": 0.9, "local": 0.1}}, ""},
		{"choice without probabilities", choice, `{"type":"choice","choice":"local","confidence":1}`, judgment.Answer{Type: judgment.Choice, Choice: "local", Confidence: 1}, ""},
		{"score", score, `{"type":"score","score":1.7,"confidence":0.6,"legend":{"0":"none"},"probabilities":{"0":0.1,"1":0.1,"2":0.8}}`, judgment.Answer{Type: judgment.Score, Score: 1.7, Confidence: 0.6, Probabilities: map[string]float64{"0": 0.1, "1": 0.1, "2": 0.8}}, ""},
		{"score a hair over the top", score, `{"type":"score","score":2.0000000004,"confidence":1}`, judgment.Answer{Type: judgment.Score, Score: 2, Confidence: 1}, ""},

		{"null", noul, `null`, judgment.Answer{}, "the answer is no object"},
		{"nothing", noul, ``, judgment.Answer{}, "the answer is no object"},
		{"list", noul, `[0.9]`, judgment.Answer{}, "the answer is no object"},
		{"bare number", noul, `0.9`, judgment.Answer{}, "the answer is no object"},
		{"no type", noul, `{"noul":0.9}`, judgment.Answer{}, "the answer has no type"},
		{"null type", noul, `{"type":null,"noul":0.9}`, judgment.Answer{}, "the answer has no type"},
		{"another type", noul, `{"type":"score","score":1,"confidence":1}`, judgment.Answer{}, `the answer is a "score", not a noul`},
		{"case of the type", noul, `{"type":"Noul","noul":0.9}`, judgment.Answer{}, `the answer is a "Noul", not a noul`},
		{"case of the member", noul, `{"type":"noul","Noul":0.9}`, judgment.Answer{}, "the answer has no noul"},
		{"no noul", noul, `{"type":"noul"}`, judgment.Answer{}, "the answer has no noul"},
		{"null noul", noul, `{"type":"noul","noul":null}`, judgment.Answer{}, "the answer has no noul"},
		{"noul as text", noul, `{"type":"noul","noul":"0.9"}`, judgment.Answer{}, `the answer's noul is "0.9"`},
		{"noul as truth", noul, `{"type":"noul","noul":true}`, judgment.Answer{}, `the answer's noul is true`},
		{"noul beyond numbers", noul, `{"type":"noul","noul":1e999}`, judgment.Answer{}, `the answer's noul is 1e999`},
		{"noul in percent", noul, `{"type":"noul","noul":92}`, judgment.Answer{}, "the answer's noul is 92, not between 0 and 1"},
		{"noul below 0", noul, `{"type":"noul","noul":-0.1}`, judgment.Answer{}, "the answer's noul is -0.1, not between 0 and 1"},
		{"noul is not a number", noul, `{"type":"noul","noul":NaN}`, judgment.Answer{}, "the answer is no object"},
		{"choice of something else", choice, `{"type":"choice","choice":"moon","confidence":1}`, judgment.Answer{}, `the answer "moon" is none of the options`},
		{"choice of nothing", choice, `{"type":"choice","confidence":1}`, judgment.Answer{}, "the answer has no choice"},
		{"choice as number", choice, `{"type":"choice","choice":1,"confidence":1}`, judgment.Answer{}, "the answer's choice is 1"},
		{"choice without confidence", choice, `{"type":"choice","choice":"shared"}`, judgment.Answer{}, "the answer has no confidence"},
		{"confidence over 1", choice, `{"type":"choice","choice":"shared","confidence":1.1}`, judgment.Answer{}, "the answer's confidence is 1.1, not between 0 and 1"},
		{"probabilities as list", choice, `{"type":"choice","choice":"shared","confidence":1,"probabilities":[1]}`, judgment.Answer{}, "the answer's probabilities is [1]"},
		{"probability of something else", choice, `{"type":"choice","choice":"shared","confidence":1,"probabilities":{"moon":1}}`, judgment.Answer{}, `the answer has a probability for "moon", which was not offered`},
		{"probability over 1", choice, `{"type":"choice","choice":"shared","confidence":1,"probabilities":{"shared":2}}`, judgment.Answer{}, "probabilities: the answer's shared is 2, not between 0 and 1"},
		{"score over the top", score, `{"type":"score","score":2.1,"confidence":1}`, judgment.Answer{}, "the answer's score is 2.1, not between 0 and 2"},
		{"score without confidence", score, `{"type":"score","score":2}`, judgment.Answer{}, "the answer has no confidence"},
		{"probability of no level", score, `{"type":"score","score":2,"confidence":1,"probabilities":{"3":1}}`, judgment.Answer{}, `the answer has a probability for "3", which was not offered`},
		{"control characters", choice, "{\"type\":\"choice\",\"choice\":\"\\u001b[31mred\\u202e\",\"confidence\":1}", judgment.Answer{}, `the answer "[31mred" is none of the options`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := judgment.ParseAnswer(tt.spec, []byte(tt.wire))
			if full(err) != tt.err {
				t.Errorf("\n got %s\nwant %s", full(err), tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Whatever comes over the wire is an answer within its bounds, or an error and none.
func FuzzParseAnswer(f *testing.F) {
	f.Add(`{"type":"noul","noul":0.92}`)
	f.Add(`{"type":"choice","choice":"shared","confidence":0.8,"probabilities":{"shared":0.9}}`)
	f.Add(`{"type":"score","score":1.7,"confidence":0.6,"probabilities":{"2":0.8}}`)
	f.Add(`{"type":"noul","noul":-0}`)
	f.Add(`{"type":"noul","noul":1e-400,"noul":1}`)
	f.Fuzz(func(t *testing.T, wire string) {
		for _, s := range specs {
			a, err := judgment.ParseAnswer(s, []byte(wire))
			if err != nil {
				if diff := cmp.Diff(judgment.Answer{}, a); diff != "" {
					t.Errorf("an answer beside the error %v:\n%s", err, diff)
				}
				continue
			}
			if !json.Valid([]byte(wire)) {
				t.Error("an answer out of what is not JSON")
			}
			in := func(v, top float64) bool { return !math.IsNaN(v) && v >= 0 && v <= top }
			ok := a.Type == s.Type && in(a.Noul, 1) && in(a.Confidence, 1) && in(a.Score, 2)
			if s.Type == judgment.Choice {
				ok = ok && slices.Contains([]string{"shared", "local"}, a.Choice)
			}
			for _, p := range a.Probabilities {
				ok = ok && in(p, 1)
			}
			if !ok {
				t.Errorf("out of bounds: %+v", a)
			}
		}
	})
}
