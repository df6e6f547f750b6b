package lineage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// TestScroll: pages of any size together have every edge once, even if one entity has more
// edges than a page, and even for edges of columns, whose ends were never written.
func TestScroll(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		s, ctx := services.New(services.Options{Store: store}), context.Background()
		table := func(n int) string { return catalogtest.Dataset("hive", fmt.Sprintf("scroll.t%02d", n), "PROD") }
		var upstreams []string
		for n := 1; n <= 7; n++ {
			upstreams = append(upstreams, fmt.Sprintf(`{"dataset":%q,"type":"TRANSFORMED"}`, table(n)))
		}
		column := fmt.Sprintf(`{"upstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(%s,a)"],"downstreamType":"FIELD","downstreams":["urn:li:schemaField:(%s,b)"]}`, table(1), table(0))
		for _, of := range []int{0, 9} {
			value := `{"upstreams":[` + strings.Join(upstreams, ",") + `],"fineGrainedLineages":[` + column + `]}`
			_, err := s.Ingest(ctx, write.Proposal{
				EntityType: "dataset", EntityURN: table(of), AspectName: model.AspectUpstreamLineage,
				Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
			}, catalog.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
		}
		var all []string
		for _, count := range []int{100, 1, 2, 3, 7, 8, 15} {
			var found []string
			for place := (&read.EdgePlace{}); place != nil; {
				edges, next, err := s.Lineage.Scroll(ctx, lineage.ScrollQuery{Count: count, After: *place})
				if err != nil || len(edges) > count {
					t.Fatal(len(edges), err)
				}
				for _, e := range edges {
					found = append(found, e.Downstream+" "+e.Upstream)
				}
				place = next
			}
			if count == 100 {
				if all = found; len(all) != 15 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 15 {
					t.Fatalf("%d edges: %.300q", len(all), all)
				}
			} else if !slices.Equal(found, all) {
				t.Errorf("pages of %d: %q, want %q", count, found, all)
			}
		}
		up, err := s.ScrollRelationships(ctx, read.RelationshipScroll{SourceTypes: []string{"schemafield"}, Count: 5})
		if err != nil || len(up.Edges) != 1 {
			t.Errorf("edges of columns: %+v %v", up, err)
		}
	})
}
