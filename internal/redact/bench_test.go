package redact_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/redact"
)

var documented = []redact.Pattern{
	{Expr: `(?i)(api[_-]?key|secret|token|password)\s*[:=]\s*\S+`},
	{Expr: `AKIA[0-9A-Z]{16}`},
	{Expr: `[A-Za-z0-9+/]{40,}={0,2}`},
}

func BenchmarkText(b *testing.B) {
	corpus, err := os.ReadFile("testdata/readable.txt")
	if err != nil {
		b.Fatal(err)
	}
	plain := strings.Repeat("go test ./internal/judgment -run Cache -count 1; ", 1400)
	hostile := func(s string) string { return strings.Repeat(s, 64<<10/len(s)) }
	for _, bb := range []struct{ name, text string }{
		{"command", "go test ./internal/judgment -run Cache -count 1"},
		{"commands 64 KiB", plain[:64<<10]},
		{"developers' text 64 KiB", hostile(string(corpus))},
		{"secrets 64 KiB", hostile("export TOKEN=hunter2x; ")},
		{"hostile, names", hostile("token=token")},
		{"hostile, colons", hostile("token:token: ")},
		{"hostile, quotes", hostile(`token="`)},
		{"hostile, open quotes", hostile(`token='"`)},
		{"hostile, headers", hostile(`"token: `)},
		{"hostile, tags", hostile("<token>")},
		{"hostile, addresses", hostile("://:")},
		{"hostile, backslashes", hostile(`token\\\\\\`)},
		{"hostile, dots", hostile("eyJaaaaaaaa.")},
		{"hostile, names without end", hostile("token")},
		{"hostile, flags", hostile("-u a")},
		{"hostile, keys", hostile("-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123456789\n")},
		{"hostile, runs", hostile("aB3" + strings.Repeat("x/Y", 20) + " ")},
		{"hostile, begins", hostile("BEGIN ")},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			for b.Loop() {
				redact.Text(bb.text)
			}
		})
	}
	raw, err := json.Marshal(map[string]string{"command": plain[:32<<10], "content": hostile(string(corpus))[:32<<10]})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("JSON 64 KiB", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			redact.Builtin.JSON(raw)
		}
	})
	for _, text := range []string{plain[:1<<10], plain[:64<<10]} {
		b.Run("documented patterns of one's own", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			s := redact.New(documented...)
			for b.Loop() {
				s.Text(text)
			}
		})
	}
	b.Run("compile the documented patterns", func(b *testing.B) {
		for b.Loop() {
			redact.New(documented...).Faults()
		}
	})
}
