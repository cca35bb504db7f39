//go:build !race

package main

// largeEvent is the largest event that the hook judges.
const largeEvent = 64 << 20
