package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/search"
)

// TestFilterOnDeletedProperty: a filter on a soft-deleted structured property is refused, in a
// single search and in one of several. After the property is restored, the filter works again.
func TestFilterOnDeletedProperty(t *testing.T) {
	h, ctx := catalogtest.NewSearchHarness(t), context.Background()
	const urn, field = "urn:li:structuredProperty:io.acme.tier", "structuredProperties.io.acme.tier"
	h.Say(urn, "propertyDefinition", `{"qualifiedName":"io.acme.tier","valueType":"urn:li:dataType:datahub.string","entityTypes":["urn:li:entityType:datahub.dataset"]}`)
	h.Say(catalogtest.Table, "structuredProperties", `{"properties":[{"propertyUrn":"`+urn+`","values":[{"string":"gold"}]}]}`)
	has := catalog.Criterion{Field: field + ".keyword", Condition: catalog.CondExists}
	requests := map[string]search.Request{
		"any of":   {Input: "*", Count: 10, Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{has}}}}},
		"criteria": {Input: "*", Count: 10, Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "origin", Value: "PROD"}, has}}},
	}
	for _, removed := range []bool{false, true, false} {
		h.Say(urn, "status", map[bool]string{true: `{"removed":true}`, false: `{"removed":false}`}[removed])
		for name, r := range requests {
			found, err := h.Search.Search(ctx, r)
			answers, manyErr := h.Search.SearchMany(ctx, []search.Request{{Input: "*", Count: 1}, r})
			h.Want("", manyErr)
			if answers[0].Err != nil {
				t.Errorf("%s: the other search: %v", name, answers[0].Err)
			}
			for _, err := range []error{err, answers[1].Err} {
				switch {
				case removed && (catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), "Cannot filter on deleted Structured Property "+urn)):
					t.Errorf("%s: removed: %v", name, err)
				case !removed && (err != nil || found.Total != 1):
					t.Errorf("%s: %+v %v", name, found, err)
				}
			}
		}
	}
}
