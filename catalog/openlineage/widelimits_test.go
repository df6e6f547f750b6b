package openlineage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/openlineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// TestWideEvents takes events with one column, and one assertion, more than are written.
func TestWideEvents(t *testing.T) {
	list := func(n int, one func(i int) string) string {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = one(i)
		}
		return strings.Join(texts, ",")
	}
	h := catalogtest.NewHarness(t)
	takeAll(t, h, []string{
		withFacet(&openlineage.Facet{Key: "columnLineage", Of: openlineage.OfDataset}, `{"fields":{`+list(limits.OpenLineageColumnEntries+1, func(i int) string {
			return fmt.Sprintf(`"c%d":{"inputFields":[{"namespace":"mysql://db:3306","name":"shop.in","field":"a"}]}`, i)
		})+`}}`),
		withFacet(&openlineage.Facet{Key: "dataQualityAssertions", Of: openlineage.OfInput}, `{"assertions":[`+list(limits.OpenLineageAssertions+1, func(i int) string {
			return fmt.Sprintf(`{"assertion":"a%d","success":true}`, i)
		})+`]}`),
	})
	entries, assertions := 0, 0
	for name, value := range graphOf(t, h) {
		switch {
		case strings.HasSuffix(name, " "+model.AspectDataJobInputOutput):
			entries += len(value.(map[string]any)["fineGrainedLineages"].([]any))
		case strings.HasSuffix(name, " "+model.AspectAssertionInfo):
			assertions++
		}
	}
	if entries != limits.OpenLineageColumnEntries || assertions != limits.OpenLineageAssertions {
		t.Errorf("%d entries of column lineage and %d assertions are written", entries, assertions)
	}
}
