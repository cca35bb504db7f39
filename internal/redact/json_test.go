package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/redact"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"member", `{"password": "x", "user": "bob"}`, `{"password": "[redacted]", "user": "bob"}`},
		{"nothing", `{ "a" : [1, 2.50, true, null, "\u0041\/"] }`, `{ "a" : [1, 2.50, true, null, "\u0041\/"] }`},
		{"text", `{"command":"TOKEN=` + secret + ` ls"}`, `{"command":"TOKEN=[redacted] ls"}`},
		{"escaped quotes", `{"command":"curl -H \"Authorization: Bearer abcdefgh1\" x"}`, `{"command":"curl -H \"Authorization: [redacted]\" x"}`},
		{"written in escapes", `{"command":"\u0054OKEN=` + secret + `"}`, `{"command":"TOKEN=[redacted]"}`},
		{"JSON in a string", `{"args":"{\"password\": \"x\\\"y\", \"n\":1}"}`, `{"args":"{\"password\": \"[redacted]\", \"n\":1}"}`},
		{"JSON in JSON in a string", `{"a":"[\"{\\\"token\\\":\\\"abc\\\",\\\"b\\\":\\\"c\\\"}\"]"}`, `{"a":"[\"{\\\"token\\\":\\\"[redacted]\\\",\\\"b\\\":\\\"c\\\"}\"]"}`},
		{"arguments", `["deploy","--token","abc","--host","h"]`, `["deploy","--token","[redacted]","--host","h"]`},
		{"list of secrets", `{"tokens":["abcdef"],"secrets":["abcdef", ["x"]]}`, `{"tokens":["abcdef"],"secrets":["[redacted]", ["[redacted]"]]}`},
		{"below a secret name", `{"secret":{"value":"x","type":"string","description":"what it is for"}}`, `{"secret":{"value":"[redacted]","type":"string","description":"what it is for"}}`},
		{"numbers", `{"password":12345,"token":7,"max_tokens":500,"secret":true,"passwd":null}`, `{"password":"[redacted]","token":7,"max_tokens":500,"secret":true,"passwd":null}`},
		{"a long number", `{"password":6563877984,"count":6563877984}`, `{"password":"[redacted]","count":6563877984}`},
		{"pass below auth", `{"auth":{"basic":{"pass":"abc"}},"pass":"abc"}`, `{"auth":{"basic":{"pass":"[redacted]"}},"pass":"abc"}`},
		{"pass of a user", `{"user":"bob","pass":"abc"}`, `{"user":"bob","pass":"[redacted]"}`},
		{"pair of a header", `[{"name":"X-Api-Key","value":"abc"},{"name":"Accept","value":"abc"}]`, `[{"name":"X-Api-Key","value":"[redacted]"},{"name":"Accept","value":"abc"}]`},
		{"pair of a variable", `{"env":[{"key":"DB_PASSWORD","value":"abc"},{"key":"DB_HOST","value":"h"}]}`, `{"env":[{"key":"DB_PASSWORD","value":"[redacted]"},{"key":"DB_HOST","value":"h"}]}`},
		{"pair in text", `{"command":"curl -d '{\"name\":\"X-Api-Key\",\"value\":\"abc1\"}' x"}`, `{"command":"curl -d '{\"name\":\"X-Api-Key\",\"value\":\"[redacted]\"}' x"}`},
		{"reference", `{"token":"$TOKEN","api_key":"${KEY}"}`, `{"token":"$TOKEN","api_key":"${KEY}"}`},
		{"empty", `{"token":""}`, `{"token":""}`},
		{"a name with a secret", `{"` + aws + `":1}`, `{"[redacted]":1}`},
		{"no JSON", `{"token":"abc"`, `{"token":"[redacted]"`},
		{"not for HTML", `{"a":"TOKEN=` + secret + ` <&> \u2028"}`, `{"a":"TOKEN=[redacted] <&> \u2028"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := string(redact.Builtin.JSON(json.RawMessage(tt.in)))
			if got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if again := string(redact.Builtin.JSON(json.RawMessage(got))); again != got {
				t.Errorf("redacted again: %s", again)
			}
		})
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":["--token","x"],"password":"y"}`, `"{\"token\":\"x\"}"`, `[1e5,{"secret":{"a":[5]}}]`, `"\ud83d TOKEN=x"`, `{"user":"a","pass":"b","name":"token","value":["c",1]}`, `{"":"` + aws + `"}`} {
		f.Add(s, "s3cretValue")
	}
	f.Fuzz(func(t *testing.T, in, value string) {
		if !json.Valid([]byte(in)) {
			return
		}
		out := redact.Builtin.JSON(json.RawMessage(in))
		if !json.Valid(out) {
			t.Fatalf("%s became %s", in, out)
		}
		if again := redact.Builtin.JSON(out); string(again) != string(out) {
			t.Errorf("%s: redacted %s, again %s", in, out, again)
		}
		v, err := json.Marshal(value)
		if err != nil || len(value) < 6 || strings.Contains(in, value) || strings.ContainsAny(value, "$`[]\"\\\ufffd") {
			return
		}
		in = `{"x":` + in + `,"password":` + string(v) + `}`
		if out := redact.Builtin.JSON(json.RawMessage(in)); strings.Contains(string(out), value) || !json.Valid(out) {
			t.Errorf("%s became %s", in, out)
		}
	})
}

func TestNil(t *testing.T) {
	t.Parallel()
	var s *redact.Set
	if got := s.Text("TOKEN=" + secret); got != "TOKEN="+secret {
		t.Error(got)
	}
	if got := string(s.JSON(json.RawMessage(`{"token":"x"}`))); got != `{"token":"x"}` || s.Faults() != nil {
		t.Error(got, s.Faults())
	}
}
