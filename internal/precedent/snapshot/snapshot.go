// Package snapshot is the file in which a hook finds human rulings without a
// database. It lies beside the ledger, where the rulings live, and is rewritten
// from it whenever a human rules.
//
// The file is laid out so that a hook reads what may be about its action and no
// more: a header, an index of the rulings that deny and one of those that allow,
// each sorted by the first program of the action that was ruled on, and then the
// rulings, one a line, those of one program together and the newest first.
//
// All of it is under the person's key: the header sums up itself and the indexes
// (HMAC-SHA256), and an index sums up the rulings of each program. So a hook knows
// of what it reads, and of what it does not find, that it is as it was written. What
// it cannot know is that the whole file is an older one.
package snapshot

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/atomicfile"
	"github.com/fireharp/overseer/internal/precedent"
)

const (
	magic = "overseer precedents 2\n\n\n" // 24 bytes
	// keyedSize has the magic, the number of entries of both indexes and the key's
	// name, and headerSize their sum with that of the indexes besides.
	keyedSize  = len(magic) + 4 + 4 + keyNameSize
	headerSize = keyedSize + sha256.Size
	// entrySize has the program's hash, offset and length of its lines, and their sum.
	entrySize = 12 + sumSize
	sumSize   = 16
	// keyNameSize is how much of a hash tells keys apart.
	keyNameSize = 8
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
// newest first. Those on what was recorded with another key than this one are like
// nothing, and left out.
func Write(path string, key []byte, rulings []precedent.Ruling) error {
	if err := atomicfile.Write(path, encode(key, rulings), 0o600); err != nil {
		return fmt.Errorf("write precedents: %w", err)
	}
	return nil
}

func encode(key []byte, rulings []precedent.Ruling) []byte {
	lines := map[event.Decision]map[uint32][]string{event.Deny: {}, event.Allow: {}}
	forms := map[string]int{}
	for _, r := range rulings {
		sig, err := precedent.Parse(r.Signature)
		of := lines[r.Decision]
		if err != nil || len(sig.Programs) == 0 || of == nil || !sig.Under(key) {
			continue // of another version, or another key
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
			index = append(index, sum(text)...)
			body = append(body, text...)
		}
	}
	out = append(out, keyName(key)...)
	out = append(out, headerSum(key, out, index)...)
	return append(append(out, index...), body...)
}

// keyName tells a key from others and gives nothing of it away.
func keyName(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("the key's name"))
	return h.Sum(nil)[:keyNameSize]
}

// headerSum sums up the part of the header before it, and the indexes.
func headerSum(key, header, index []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(header)
	h.Write(index)
	return h.Sum(nil)
}

// sum is that of one program's lines. It needs no key: it stands in an index.
func sum[T string | []byte](lines T) []byte {
	s := sha256.Sum256([]byte(lines))
	return s[:sumSize]
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

// Refresh writes what load returns. Of several processes one at a time loads and
// writes, so that the snapshot is never older than the ruling it was made for.
func Refresh(ctx context.Context, path string, key []byte, load func(context.Context) ([]precedent.Ruling, error)) error {
	l := flock.New(path + ".lock")
	if _, err := l.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return fmt.Errorf("write precedents: wait for other processes: %w", err)
	}
	defer l.Unlock()
	rulings, err := load(ctx)
	if err != nil {
		return err
	}
	return Write(path, key, rulings)
}
