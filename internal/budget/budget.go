// Package budget bounds the work that reading one event may take. Everything that
// reads what an event would do (the shell, the scripts and queries in its lines, the
// tables, the classes of paths) spends steps of one budget; when it is spent, reading
// ends and the event counts as not read whole. Steps are counted and not time, so
// that the same event has the same verdict on every machine, whatever else runs.
package budget

// Steps are what one event may spend. A step is work of about a tenth of a
// microsecond; the figure is what keeps the slowest load of "make bench-bounds" below
// 50 ms on the machine that docs/limits.md names. A script of 300 lines spends a
// tenth of it.
const Steps = 250_000

// Budget is what is left for one event. It is not for use by several goroutines at
// once.
type Budget struct {
	left  int
	spent bool
}

// New is the whole budget of one event.
func New() *Budget { return &Budget{left: Steps} }

// Spend takes n steps and reports whether they were left. Once they were not, all
// that follows is refused too.
func (b *Budget) Spend(n int) bool {
	if b.left < n {
		b.left, b.spent = 0, true
	}
	if b.spent {
		return false
	}
	b.left -= n
	return true
}

// Take takes n steps, or those that are left if they are fewer, and returns how many.
func (b *Budget) Take(n int) int {
	if left := b.left; !b.Spend(n) {
		return left
	}
	return n
}

// Split takes up to n steps as a budget of their own, for a part that may fail by
// itself. [Budget.Join] takes back what it leaves.
func (b *Budget) Split(n int) *Budget {
	part := &Budget{left: max(0, min(n, b.left))}
	b.left -= part.left
	return part
}

// Join takes back what a part has left.
func (b *Budget) Join(part *Budget) {
	b.left += part.left
	part.left = 0
}

// Left is how many steps can still be spent.
func (b *Budget) Left() int { return b.left }

// Spent reports whether something was refused.
func (b *Budget) Spent() bool { return b.spent }
