//go:build !race

package main

// largeEvent is the largest event that the hook judges.
const largeEvent = 64 << 20

// allCases has every table of cases judged.
const allCases = true

// soakEvents is how many events TestNothingLost makes unless it is told.
const soakEvents = 320
