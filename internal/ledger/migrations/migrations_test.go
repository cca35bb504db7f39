package migrations_test

import (
	"testing"

	"github.com/fireharp/overseer/internal/ledger/migrations"
)

func TestFor(t *testing.T) {
	t.Parallel()
	all, err := migrations.For("sqlite")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	for i, m := range all {
		if m.Version != i+1 || m.Name == "" || m.SQL == "" {
			t.Errorf("%+v", m)
		}
	}
	if _, err := migrations.For("cobol"); err == nil {
		t.Error("there is no such dialect")
	}
}
