package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// A line ends with its place in the chain, always spelled like this:
//
//	…,"prev":"<hash of the line before>","hash":"<hash of this line>"}
//
// The hash is over the line's bytes as they would be without the hash member, so
// nothing needs to be parsed or brought into a canonical form to check it. The
// first line of all has an empty prev.
//
// A line that was put in the place of others (see [PlanRewrite]) has before these
// a third member, the hash of the line, or of the last of the lines, that stood
// there:
//
//	…,"was":"<hash before>","prev":"…","hash":"<hash after>"}
//
// The line after it goes on stating the hash before, so that nothing else has to
// be written anew, and hashes that somebody has noted down stay true.
const (
	wasMember  = `,"was":"`
	prevMember = `,"prev":"`
	hashMember = `,"hash":"`
	hashLen    = 2 * sha256.Size
	hashTail   = len(hashMember) + hashLen + len(`"}`)
	chainSize  = len(prevMember) + hashLen + len(`"`) + hashTail
)

// seal turns a record's JSON into a line of the chain, without a newline.
func seal(body []byte, prev string) []byte {
	line := make([]byte, 0, len(body)+chainSize+2)
	line = append(line, body[:len(body)-1]...)
	line = append(line, prevMember+prev+`"}`...)
	hash := hashOf(line)
	return append(line[:len(line)-1], hashMember+hash+`"}`...)
}

// Join makes a line of what [Split] took apart. It checks no hash.
func Join(body []byte, prev, hash string) []byte {
	line := append(body[:len(body)-1:len(body)-1], prevMember+prev+`"`...)
	return append(line, hashMember+hash+`"}`...)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// statedHash is the hash that the line itself states, "" if it has none.
func statedHash(line []byte) string {
	if len(line) < hashTail {
		return ""
	}
	tail := line[len(line)-hashTail:]
	hash := tail[len(hashMember) : len(hashMember)+hashLen]
	if !bytes.HasPrefix(tail, []byte(hashMember)) || !bytes.HasSuffix(tail, []byte(`"}`)) || !isHex(hash) {
		return ""
	}
	return string(hash)
}

// Split takes a line apart into the record's own JSON and its place in the chain.
// ok is false for a line that has none. It checks no hash.
func Split(line []byte) (body []byte, prev, hash string, ok bool) {
	if hash = statedHash(line); hash == "" {
		return nil, "", "", false
	}
	head := line[:len(line)-hashTail]
	i := bytes.LastIndex(head, []byte(prevMember))
	if i < 0 || head[len(head)-1] != '"' {
		return nil, "", "", false
	}
	prev = string(head[i+len(prevMember) : len(head)-1])
	body = append(head[:i:i], '}')
	return body, prev, hash, prev == "" || len(prev) == hashLen
}

// genuine reports whether the line's hash is the hash of the line.
func genuine(line []byte) bool {
	stated := statedHash(line)
	if stated == "" {
		return false
	}
	h := sha256.New()
	h.Write(line[:len(line)-hashTail])
	h.Write([]byte{'}'})
	return hex.EncodeToString(h.Sum(nil)) == stated
}

// link is what the next line must state as its prev: the line's stated hash, or,
// for a line that is damaged beyond having one, the hash of its bytes. So damage
// to one line is one finding and not two, and is bound into the chain itself. A
// line that is too long to be one has a link of its own, so that no writer has to
// read all of it.
func link(line []byte) string {
	if len(line) > maxReadLine {
		return tooLongLink
	}
	hash := statedHash(line)
	if hash == "" {
		return hashOf(line)
	}
	if was := statedWas(line); was != "" {
		return was
	}
	return hash
}

// statedWas is the hash of the line in whose place this one stands, "" if it
// stands in nobody's. Of a record's own texts none can end in an unescaped quote,
// so the member is the line's own.
func statedWas(line []byte) string {
	head := line[:len(line)-hashTail]
	i := bytes.LastIndex(head, []byte(prevMember))
	if i < len(wasMember)+hashLen+1 || head[i-1] != '"' {
		return ""
	}
	was := head[i-1-hashLen : i-1]
	if !bytes.HasSuffix(head[:i-1-hashLen], []byte(wasMember)) || !isHex(was) {
		return ""
	}
	return string(was)
}

// Genuine reports whether a line's hash is the hash of the line.
func Genuine(line []byte) bool { return genuine(line) }

// HashOf is the hash that a line with a place in the chain should state.
func HashOf(line []byte) string {
	if statedHash(line) == "" {
		return hashOf(line)
	}
	return hashOf(append(line[:len(line)-hashTail:len(line)-hashTail], '}'))
}

// Link is what the line after a sound line states as its prev.
func Link(line []byte) string { return link(line) }

const tooLongLink = "0000000000000000000000000000000000000000000000000000000000000000"

func isHex(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
