package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const suffix = ".jsonl"

// Position is a place between two lines of a journal. The zero Position is the
// beginning.
type Position struct {
	// Segment is the number in the segment's file name, from 1.
	Segment int `json:"segment"`
	// Offset is in bytes from the start of the segment.
	Offset int64 `json:"offset"`
}

// String is the position as people read it: file name and offset.
func (p Position) String() string {
	return fmt.Sprintf("%s at byte %d", segmentName(p.Segment), p.Offset)
}

// Before reports whether p is before q.
func (p Position) Before(q Position) bool {
	return p.Segment < q.Segment || p.Segment == q.Segment && p.Offset < q.Offset
}

// SegmentName is the file name of segment n.
func SegmentName(n int) string { return segmentName(n) }

func segmentName(n int) string { return fmt.Sprintf("%08d%s", n, suffix) }

func segmentPath(dir string, n int) string { return filepath.Join(dir, segmentName(n)) }

// segments lists the numbers of the segments in dir, ascending. Other files are
// none of our business. A folder that is not there has no segments.
func segments(dir string) ([]int, error) {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, e := range entries {
		digits, ok := strings.CutSuffix(e.Name(), suffix)
		n, err := strconv.Atoi(digits)
		if ok && err == nil && 0 < n && n < math.MaxInt32 && segmentName(n) == e.Name() && e.Type().IsRegular() {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// lastLine reads the last line that begins before offset end, without its
// newline. torn is true if it has none. An empty file gives an empty line. Of a
// line over maxReadLine it reads so much that the line is seen to be too long.
func lastLine(f io.ReaderAt, end int64) (line []byte, torn bool, err error) {
	if end == 0 {
		return nil, false, nil
	}
	most := min(end, maxReadLine+2)
	// A line is rarely longer than the first read.
	for size := min(int64(4<<10), most); ; size = min(8*size, most) {
		buf := make([]byte, size)
		if _, err := f.ReadAt(buf, end-size); err != nil {
			return nil, false, err
		}
		line, whole := bytes.CutSuffix(buf, []byte{'\n'})
		if i := bytes.LastIndexByte(line, '\n'); i >= 0 {
			return line[i+1:], !whole, nil
		}
		if size == most {
			return line, !whole, nil
		}
	}
}

// LinkAt is the link of the line that ends at p: what the line that begins there
// must state as its prev. known is false where that cannot be told, because
// there is no such segment or place, or because the segment before it is gone;
// at the very beginning of the first segment it is known to be "".
func LinkAt(dir string, p Position) (prev string, known bool, err error) {
	for p.Offset == 0 {
		if p.Segment <= 1 {
			return "", true, nil
		}
		p.Segment--
		fi, err := os.Stat(segmentPath(dir, p.Segment))
		if errors.Is(err, fs.ErrNotExist) {
			return "", false, nil
		}
		if err != nil {
			return "", false, err
		}
		p.Offset = fi.Size()
	}
	f, err := os.Open(segmentPath(dir, p.Segment))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	line, _, err := lastLine(f, p.Offset)
	if errors.Is(err, io.EOF) {
		return "", false, nil // the file is shorter than it was
	}
	if err != nil {
		return "", false, err
	}
	return link(line), true, nil
}

// End is the position after the last whole line: where a reader starts that wants
// only what is new. A journal that is not there ends at its beginning.
func End(dir string) (Position, error) {
	all, err := segments(dir)
	if err != nil || len(all) == 0 {
		return Position{}, err
	}
	p := Position{Segment: all[len(all)-1]}
	f, err := os.Open(segmentPath(dir, p.Segment))
	if err != nil {
		return Position{}, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return Position{}, err
	}
	// Look for the last newline, block by block from the end.
	buf := make([]byte, 64<<10)
	for end := fi.Size(); end > 0; {
		start := max(0, end-int64(len(buf)))
		block := buf[:end-start]
		if _, err := f.ReadAt(block, start); err != nil {
			return Position{}, err
		}
		if i := bytes.LastIndexByte(block, '\n'); i >= 0 {
			p.Offset = start + int64(i) + 1
			break
		}
		end = start
	}
	return p, nil
}

// Resume says where a reader goes on that stopped at p, after a line with the
// given link. It is p, unless the journal is not the one that was read: then it
// is the beginning, and replaced is true. A reader that knows every id it has
// seen loses nothing by that and takes nothing twice.
func Resume(dir string, p Position, link string) (from Position, replaced bool, err error) {
	if p == (Position{}) {
		return p, false, nil
	}
	now, known, err := LinkAt(dir, p)
	if err != nil {
		return p, false, err
	}
	if known {
		if now == link {
			return p, false, nil
		}
		return Position{}, true, nil
	}
	all, err := segments(dir)
	switch {
	case err != nil:
		return p, false, err
	case len(all) == 0, all[0] > p.Segment:
		return p, false, nil // nothing is there, or what was read is pruned
	}
	return Position{}, true, nil
}

// Remaining is the number of bytes from p to the end of the journal.
func Remaining(dir string, p Position) (int64, error) {
	all, err := segments(dir)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, n := range all {
		if n < p.Segment {
			continue
		}
		fi, err := os.Stat(segmentPath(dir, n))
		if errors.Is(err, fs.ErrNotExist) {
			continue // pruned meanwhile
		}
		if err != nil {
			return 0, err
		}
		sum += fi.Size()
		if n == p.Segment {
			sum -= min(p.Offset, fi.Size())
		}
	}
	return sum, nil
}
