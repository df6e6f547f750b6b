package follower_test

import (
	"context"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/indexer"
	searchfile "github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/model"
)

// TestOlderModel: an index that was made with an older model is rebuilt when it is opened with
// the present model, and then has the fields of the present model.
func TestOlderModel(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	const dataset = "urn:li:dataset:(urn:li:dataPlatform:hive,orders,PROD)"
	open := func(fingerprint string) (*services.Services, indexer.Index, func()) {
		store, err := embedded.Open(ctx, embedded.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		index, err := searchfile.Open(ctx, searchfile.Options{Dir: dir, Fingerprint: fingerprint})
		if err != nil {
			t.Fatal(err)
		}
		c := services.New(services.Options{Store: store, Index: &follower.Index{Index: index}})
		return c, index, func() {
			c.Stop()
			if err := index.Close(); err != nil {
				t.Error(err)
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	older, index, closeOlder := open("of an older model")
	_, err := older.Ingest(ctx, write.Proposal{
		EntityType: "dataset", EntityURN: dataset, AspectName: "datasetProperties",
		Aspect: &write.GenericAspect{Value: []byte(`{"name":"Orders"}`), ContentType: "application/json"},
	}, catalog.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	document := indexer.Document{URN: dataset, Type: "dataset", Weight: 1, Values: map[string][]string{"urn": {dataset}, "_entityType": {"dataset"}, "removed": {"false"}}}
	if err := index.Write(ctx, indexer.Batch{Put: []indexer.Document{document}, Cursor: "its end"}); err != nil {
		t.Fatal(err)
	}
	closeOlder()

	c, _, closeToday := open(indexer.NewSchema(model.Default()).Fingerprint())
	defer closeToday()
	following, stop := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() { c.Follower.Follow(following) })
	defer done.Wait()
	defer stop()
	if err := c.Follower.Await(ctx); err != nil {
		t.Fatal(err)
	}
	found, err := c.Search.Search(ctx, search.Request{
		Types: []string{"dataset"}, Input: "*", Facets: []string{},
		Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "_entityName", Value: "Orders", Condition: "EQUAL"}}}}},
	})
	if err != nil || found.Total != 1 {
		t.Errorf("%+v %v", found, err)
	}
}
