package read_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// TestLabelsSayWhoStatedThem: the attribution of a label comes first, and then the write since
// which the entity has the label.
func TestLabelsSayWhoStatedThem(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: store, Now: testclock.Now}), T: t}
		h.Run("first", catalogtest.Table, "globalTags", `{"tags":[{"tag":"urn:li:tag:a"}]}`)
		h.Run("second", catalogtest.Table, "globalTags", `{"tags":[{"tag":"urn:li:tag:a"},{"tag":"urn:li:tag:b","attribution":{"time":5,"actor":"urn:li:corpuser:bot","source":"urn:li:dataHubAction:x","sourceDetail":{"propagated":"true"}}}]}`)
		h.Run("third", catalogtest.Table, "glossaryTerms", `{"terms":[{"urn":"urn:li:glossaryTerm:t","actor":"urn:li:corpuser:eve"}],"auditStamp":`+catalogtest.Stamp+`}`)
		h.Run("third", catalogtest.Table, "ownership", `{"owners":[{"owner":"`+catalogtest.Ada+`","type":"NONE","source":{"type":"MANUAL","url":"https://example.com"}}],"lastModified":`+catalogtest.Stamp+`}`)
		found, err := h.LabelsOf(context.Background(), []model.URN{catalogtest.URN(catalogtest.Table)})
		h.Want("", err)
		want := []statements.Label{
			{Kind: "tag", URN: "urn:li:tag:a", Provenance: statements.Provenance{Actor: catalogtest.Ada, Run: "first"}},
			{Kind: "tag", URN: "urn:li:tag:b", Provenance: statements.Provenance{Actor: "urn:li:corpuser:bot", Run: "second", Source: "urn:li:dataHubAction:x", StatedAt: 5, Detail: map[string]string{"propagated": "true"}}},
			{Kind: "term", URN: "urn:li:glossaryTerm:t", Provenance: statements.Provenance{Actor: "urn:li:corpuser:eve", Run: "third"}},
			{Kind: "owner", URN: catalogtest.Ada, Provenance: statements.Provenance{Actor: catalogtest.Ada, Run: "third", Source: "https://example.com"}},
		}
		labels := found[catalogtest.URN(catalogtest.Table)]
		for i := range labels {
			// Eve did not write the term, so the time of the write is not reported for Eve.
			if of := &labels[i].Provenance; (of.StatedAt == 0) != (of.Actor == "urn:li:corpuser:eve") {
				t.Errorf("%s says since when, or does not: %+v", labels[i].URN, of)
			}
			if labels[i].Provenance.StatedAt != 5 {
				labels[i].Provenance.StatedAt = 0
			}
		}
		if diff := cmp.Diff(want, labels); diff != "" {
			t.Error(diff)
		}
	})
}

// TestEdgesSayWhoStatedThem: an edge has the stamp that its aspect states, the run of its
// write, the confidence, and the query from which it follows.
func TestEdgesSayWhoStatedThem(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: store, Now: testclock.Now}), T: t}
		const query = "urn:li:query:q"
		x, y := "urn:li:schemaField:("+catalogtest.Upstream+",x)", "urn:li:schemaField:("+catalogtest.Table+",y)"
		h.Run("nightly", catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Upstream+`","type":"TRANSFORMED","created":{"time":7,"actor":"urn:li:corpuser:eve"},"properties":{"source":"UI"},"query":"`+query+`"}],
			"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["`+x+`"],"downstreams":["`+y+`"],"confidenceScore":0.5}]}`)
		half := 0.5
		for urn, want := range map[string]statements.Provenance{
			catalogtest.Table: {Actor: "urn:li:corpuser:eve", Run: "nightly", Source: "UI", StatedAt: 7, Query: query},
			y:                 {Actor: catalogtest.Ada, Run: "nightly", Confidence: &half},
		} {
			page, err := h.Relationships(context.Background(), read.RelationshipQuery{URN: catalogtest.URN(urn), Direction: "OUTGOING", Types: []string{"DownstreamOf"}, Count: 1, Provenance: true})
			h.Want("", err)
			var unless cmp.Option
			if want.StatedAt == 0 {
				unless = cmpopts.IgnoreFields(statements.Provenance{}, "StatedAt")
			} else {
				unless = cmp.Options{}
			}
			if len(page.Relationships) != 1 || page.Relationships[0].Provenance.StatedAt == 0 {
				t.Fatalf("%s: %+v", urn, page.Relationships)
			}
			if diff := cmp.Diff(&want, page.Relationships[0].Provenance, unless); diff != "" {
				t.Errorf("%s:\n%s", urn, diff)
			}
		}
	})
}
