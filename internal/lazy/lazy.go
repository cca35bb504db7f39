// Package lazy holds what is made when it is first needed. A variable of
// [sync.OnceValue] is a closure that the program makes at its start; a hook starts
// for every event and uses few of them.
package lazy

import "sync"

// Value is a T that is made once. Its zero value is ready, and costs nothing at the
// start of a program.
type Value[T any] struct {
	once sync.Once
	v    T
}

// Get gives the value; the first call makes it. It is safe for concurrent use.
func (l *Value[T]) Get(make func() T) T {
	l.once.Do(func() { l.v = make() })
	return l.v
}
