package lineage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestMoreLabelsOfPersonalData: the answer says if there are more tags, groups of terms or terms
// in these groups than are looked for.
func TestMoreLabelsOfPersonalData(t *testing.T) {
	const group = "urn:li:glossaryNode:private"
	tag := func(h *catalogtest.Harness, i int) {
		h.Say(fmt.Sprintf("urn:li:tag:t%03d", i), "tagProperties", fmt.Sprintf(`{"name":"PII %d"}`, i))
	}
	node := func(h *catalogtest.Harness, i int) {
		h.Say(fmt.Sprintf("urn:li:glossaryNode:n%03d", i), "glossaryNodeInfo", fmt.Sprintf(`{"name":"PII %d","definition":""}`, i))
	}
	term := func(h *catalogtest.Harness, i int) {
		if i == 0 {
			h.Say(group, "glossaryNodeInfo", `{"name":"PII","definition":""}`)
		}
		h.Say(fmt.Sprintf("urn:li:glossaryTerm:t%03d", i), "glossaryTermInfo", fmt.Sprintf(`{"name":"Term %d","definition":"","termSource":"INTERNAL","parentNode":%q}`, i, group))
	}
	for name, c := range map[string]struct {
		say    func(*catalogtest.Harness, int)
		labels int
	}{"tags": {tag, limits.MaxPersonalLabels}, "groups": {node, 0}, "terms in a group": {term, limits.MaxPersonalLabels}} {
		h := catalogtest.NewSearchHarness(t)
		for i := range limits.MaxPersonalLabels + 1 {
			c.say(h.Harness, i)
			if i < limits.MaxPersonalLabels-1 {
				continue
			}
			more := i == limits.MaxPersonalLabels
			found, err := h.Lineage.FindColumns(context.Background(), lineage.ColumnsRequest{Personal: true, Count: 1})
			if err != nil || len(found.Personal) != c.labels || found.Partial != more || strings.Contains(found.Reason, "personal data") != more {
				t.Errorf("%d %s: %+v %v", i+1, name, found, err)
			}
		}
	}
}

// TestFrequentColumnFacets: of one value more than the limit, a facet leaves out the rarest.
func TestFrequentColumnFacets(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	h.Say(catalogtest.Table, "schemaMetadata", schemaOfTypes(2*limits.MaxColumnFacetValues+1, func(i int) int { return (i + 1) / 2 }))
	found, err := h.Lineage.FindColumns(context.Background(), lineage.ColumnsRequest{Words: "amount", Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	var types []indexer.Count
	for _, facet := range found.Facets {
		if facet.Field == "types" {
			types = facet.Counts
		}
	}
	if len(types) != limits.MaxColumnFacetValues || slices.ContainsFunc(types, func(c indexer.Count) bool { return c.Value == "T0" || c.Docs != 2 }) {
		t.Errorf("the types are %+v", types)
	}
}
