// Package snapshot is the file in which a hook finds human rulings without a
// database. It lies beside the ledger, where the rulings live, and is rewritten
// from it whenever a human rules.
//
// The file is laid out so that a hook reads what may be about its action and no
// more: a header, an index of the rulings that deny and one of those that allow,
// each sorted by the first program of the action that was ruled on, and then the
// rulings, one a line, those of one program together and the newest first.
package snapshot

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/atomicfile"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/precedent"
	"github.com/fireharp/overseer/internal/regular"
)

const (
	magic = "overseer precedents 1\n\n\n" // 24 bytes
	// headerSize has the magic and the number of entries of both indexes.
	headerSize = len(magic) + 8
	// entrySize has the program's hash, and offset and length of its lines.
	entrySize = 12
)

// The bounds of what is kept. A form is weighed by its newest rulings, and of one
// program more are not read.
const (
	perForm    = 16
	perProgram = 256
	// Limit is how many rulings a snapshot is made of.
	Limit = 10_000
)

// Write replaces the snapshot at path, mode 0600, in one step. The rulings come
// newest first.
func Write(path string, rulings []precedent.Ruling) error {
	if err := atomicfile.Write(path, encode(rulings), 0o600); err != nil {
		return fmt.Errorf("write precedents: %w", err)
	}
	return nil
}

func encode(rulings []precedent.Ruling) []byte {
	lines := map[event.Decision]map[uint32][]string{event.Deny: {}, event.Allow: {}}
	forms := map[string]int{}
	for _, r := range rulings {
		sig, err := precedent.Parse(r.Signature)
		of := lines[r.Decision]
		if err != nil || len(sig.Programs) == 0 || of == nil {
			continue // of another version
		}
		first := sig.Programs[0]
		form := string(r.Decision) + r.Signature
		if forms[form]++; forms[form] > perForm || len(of[first]) >= perProgram {
			continue
		}
		of[first] = append(of[first], line(r))
	}
	var index, body []byte
	out := []byte(magic)
	at := headerSize + entrySize*(len(lines[event.Deny])+len(lines[event.Allow]))
	for _, d := range []event.Decision{event.Deny, event.Allow} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(lines[d])))
		programs := make([]uint32, 0, len(lines[d]))
		for p := range lines[d] {
			programs = append(programs, p)
		}
		slices.Sort(programs)
		for _, p := range programs {
			text := strings.Join(lines[d][p], "")
			index = binary.BigEndian.AppendUint32(index, p)
			index = binary.BigEndian.AppendUint32(index, uint32(at+len(body)))
			index = binary.BigEndian.AppendUint32(index, uint32(len(text)))
			body = append(body, text...)
		}
	}
	return append(append(out, index...), body...)
}

// line codes a ruling: time, decision, event, source, person and signature, with
// tabs between them.
func line(r precedent.Ruling) string {
	fields := []string{strconv.FormatInt(r.Time.UnixMicro(), 10), string(r.Decision), r.Event, r.Source, r.By, r.Signature}
	for i, f := range fields {
		fields[i] = strings.NewReplacer("\t", " ", "\n", " ").Replace(f)
	}
	return strings.Join(fields, "\t") + "\n"
}

func parse(text string) (r precedent.Ruling, err error) {
	f := strings.Split(text, "\t")
	if len(f) != 6 {
		return r, errDamaged
	}
	micro, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return r, errDamaged
	}
	return precedent.Ruling{Time: time.UnixMicro(micro).UTC(), Decision: event.Decision(f[1]), Event: f[2], Source: f[3], By: f[4], Signature: f[5]}, nil
}

var errDamaged = errors.New("the file is damaged")

// Find gives the rulings on actions of which one of the programs is the first.
// Those that allow are left out where all is false and none denies: they would
// change nothing. A file that is not there has none.
func Find(path string, programs []uint32, all bool) ([]precedent.Ruling, error) {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		defer f.Close()
		var out []precedent.Ruling
		if out, err = find(f, programs, all); err == nil {
			return out, nil
		}
	}
	err = fmt.Errorf("read precedents: %s: %w", path, err)
	return nil, hint.Wrap(err, "\"overseer doctor\" writes the file again")
}

func find(f *os.File, programs []uint32, all bool) ([]precedent.Ruling, error) {
	// Most files have few denies: one read tells that none is about this.
	head := make([]byte, 4<<10)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, regular.Reason(err)
	}
	if head = head[:n]; n < headerSize || string(head[:len(magic)]) != magic {
		return nil, errDamaged
	}
	denies := int(binary.BigEndian.Uint32(head[len(magic):]))
	allows := int(binary.BigEndian.Uint32(head[len(magic)+4:]))
	x := reader{f: f, head: head}
	out, err := x.section(0, denies, programs)
	if err != nil || len(out) == 0 && !all {
		return nil, err
	}
	more, err := x.section(denies, allows, programs)
	return append(out, more...), err
}

// reader reads from the file, or from its beginning where that is known.
type reader struct {
	f    *os.File
	head []byte
}

func (x *reader) at(from, size int) ([]byte, error) {
	if from+size <= len(x.head) {
		return x.head[from : from+size], nil
	}
	b := make([]byte, size)
	if _, err := x.f.ReadAt(b, int64(from)); err != nil {
		return nil, errDamaged
	}
	return b, nil
}

// maxLines bounds the lines of one program, which take some 300 bytes each.
const maxLines = perProgram * 2 << 10

// section looks the programs up in n entries of the index from one on.
func (x *reader) section(from, n int, programs []uint32) (out []precedent.Ruling, err error) {
	entry := func(i int) []byte {
		b, e := x.at(headerSize+(from+i)*entrySize, entrySize)
		if e != nil {
			err = e
			return make([]byte, entrySize)
		}
		return b
	}
	for _, p := range programs {
		i := sort.Search(n, func(i int) bool { return binary.BigEndian.Uint32(entry(i)) >= p })
		if i == n || err != nil {
			continue
		}
		e := entry(i)
		if binary.BigEndian.Uint32(e) != p {
			continue
		}
		at, size := binary.BigEndian.Uint32(e[4:]), binary.BigEndian.Uint32(e[8:])
		if size > maxLines {
			return nil, errDamaged
		}
		text, err := x.at(int(at), int(size))
		if err != nil {
			return nil, err
		}
		for l := range bytes.Lines(text) {
			r, err := parse(strings.TrimSuffix(string(l), "\n"))
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
	}
	return out, err
}

// Refresh writes what load returns. Of several processes one at a time loads and
// writes, so that the snapshot is never older than the ruling it was made for.
func Refresh(ctx context.Context, path string, load func(context.Context) ([]precedent.Ruling, error)) error {
	l := flock.New(path + ".lock")
	if _, err := l.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return fmt.Errorf("write precedents: wait for other processes: %w", err)
	}
	defer l.Unlock()
	rulings, err := load(ctx)
	if err != nil {
		return err
	}
	return Write(path, rulings)
}
