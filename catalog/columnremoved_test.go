package catalog

import (
	"strings"
	"testing"
)

// TestColumnsOfRemoved: columns of a soft-deleted entity are walked through and
// left out, as the entity itself is.
func TestColumnsOfRemoved(t *testing.T) {
	h := newLineageHarness(t)
	ask := func(removed string) string {
		return strings.Join(h.page(LineageRequest{Walk: WalkQuery{URN: columnOf(martTable, "total"), Direction: Upstream}, Removed: removed, Count: 10}), "\n")
	}
	before := ask("")
	gone := columnOf(cleanTable, "a")
	if !strings.Contains(before, gone) {
		t.Fatalf("%s is not reached: %s", gone, before)
	}
	h.say(cleanTable, "status", `{"removed":true}`)
	left := ask(RemovedPass)
	if strings.Contains(left, gone) || !strings.Contains(left, columnOf(rawTable, "a")) {
		t.Errorf("without what is removed: %s", left)
	}
	h.equal("shown when asked for", strings.Split(ask(RemovedShow), "\n"), strings.Split(before, "\n"))
}
