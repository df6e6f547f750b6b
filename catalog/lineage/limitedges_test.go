package lineage_test

import (
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitsOfWalks: a request may ask for a walk as large as the limits allow, and for no
// larger one.
func TestLimitsOfWalks(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for name, c := range map[string]struct {
		most   int
		change func(r *lineage.Request, n int)
	}{
		"hops":  {limits.MaxHops, func(r *lineage.Request, n int) { r.Walk.MaxHops = n }},
		"reach": {limits.MaxReach, func(r *lineage.Request, n int) { r.Walk.Reach = n }},
		"paths": {limits.MaxPaths, func(r *lineage.Request, n int) { r.Paths = n }},
	} {
		of := func(n int) error {
			r := lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.Table), Direction: lineage.Upstream}, Count: 1}
			c.change(&r, n)
			_, err := h.Lineage.Of(t.Context(), r)
			return err
		}
		if err := of(c.most); err != nil && catalog.CodeOf(err) != catalog.NotFound {
			t.Errorf("%s: %v", name, err)
		}
		if err := of(c.most + 1); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("one more of %s: %v", name, err)
		}
	}
}
