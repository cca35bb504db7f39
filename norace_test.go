//go:build !race

package main

// largeEvent is the largest event that the hook judges.
const largeEvent = 64 << 20

// allCases has every table of cases judged.
const allCases = true
