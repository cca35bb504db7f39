//go:build race

package hookmon_test

// eventsPerAgent is smaller where every process is watched for races.
const eventsPerAgent = 100
