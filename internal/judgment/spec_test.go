package judgment_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/judgment"
)

var (
	noul   = judgment.Spec{Name: "destroys_work", Type: judgment.Noul, Instructions: "Would it destroy work?", Criteria: []judgment.Criterion{{Name: "true", Text: "It loses work."}, {Name: "false", Text: "It is <safe> & sound."}}}
	choice = judgment.Spec{Name: "destination", Type: judgment.Choice, Instructions: "Where does it go?", Criteria: []judgment.Criterion{{Name: "shared", Text: "A shared place."}, {Name: "local"}}}
	score  = judgment.Spec{Name: "blast_radius", Type: judgment.Score, Instructions: "How much?", Criteria: []judgment.Criterion{{Text: "none"}, {Text: "one file"}, {Text: "the repo"}}}
	specs  = []judgment.Spec{noul, choice, score}
)

func options(n int) []judgment.Criterion {
	var out []judgment.Criterion
	for i := range n {
		out = append(out, judgment.Criterion{Name: fmt.Sprint("option", i)})
	}
	return out
}

func TestSpecValidate(t *testing.T) {
	t.Parallel()
	with := func(s judgment.Spec, change func(*judgment.Spec)) judgment.Spec {
		s.Criteria = append([]judgment.Criterion(nil), s.Criteria...)
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name string
		spec judgment.Spec
		want string // the error and its hints
	}{
		{"noul", noul, ""},
		{"noul without criteria", judgment.Spec{Name: "x", Type: judgment.Noul, Instructions: "?"}, ""},
		{"noul with one criterion", with(noul, func(s *judgment.Spec) { s.Criteria = s.Criteria[:1] }), ""},
		{"choice", choice, ""},
		{"choice of 255", with(choice, func(s *judgment.Spec) { s.Criteria = options(255) }), ""},
		{"score", score, ""},
		{"name in another script", with(noul, func(s *judgment.Spec) { s.Name = "zerstört-2" }), ""},

		{"no name", judgment.Spec{Type: judgment.Noul, Instructions: "?"}, "a judgment has no name"},
		{"name with a dot", with(noul, func(s *judgment.Spec) { s.Name = "a.confidence" }), `judgment "a.confidence": '.' cannot stand there in a name | a name has letters, digits, _ and -, and begins with a letter`},
		{"name with an operator", with(noul, func(s *judgment.Spec) { s.Name = "a>=1" }), `judgment "a>=1": '>' cannot stand there in a name | a name has letters, digits, _ and -, and begins with a letter`},
		{"name that is a number", with(noul, func(s *judgment.Spec) { s.Name = "1" }), `judgment "1": '1' cannot stand there in a name | a name has letters, digits, _ and -, and begins with a letter`},
		{"no type", with(noul, func(s *judgment.Spec) { s.Type = "" }), `judgment "destroys_work": no type | the types are noul, choice and score`},
		{"misspelt type", with(noul, func(s *judgment.Spec) { s.Type = "nuol" }), `judgment "destroys_work": unknown type "nuol" | did you mean "noul"?`},
		{"unknown type", with(noul, func(s *judgment.Spec) { s.Type = "boolean" }), `judgment "destroys_work": unknown type "boolean" | the types are noul, choice and score`},
		{"no instructions", with(noul, func(s *judgment.Spec) { s.Instructions = " \n" }), `judgment "destroys_work": no instructions | write the question that it answers`},
		{"noul with options", with(noul, func(s *judgment.Spec) { s.Criteria[0].Name = "yes" }), `judgment "destroys_work": criterion "yes" of a noul | a noul has only "true" and "false"; several options are a choice`},
		{"choice without options", with(choice, func(s *judgment.Spec) { s.Criteria = nil }), `judgment "destination": a choice has 2 to 255 options, this one 0`},
		{"choice of one", with(choice, func(s *judgment.Spec) { s.Criteria = options(1) }), `judgment "destination": a choice has 2 to 255 options, this one 1`},
		{"choice of 256", with(choice, func(s *judgment.Spec) { s.Criteria = options(256) }), `judgment "destination": a choice has 2 to 255 options, this one 256`},
		{"option twice", with(choice, func(s *judgment.Spec) { s.Criteria[1].Name = "shared" }), `judgment "destination": "shared" stands twice among the criteria`},
		{"option without a name", with(choice, func(s *judgment.Spec) { s.Criteria[1].Name = " " }), `judgment "destination": an option has no name`},
		{"score of one level", with(score, func(s *judgment.Spec) { s.Criteria = s.Criteria[:1] }), `judgment "blast_radius": a score has at least 2 levels, this one 1`},
		{"score with names", with(score, func(s *judgment.Spec) { s.Criteria[1].Name = "one" }), `judgment "blast_radius": criterion "one" has a name | a score's criteria are a list of descriptions, the lowest level first`},
		{"level without a description", with(score, func(s *judgment.Spec) { s.Criteria[1].Text = "" }), `judgment "blast_radius": level 1 has no description`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := full(tt.spec.Validate()); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// full is an error with its hints.
func full(err error) string {
	if err == nil {
		return ""
	}
	return strings.Join(append([]string{err.Error()}, hint.Of(err)...), " | ")
}

func TestSpecOnTheWire(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		spec judgment.Spec
		want string
	}{
		{"noul", noul, `{"type":"noul","instructions":"Would it destroy work?","criteria":{"true":"It loses work.","false":"It is <safe> & sound."}}`},
		{"noul without criteria", judgment.Spec{Name: "x", Type: judgment.Noul, Instructions: "?"}, `{"type":"noul","instructions":"?"}`},
		{"choice keeps its order, no description is null", choice, `{"type":"choice","instructions":"Where does it go?","criteria":{"shared":"A shared place.","local":null}}`},
		{"score", score, `{"type":"score","instructions":"How much?","criteria":["none","one file","the repo"]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.spec.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if !json.Valid(got) {
				t.Error("it is no JSON")
			}
		})
	}
}
