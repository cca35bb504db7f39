package journal

import (
	"math/rand/v2"
	"strings"
	"time"
)

// crockford is the alphabet of ULIDs. Source: github.com/ulid/spec.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewID makes an id that sorts by t: the prefix, "_" and a ULID. Prefixes in use
// are "ev" and "oc". Two ids of one millisecond differ by 80 random bits, which
// the Go runtime seeds from the system for each process.
//
// A ULID is 48 bits of milliseconds and 80 random bits in base 32, so 10 and 16
// digits. It is written here because the usual library seeds a generator of its
// own at start-up, which every hook process would wait for.
func NewID(prefix string, t time.Time) string {
	var id [26]byte
	digits(id[:10], uint64(t.UnixMilli())&(1<<48-1))
	digits(id[10:18], rand.Uint64())
	digits(id[18:], rand.Uint64())
	return prefix + "_" + string(id[:])
}

// IsID reports whether an id has the form that [NewID] gives it.
func IsID(prefix, id string) bool {
	rest, ok := strings.CutPrefix(id, prefix+"_")
	return ok && len(rest) == 26 && strings.Trim(rest, crockford) == ""
}

// digits fills dst with the lowest bits of n, five to a digit.
func digits(dst []byte, n uint64) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = crockford[n%32]
		n /= 32
	}
}
