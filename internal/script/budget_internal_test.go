package script

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
)

// TestAnyBudget ends the reading of scripts at every point: it must end without a
// panic, whatever is open then.
func TestAnyBudget(t *testing.T) {
	t.Parallel()
	for lang, text := range map[string]string{
		"python": "x=['a','b', f(1, [2, {'c': d}])]\nfor y in [z for z in x if z]:\n  os.remove(y[0].b(c).d)\n",
		"node":   "const f=(a)=>{fs.rmSync(a, {recursive:[true]})}; f(`a${b(c)}`);\n",
		"perl":   "foreach my $x (@a) { unlink($x->{b}[0]); qx{rm $x}; }\n",
		"ruby":   "%w[a b].each { |x| File.delete(x) if y(x[0]) }\n",
		"php":    "foreach (array('a'=>[1,2]) as $k) { unlink($k['b']); }\n",
	} {
		text = strings.Repeat(text, 3)
		for steps := 0; steps < 6000; steps += 7 {
			Read(lang, effect.Lit(text), budget.New().Split(steps))
		}
	}
}
