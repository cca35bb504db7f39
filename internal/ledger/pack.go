package ledger

import (
	"bytes"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/internal/journal"
)

// Packed is a journal line as a store keeps it: the record's own JSON, packed,
// and its two hashes as bytes. The line can be made again from it byte for byte,
// so that its hash can be checked for as long as the ledger has it.
type Packed struct {
	Body       []byte
	Prev, Hash []byte
}

// The first byte of a body says how the rest is packed. What is once written is
// read forever: a new dictionary gets a new number.
const (
	plain   = 0
	deflate = 1 // DEFLATE (RFC 1951) with dictionary
)

// dictionary is what records have in common: the JSON of a few typical ones. It
// halves what a record of 1 KiB takes.
//
//go:embed pack.dict
var dictionary []byte

// packer is a compressor with its buffer. Both are large and used again.
type packer struct {
	buf bytes.Buffer
	w   *flate.Writer
}

var packers = sync.Pool{New: func() any {
	p := &packer{}
	// Level 1 takes half the time of the higher ones for a tenth more space. The
	// only error is that of a wrong level.
	p.w, _ = flate.NewWriterDict(&p.buf, flate.BestSpeed, dictionary)
	return p
}}

// Pack packs a sound journal line.
func Pack(line []byte) (Packed, error) {
	body, prev, hash, ok := journal.Split(line)
	if !ok {
		return Packed{}, errors.New("pack: the line has no place in the chain")
	}
	var out Packed
	var err1, err2 error
	out.Prev, err1 = hex.DecodeString(prev)
	out.Hash, err2 = hex.DecodeString(hash)
	if err := errors.Join(err1, err2); err != nil {
		return Packed{}, fmt.Errorf("pack: %w", err)
	}
	p := packers.Get().(*packer)
	defer packers.Put(p)
	p.buf.Reset()
	p.buf.WriteByte(deflate)
	p.w.ResetDict(&p.buf, dictionary)
	_, err1 = p.w.Write(body)
	if err := errors.Join(err1, p.w.Close()); err != nil {
		return Packed{}, fmt.Errorf("pack: %w", err)
	}
	if p.buf.Len() > len(body) {
		out.Body = append([]byte{plain}, body...)
	} else {
		out.Body = bytes.Clone(p.buf.Bytes())
	}
	return out, nil
}

// Record unpacks the record.
func (p Packed) Record() (journal.Record, error) {
	var r journal.Record
	body, err := p.unpack()
	if err == nil {
		err = json.Unmarshal(body, &r)
	}
	// A member of another type than ours is left empty; the rest is there.
	if wrongType := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &wrongType) {
		return r, fmt.Errorf("unpack: %w: %w", ErrCorrupt, err)
	}
	r.Prev, r.Hash = hex.EncodeToString(p.Prev), hex.EncodeToString(p.Hash)
	return r, nil
}

// Signature unpacks the record's signature alone.
func (p Packed) Signature() (string, error) {
	body, err := p.unpack()
	if err != nil {
		return "", fmt.Errorf("unpack: %w: %w", ErrCorrupt, err)
	}
	return gjson.GetBytes(body, "signature").Str, nil
}

// Head is the record with what a store needs beside the packed whole, see
// [Prepared]. ok is false for what is no record.
func (p Packed) Head() (r journal.Record, ok bool) {
	body, err := p.unpack()
	if err != nil {
		return r, false
	}
	return head(body)
}

// Line is the journal line that was packed.
func (p Packed) Line() ([]byte, error) {
	body, err := p.unpack()
	if err != nil {
		return nil, fmt.Errorf("unpack: %w: %w", ErrCorrupt, err)
	}
	return journal.Join(body, hex.EncodeToString(p.Prev), hex.EncodeToString(p.Hash)), nil
}

func (p Packed) unpack() ([]byte, error) {
	if len(p.Body) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	switch p.Body[0] {
	case plain:
		return p.Body[1:], nil
	case deflate:
		r := flate.NewReaderDict(bytes.NewReader(p.Body[1:]), dictionary)
		return io.ReadAll(io.LimitReader(r, maxBody))
	}
	return nil, fmt.Errorf("packing %d is not known", p.Body[0])
}

// maxBody bounds what a damaged body may unpack to; a reader of the journal takes
// no longer lines.
const maxBody = 1 << 20
