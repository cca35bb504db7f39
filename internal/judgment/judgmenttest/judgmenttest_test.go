package judgmenttest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/judgment/judgmenttest"
)

// recorder is a test that takes note of its failures.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

const good = `{"model":"jev-latest","state":{"a":1},"questions":{` +
	`"n":{"type":"noul","instructions":"?","criteria":{"true":"x"}},` +
	`"c":{"type":"choice","instructions":"?","criteria":{"b":null,"a":"x"}},` +
	`"s":{"type":"score","instructions":"?","criteria":["x","y"]}}}`

func post(t *testing.T, s *judgmenttest.Server, body, key, kind string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", kind)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(out)
}

func TestContract(t *testing.T) {
	t.Parallel()
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for _, tt := range []struct{ name, body, key, kind, want string }{
		{"good", good, "", "", ""},
		{"charset", good, "", "application/json; charset=utf-8", ""},
		{"state is text", with(`{"a":1}`, `"x"`), "", "", ""},
		{"no criteria", with(`{"true":"x"}`, `null`), "", "", ""},

		{"key", good, "x", "", "header Authorization is not the one right key"},
		{"content type", good, "", "text/plain", `header Content-Type is "text/plain"`},
		{"key in the body", with(`{"a":1}`, `"`+judgmenttest.Key+`"`), "", "", "the key is in the body"},
		{"no JSON", "x", "", "", `body: "x" is no object`},
		{"cut off", good[:len(good)-1], "", "", "body: EOF"},
		{"two bodies", good + good, "", "", "body: something follows the object"},
		{"unknown member", with(`"model"`, `"temperature":1,"model"`), "", "", `unknown member "temperature"`},
		{"member twice", with(`"model"`, `"model":"x","model"`), "", "", `body: "model" stands twice`},
		{"no model", with(`"model":"jev-latest",`, ``), "", "", `model: "" is no text`},
		{"no state", with(`"state":{"a":1},`, ``), "", "", "state is , not text, an object or an array"},
		{"state is a number", with(`{"a":1}`, `1`), "", "", "state is 1, not text, an object or an array"},
		{"no questions", `{"model":"m","state":"s","questions":{}}`, "", "", "no questions"},
		{"unknown type", with(`"noul"`, `"bool"`), "", "", `question "n": unknown type "bool"`},
		{"no instructions", with(`"?"`, `""`), "", "", `question "n": instructions: "\"\"" is no text`},
		{"name in a question", with(`"instructions"`, `"name":"n","instructions"`), "", "", `question "n": unknown member "name"`},
		{"criterion of a noul", with(`"true"`, `"yes"`), "", "", `question "n": criterion "yes" of a noul`},
		{"one option", with(`{"b":null,"a":"x"}`, `{"b":null}`), "", "", `question "c": a choice of 1`},
		{"options as a list", with(`{"b":null,"a":"x"}`, `["b"]`), "", "", `question "c": criteria: "[\"b\"]" is no object`},
		{"one level", with(`["x","y"]`, `["x"]`), "", "", `question "s": a score of 1 levels`},
		{"level is a number", with(`["x","y"]`, `["x",1]`), "", "", `question "s": level 1: "1" is no text`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{TB: t}
			s := judgmenttest.New(r)
			if tt.key == "" {
				tt.key = judgmenttest.Key
			}
			if tt.kind == "" {
				tt.kind = "application/json"
			}
			code, _ := post(t, s, tt.body, tt.key, tt.kind)
			var want []string
			if tt.want != "" {
				want = []string{"request breaks the contract: " + tt.want}
			}
			if diff := cmp.Diff(want, r.errors); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if (code == 200) != (tt.want == "") {
				t.Errorf("status %d", code)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t).Answer("n", 0.9).Answer("c", "a").Model("m")
	_, body := post(t, s, good, judgmenttest.Key, "application/json")
	want := `{"answers":{"c":{"choice":"a","confidence":0.8,"probabilities":{"a":0.8,"b":0.2},"type":"choice"},"n":{"noul":0.9,"type":"noul"},"s":{"confidence":0.6,"legend":{"0":"none"},"probabilities":{"0":1},"score":0,"type":"score"}},"model":"m","usage":{"input_tokens":210,"output_tokens":0}}` + "\n"
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	s.Script(judgmenttest.Status(429, "Retry-After", "1"))
	if code, _ := post(t, s, good, judgmenttest.Key, "application/json"); code != 429 {
		t.Errorf("status %d", code)
	}
	if code, _ := post(t, s, good, judgmenttest.Key, "application/json"); code != 200 || s.Count() != 3 {
		t.Errorf("status %d, %d requests", code, s.Count())
	}
}
