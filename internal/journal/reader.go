package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strconv"
	"time"

	"github.com/fireharp/overseer/internal/hint"
)

// Fault is something wrong with a line, or between two lines.
type Fault struct {
	// At is where the line starts, Length its size in bytes.
	At     Position `json:"at"`
	Length int64    `json:"length"`
	// ID is the record's id as far as it can be read.
	ID string `json:"id,omitempty"`
	// Kind says what is wrong.
	Kind FaultKind `json:"kind"`
	// Expected is the link of the line before, which the line should state as its
	// prev; "" at the beginning or where it is not known. Link is the line's own.
	Expected string `json:"expected,omitempty"`
	Link     string `json:"link,omitempty"`
	// Content is the hash of what stands in the line, where its link does not tell:
	// of a line that states another hash than its own.
	Content string `json:"content,omitempty"`
	// Stored is the key of a fault that comes from a ledger, which keeps no content.
	Stored string `json:"-"`
}

// Key identifies the damage wherever the line has moved to: 16 hexadecimal digits.
// A line that is edited once more has another.
func (f Fault) Key() string {
	if f.Stored != "" {
		return f.Stored
	}
	text := string(f.Kind) + "\x00" + f.Expected + "\x00" + f.Link
	if f.Content != "" {
		text += "\x00" + f.Content
	}
	return hashOf([]byte(text))[:16]
}

// FaultKind is a kind of damage.
type FaultKind string

// The kinds of damage. A line with a gap is itself sound and has a record; the
// others have none.
const (
	Torn       FaultKind = "torn"       // its writer was killed or cut off
	Unreadable FaultKind = "unreadable" // not a record
	Edited     FaultKind = "edited"     // its hash is not the hash of the line
	Gap        FaultKind = "gap"        // it does not follow the line before it
	// The next two are found when the journal is compared with a ledger.
	Cut      FaultKind = "cut"      // lines that were read are gone from the journal's end
	Repeated FaultKind = "repeated" // another line before it has its id
)

func faultText(k FaultKind) string {
	switch k {
	case Torn:
		return "is cut off: its writer was killed"
	case Unreadable:
		return "is not a record"
	case Edited:
		return "is not as it was written"
	case Gap:
		return "does not follow the line before it: lines were removed, inserted or moved"
	case Cut:
		return "that the ledger had read up to here is gone: lines at the journal's end were removed or replaced"
	case Repeated:
		return "has the id of an earlier one"
	}
	return ""
}

// Text says what a line with the damage is.
func (k FaultKind) Text() string { return "the line " + faultText(k) }

// String is the fault as a sentence with its place.
func (f Fault) String() string {
	id := ""
	if f.ID != "" {
		id = " (" + f.ID + ")"
	}
	return fmt.Sprintf("%s: the line%s %s", f.At, id, faultText(f.Kind))
}

// ErrNewer means that a line was written by a later version of overseer.
var ErrNewer = errors.New("the journal was written by a newer overseer")

// Line is one line of a journal.
type Line struct {
	// At is where the line starts, Next where the one after it does.
	At, Next Position
	// Raw is the line without its newline; of a line over 1 MiB the beginning.
	Raw []byte
	// Record is the line's record. It is nil for a line that is damaged, and after
	// [Reader.Skim] until Decode.
	Record *Record
	// Fault is nil for a sound line.
	Fault *Fault
	// Prev is what the line states as the link of the one before; of a damaged line
	// it is that link itself, "" if it is not known.
	Prev string
	// Link is what the next line has to state as its prev.
	Link string
}

// Sound reports whether the line is as it was written. One with a gap before it is.
func (l *Line) Sound() bool { return l.Fault == nil || l.Fault.Kind == Gap }

// fault is a fault of the line. [Line.Prev] is what it should have stated.
func (l *Line) fault(kind FaultKind, length int64) *Fault {
	return &Fault{At: l.At, Length: length, ID: idIn(l.Raw), Kind: kind, Expected: l.Prev, Link: l.Link}
}

// Fail makes the line, whose hash is right, a faulty one of a kind.
func (l *Line) Fail(kind FaultKind) { l.Fault = l.fault(kind, int64(len(l.Raw))) }

// Decode sets the record of a sound line that has none yet. A line that is no
// record, although its hash is right, becomes a faulty one.
func (l *Line) Decode() {
	if l.Record != nil || !l.Sound() {
		return
	}
	var r Record
	if err := json.Unmarshal(l.Raw, &r); err != nil || r.ID == "" || r.Kind == "" {
		l.Fault = l.fault(Unreadable, int64(len(l.Raw)))
		return
	}
	l.Record = &r
}

// Reader reads a journal's lines in order, across segments, while others append
// to it. It is not safe for concurrent use.
type Reader struct {
	dir    string
	pos    Position
	f      *os.File
	br     *bufio.Reader
	sealed bool   // a later segment exists: the open one will not grow
	prev   string // the link of the last line
	known  bool   // prev is known
	begun  bool
}

// NewReader makes a reader that starts at from, which is zero or a position that
// a Line, or [End], gave. It opens nothing yet.
func NewReader(dir string, from Position) *Reader { return &Reader{dir: dir, pos: from} }

// Close releases the open segment. The reader can go on afterwards.
func (r *Reader) Close() error {
	if r.f == nil {
		return nil
	}
	err := r.f.Close()
	r.f, r.br = nil, nil
	return err
}

// Next returns the next whole line. It returns io.EOF when there is none for now,
// also when one is just being written, and may be called again later. Damage is
// no error: it is in the line. [ErrNewer] is returned for a line that a newer
// version wrote; the reader stays before it.
func (r *Reader) Next() (Line, error) {
	line, err := r.Skim()
	line.Decode()
	return line, err
}

// Skim is Next without the decoding, for a reader that decodes many lines at once.
func (r *Reader) Skim() (Line, error) {
	line, err := r.next()
	if err == nil && !line.Sound() && !r.sealed {
		// A writer that found the disk full takes its half line back. If the line
		// was read while that went on, a second look shows what is really there.
		r.pos = line.At
		if err := r.Close(); err != nil {
			return Line{}, err
		}
		line, err = r.next()
	}
	if err != nil && err != io.EOF {
		return Line{}, fmt.Errorf("read journal: %w", classify(r.dir, err))
	}
	if err == nil {
		r.prev, r.known = line.Link, true
	}
	return line, err
}

func (r *Reader) next() (Line, error) {
	for {
		if r.f == nil {
			if err := r.open(); err != nil {
				return Line{}, err
			}
		}
		raw, length, err := r.readLine()
		switch {
		case err == nil:
			return r.parse(raw, length, length+1, false)
		case err != io.EOF:
			return Line{}, err
		case !r.sealed:
			// The end, or a line that is being written, or the end of a segment.
			// What follows is looked for before the rest is read again, since the
			// writer makes the next segment after it has written to this one.
			if err := r.Close(); err != nil {
				return Line{}, err
			}
			later, err := r.later()
			if err != nil {
				return Line{}, err
			}
			if later == 0 {
				return Line{}, io.EOF
			}
			r.sealed = true
		case length > 0:
			return r.parse(raw, length, length, true)
		default:
			if err := r.Close(); err != nil {
				return Line{}, err
			}
			later, err := r.later()
			if err != nil {
				return Line{}, err
			}
			if later == 0 {
				return Line{}, io.EOF // removed while we read
			}
			r.pos, r.sealed = Position{Segment: later}, false
		}
	}
}

// later is the number of the segment after the current one, 0 if there is none.
func (r *Reader) later() (int, error) {
	all, err := segments(r.dir)
	for _, n := range all {
		if n > r.pos.Segment {
			return n, err
		}
	}
	return 0, err
}

// open opens the segment of r.pos at its offset, or the next one there is.
func (r *Reader) open() error {
	if !r.begun {
		var err error
		if r.pos.Segment > 0 {
			r.prev, r.known, err = LinkAt(r.dir, r.pos)
		}
		if err != nil {
			return err
		}
	}
	f, err := os.Open(segmentPath(r.dir, r.pos.Segment))
	if errors.Is(err, fs.ErrNotExist) {
		later, err := r.later()
		if err != nil {
			return err
		}
		if later == 0 {
			return io.EOF
		}
		r.pos, r.sealed = Position{Segment: later}, false
		if !r.begun && later == 1 {
			r.prev, r.known = "", true
		}
		f, err = os.Open(segmentPath(r.dir, later))
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if _, err := f.Seek(r.pos.Offset, io.SeekStart); err != nil {
		f.Close()
		return err
	}
	r.f, r.begun = f, true
	r.br = bufio.NewReaderSize(f, 256<<10)
	return nil
}

// readLine reads to the next newline, and returns at most a byte more than
// maxReadLine of it, and how long it is. At the end of the file it returns io.EOF
// with what there is.
func (r *Reader) readLine() (raw []byte, length int64, err error) {
	for {
		chunk, err := r.br.ReadSlice('\n')
		if err == nil {
			chunk = chunk[:len(chunk)-1]
		}
		length += int64(len(chunk))
		raw = append(raw, chunk[:min(maxReadLine+1-len(raw), len(chunk))]...)
		if err != bufio.ErrBufferFull {
			return raw, length, err
		}
	}
}

// parse judges a line of a length that takes size bytes of the file.
func (r *Reader) parse(raw []byte, length, size int64, torn bool) (Line, error) {
	line := Line{At: r.pos, Next: r.pos, Raw: raw, Prev: r.prev, Link: link(raw)}
	line.Next.Offset += size
	var kind FaultKind
	_, prev, _, ok := Split(raw)
	switch {
	case ok && genuine(raw):
		line.Prev = prev
		if v := version(raw); v > Version {
			_ = r.Close()
			err := fmt.Errorf("%s has a line of version %d, this overseer knows %d: %w", r.pos, v, Version, ErrNewer)
			return Line{}, hint.Wrap(err, "update overseer")
		}
		if r.known && prev != r.prev {
			kind = Gap
		}
	case torn:
		kind = Torn
	case json.Valid(raw) && idIn(raw) != "":
		kind = Edited
	case startsLikeRecord(raw) && !ok:
		kind = Torn
	default:
		kind = Unreadable
	}
	if kind != "" {
		line.Fault = line.fault(kind, length)
		line.Fault.Expected = r.prev
		if content := HashOf(raw); kind != Gap && content != line.Link {
			line.Fault.Content = content
		}
	}
	r.pos = line.Next
	return line, nil
}

// version is the number that every line of ours begins with, 0 if it does not.
func version(raw []byte) int {
	rest, ok := bytes.CutPrefix(raw, []byte(recordStart))
	if !ok {
		return 0
	}
	digits, _, _ := bytes.Cut(rest, []byte{','})
	v, err := strconv.Atoi(string(digits))
	if err != nil {
		return 0
	}
	return v
}

const recordStart = `{"v":`

// startsLikeRecord reports whether raw may be the beginning of a line of ours.
func startsLikeRecord(raw []byte) bool {
	n := min(len(raw), len(recordStart))
	return n > 0 && string(raw[:n]) == recordStart[:n]
}

// idIn finds the id in a line, damaged or not, so that a report can name it.
func idIn(raw []byte) string {
	_, rest, found := bytes.Cut(raw, []byte(`"id":"`))
	id, _, whole := bytes.Cut(rest, []byte{'"'})
	if !found || !whole || len(id) > maxID {
		return ""
	}
	return string(id)
}

// Follow yields the lines from a position on, waits for more, and ends with ctx.
func Follow(ctx context.Context, dir string, from Position) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		r := NewReader(dir, from)
		defer r.Close()
		tick := time.NewTicker(followInterval)
		defer tick.Stop()
		for ctx.Err() == nil {
			line, err := r.Next()
			switch {
			case err == io.EOF:
				select {
				case <-tick.C:
				case <-ctx.Done():
				}
			case !yield(line, err), err != nil:
				return
			}
		}
	}
}

// followInterval is how late a person may see an event: not noticeably.
const followInterval = 200 * time.Millisecond
