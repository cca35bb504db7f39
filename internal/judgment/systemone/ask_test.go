package systemone_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/judgment/judgmenttest"
	"github.com/fireharp/overseer/internal/judgment/systemone"
)

var (
	work  = judgment.Spec{Name: "destroys_work", Type: judgment.Noul, Instructions: "Would it destroy work?"}
	goal  = judgment.Spec{Name: "destination", Type: judgment.Choice, Instructions: "Where?", Criteria: []judgment.Criterion{{Name: "shared"}, {Name: "local", Text: "This machine."}}}
	blast = judgment.Spec{Name: "blast_radius", Type: judgment.Score, Instructions: "How much?", Criteria: []judgment.Criterion{{Text: "none"}, {Text: "one file"}, {Text: "the repo"}}}
	specs = []judgment.Spec{work, goal, blast}
	state = json.RawMessage(`{"agent":"claudecode","tool_input":{"command":"rm -rf ./src \"<x>\" \\ \u0001 ü"}}`)
)

// client asks s, waits for nothing between attempts, and has time enough for a busy
// machine.
func client(s *judgmenttest.Server) *systemone.Client {
	c := &systemone.Client{Endpoint: s.Endpoint, Key: judgmenttest.Key, Timeout: time.Minute}
	c.SetWait(func(context.Context, time.Duration) error { return nil })
	return c
}

func TestAsk(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t).Answer("destroys_work", 0.92).Answer("destination", "local").Answer("blast_radius", 1.7)
	c := client(s)
	c.Model, c.UserAgent = "jev-latest", "overseer/1.2.3"
	got, err := c.Ask(t.Context(), state, append(specs, work))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]judgment.Answer{
		"destroys_work": {Type: judgment.Noul, Noul: 0.92, Model: "jev-1.13.0"},
		"destination":   {Type: judgment.Choice, Choice: "local", Confidence: 0.8, Probabilities: map[string]float64{"shared": 0.2, "local": 0.8}, Model: "jev-1.13.0"},
		"blast_radius":  {Type: judgment.Score, Score: 1.7, Confidence: 0.6, Probabilities: map[string]float64{"0": 1}, Model: "jev-1.13.0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.Count() != 1 {
		t.Fatalf("%d requests, want one for all", s.Count())
	}
	r := s.Requests()[0]
	if r.Model != "jev-latest" || string(r.State) != string(state) || len(r.Questions) != 3 {
		t.Errorf("asked %s about %s: %v", r.Model, r.State, r.Questions)
	}
	if diff := cmp.Diff([]string{"shared", "local"}, r.Questions["destination"].Options); diff != "" {
		t.Errorf("options (-want +got)\n%s", diff)
	}
	if got := r.Header.Get("User-Agent"); got != "overseer/1.2.3" {
		t.Errorf("user agent %q", got)
	}
}

func TestAskNothing(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	got, err := client(s).Ask(t.Context(), state, nil)
	if len(got) != 0 || err != nil || s.Count() != 0 {
		t.Errorf("%v, %v, %d requests", got, err, s.Count())
	}
}

// Every way in which a server can fail: what is answered all the same, what the
// person is told, and how often the server was asked.
func TestAskFailures(t *testing.T) {
	t.Parallel()
	const all = "judgments not answered: destroys_work, destination, blast_radius: "
	four := func(r judgmenttest.Reply) []judgmenttest.Reply { return []judgmenttest.Reply{r, r, r, r, r} }
	for _, tt := range []struct {
		name     string
		replies  []judgmenttest.Reply
		answered []string
		err      string // with hints; "*" at its end stands for curl's or Go's own words
		requests int
	}{
		{"400", four(judgmenttest.Status(400)), nil, all + "the server says 400 Bad Request: the test says 400 (request req_test)", 1},
		{"401", four(judgmenttest.Status(401)), nil, all + "the server says 401 Unauthorized: the test says 401 (request req_test) | check the API key in HOOKMON_TYPESAFE_API_KEY", 1},
		{"403", four(judgmenttest.Status(403)), nil, all + "the server says 403 Forbidden: the test says 403 (request req_test) | check the API key in HOOKMON_TYPESAFE_API_KEY", 1},
		{"404", four(judgmenttest.Status(404)), nil, all + "the server says 404 Not Found: the test says 404 (request req_test) | check the endpoint ENDPOINT and the model \"jev-latest\"", 1},
		{"422", four(judgmenttest.Refuse(422, `{"detail":[{"loc":["body","questions","a"],"msg":"too long"},{"msg":"x"}]}`)), nil, all + "the server says 422 Unprocessable Content: questions.a: too long; x (request req_test)", 1},
		{"418", four(judgmenttest.Refuse(418, "I am a\n\x1b[31mteapot")), nil, all + "the server says 418: I am a [31mteapot (request req_test)", 1},
		{"408", four(judgmenttest.Status(408)), nil, all + "the server says 408 Request Timeout: the test says 408 (request req_test), 4 times", 4},
		{"429", four(judgmenttest.Status(429)), nil, all + "the server says 429 Too Many Requests: the test says 429 (request req_test), 4 times", 4},
		{"500", four(judgmenttest.Status(500)), nil, all + "the server says 500 Internal Server Error: the test says 500 (request req_test), 4 times", 4},
		{"502 with a page", four(judgmenttest.Refuse(502, "<html>")), nil, all + "the server says 502 Bad Gateway (request req_test), 4 times", 4},
		{"503", four(judgmenttest.Status(503)), nil, all + "the server says 503 Service Unavailable: the test says 503 (request req_test), 4 times", 4},
		{"529", four(judgmenttest.Status(529)), nil, all + "the server says 529: the test says 529 (request req_test), 4 times", 4},
		{"close", four(judgmenttest.Close), nil, all + "*", 4},
		{"break", four(judgmenttest.Break), nil, all + "*", 4},
		{"garbage", four(judgmenttest.Garbage), nil, all + "*", 1},

		{"500, then well", []judgmenttest.Reply{judgmenttest.Status(500)}, []string{"blast_radius", "destination", "destroys_work"}, "", 2},
		{"429, close, then well", []judgmenttest.Reply{judgmenttest.Status(429), judgmenttest.Close}, []string{"blast_radius", "destination", "destroys_work"}, "", 3},
		{"500, then 400", []judgmenttest.Reply{judgmenttest.Status(500), judgmenttest.Status(400)}, nil, all + "the server says 400 Bad Request: the test says 400 (request req_test)", 2},

		{"half", []judgmenttest.Reply{judgmenttest.Half}, []string{"blast_radius", "destroys_work"}, "judgments not answered: destination: the response has no answer to it (request req_test)", 1},
		{"without one", []judgmenttest.Reply{judgmenttest.Without("destroys_work")}, []string{"blast_radius", "destination"}, "judgments not answered: destroys_work: the response has no answer to it (request req_test)", 1},
		{"wrong types", []judgmenttest.Reply{judgmenttest.WrongTypes}, nil, `judgments not answered: destroys_work: the answer is a "score", not a noul (request req_test); destination: the answer is a "noul", not a choice (request req_test); blast_radius: the answer is a "noul", not a score (request req_test)`, 1},
		{"no JSON", []judgmenttest.Reply{judgmenttest.Body("hello")}, nil, all + "the response is no JSON object (request req_test)", 1},
		{"empty", []judgmenttest.Reply{judgmenttest.Body("")}, nil, all + "the response is no JSON object (request req_test)", 1},
		{"null", []judgmenttest.Reply{judgmenttest.Body("null")}, nil, all + "the response is no JSON object (request req_test)", 1},
		{"no answers", []judgmenttest.Reply{judgmenttest.Body(`{"model":"m"}`)}, nil, all + "the response has no answers (request req_test)", 1},
		{"answers are a list", []judgmenttest.Reply{judgmenttest.Body(`{"model":"m","answers":[]}`)}, nil, all + "the response has no answers (request req_test)", 1},
		{"model is a number", []judgmenttest.Reply{judgmenttest.Body(`{"model":1,"answers":{"destroys_work":{"type":"noul","noul":1}}}`)}, nil, all + "the response's model is no string (request req_test)", 1},
		{"no model", []judgmenttest.Reply{judgmenttest.Body(`{"answers":{"destroys_work":{"type":"noul","noul":1}}}`)}, []string{"destroys_work"}, "judgments not answered: destination, blast_radius: the response has no answer to it (request req_test)", 1},
		{"the key comes back", []judgmenttest.Reply{judgmenttest.Refuse(400, "bad key "+judgmenttest.Key)}, nil, all + "the server says 400 Bad Request: bad key [key] (request req_test)", 1},
		{"the key is the answer", []judgmenttest.Reply{judgmenttest.Body(`{"model":"m","answers":{"destroys_work":{"type":"` + judgmenttest.Key + `"}}}`)}, nil, `judgments not answered: destroys_work: the answer is a "[key]", not a noul (request req_test); destination, blast_radius: the response has no answer to it (request req_test)`, 1},
		{"huge", []judgmenttest.Reply{judgmenttest.Huge(64 << 20)}, nil, all + "the response is larger than 1024 KiB", 1},
		{"huge, by its header", four(judgmenttest.Status(500, "X-Large", strings.Repeat("x", 16<<20))), nil, all + "*", -1},
		{"204", []judgmenttest.Reply{judgmenttest.Refuse(204, "")}, nil, all + "the response is no JSON object (request req_test)", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := judgmenttest.New(t).Script(tt.replies...)
			got, err := client(s).Ask(t.Context(), state, specs)
			text := strings.ReplaceAll(full(err), s.Endpoint, "ENDPOINT")
			if want, open := strings.CutSuffix(tt.err, "*"); text != want && (!open || len(text) <= len(want) || !strings.HasPrefix(text, want)) {
				t.Errorf("\n got %s\nwant %s", text, tt.err)
			}
			if strings.Contains(text, judgmenttest.Key) {
				t.Error("the error has the key")
			}
			if diff := cmp.Diff(tt.answered, names(got)); diff != "" {
				t.Errorf("answered (-want +got)\n%s", diff)
			}
			if tt.requests >= 0 && s.Count() != tt.requests {
				t.Errorf("%d requests, want %d", s.Count(), tt.requests)
			}
		})
	}
}

// The time limit is for the whole call, whatever keeps it from an end.
func TestAskTimeout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		reply judgmenttest.Reply
	}{
		{"stall", judgmenttest.Stall},
		{"late", judgmenttest.Late(time.Hour)},
		{"trickle", judgmenttest.Trickle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := judgmenttest.New(t).Script(tt.reply)
			c := client(s)
			c.Timeout = 500 * time.Millisecond
			got, err := c.Ask(t.Context(), state, specs)
			if want := "judgments not answered: destroys_work, destination, blast_radius: no answer within 500ms"; full(err) != want {
				t.Errorf("\n got %s\nwant %s", full(err), want)
			}
			if len(got) != 0 {
				t.Errorf("answers: %v", got)
			}
		})
	}
	t.Run("late, but in time", func(t *testing.T) {
		t.Parallel()
		s := judgmenttest.New(t).Script(judgmenttest.Late(50 * time.Millisecond))
		if _, err := client(s).Ask(t.Context(), state, specs); err != nil {
			t.Error(err)
		}
	})
	t.Run("the caller's own limit", func(t *testing.T) {
		t.Parallel()
		s := judgmenttest.New(t).Script(judgmenttest.Stall)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if _, err := client(s).Ask(ctx, state, specs); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		c := client(judgmenttest.New(t))
		c.Endpoint = "http://127.0.0.1:1/"
		if _, err := c.Ask(t.Context(), state, specs); err == nil || !strings.HasSuffix(err.Error(), ", 4 times") {
			t.Errorf("%v", err)
		}
	})
	t.Run("no such host", func(t *testing.T) {
		t.Parallel()
		c := client(judgmenttest.New(t))
		c.Endpoint = "https://nowhere.invalid/"
		if _, err := c.Ask(t.Context(), state, specs); err == nil || !strings.Contains(err.Error(), "nowhere.invalid") {
			t.Errorf("%v", err)
		}
	})
}

// A server that asks for more time than there is left ends the call at once.
func TestAskWaits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		header   []string
		min, max time.Duration
		err      bool
	}{
		{"seconds", []string{"Retry-After", "2"}, 2 * time.Second, 2 * time.Second, false},
		{"milliseconds", []string{"Retry-After-Ms", "700", "Retry-After", "2"}, 700 * time.Millisecond, 700 * time.Millisecond, false},
		{"none", nil, 375 * time.Millisecond, 500 * time.Millisecond, false},
		{"zero", []string{"Retry-After", "0"}, 50 * time.Millisecond, 50 * time.Millisecond, false},
		{"unreadable", []string{"Retry-After", "soon"}, 375 * time.Millisecond, 500 * time.Millisecond, false},
		{"too long", []string{"Retry-After", "3600"}, 0, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := judgmenttest.New(t).Script(judgmenttest.Status(429, tt.header...))
			c := client(s)
			var waits []time.Duration
			c.SetWait(func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil })
			_, err := c.Ask(t.Context(), state, specs)
			if tt.err {
				if want := "and no time for another attempt in 1h0m0s"; err == nil || !strings.HasSuffix(err.Error(), want) || len(waits) > 0 || s.Count() != 1 {
					t.Errorf("%v, waited %v, %d requests", err, waits, s.Count())
				}
				return
			}
			if err != nil || len(waits) != 1 || waits[0] < tt.min || waits[0] > tt.max {
				t.Errorf("waited %v, %v", waits, err)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		ms, after string
		want      time.Duration
	}{
		{"", "", -1},
		{"", "3", 3 * time.Second},
		{"", "0.5", 500 * time.Millisecond},
		{"", "-3", -1},
		{"", "NaN", -1},
		{"", "Mon, 30 Nov 2026 12:00:05 GMT", 5 * time.Second},
		{"", "Monday, 30-Nov-26 12:00:05 GMT", 5 * time.Second},
		{"", "Mon Nov 30 12:00:05 2026", 5 * time.Second},
		{"", "Mon, 30 Nov 2026 11:00:00 GMT", 0},
		{"", "tomorrow", -1},
		{"", "1e300", (1 << 20) * time.Second},
		{"250", "3", 250 * time.Millisecond},
		{"x", "3", 3 * time.Second},
		{"-1", "3", 3 * time.Second},
		{"1e300", "", (1 << 20) * time.Second},
	} {
		if got := systemone.RetryAfter(map[string]string{"retry-after-ms": tt.ms, "retry-after": tt.after}, now); got != tt.want {
			t.Errorf("%q, %q: %v, want %v", tt.ms, tt.after, got, tt.want)
		}
	}
}

// A redirect must not carry the key to another host, nor to another port.
func TestAskFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	other := judgmenttest.New(t)
	s := judgmenttest.New(t).Script(judgmenttest.Redirect(other.Endpoint))
	_, err := client(s).Ask(t.Context(), state, specs)
	want := "judgments not answered: destroys_work, destination, blast_radius: the server says 307: the test says 307 (request req_test) | set the endpoint to where it points, the API key follows no redirect"
	if full(err) != want {
		t.Errorf("\n got %s\nwant %s", full(err), want)
	}
	if other.Count() != 0 || s.Count() != 1 {
		t.Errorf("%d and %d requests", s.Count(), other.Count())
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, endpoint, key, want string }{
		{"default", "", "k", ""},
		{"https", "https://gateway.example/x?y=1", "k", ""},
		{"this machine", "http://127.0.0.1:8080/v1", "k", ""},
		{"this machine, 127/8", "http://127.1.2.3/v1", "k", ""},
		{"this machine, v6", "http://[::1]:8080/v1", "k", ""},
		{"this machine, mapped", "http://[::ffff:127.0.0.1]:8080/v1", "k", ""},
		{"this machine by name", "http://LocalHost/v1", "k", ""},
		{"no key", "", "", "no API key is set | set HOOKMON_TYPESAFE_API_KEY"},
		{"key with a line break", "", "k\n", "the API key has a space or a character that no header may hold | copy it again, without quotes and line breaks"},
		{"key with a header", "", "k\r\nX: y", "the API key has a space or a character that no header may hold | copy it again, without quotes and line breaks"},
		{"key in another script", "", "ключ", "the API key has a space or a character that no header may hold | copy it again, without quotes and line breaks"},
		{"http elsewhere", "http://10.0.0.1/v1", "k", "the endpoint http://10.0.0.1/v1 would send the API key in the clear | use https; plain http is for a server on this machine"},
		{"http, looks local", "http://127.0.0.1.example.com/", "k", "the endpoint http://127.0.0.1.example.com/ would send the API key in the clear | use https; plain http is for a server on this machine"},
		{"http, looks local by a user", "http://127.0.0.1@example.com/", "k", "the endpoint http://127.0.0.1@example.com/ names a user | the API key is all that is sent"},
		{"http, any address", "http://0.0.0.0/", "k", "the endpoint http://0.0.0.0/ would send the API key in the clear | use https; plain http is for a server on this machine"},
		{"a password", "https://bob:hunter2@example.com/?key=hunter2", "k", "the endpoint https://bob:xxxxx@example.com/ names a user | the API key is all that is sent"},
		{"a file", "file:///etc/passwd", "k", "the endpoint file:///etc/passwd is no https address | write it as in https://api.typesafe.ai/v1/systemone"},
		{"no scheme", "api.typesafe.ai/v1", "k", "the endpoint api.typesafe.ai/v1 is no https address | write it as in https://api.typesafe.ai/v1/systemone"},
		{"no host", "https:///v1", "k", "the endpoint https:///v1 is no https address | write it as in https://api.typesafe.ai/v1/systemone"},
		{"unreadable", "https://x/%zz\nbob:hunter2", "k", "the endpoint is no address: net/url: invalid control character in URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := systemone.Client{Endpoint: tt.endpoint, Key: tt.key}
			if got := full(c.Check()); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if tt.want != "" {
				_, err := c.Ask(t.Context(), state, specs)
				if want := "judgments not answered: destroys_work, destination, blast_radius: " + tt.want; full(err) != want {
					t.Errorf("Ask\n got %s\nwant %s", full(err), want)
				}
			}
		})
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	c := client(s)
	var out strings.Builder
	c.DryRun = &out
	c.Endpoint = "https://example.com/v1?key=hunter2"
	got, err := c.Ask(t.Context(), json.RawMessage(`{"tool_input":{"command":"echo <`+judgmenttest.Key+`>"}}`), []judgment.Spec{work})
	want := `POST https://example.com/v1
Authorization: Bearer [key]
Content-Type: application/json

{
  "model": "jev-latest",
  "state": {
    "tool_input": {
      "command": "echo <[key]>"
    }
  },
  "questions": {
    "destroys_work": {
      "type": "noul",
      "instructions": "Would it destroy work?"
    }
  }
}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !errors.Is(err, systemone.ErrDryRun) || len(got) != 0 || s.Count() != 0 {
		t.Errorf("%v, %v, %d requests", got, err, s.Count())
	}
}

// The key does not leave in the state either, should a command name it.
func TestKeyStaysOutOfTheState(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	_, err := client(s).Ask(t.Context(), json.RawMessage(`"curl -H x:`+judgmenttest.Key+`"`), specs)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(s.Requests()[0].State); got != `"curl -H x:[key]"` {
		t.Error(got)
	}
}

func TestUnanswered(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t).Script(judgmenttest.Without("destination"))
	_, err := client(s).Ask(t.Context(), state, specs)
	var u *systemone.Unanswered
	if !errors.As(err, &u) {
		t.Fatalf("%T", err)
	}
	if diff := cmp.Diff([]string{"destination"}, u.Names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if u.Why["destination"] == nil {
		t.Error("no reason")
	}
}

// One client serves several goroutines.
func TestAskAtOnce(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	c := client(s)
	c.Cache = &systemone.Cache{Dir: t.TempDir(), TTL: time.Hour}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := c.Ask(t.Context(), json.RawMessage(fmt.Sprint(`"`, i%2, `"`)), specs); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func names(m map[string]judgment.Answer) []string {
	var out []string
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// full is an error with its hints.
func full(err error) string {
	if err == nil {
		return ""
	}
	return strings.Join(append([]string{err.Error()}, hint.Of(err)...), " | ")
}
