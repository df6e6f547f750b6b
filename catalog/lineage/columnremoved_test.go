package lineage_test

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
)

// TestColumnsOfRemoved: columns of a soft-deleted entity are walked through and
// left out, as the entity itself is.
func TestColumnsOfRemoved(t *testing.T) {
	h := catalogtest.NewLineageHarness(t)
	ask := func(removed string) string {
		return strings.Join(h.Page(lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.MartTable, "total")), Direction: lineage.Upstream}, Removed: removed, Count: 10}), "\n")
	}
	before := ask("")
	gone := catalogtest.ColumnOf(catalogtest.CleanTable, "a")
	if !strings.Contains(before, gone) {
		t.Fatalf("%s is not reached: %s", gone, before)
	}
	h.Say(catalogtest.CleanTable, "status", `{"removed":true}`)
	left := ask(lineage.RemovedPass)
	if strings.Contains(left, gone) || !strings.Contains(left, catalogtest.ColumnOf(catalogtest.RawTable, "a")) {
		t.Errorf("without what is removed: %s", left)
	}
	equal(h, "shown when asked for", strings.Split(ask(lineage.RemovedShow), "\n"), strings.Split(before, "\n"))
}
