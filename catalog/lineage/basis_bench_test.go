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

// BenchmarkBasis measures a page of lineage with and without its basis. The start is a table
// from which many other tables derive, each with 20 columns of lineage.
func BenchmarkBasis(b *testing.B) {
	for _, tables := range []int{3, 30, 300, 3000} {
		h, ctx := catalogtest.NewHarness(b), context.Background()
		var proposals []write.Proposal
		says := func(urn, aspect, value, run string) {
			proposals = append(proposals, write.Proposal{
				EntityType: catalogtest.URN(urn).EntityType(), EntityURN: urn, AspectName: aspect,
				Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(value)}, System: &catalog.SystemMetadata{RunID: run},
			})
		}
		for i := range 365 {
			request := fmt.Sprintf("urn:li:dataHubExecutionRequest:dbt-%03d", i)
			says(request, "dataHubExecutionRequestInput", fmt.Sprintf(`{"task":"CLI Ingestion","args":{},"executorId":"e","requestedAt":%d,"source":{"type":"CLI_INGESTION_SOURCE","ingestionSource":"urn:li:dataHubIngestionSource:dbt"}}`, i), "")
			says(request, "dataHubExecutionRequestResult", fmt.Sprintf(`{"status":"SUCCESS","startTimeMs":%d}`, i), "")
		}
		for i := range tables {
			columns := ""
			for k := range 20 {
				column := fmt.Sprintf("c%d", k)
				columns += fmt.Sprintf(`,{"upstreamType":"FIELD_SET","upstreams":["%s"],"downstreamType":"FIELD","downstreams":["%s"]}`, catalogtest.ColumnOf(catalogtest.RawTable, column), catalogtest.ColumnOf(nthReader(i), column))
			}
			says(nthReader(i), "upstreamLineage", fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"COPY"}],"fineGrainedLineages":[%s]}`, catalogtest.RawTable, columns[1:]), fmt.Sprintf("dbt-%03d", i%365))
		}
		if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
		for _, basis := range []bool{false, true} {
			b.Run(fmt.Sprintf("tables=%d/basis=%v", tables, basis), func(b *testing.B) {
				for b.Loop() {
					if _, err := h.Lineage.Of(ctx, lineage.Request{
						Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream}, Count: 100, Paths: 1, Basis: basis,
					}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
