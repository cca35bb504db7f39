package patch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/patch"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	got := patch.Files("*** Begin Patch\r\n*** Add File: a b.txt\r\n+*** Add File: no\n  *** Update File: c\n*** Move to: d \n@@\n-x\n*** Delete File:e\n*** End Patch\n")
	if diff := cmp.Diff([]string{"a b.txt", "c", "d", "e"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// FuzzFiles looks for patches that the reader fails on. What it names stands in the
// patch, and lines that are no headers change nothing.
func FuzzFiles(f *testing.F) {
	for _, s := range []string{
		"*** Begin Patch\n*** Add File: x\n+y\n*** End Patch\n", "*** Update File: a b\r\n*** Move to: ../c\n@@\n-*** Delete File: d\n", "  *** Delete File:\x00/e", "*** Move to: x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		files := patch.Files(s)
		for _, name := range files {
			if !strings.Contains(s, name) {
				t.Errorf("%q does not stand in the patch", name)
			}
			if strings.ContainsAny(name, "\n") {
				t.Errorf("%q is more than a line", name)
			}
		}
		if more := patch.Files(s + "\n+*** Add File: x\n"); !slices.Equal(more, files) {
			t.Errorf("an added line counts as a header: %q", more)
		}
	})
}
