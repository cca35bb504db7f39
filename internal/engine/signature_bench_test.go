package engine_test

import (
	"testing"

	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/guard"
)

// BenchmarkSignature is what a signature adds to a decision.
func BenchmarkSignature(b *testing.B) {
	rules := guard.Rules(guard.Places{Home: "/home/dev/.overseer"})
	act := bash(`cd /repo && go test ./... -run 'TestX' 2>&1 | tail -20 && git commit -am "$(cat <<'EOF'` + "\nA message.\nEOF\n)\"")
	for name, edit := range map[string]func(*engine.Input){"with": nil, "without": func(in *engine.Input) { in.Precedents.Key = nil }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				act.decide(func(in *engine.Input) {
					in.Rules = rules
					if edit != nil {
						edit(in)
					}
				})
			}
		})
	}
}
