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

// TestLimitOfColumnFacets: a facet has as many values as the limit, also if there is one more.
func TestLimitOfColumnFacets(t *testing.T) {
	for _, n := range []int{limits.MaxColumnFacetValues, limits.MaxColumnFacetValues + 1} {
		h := catalogtest.NewSearchHarness(t)
		var fields []string
		for i := range n {
			fields = append(fields, fmt.Sprintf(`{"fieldPath":"amount%d","nativeDataType":"T%d","type":{"type":{"com.linkedin.schema.StringType":{}}}}`, i, i))
		}
		h.Say(catalogtest.Table, "schemaMetadata", strings.Replace(schemaWith(nil), `"fields":[]`, `"fields":[`+strings.Join(fields, ",")+`]`, 1))
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

// TestLimitOfPersonalLabels: as many tags of personal data as the limit are looked for.
func TestLimitOfPersonalLabels(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	for i := range limits.MaxPersonalLabels + 1 {
		h.Say(fmt.Sprintf("urn:li:tag:pii%03d", i), "tagProperties", fmt.Sprintf(`{"name":"PII %d"}`, i))
		if i < limits.MaxPersonalLabels-1 {
			continue
		}
		found, err := h.Lineage.FindColumns(context.Background(), lineage.ColumnsRequest{Personal: true, Count: 1})
		if err != nil || len(found.Personal) != limits.MaxPersonalLabels {
			t.Errorf("%d tags: %+v %v", i+1, found, err)
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
