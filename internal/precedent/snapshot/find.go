package snapshot

import (
	"bytes"
	"crypto/hmac"
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

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/precedent"
	"github.com/fireharp/overseer/internal/regular"
)

// What can be wrong with a snapshot, for errors.Is. Whatever it is, a deny may be
// missing: init writes a snapshot before anybody has ruled.
var (
	ErrGone    = errors.New("the file is gone")
	ErrDamaged = errors.New("the file is damaged, or somebody else than overseer wrote it")
	ErrOlder   = errors.New("the file is of another version of overseer")
	ErrKey     = errors.New("the file was made with another key")
)

// Find gives the rulings on actions of which one of the programs is the first.
// Those that allow are left out where all is false and none denies: they would
// change nothing. The errors are those above, and what the system says.
func Find(path string, key []byte, programs []uint32, all bool) ([]precedent.Ruling, error) {
	return open(path, key, func(x *reader) ([]precedent.Ruling, error) { return x.find(programs, all) })
}

// open opens a snapshot and reads from it.
func open(path string, key []byte, get func(*reader) ([]precedent.Ruling, error)) ([]precedent.Ruling, error) {
	f, err := regular.Open(path)
	if err == nil {
		defer f.Close()
		var x *reader
		if x, err = read(f, key); err == nil {
			var out []precedent.Ruling
			if out, err = get(x); err == nil {
				return out, nil
			}
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrGone
	}
	err = fmt.Errorf("read precedents: %s: %w", path, err)
	if errors.Is(err, ErrKey) {
		return nil, hint.Wrap(err, "put the earlier key back from a backup; or run \"overseer doctor\": what was ruled before counts no more then")
	}
	return nil, hint.Wrap(err, "\"overseer doctor\" writes the file again")
}

// Check finds out whether the header and the indexes of a snapshot are as they were
// written with the key. The errors are those of [Find].
func Check(path string, key []byte) error {
	_, err := Find(path, key, nil, true)
	return err
}

// All gives all rulings, the newest first. The errors are those of [Find].
func All(path string, key []byte) ([]precedent.Ruling, error) {
	out, err := open(path, key, func(x *reader) (out []precedent.Ruling, err error) {
		for _, index := range [][]byte{x.denies, x.allows} {
			var programs []uint32
			for e := range slices.Chunk(index, entrySize) {
				programs = append(programs, binary.BigEndian.Uint32(e))
			}
			list, err := x.lookUp(index, programs)
			if err != nil {
				return nil, err
			}
			out = append(out, list...)
		}
		return out, nil
	})
	slices.SortStableFunc(out, func(a, b precedent.Ruling) int { return b.Time.Compare(a.Time) })
	return out, err
}

// reader reads from a snapshot of which the beginning is known.
type reader struct {
	f    *os.File
	head []byte
	// denies and allows are the indexes.
	denies, allows []byte
}

// read reads header and indexes. Most files have few rulings: one read tells that
// none is about the action.
func read(f *os.File, key []byte) (*reader, error) {
	head := make([]byte, 4<<10)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, regular.Reason(err)
	}
	x := &reader{f: f, head: head[:n]}
	const name = len("overseer precedents ")
	switch {
	case n < headerSize || string(head[:name]) != magic[:name]:
		return nil, ErrDamaged
	case string(head[:len(magic)]) != magic:
		return nil, ErrOlder
	}
	denies, allows := binary.BigEndian.Uint32(head[len(magic):]), binary.BigEndian.Uint32(head[len(magic)+4:])
	if denies > Limit || allows > Limit {
		return nil, x.wrong(key)
	}
	index, err := x.at(headerSize, int(denies+allows)*entrySize)
	if err != nil {
		return nil, err
	}
	if !hmac.Equal(head[keyedSize:headerSize], headerSum(key, head[:keyedSize], index)) {
		return nil, x.wrong(key)
	}
	x.denies, x.allows = index[:denies*entrySize], index[denies*entrySize:]
	return x, nil
}

// wrong says why a header does not hold.
func (x *reader) wrong(key []byte) error {
	if !bytes.Equal(x.head[keyedSize-keyNameSize:keyedSize], keyName(key)) {
		return ErrKey
	}
	return ErrDamaged
}

// at reads from the file, or from its beginning where that is known.
func (x *reader) at(from, size int) ([]byte, error) {
	if from+size <= len(x.head) {
		return x.head[from : from+size], nil
	}
	b := make([]byte, size)
	if _, err := x.f.ReadAt(b, int64(from)); err != nil {
		return nil, ErrDamaged
	}
	return b, nil
}

func (x *reader) find(programs []uint32, all bool) ([]precedent.Ruling, error) {
	out, err := x.lookUp(x.denies, programs)
	if err != nil || len(out) == 0 && !all {
		return nil, err
	}
	more, err := x.lookUp(x.allows, programs)
	return slices.Concat(out, more), err
}

// lookUp gives the rulings of the programs that an index has.
func (x *reader) lookUp(index []byte, programs []uint32) (out []precedent.Ruling, err error) {
	n := len(index) / entrySize
	entry := func(i int) []byte { return index[i*entrySize:][:entrySize] }
	for _, p := range programs {
		i := sort.Search(n, func(i int) bool { return binary.BigEndian.Uint32(entry(i)) >= p })
		if i == n || binary.BigEndian.Uint32(entry(i)) != p {
			continue
		}
		e := entry(i)
		text, err := x.at(int(binary.BigEndian.Uint32(e[4:])), int(binary.BigEndian.Uint32(e[8:])))
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(e[12:], sum(text)) {
			return nil, ErrDamaged
		}
		for l := range bytes.Lines(text) {
			r, err := parse(strings.TrimSuffix(string(l), "\n"))
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
	}
	return out, nil
}

func parse(text string) (r precedent.Ruling, err error) {
	f := strings.Split(text, "\t")
	if len(f) != 6 {
		return r, ErrDamaged
	}
	micro, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return r, ErrDamaged
	}
	return precedent.Ruling{Time: time.UnixMicro(micro).UTC(), Decision: event.Decision(f[1]), Event: f[2], Source: f[3], By: f[4], Signature: f[5]}, nil
}
