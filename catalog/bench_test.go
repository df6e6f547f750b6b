package catalog

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkIngestBatch loads new datasets, three aspects each.
func BenchmarkIngestBatch(b *testing.B) {
	h := newHarness(b)
	filler := strings.Repeat("Orders joined to customers and refunds. ", 45)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		var proposals []Proposal
		for range 1000 {
			urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.t%d,PROD)", n)
			proposals = append(proposals,
				proposal(Upsert, urn, "datasetProperties", `{"description":"`+filler+`","customProperties":{"a":"b"}}`),
				proposal(Upsert, urn, "ownership", `{"owners":[{"owner":"`+fmt.Sprintf("urn:li:corpuser:u%d", n%1000)+`","type":"DATAOWNER"}],"lastModified":`+stamp+`}`),
				proposal(Upsert, urn, "upstreamLineage", `{"upstreams":[{"dataset":"`+fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.t%d,PROD)", n/2)+`","type":"COPY"}]}`))
			n++
		}
		if _, err := h.IngestBatch(context.Background(), proposals, WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "datasets/s")
}
