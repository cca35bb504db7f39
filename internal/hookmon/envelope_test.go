package hookmon_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/hookmon"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, payload, want, fault string }{
		{"bytes are kept", `{ "b" : 1.0,  "a":"\u00e9 <&> é" , "a":2}`, `{"agent":"claudecode","payload":{ "b" : 1.0,  "a":"\u00e9 <&> é" , "a":2}}`, ""},
		{"white space around is not", " \t{\"a\":1}\r\n\n", `{"agent":"claudecode","payload":{"a":1}}`, ""},
		{"nor a byte order mark", "\ufeff{\"a\":1}\n", `{"agent":"claudecode","payload":{"a":1}}`, ""},
		{"several lines become one", "{\n  \"a\": [1,\r\n 2],\n\t\"b\": \"x  \\n y\"\n}\n", `{"agent":"claudecode","payload":{"a":[1,2],"b":"x  \n y"}}`, ""},
		{"not an object", `[1, 2]`, `{"agent":"claudecode","payload":[1, 2]}`, ""},
		{"not JSON", "{\"a\":\nwhat <x>", `{"agent":"claudecode","raw":"{\"a\":\nwhat <x>"}`, "the payload is not JSON"},
		{"two values", `{} {}`, `{"agent":"claudecode","raw":"{} {}"}`, "the payload is not JSON"},
		{"nothing", "", `{"agent":"claudecode","raw":""}`, "the payload is empty"},
		{"blank", " \n", `{"agent":"claudecode","raw":" \n"}`, "the payload is empty"},
		{"not text", "\xff\x00", `{"agent":"claudecode","encoding":"base64","raw":"/wA="}`, "the payload is not JSON"},
		{"too deep for a reader", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), `{"agent":"claudecode","raw":"` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `"}`, "the payload is not JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := hookmon.Envelope("claudecode", []byte(tt.payload))
			if tt.want != "" && string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if (err != nil) != (tt.fault != "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("error %v, want %q", err, tt.fault)
			}
			if bytes.ContainsAny(got, "\r\n") || !json.Valid(got) {
				t.Errorf("not one line of JSON: %q", got)
			}
		})
	}
}

// FuzzEnvelope: whatever comes in, one line of JSON goes out and nothing is lost.
func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"a": 1}`))
	f.Add([]byte("{\n}"))
	f.Add([]byte("\xff{"))
	f.Fuzz(func(t *testing.T, payload []byte) {
		line, err := hookmon.Envelope("codex", payload)
		if bytes.ContainsAny(line, "\r\n") {
			t.Fatalf("several lines: %q", line)
		}
		var e struct {
			Payload  json.RawMessage
			Raw      *string
			Encoding string
		}
		if json.Unmarshal(line, &e) != nil {
			t.Fatalf("not JSON: %q", line)
		}
		switch {
		case e.Raw != nil:
			if err == nil || e.Encoding == "" && *e.Raw != string(payload) {
				t.Errorf("lost: %q became %q (%v)", payload, *e.Raw, err)
			}
		case !bytes.ContainsAny(bytes.TrimSpace(payload), "\r\n"):
			if !bytes.Contains(payload, e.Payload) {
				t.Errorf("changed: %q became %q", payload, e.Payload)
			}
		}
	})
}
