package program

import (
	"embed"
	"io"
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/glob"
)

//go:embed tables/*.txt
var files embed.FS

// indexText says where each program's blocks are, so that a hook reads those and
// nothing else. "go test ./internal/program -update" writes it anew. A line is: name,
// file, offset and length of the block's body. Globs come first, then an empty line,
// then the names, sorted.
//
//go:embed index.txt
var indexText string

// block is the body of a block of the tables.
type block struct {
	body string
	file string
	at   int // its offset in the file
}

// find gives the blocks of a program.
func find(name string) []block {
	if len(name) > maxName {
		return nil
	}
	var out []block
	globs, names, _ := strings.Cut(indexText, "\n\n")
	for l := range strings.Lines(globs) {
		g, _, _ := strings.Cut(l, " ")
		if strings.HasPrefix(name, g[:strings.IndexAny(g, "*?")]) && glob.Match(g, name) {
			out = append(out, readBlock(l))
		}
	}
	word := name + " "
	for rest := names[lineOf(names, word):]; strings.HasPrefix(rest, word); {
		var l string
		l, rest, _ = strings.Cut(rest, "\n")
		out = append(out, readBlock(l))
	}
	return out
}

// maxName is how long the name of a file can be.
const maxName = 255

// lineOf gives the offset of the first of the sorted lines that is not before word.
func lineOf(lines, word string) int {
	low, high := 0, len(lines)
	for low < high {
		mid := (low + high) / 2
		mid = strings.LastIndexByte(lines[:mid], '\n') + 1 // the line's beginning
		end := len(lines)
		if i := strings.IndexByte(lines[mid:], '\n'); i >= 0 {
			end = mid + i + 1
		}
		if lines[mid:end] < word {
			low = end
		} else {
			high = mid
		}
	}
	return low
}

// readBlock reads what a line of the index points to.
func readBlock(line string) block {
	f := strings.Fields(line)
	if len(f) != 4 {
		return block{}
	}
	at, _ := strconv.Atoi(f[2])
	length, _ := strconv.Atoi(f[3])
	b := block{file: f[1], at: at}
	file, err := files.Open("tables/" + f[1])
	if err != nil {
		return b
	}
	defer file.Close()
	data := make([]byte, length)
	if r, ok := file.(io.ReaderAt); ok {
		if _, err := r.ReadAt(data, int64(at)); err == nil || err == io.EOF {
			b.body = string(data)
		}
	}
	return b
}

// readAssigns gives the lines about variables, of the tables whose names end in
// -env.txt.
func readAssigns() []string {
	var out []string
	entries, _ := files.ReadDir("tables")
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "-env.txt") {
			continue
		}
		data, _ := files.ReadFile("tables/" + e.Name())
		for l := range strings.Lines(string(data)) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(l), "assign "); ok {
				out = append(out, rest)
			}
		}
	}
	return out
}
