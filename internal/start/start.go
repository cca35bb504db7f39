// Package start makes the start of a short process cheap: a hook lives for a few
// milliseconds, and most of what it costs above an empty program are page faults.
package start

// stack is how much a hook's calls go down to, in bytes, with some room.
const stack = 40 << 10

// never is false; the compiler does not know.
var never bool

// OnLargeStack calls f with room on the stack. Without it the stack doubles several
// times on the way down, and each time all calls so far are looked up in the
// program's tables and copied: 15 to 35 faults of a hook's 500.
//
//go:noinline
func OnLargeStack(f func() int) int {
	if never { // the room is made on entry, and cleared only here
		var room [stack]byte
		fill(&room)
	}
	return f()
}

//go:noinline
func fill(b *[stack]byte) { b[0] = 1 }
