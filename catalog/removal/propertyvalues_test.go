package removal_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
)

const property = "urn:li:structuredProperty:io.acme."

// define defines structured properties of datasets that have one text.
func define(h *catalogtest.Harness, names ...string) {
	h.T.Helper()
	for _, name := range names {
		h.Say(property+name, "propertyDefinition",
			`{"qualifiedName":"io.acme.`+name+`","valueType":"urn:li:dataType:datahub.string","entityTypes":["urn:li:entityType:datahub.dataset"]}`)
	}
}

// valuesOf is the structured properties with a text for each of the properties.
func valuesOf(names ...string) string {
	entries := make([]string, len(names))
	for i, name := range names {
		entries[i] = `{"propertyUrn":"` + property + name + `","values":[{"string":"x"}]}`
	}
	return `{"properties":[` + strings.Join(entries, ",") + `]}`
}

// withValues counts the entities that a search finds by a property.
func withValues(h *catalogtest.SearchHarness, name string) (int, error) {
	found, err := h.Search.Search(context.Background(), search.Request{Input: "*", Count: 1, Filter: &catalog.Filter{Or: []catalog.Conjunction{
		{And: []catalog.Criterion{{Field: "structuredProperties.io.acme." + name, Condition: catalog.CondExists}}},
	}}})
	if err != nil {
		return 0, err
	}
	return found.Total, nil
}

// TestDeletedPropertyTakesItsValues: when a structured property is deleted completely, all
// entities lose the values that they have for it, whichever way it was deleted.
func TestDeletedPropertyTakesItsValues(t *testing.T) {
	h, ctx := catalogtest.NewSearchHarness(t), context.Background()
	names := []string{"byRequest", "byProposal", "inBatch", "withOthers"}
	define(h.Harness, append(names, "other")...)
	const alone = "urn:li:dataset:(urn:li:dataPlatform:hive,alone,PROD)"
	many := make([]string, removal.ReferencePage+5)
	for i := range many {
		many[i] = fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,many.%03d,PROD)", i)
	}
	for i, name := range names {
		h.Say(catalogtest.Table, "structuredProperties", valuesOf(append(names[i:], "other")...))
		h.Say(alone, "structuredProperties", valuesOf(name))
		h.Say(alone, "status", `{"removed":true}`)
		if name == "byRequest" {
			var proposals []write.Proposal
			for _, urn := range many {
				proposals = append(proposals, catalogtest.Proposal(write.Upsert, urn, "structuredProperties", valuesOf(name, "other")))
			}
			_, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{})
			h.Want("", err)
		}
		if n, err := withValues(h, name); err != nil || n == 0 {
			t.Errorf("before %s: %d found, %v", name, n, err)
		}
		u, key := catalogtest.URN(property+name), catalogtest.Proposal(write.Delete, property+name, "structuredPropertyKey", "")
		key.EntityType = "structuredProperty"
		var err error
		switch name {
		case "byRequest":
			_, err = h.Removal.Delete(ctx, u, false, catalog.WriteOptions{})
		case "byProposal":
			_, err = h.Ingest(ctx, key, catalog.WriteOptions{})
		case "inBatch":
			_, err = h.IngestWhole(ctx, []write.Proposal{catalogtest.Proposal(write.Upsert, catalogtest.Upstream, "status", `{"removed":false}`), key}, catalog.WriteOptions{})
		case "withOthers":
			_, err = h.Removal.BatchDelete(ctx, removal.BatchDeletion{URNs: catalogtest.URNs(property + name)}, catalog.WriteOptions{})
		}
		h.Want("", err)
		if n, err := withValues(h, name); err != nil || n != 0 {
			t.Errorf("after %s: %d found, %v", name, n, err)
		}
		if got := h.Value(catalogtest.Table, "structuredProperties", 0); got != valuesOf(append(names[i+1:], "other")...) {
			t.Errorf("after %s: %s", name, got)
		}
		if got := h.Value(alone, "structuredProperties", 0); got != "" {
			t.Errorf("after %s, nothing is left of the only value: %s", name, got)
		}
	}
	for _, urn := range many {
		if got := h.Value(urn, "structuredProperties", 0); got != valuesOf("other") {
			t.Fatalf("%s: %s", urn, got)
		}
	}
}

// TestDeletedPropertyAgain: a deletion that failed before it had removed all values is
// finished when it is repeated.
func TestDeletedPropertyAgain(t *testing.T) {
	h, ctx := catalogtest.NewSearchHarness(t), context.Background()
	define(h.Harness, "gone")
	h.Say(catalogtest.Table, "structuredProperties", valuesOf("gone"))
	h.Await()
	u := catalogtest.URN(property + "gone")
	h.Index.Down.Store(true)
	if _, err := h.Removal.Delete(ctx, u, false, catalog.WriteOptions{}); err == nil || !strings.Contains(catalog.MessageOf(err), "delete it again") {
		t.Errorf("a deletion that cannot find the values: %v", err)
	}
	if h.Value(catalogtest.Table, "structuredProperties", 0) == "" {
		t.Error("the values are gone already")
	}
	h.Index.Down.Store(false)
	h.Await()
	_, err := h.Removal.Delete(ctx, u, false, catalog.WriteOptions{})
	h.Want("", err)
	if got := h.Value(catalogtest.Table, "structuredProperties", 0); got != "" {
		t.Errorf("the values are left: %s", got)
	}
}
