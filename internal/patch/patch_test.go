package patch_test

import (
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

func FuzzFiles(f *testing.F) {
	f.Add("*** Begin Patch\n*** Add File: x\n+y\n*** End Patch\n")
	f.Fuzz(func(t *testing.T, s string) { patch.Files(s) })
}
