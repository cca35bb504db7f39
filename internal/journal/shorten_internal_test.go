package journal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	t.Parallel()
	x := strings.Repeat("x", 5000)
	tests := []struct{ name, in, want string }{
		{"small", `{"a": [1, true, null, "b\"\\"], "c": {}}`, `{"a":[1,true,null,"b\"\\"],"c":{}}`},
		{"pretty", "{\n\t\"a\": 1\r\n}\n", `{"a":1}`},
		{"scalar", ` 12 `, `12`},
		{"long string", `{"a":"` + x + `","b":1}`, `{"a":"` + x[:1024] + `…[+3976 bytes]","b":1}`},
		{"long key", `{"` + x + `":1}`, `{"` + x[:1024] + `…[+3976 bytes]":1}`},
		{"escape at the cut", `["` + x[:1023] + `\nzz"]`, `["` + x[:1023] + `…[+4 bytes]"]`},
		{"rune at the cut", `["` + x[:1022] + `€€"]`, `["` + x[:1022] + `…[+6 bytes]"]`},
		{"surrogates at the cut", `["` + x[:1014] + `\ud83d\ude00zzz"]`, `["` + x[:1014] + `…[+15 bytes]"]`},
		{"long number", `[` + strings.Repeat("1", 5000) + `]`, `["…[5000 bytes]"]`},
		{"deep", strings.Repeat("[", 5000) + strings.Repeat("]", 5000), strings.Repeat("[", 64) + `"…[9872 bytes]"` + strings.Repeat("]", 64)},
		{"not JSON", "rm -rf\n\"", `"rm -rf\n\""`},
		{"half JSON", `{"a":`, `"{\"a\":"`},
		{"two documents", `{} {}`, `"{} {}"`},
		{"wrong bracket", `[1}`, `"[1}"`},
		{"no comma", `[1 2]`, `"[1 2]"`},
		{"no colon", `{"a" 1}`, `"{\"a\" 1}"`},
		{"trailing comma", `[1,]`, `"[1,]"`},
		{"control character", "[\"\x01\"]", `"[\"\u0001\"]"`},
		{"invalid UTF-8", "[\"a\xff\"]", "[\"a\uFFFD\"]"},
		{"empty", ``, ``},
		{"many items", `{"list":[` + strings.Repeat("1,", 99999) + `1],"last":"kept"}`, `{"list":[` + strings.Repeat("1,", 64) + `"…[+99936]"],"last":"kept"}`},
		{"many strings", `{"list":["` + x + `"` + strings.Repeat(`,"`+x+`"`, 99) + `],"last":"kept"}`,
			`{"list":["` + x[:256] + `…[+4744 bytes]"` + strings.Repeat(`,"`+x[:256]+`…[+4744 bytes]"`, 63) + `,"…[+36]"],"last":"kept"}`},
		{"many members", `{` + strings.Repeat(`"k":"v",`, 99999) + `"z":1}`, `{` + strings.Repeat(`"k":"v",`, 256) + `"…":"+99744"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(shorten(nil, []byte(tt.in), maxPayload)); got != tt.want {
				t.Errorf("got  %.200q\nwant %.200q", got, tt.want)
			}
		})
	}
}

func FuzzShorten(f *testing.F) {
	for _, s := range []string{`{"a":[1,"b",{"c":null}]}`, `"\\\""`, `[[[`, `{"a":"\ud83d"}`, "\xff", `"` + strings.Repeat(`\u00e9`, 500) + `"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out := shorten(nil, in, maxPayload)
		if len(in) == 0 {
			return
		}
		if !json.Valid(out) || !utf8.Valid(out) || len(out) > maxPayload || bytes.ContainsRune(out, '\n') {
			t.Fatalf("%q became %q", in, out)
		}
		var compact bytes.Buffer
		if len(in) < 50 && utf8.Valid(in) && json.Compact(&compact, in) == nil && !bytes.Equal(out, compact.Bytes()) {
			t.Errorf("%q became %q", in, out)
		}
	})
}
