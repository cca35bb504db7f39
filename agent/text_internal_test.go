package agent

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		max      int
		want     string
	}{
		{"as it is", "a\n\tb && c", 20, "a\n\tb && c"},
		{"around", "\n a \n", 20, "a"},
		{"controls", "a\x00\x1b[31mb\x7f\u0085c", 20, "a[31mbc"},
		{"line ends", "a\r\nb\rc", 20, "a\nb\nc"},
		{"not UTF-8", "a\xffb", 20, "a\uFFFDb"},
		{"direction", "a\u202Eb\u2066c", 20, "abc"},
		{"joined emoji stay", "👩\u200d🚒", 20, "👩\u200d🚒"},
		{"fits", "12345678901234567890", 20, "12345678901234567890"},
		{"cut", "123456789012345678901", 20, "123456789012 … (cut)"},
		{"only controls", "\x00\x01", 20, ""},
		{"a flood of controls", strings.Repeat("\x00", 1000) + "a", 20, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := clean(tt.in, tt.max); got != tt.want || utf8.RuneCountInString(got) > tt.max {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLastWord(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"path": "path", "file_path": "path", "filePath": "path", "filePATH": "path", "output-file": "file",
		"a.b": "b", "profile": "profile", "dir2": "dir", "path_1": "path", "": "", "éPath": "épath", "_": "", "9": "",
	} {
		if got := lastWord(in); got != want {
			t.Errorf("lastWord(%q) = %q, want %q", in, got, want)
		}
	}
}
