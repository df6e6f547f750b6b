package replica_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// heldStore delays every read of histories until letGo is closed.
type heldStore struct {
	graphstore.Store
	reading chan struct{}
	letGo   chan struct{}
}

func (s *heldStore) History(ctx context.Context, urns []string) (map[string]graphstore.History, error) {
	s.reading <- struct{}{}
	<-s.letGo
	return s.Store.History(ctx, urns)
}

// TestPagesTakeTurns: no more pages than the limit are made at once. A further request is
// refused as busy if its turn does not come. A replica that is level waits for no turn.
func TestPagesTakeTurns(t *testing.T) {
	from := catalogtest.NewHarness(t)
	from.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"name":"a"}`)
	held := &heldStore{from.Store, make(chan struct{}), make(chan struct{})}
	pages := services.New(services.Options{Store: held, Now: testclock.Now}).Replica
	var making sync.WaitGroup
	for range limits.ReplicaPages {
		making.Go(func() {
			page, err := pages.Page(context.Background(), "", 10, 0)
			if err != nil || len(page.Entities) == 0 {
				t.Errorf("%+v, %v", page, err)
			}
		})
		<-held.reading
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if page, err := pages.Page(ctx, "", 10, 0); catalog.CodeOf(err) != catalog.Busy {
		t.Errorf("a page more: %+v, %v", page, err)
	}
	end, err := from.Store.EndCursor(context.Background())
	from.Want("", err)
	if page, err := pages.Page(context.Background(), end, 10, 0); err != nil || len(page.Changes) > 0 {
		t.Errorf("nothing more: %+v, %v", page, err)
	}
	close(held.letGo)
	making.Wait()
}
