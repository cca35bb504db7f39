package precedent

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// KeySize is the size in bytes of the key that signatures are made with.
const KeySize = 32

// The sizes in bytes of the hashes in a signature. A form decides what is allowed,
// and what is like it is at least looked at by a person.
const (
	formSize    = 12
	anchorSize  = 6
	programSize = 4
	wordSize    = 3
)

// maxWords bounds how many words are kept: those with the smallest hashes, which
// are a fair sample of all (Broder's bottom-k sketch, 1997). It keeps an event
// below the size that docs/ledger.md promises.
const maxWords = 16

// maxPrograms and maxAnchors bound the rest. An action that has more is compared
// by its form alone.
const (
	maxPrograms = 12
	maxAnchors  = 8
)

// Signature describes an action so that others can be compared with it. What tells
// what the action is about is hashed with a key: a ledger that is shown to others
// gives away which kinds of things were done, and not to what.
type Signature struct {
	// Key tells with which key the hashes were made, "" for one of an overseer that
	// did not say.
	Key string
	// Tool is the sort of tool: shell, file, or other.
	Tool string
	// Form is a hash over all that must be the same for one ruling to speak for
	// another action: for most the whole command, its folder, the scripts it runs.
	// "" if no ruling can speak for this action.
	Form string
	// Programs are the programs with their subcommands, or the tool. Words are what
	// likeness is told from. Both are sorted hashes.
	Programs []uint32
	Words    []uint32
	Effects  []Effect
}

// Effect is what the effects of one kind come to.
type Effect struct {
	Kind effect.Kind
	// Unsure is true if one of them depends on what is known only while it runs.
	Unsure bool
	// Scopes are those of all targets, sorted.
	Scopes []string
	// Anchors are the hashes of the folders that another action of the same form may
	// do the same in.
	Anchors []uint64
}

// Kinds are the kinds of the effects.
func (s *Signature) Kinds() []effect.Kind {
	out := make([]effect.Kind, len(s.Effects))
	for i, e := range s.Effects {
		out[i] = e.Kind
	}
	return out
}

// Scopes are the scopes of all targets, each once.
func (s *Signature) Scopes() []string {
	var out []string
	for _, e := range s.Effects {
		out = append(out, e.Scopes...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// version is that of the coded form. A signature of another version is like
// nothing.
const version = "1"

// keySize is how many bytes tell a key from the few that one person has had.
const keySize = 3

// keyOf is what [Signature.Key] says of a key.
func keyOf(key []byte) string {
	sum := hasher(key).sum("key")
	return base64.RawURLEncoding.EncodeToString(sum[:keySize])
}

// Under reports whether the signature may have been made with the key: signatures
// made with different ones are like nothing to each other.
func (s *Signature) Under(key []byte) bool { return s.Key == "" || s.Key == keyOf(key) }

// String codes a signature: version and key with a dot between them, tool, form, programs, words, and each effect
// as kind:scopes:anchors, with ? for what is unsure.
func (s *Signature) String() string {
	var b strings.Builder
	b.WriteString(version)
	if s.Key != "" {
		b.WriteString("." + s.Key)
	}
	b.WriteString(" " + s.Tool + " " + dash(s.Form) + " ")
	b.WriteString(dash(packed(s.Programs, programSize)) + " " + dash(packed(s.Words, wordSize)))
	for _, e := range s.Effects {
		b.WriteString(" " + string(e.Kind))
		if e.Unsure {
			b.WriteByte('?')
		}
		b.WriteString(":" + strings.Join(e.Scopes, ","))
		if len(e.Anchors) > 0 {
			b.WriteString(":" + packed(e.Anchors, anchorSize))
		}
	}
	return b.String()
}

var errSignature = errors.New("no signature that this overseer knows")

// Parse reads a coded signature.
func Parse(text string) (Signature, error) {
	f := strings.Split(text, " ")
	v, key, _ := strings.Cut(f[0], ".")
	if len(f) < 5 || v != version {
		return Signature{}, errSignature
	}
	s := Signature{Key: key, Tool: f[1], Form: undash(f[2])}
	var ok1, ok2 bool
	s.Programs, ok1 = unpack[uint32](undash(f[3]), programSize)
	s.Words, ok2 = unpack[uint32](undash(f[4]), wordSize)
	if !ok1 || !ok2 {
		return Signature{}, errSignature
	}
	for _, part := range f[5:] {
		kind, rest, _ := strings.Cut(part, ":")
		scopes, anchors, _ := strings.Cut(rest, ":")
		e := Effect{Unsure: strings.HasSuffix(kind, "?"), Kind: effect.Kind(strings.TrimSuffix(kind, "?"))}
		if scopes != "" {
			e.Scopes = strings.Split(scopes, ",")
		}
		var ok bool
		if e.Anchors, ok = unpack[uint64](anchors, anchorSize); !ok || e.Kind == "" {
			return Signature{}, errSignature
		}
		s.Effects = append(s.Effects, e)
	}
	return s, nil
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func undash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// packed codes numbers by their lowest size bytes.
func packed[N uint32 | uint64](list []N, size int) string {
	b := make([]byte, 0, len(list)*size)
	for _, n := range list {
		var all [8]byte
		binary.BigEndian.PutUint64(all[:], uint64(n))
		b = append(b, all[8-size:]...)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func unpack[N uint32 | uint64](text string, size int) ([]N, bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b)%size != 0 {
		return nil, false
	}
	var out []N
	for ; len(b) > 0; b = b[size:] {
		var all [8]byte
		copy(all[8-size:], b[:size])
		out = append(out, N(binary.BigEndian.Uint64(all[:])))
	}
	return out, true
}

// hasher hashes texts with the key.
type hasher []byte

// sum hashes texts with their lengths, so that no two lists give the same bytes,
// in a domain of their own.
func (k hasher) sum(domain string, texts ...string) [sha256.Size]byte {
	b := append([]byte(nil), k...)
	for _, t := range append([]string{domain}, texts...) {
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	return sha256.Sum256(b)
}

func (k hasher) form(parts []string) string {
	sum := k.sum("form", parts...)
	return base64.RawURLEncoding.EncodeToString(sum[:formSize])
}

// short is a hash of size bytes.
func (k hasher) short(size int, domain, text string) uint64 {
	sum := k.sum(domain, text)
	return binary.BigEndian.Uint64(sum[:8]) >> (64 - 8*size)
}
