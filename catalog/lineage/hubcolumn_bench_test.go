package lineage_test

import (
	"context"
	"os"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// BenchmarkHubColumn measures the first page of the impact of a column that a column of each of many tables reads. If
// HEADWATER_TEST_NEO4J names a Neo4j, the benchmark wipes and measures it; otherwise it measures the embedded store.
func BenchmarkHubColumn(b *testing.B) {
	const tables = 50_000
	ctx := context.Background()
	h := catalogtest.NewHarness(b)
	if uri := os.Getenv("HEADWATER_TEST_NEO4J"); uri != "" {
		testservers.WipeNeo4j(b, uri)
		h = catalogtest.HarnessOn(b, catalogtest.OpenNeo4j(b, uri))
	}
	hub := catalogtest.ColumnOf(catalogtest.RawTable, "a")
	statement := func(owner, source, destination, kind, path string) graphstore.EdgeStatement {
		return graphstore.EdgeStatement{
			EdgeID:     graphstore.EdgeID{Owner: owner, Aspect: "upstreamLineage", Path: path, Source: source, Type: "DownstreamOf", Destination: destination},
			SourceType: kind, DestinationType: kind, Since: 1,
		}
	}
	var urns []string
	var batch graphstore.Batch
	for i := range tables {
		urn := nthReader(i)
		urns = append(urns, urn)
		batch.Nodes = append(batch.Nodes, graphstore.NodeUpdate{URN: urn, Type: "dataset", Exists: true})
		batch.AddEdges = append(batch.AddEdges,
			statement(urn, urn, catalogtest.RawTable, "dataset", "upstreams/*/dataset"),
			statement(urn, catalogtest.ColumnOf(urn, "b"), hub, "schemaField", "fineGrainedLineages"))
		if len(urns) == 5000 {
			some := batch
			if err := h.Store.Update(ctx, urns, func(tx graphstore.Tx) error { return tx.Write(some) }); err != nil {
				b.Fatal(err)
			}
			urns, batch = nil, graphstore.Batch{}
		}
	}
	request := lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(hub), Reach: 60_000}, Count: 10}
	b.Run("impact", func(b *testing.B) {
		for b.Loop() {
			if impact, err := h.Lineage.Impact(ctx, request); err != nil || impact.Total != tables || len(impact.Entities) != 10 {
				b.Fatal(err)
			}
		}
	})
	b.Run("page with paths", func(b *testing.B) {
		for b.Loop() {
			report, err := h.Lineage.ImpactPage(ctx, request, 0, 10, lineage.ImpactParts{Paths: true, Owners: true, Basis: true})
			if err != nil || report.Certain != tables {
				b.Fatal(err)
			}
		}
	})
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.Lineage.Walk(ctx, lineage.WalkQuery{URN: catalogtest.URN(hub), Direction: lineage.Downstream, Reach: 60_000}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
