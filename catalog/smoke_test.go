package catalog

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/graphstore/embedded"
)

func newCatalog(t testing.TB) *Catalog {
	t.Helper()
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(Options{Store: store})
}

const table = "urn:li:dataset:(urn:li:dataPlatform:hive,db.orders,PROD)"

func TestSmoke(t *testing.T) {
	c := newCatalog(t)
	ctx := context.Background()
	for i := range 3 {
		value := []string{`{"upstreams":[{"dataset":"urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)","type":"COPY","auditStamp":{"time":1,"actor":"urn:li:corpuser:x"}}]}`, `{"upstreams":[]}`}[i%2]
		r, err := c.Ingest(ctx, Proposal{EntityType: "dataset", EntityURN: table, AspectName: "upstreamLineage", Aspect: &GenericAspect{[]byte(value), "application/json"}}, WriteOptions{})
		t.Logf("%+v %v", r, err)
	}
	e, err := c.Entity(ctx, table, nil)
	t.Logf("%+v %v", e, err)
	rel, err := c.Relationships(ctx, RelationshipQuery{URN: table, Direction: "OUTGOING", Count: 10})
	t.Logf("%+v %v", rel, err)
	ch, next, err := c.Changes(ctx, "", 100)
	for _, x := range ch {
		t.Logf("%+v", x)
	}
	t.Log(next, err)
	n, _ := c.store.Entities(ctx, []string{table, "urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)"})
	t.Logf("%+v", n)
}
