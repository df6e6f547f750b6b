package write_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/write"
)

// BenchmarkIngestBatch loads new datasets, three aspects each.
func BenchmarkIngestBatch(b *testing.B) {
	h := catalogtest.NewHarness(b)
	filler := strings.Repeat("Orders joined to customers and refunds. ", 45)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		var proposals []write.Proposal
		for range 1000 {
			urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.t%d,PROD)", n)
			proposals = append(proposals,
				catalogtest.Proposal(write.Upsert, urn, "datasetProperties", `{"description":"`+filler+`","customProperties":{"a":"b"}}`),
				catalogtest.Proposal(write.Upsert, urn, "ownership", `{"owners":[{"owner":"`+fmt.Sprintf("urn:li:corpuser:u%d", n%1000)+`","type":"DATAOWNER"}],"lastModified":`+catalogtest.Stamp+`}`),
				catalogtest.Proposal(write.Upsert, urn, "upstreamLineage", `{"upstreams":[{"dataset":"`+fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.t%d,PROD)", n/2)+`","type":"COPY"}]}`))
			n++
		}
		if _, err := h.IngestBatch(context.Background(), proposals, catalog.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "datasets/s")
}
