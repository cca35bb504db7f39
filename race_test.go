//go:build race

package main

// largeEvent is less under the race detector, with which a program needs ten times
// as long and would run into its own deadline.
const largeEvent = 4 << 20

// allCases is false under the race detector: thousands of hooks tell it nothing that
// hundreds do not.
const allCases = false

// soakEvents is how many events TestNothingLost makes unless it is told.
const soakEvents = 64
