package script

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
)

func BenchmarkRead(b *testing.B) {
	src := strings.Repeat("import os\nfor f in os.listdir('.'):\n    if f.endswith('.py'):\n        print(f, len(open(f).read()))\n", maxSource/98)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Read("python", effect.Lit(src), budget.New())
	}
}
