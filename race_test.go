//go:build race

package main

// largeEvent is less under the race detector, with which a program needs ten times
// as long and would run into its own deadline.
const largeEvent = 4 << 20
