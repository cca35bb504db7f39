package policy_test

import (
	"os"
	"testing"

	"github.com/fireharp/overseer/internal/policy"
)

// BenchmarkLoad is what the example policy costs each event that may be blocked.
func BenchmarkLoad(b *testing.B) {
	src, err := os.ReadFile("../../examples/policy/" + policy.File)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, faults := policy.Parse("/repo/"+policy.File, src, known()); len(faults) > 0 {
			b.Fatal(faults)
		}
	}
}

// BenchmarkDecide is one event against it.
func BenchmarkDecide(b *testing.B) {
	src, err := os.ReadFile("../../examples/policy/" + policy.File)
	if err != nil {
		b.Fatal(err)
	}
	p, faults := policy.Parse("/repo/"+policy.File, src, known())
	if len(faults) > 0 {
		b.Fatal(faults)
	}
	for b.Loop() {
		p.Decide(bash("go test ./..."), nil)
	}
}
