package program

import (
	goflag "flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = goflag.Bool("update", false, "write index.txt anew")

// header is a block of the tables as the test finds it.
type header struct {
	names  []string
	file   string
	at     int
	length int
}

// headers reads all tables.
func headers(t *testing.T) []header {
	t.Helper()
	var out []header
	entries, err := os.ReadDir("tables")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile("tables/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for l := range strings.Lines(string(data)) {
			if strings.HasPrefix(l, "program ") {
				out = append(out, header{names: strings.Fields(l)[1:], file: e.Name(), at: at + len(l)})
			} else if n := len(out); n > 0 && out[n-1].file == e.Name() {
				out[n-1].length = at + len(l) - out[n-1].at
			}
			at += len(l)
		}
	}
	return out
}

// TestIndex compares index.txt with the tables.
func TestIndex(t *testing.T) {
	t.Parallel()
	var globs, lines []string
	for _, h := range headers(t) {
		for _, n := range h.names {
			line := fmt.Sprintf("%s %s %d %d\n", n, h.file, h.at, h.length)
			if strings.ContainsAny(n, "*?") {
				globs = append(globs, line)
			} else {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(globs)
	slices.Sort(lines)
	want := strings.Join(slices.Concat(slices.Compact(globs), []string{"\n"}, slices.Compact(lines)), "")
	if *update {
		if err := os.WriteFile("index.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if indexText != want {
		t.Error("index.txt is not that of the tables: go test ./internal/program -update")
	}
}
