package judgment_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/judgment"
)

func TestParseCondition(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		key   string
		value any
		want  judgment.Condition
		err   string
	}{
		{"operator", "destroys_work", ">= 0.85", judgment.Condition{Judgment: "destroys_work", Op: ">=", Value: "0.85"}, ""},
		{"no space", "a", ">=0.85", judgment.Condition{Judgment: "a", Op: ">=", Value: "0.85"}, ""},
		{"greater", "a", "> 1", judgment.Condition{Judgment: "a", Op: ">", Value: "1"}, ""},
		{"less", "a", "<1", judgment.Condition{Judgment: "a", Op: "<", Value: "1"}, ""},
		{"at most", "a", " <=  1 ", judgment.Condition{Judgment: "a", Op: "<=", Value: "1"}, ""},
		{"not", "a", "!= shared", judgment.Condition{Judgment: "a", Op: "!=", Value: "shared"}, ""},
		{"equal", "destination", "== shared", judgment.Condition{Judgment: "destination", Op: "==", Value: "shared"}, ""},
		{"option of two words", "a", "== shared drive", judgment.Condition{Judgment: "a", Op: "==", Value: "shared drive"}, ""},
		{"confidence", "destination.confidence", ">= 0.6", judgment.Condition{Judgment: "destination", Field: "confidence", Op: ">=", Value: "0.6"}, ""},
		{"bare number", "a", 0.85, judgment.Condition{Judgment: "a", Op: ">=", Value: "0.85"}, ""},
		{"bare whole number", "a", 2, judgment.Condition{Judgment: "a", Op: ">=", Value: "2"}, ""},
		{"bare int64", "a", int64(2), judgment.Condition{Judgment: "a", Op: ">=", Value: "2"}, ""},
		{"bare uint64", "a", uint64(2), judgment.Condition{Judgment: "a", Op: ">=", Value: "2"}, ""},
		{"bare number as a string", "a", "0.85", judgment.Condition{Judgment: "a", Op: ">=", Value: "0.85"}, ""},
		{"bare number on confidence", "a.confidence", 0.6, judgment.Condition{Judgment: "a", Field: "confidence", Op: ">=", Value: "0.6"}, ""},
		{"bare word", "a", "shared", judgment.Condition{Judgment: "a", Op: "==", Value: "shared"}, ""},
		{"bare true", "a", true, judgment.Condition{Judgment: "a", Op: "==", Value: "true"}, ""},
		{"nan is a word", "a", math.NaN(), judgment.Condition{Judgment: "a", Op: "==", Value: "NaN"}, ""},
		{"inf is a word", "a", math.Inf(1), judgment.Condition{Judgment: "a", Op: "==", Value: "+Inf"}, ""},
		{"hexadecimal is a word", "a", "0x1p-2", judgment.Condition{Judgment: "a", Op: "==", Value: "0x1p-2"}, ""},
		{"in another script", "zerstört", "größer", judgment.Condition{Judgment: "zerstört", Op: "==", Value: "größer"}, ""},

		{"empty key", "", ">= 1", judgment.Condition{}, "a judgment has no name"},
		{"unknown field", "a.probability", ">= 1", judgment.Condition{}, `judgment "a" has no field "probability" | the only field is .confidence`},
		{"two fields", "a.confidence.x", ">= 1", judgment.Condition{}, `judgment "a" has no field "confidence.x" | the only field is .confidence`},
		{"single =", "a", "= 3", judgment.Condition{}, `condition on "a": unknown operator "=" | the operators are >=, >, <=, <, == and !=`},
		{"swapped", "a", "=> 3", judgment.Condition{}, `condition on "a": unknown operator "=>" | the operators are >=, >, <=, <, == and !=`},
		{"sql", "a", "<> 3", judgment.Condition{}, `condition on "a": unknown operator "<>" | the operators are >=, >, <=, <, == and !=`},
		{"three", "a", "=== 3", judgment.Condition{}, `condition on "a": unknown operator "===" | the operators are >=, >, <=, <, == and !=`},
		{"not alone", "a", "!shared", judgment.Condition{}, `condition on "a": unknown operator "!" | the operators are >=, >, <=, <, == and !=`},
		{"two operators", "a", "> <= 3", judgment.Condition{}, `condition on "a": unknown operator ">" | the operators are >=, >, <=, <, == and !=`},
		{"operator alone", "a", ">=", judgment.Condition{}, `condition on "a": nothing follows >=`},
		{"empty", "a", " ", judgment.Condition{}, `condition on "a" is empty | write it as in a: ">= 0.85"`},
		{"null", "a", nil, judgment.Condition{}, `condition on "a" is empty | write it as in a: ">= 0.85"`},
		{"list", "a", []any{1}, judgment.Condition{}, `condition on "a" is not a number or a word | write it as in a: ">= 0.85"`},
		{"map", "a", map[string]any{"x": 1}, judgment.Condition{}, `condition on "a" is not a number or a word | write it as in a: ">= 0.85"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := judgment.ParseCondition(tt.key, tt.value)
			if full(err) != tt.err {
				t.Errorf("\n got %s\nwant %s", full(err), tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseDirective(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want judgment.Condition
		err  string
	}{
		{"destroys_work>=0.85", judgment.Condition{Judgment: "destroys_work", Op: ">=", Value: "0.85"}, ""},
		{" destroys_work >= 0.85 ", judgment.Condition{Judgment: "destroys_work", Op: ">=", Value: "0.85"}, ""},
		{"destination==shared drive", judgment.Condition{Judgment: "destination", Op: "==", Value: "shared drive"}, ""},
		{"destination.confidence<0.6", judgment.Condition{Judgment: "destination", Field: "confidence", Op: "<", Value: "0.6"}, ""},
		{"a!=b", judgment.Condition{Judgment: "a", Op: "!=", Value: "b"}, ""},
		{"destroys_work", judgment.Condition{}, `"destroys_work" compares nothing | write it as in judge=destroys_work>=0.85`},
		{"", judgment.Condition{}, `"" compares nothing | write it as in judge=destroys_work>=0.85`},
		{"destroys_work=0.85", judgment.Condition{}, `condition on "destroys_work": unknown operator "=" | the operators are >=, >, <=, <, == and !=`},
		{">=0.85", judgment.Condition{}, "a judgment has no name"},
		{"a b>=1", judgment.Condition{}, `judgment "a b": ' ' cannot stand there in a name | a name has letters, digits, _ and -, and begins with a letter`},
		{"a>=", judgment.Condition{}, `condition on "a": nothing follows >=`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got, err := judgment.ParseDirective(tt.text)
			if full(err) != tt.err {
				t.Errorf("\n got %s\nwant %s", full(err), tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestConditionCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ condition, want string }{
		{"destroys_work>=0.85", ""},
		{"destroys_work>=0", ""},
		{"destroys_work>=1", ""},
		{"destroys_work==0.5", ""},
		{"blast_radius>=2", ""},
		{"blast_radius>=1.5", ""},
		{"blast_radius!=0", ""},
		{"destination==shared", ""},
		{"destination!=local", ""},
		{"destination.confidence>=0.6", ""},
		{"blast_radius.confidence<0.6", ""},

		{"destroys_wrok>=0.85", `unknown judgment "destroys_wrok" | did you mean "destroys_work"?`},
		{"color==red", `unknown judgment "color" | declared are destroys_work, destination, blast_radius`},
		{"destroys_work.confidence>=0.6", `condition "destroys_work.confidence >= 0.6": a noul has no confidence | the probability is the signal: write destroys_work >= 0.6`},
		{"destroys_work>=85", `condition "destroys_work >= 85": 85 is not between 0 and 1`},
		{"destroys_work>=-0.1", `condition "destroys_work >= -0.1": -0.1 is not between 0 and 1`},
		{"destroys_work==true", `condition "destroys_work == true": "true" is no number | a noul is a probability: write it as in ">= 0.85"`},
		{"destroys_work>=nan", `condition "destroys_work >= nan": "nan" is no number | a noul is a probability: write it as in ">= 0.85"`},
		{"destroys_work>=1e999", `condition "destroys_work >= 1e999": "1e999" is no number | a noul is a probability: write it as in ">= 0.85"`},
		{"destroys_work>1", `condition "destroys_work > 1": it can never hold, the range is 0 to 1`},
		{"destroys_work<0", `condition "destroys_work < 0": it can never hold, the range is 0 to 1`},
		{"blast_radius>=3", `condition "blast_radius >= 3": level 3 is out of range, the levels count from 0 to 2`},
		{"blast_radius>=-1", `condition "blast_radius >= -1": level -1 is out of range, the levels count from 0 to 2`},
		{"blast_radius>2", `condition "blast_radius > 2": it can never hold, the range is 0 to 2`},
		{"blast_radius==one file", `condition "blast_radius == one file": "one file" is no number | the levels count from 0 to 2`},
		{"blast_radius.confidence>=2", `condition "blast_radius.confidence >= 2": 2 is not between 0 and 1`},
		{"destination==shard", `condition "destination == shard": "shard" is no option of the judgment | did you mean "shared"?`},
		{"destination==elsewhere", `condition "destination == elsewhere": "elsewhere" is no option of the judgment | the options are shared, local`},
		{"destination==Shared", `condition "destination == Shared": "Shared" is no option of the judgment | did you mean "shared"?`},
		{"destination>=shared", `condition "destination >= shared": the options of a choice have no order, >= cannot compare them | write "== shared", or ask for destination.confidence`},
		{"destination.confidence>=1.5", `condition "destination.confidence >= 1.5": 1.5 is not between 0 and 1`},
		{"destination.confidence==high", `condition "destination.confidence == high": "high" is no number`},
	} {
		t.Run(tt.condition, func(t *testing.T) {
			t.Parallel()
			c, err := judgment.ParseDirective(tt.condition)
			if err != nil {
				t.Fatal(err)
			}
			if got := full(c.Check(specs)); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
	c := judgment.Condition{Judgment: "x", Op: ">=", Value: "1"}
	if got, want := full(c.Check(nil)), `unknown judgment "x" | no judgments are declared`; got != want {
		t.Errorf("without judgments: %s", got)
	}
}

func TestConditionHolds(t *testing.T) {
	t.Parallel()
	n := judgment.Answer{Type: judgment.Noul, Noul: 0.85}
	s := judgment.Answer{Type: judgment.Score, Score: 1.7, Confidence: 0.6}
	c := judgment.Answer{Type: judgment.Choice, Choice: "shared", Confidence: 0.8}
	for _, tt := range []struct {
		condition string
		answer    judgment.Answer
		want      bool
		of        any
	}{
		{"x>=0.85", n, true, 0.85},
		{"x>0.85", n, false, 0.85},
		{"x<=0.85", n, true, 0.85},
		{"x<0.85", n, false, 0.85},
		{"x==0.85", n, true, 0.85},
		{"x!=0.85", n, false, 0.85},
		{"x>=0.86", n, false, 0.85},
		{"x>0.8", n, true, 0.85},
		{"x<0.9", n, true, 0.85},
		{"x!=0.9", n, true, 0.85},
		{"x.confidence>=0", n, false, nil},

		{"x>=1", s, true, 1.7},
		{"x>=2", s, false, 1.7},
		{"x==2", s, false, 1.7},
		{"x.confidence>=0.6", s, true, 0.6},
		{"x.confidence>0.6", s, false, 0.6},

		{"x==shared", c, true, "shared"},
		{"x==local", c, false, "shared"},
		{"x!=shared", c, false, "shared"},
		{"x!=local", c, true, "shared"},
		{"x>=shared", c, false, "shared"},
		{"x.confidence>=0.8", c, true, 0.8},

		{"x==shared", n, false, 0.85},
		{"x>=0", c, false, "shared"},
		{"x!=local", judgment.Answer{}, false, nil},
		{"x<=1", judgment.Answer{}, false, nil},
		{"x!=1", judgment.Answer{Type: judgment.Noul, Noul: math.NaN()}, false, nil},
	} {
		t.Run(tt.condition, func(t *testing.T) {
			t.Parallel()
			c, err := judgment.ParseDirective(tt.condition)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Holds(tt.answer); got != tt.want {
				t.Errorf("holds: %v", got)
			}
			if got := c.Of(tt.answer); !math.IsNaN(tt.answer.Noul) && got != tt.of {
				t.Errorf("looks at %v, want %v", got, tt.of)
			}
		})
	}
}

func FuzzCondition(f *testing.F) {
	for _, s := range []string{"a>=0.85", "a.confidence<1", "a==b c", "a=1", ">=", "a>==1", "ä!=\xff", "destination==shared"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := judgment.ParseDirective(text)
		if err != nil {
			if c != (judgment.Condition{}) {
				t.Errorf("%q: half a condition with an error: %+v", text, c)
			}
			return
		}
		again, err := judgment.ParseDirective(c.String())
		if err != nil || again != c {
			t.Errorf("%q: %q is read back as %+v, %v", text, c, again, err)
		}
		key, _, _ := strings.Cut(c.String(), " ")
		yaml, err := judgment.ParseCondition(key, c.Test())
		if err != nil || yaml != c {
			t.Errorf("%q: as YAML has it %+v, %v", text, yaml, err)
		}
		_ = full(c.Check(specs))
		if c.Holds(judgment.Answer{}) {
			t.Errorf("%q holds without an answer", text)
		}
	})
}
