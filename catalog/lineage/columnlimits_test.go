package lineage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
)

// schemaOfTypes returns a schema of n columns whose types have numbers.
func schemaOfTypes(n int, number func(i int) int) string {
	var fields []string
	for i := range n {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":"amount%d","nativeDataType":"T%d","type":{"type":{"com.linkedin.schema.StringType":{}}}}`, i, number(i)))
	}
	return strings.Replace(schemaWith(nil), `"fields":[]`, `"fields":[`+strings.Join(fields, ",")+`]`, 1)
}

// TestLimitOfColumnFacets: a facet has as many values as the limit, also if there is one more.
func TestLimitOfColumnFacets(t *testing.T) {
	for _, n := range []int{limits.MaxColumnFacetValues, limits.MaxColumnFacetValues + 1} {
		h := catalogtest.NewSearchHarness(t)
		h.Say(catalogtest.Table, "schemaMetadata", schemaOfTypes(n, func(i int) int { return i }))
		found, err := h.Lineage.FindColumns(context.Background(), lineage.ColumnsRequest{Words: "amount", Count: 1})
		if err != nil || found.Total != n {
			t.Fatalf("%+v %v", found, err)
		}
		for _, facet := range found.Facets {
			if facet.Field == "types" && len(facet.Counts) != limits.MaxColumnFacetValues {
				t.Errorf("%d types: the facet has %d", n, len(facet.Counts))
			}
		}
	}
}

// TestLimitOfColumnDatasets: as many datasets as the limit are looked at, and the answer says if there are more.
func TestLimitOfColumnDatasets(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	schema := schemaWith(map[string][]string{"amount": nil})
	for i := range limits.MaxColumnDatasets + 1 {
		h.Say(fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%04d,PROD)", i), "schemaMetadata", schema)
		if i < limits.MaxColumnDatasets-1 {
			continue
		}
		more := i == limits.MaxColumnDatasets
		found, err := h.Lineage.FindColumns(context.Background(), lineage.ColumnsRequest{Words: "amount", Count: 1})
		if err != nil || found.Total != limits.MaxColumnDatasets || found.Partial != more || (found.Reason != "") != more {
			t.Errorf("%d datasets: %+v %v", i+1, found, err)
		}
	}
}
