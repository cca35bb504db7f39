package doctor

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
)

// maxProgram bounds the program files that are looked into, in bytes.
const maxProgram = 512 << 20

// packageOf is the path of the main package that the Go program at a path was built
// from, "" for what is none. It reads what debug/buildinfo reads, which cannot be
// linked: its readers of all file formats are a fiftieth of what a hook costs to start.
//
// The layout is that of Go 1.18 and newer, see the package debug/buildinfo: after 32
// bytes of header the Go version and the module text follow, each behind its length
// as a varint; the text stands between two markers of 16 bytes.
func packageOf(path string) string {
	if st, err := os.Stat(path); err != nil || st.Size() > maxProgram {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	// It stands at a multiple of 16; the same bytes elsewhere are this program's own
	// constant.
	const align, header, marker = 16, 32, 16
	magic := []byte("\xff Go buildinf:")
	for at := 0; at < len(data); at += align {
		i := bytes.Index(data[at:], magic)
		if i < 0 {
			return ""
		}
		if at += i; at%align != 0 {
			at -= at % align
			continue
		}
		rest := data[min(at+header, len(data)):]
		version, rest := prefixed(rest)
		text, _ := prefixed(rest)
		if len(version) == 0 || len(text) < 2*marker {
			continue
		}
		for line := range strings.Lines(string(text[marker : len(text)-marker])) {
			if p, ok := strings.CutPrefix(line, "path\t"); ok {
				return strings.TrimSuffix(p, "\n")
			}
		}
	}
	return ""
}

// prefixed splits off bytes that stand behind their number.
func prefixed(b []byte) (first, rest []byte) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil
	}
	return b[size : size+int(n)], b[size+int(n):]
}
