//go:build !race

package hookmon_test

const eventsPerAgent = 1000
