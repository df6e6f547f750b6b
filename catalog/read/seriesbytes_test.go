package read_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLargeSeries: values of a time series that are too large together are refused; a request
// for fewer values succeeds.
func TestLargeSeries(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	for i := range 4 {
		h.Say(catalogtest.Table, "operation", fmt.Sprintf(`{"timestampMillis":%d,"lastUpdatedTimestamp":1,"operationType":"UPDATE","customOperationType":%q}`, i+1, strings.Repeat("x", limits.MaxSeriesBytes/3)))
	}
	ask := func(limit int, sort *read.Sort) ([]read.SeriesValue, error) {
		return h.SeriesValues(ctx, read.TimeSeriesRequest{URN: catalogtest.URN(catalogtest.Table), Entity: "dataset", Aspect: "operation", Limit: &limit, Sort: sort})
	}
	_, err := ask(4, nil)
	h.Want(catalog.Invalid, err)
	values, err := ask(2, nil)
	h.Want("", err)
	if len(values) != 2 || values[0].Time != 4 || values[1].Time != 3 {
		t.Errorf("%d values", len(values))
	}
	_, err = ask(1, &read.Sort{Field: "operationType"}) // the sort has to read all values
	h.Want(catalog.Invalid, err)
}
