package lineage_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/write"
)

// BenchmarkColumnImpact measures the first page of a column's impact. A number of tables derive
// from the column, and a view from each table. Each table and each view has 20 columns of
// lineage, and also lineage between entities.
func BenchmarkColumnImpact(b *testing.B) {
	for _, tables := range []int{30, 300, 3000} {
		h, ctx := catalogtest.NewHarness(b), context.Background()
		var proposals []write.Proposal
		derive := func(urn, from string) {
			columns := ""
			for k := range 20 {
				column := fmt.Sprintf("c%d", k)
				columns += fmt.Sprintf(`,{"upstreamType":"FIELD_SET","upstreams":["%s"],"downstreamType":"FIELD","downstreams":["%s"]}`, catalogtest.ColumnOf(from, column), catalogtest.ColumnOf(urn, column))
			}
			proposals = append(proposals, write.Proposal{
				EntityType: "dataset", EntityURN: urn, AspectName: "upstreamLineage",
				Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"COPY"}],"fineGrainedLineages":[%s]}`, from, columns[1:]))},
			})
		}
		for i := range tables {
			derive(nthReader(i), catalogtest.RawTable)
			derive(nthReader(tables+i), nthReader(i))
		}
		if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("tables=%d", tables), func(b *testing.B) {
			for b.Loop() {
				report, err := h.Lineage.ImpactPage(ctx, lineage.ImpactRequest{
					Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.RawTable, "c1"))},
				}, 0, 100, lineage.ImpactParts{Paths: true})
				if err != nil || report.Certain != 2*tables {
					b.Fatal(err, report.Certain)
				}
			}
		})
	}
}
