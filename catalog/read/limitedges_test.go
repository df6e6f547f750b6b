package read_test

import (
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitOfSeriesPages: a page of a time series of all entities may have as many values as
// the limit, and no more.
func TestLimitOfSeriesPages(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for n, want := range map[int]catalog.Code{limits.MaxEntityPage: "", limits.MaxEntityPage + 1: catalog.Invalid, 0: catalog.Invalid} {
		_, _, err := h.AllSeries(t.Context(), read.AllSeriesRequest{Entity: "dataset", Aspect: "operation", Count: n})
		h.Want(want, err)
	}
}
