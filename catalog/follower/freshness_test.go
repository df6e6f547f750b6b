package follower_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// behind makes a search, and returns the number of changes that the answer lacks.
func behind(s *catalogtest.SearchHarness) (changes int64, late bool) {
	s.T.Helper()
	ctx, freshness := search.WithFreshness(context.Background())
	if _, err := s.Search.Search(ctx, search.Request{Types: []string{"dataset"}}); err != nil {
		s.T.Fatal(err)
	}
	return freshness.Behind()
}

// TestSearchWaitsNoLonger: a search that has waited for its bound is answered from the index as
// it is, and reports the number of lacking changes. After the index has caught up, the search
// reports none.
func TestSearchWaitsNoLonger(t *testing.T) {
	s := catalogtest.NewIndexedHarness(t, follower.Index{Wait: 10 * time.Millisecond})
	s.Add(1)
	s.Await()
	release := s.HoldIndex()
	s.Add(2)
	s.Add(3)
	changes, late := behind(s)
	s.ExpectTotal("held,", 1)
	release()
	if !late || changes == 0 {
		t.Errorf("%d changes behind, %t", changes, late)
	}
	s.Await()
	if changes, late := behind(s); late {
		t.Errorf("caught up: %d changes behind", changes)
	}
	s.ExpectTotal("caught up,", 3)
}

// TestSearchDoesNotWaitForTheEnd: a store that does not return the end of its log does not
// block a search, because the wait includes reading the end.
func TestSearchDoesNotWaitForTheEnd(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	s.Add(1)
	s.Await()
	answered := make(chan struct{})
	s.Follower.SetEnd(func(context.Context) (string, error) {
		<-answered
		return "", context.DeadlineExceeded
	})
	if lacks := s.Follower.CatchUp(context.Background(), 10*time.Millisecond); lacks != follower.Unknown {
		t.Errorf("lacks %d", lacks)
	}
	close(answered)
}

// TestSearchDoesNotWait: if the wait is 0, searches are answered at once.
func TestSearchDoesNotWait(t *testing.T) {
	s := catalogtest.NewIndexedHarness(t, follower.Index{})
	release := s.HoldIndex()
	s.Add(1)
	if changes, late := behind(s); !late || changes == 0 {
		t.Errorf("%d changes behind, %t", changes, late)
	}
	release()
}

// TestSearchOfAnIncompleteIndex: a search does not wait for an incomplete index. The search
// reports that the number of lacking changes is unknown.
func TestSearchOfAnIncompleteIndex(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	s.Add(1)
	s.Await()
	s.Index.Hold.Lock()
	s.Index.Damaged.Store(true)
	s.Follower.Sighted(indexer.ErrDamaged)
	testclock.Await(t, "the rebuild begins", s.Follower.Building)
	if lacks := s.Follower.CatchUp(context.Background(), catalogtest.Patience); lacks != follower.Unknown {
		t.Errorf("lacks %d", lacks)
	}
	s.Index.Hold.Unlock()
	s.Await()
	if changes, late := behind(s); late {
		t.Errorf("rebuilt: %d changes behind", changes)
	}
}

// TestEqualWritesWaitToo: a write that asks to wait for the index waits even if it changes
// nothing, because the index may still lack the equal write before it.
func TestEqualWritesWaitToo(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	p := write.Proposal{
		EntityURN: catalogtest.Table, EntityType: "dataset", AspectName: "datasetProperties",
		Aspect: &write.GenericAspect{ContentType: "application/json", Value: []byte(`{"description":"the same"}`)},
	}
	release := s.HoldIndex()
	put := func(ctx context.Context, o catalog.WriteOptions) error {
		results, err := s.IngestBatch(ctx, []write.Proposal{p}, o)
		for _, r := range results {
			s.Want("", r.Err)
		}
		return err
	}
	s.Want("", put(context.Background(), catalog.WriteOptions{}))
	for name, write := range map[string]func(context.Context, catalog.WriteOptions) error{
		"batch": put,
		"together": func(ctx context.Context, o catalog.WriteOptions) error {
			return s.IngestTogether(ctx, []write.Proposal{p}, o)
		},
		"whole": func(ctx context.Context, o catalog.WriteOptions) error {
			_, err := s.IngestWhole(ctx, []write.Proposal{p}, o)
			return err
		},
		"delete": func(ctx context.Context, o catalog.WriteOptions) error {
			_, err := s.Removal.Delete(ctx, catalogtest.URN(catalogtest.Upstream), false, o)
			return err
		},
		"references": func(ctx context.Context, o catalog.WriteOptions) error {
			_, err := s.Removal.DeleteReferences(ctx, catalogtest.URN(catalogtest.Upstream), false, o)
			return err
		},
		"single": func(ctx context.Context, o catalog.WriteOptions) error {
			_, err := s.Ingest(ctx, p, o)
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if err := write(ctx, catalog.WriteOptions{AwaitIndex: true}); catalog.CodeOf(err) != catalog.Timeout {
			t.Errorf("%s did not wait: %v", name, err)
		}
		cancel()
	}
	release()
	s.Want("", put(context.Background(), catalog.WriteOptions{AwaitIndex: true}))
	s.ExpectTotal("afterwards", 1)
}

// TestSearchIsCancelled: a caller that gives up does not make other callers wait.
func TestSearchIsCancelled(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	release := s.HoldIndex()
	s.Add(1)
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := s.Search.Search(ctx, search.Request{Types: []string{"dataset"}}); catalog.CodeOf(err) != catalog.Unavailable {
			t.Errorf("cancelled: %v", err)
		}
	})
	testclock.Await(t, "the search waits", s.Follower.SomeoneWaits)
	cancel()
	group.Wait()
	release()
	s.ExpectTotal("others", 1)
}

// TestWritersAreHeldBack: writers are held back while the index lacks too many changes, and go
// on when it has caught up.
func TestWritersAreHeldBack(t *testing.T) {
	s := catalogtest.NewIndexedHarness(t, follower.Index{Wait: catalogtest.Patience, MaxBehind: 10})
	release := s.HoldIndex()
	stop, written := make(chan struct{}), 0
	var group sync.WaitGroup
	group.Go(func() {
		for ; ; written++ {
			select {
			case <-stop:
				return
			default:
				s.Add(written)
			}
		}
	})
	testclock.Await(t, "a writer is held back", func() bool { return s.Follower.HeldWrites() > 0 })
	release()
	testclock.Await(t, "it goes on", func() bool { return s.Follower.HeldWrites() == 0 })
	close(stop)
	group.Wait()
	s.ExpectTotal("in the end", written)
}

// TestFollowerGathers: several changes of an entity before the next pass become one document.
func TestFollowerGathers(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	before := s.Index.Writes.Load()
	release := s.HoldIndex()
	const entities, aspects = 5, 20
	for n := range entities * aspects {
		s.Put("", "UPSERT", catalogtest.Dataset("hive", fmt.Sprintf("db.t%d", n%entities), "PROD"), "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, n))
	}
	release()
	s.Await()
	// A pass that began before the last write may have read up to three pages.
	if written := s.Index.Writes.Load() - before; written > 4*entities {
		t.Errorf("%d changes became %d documents", entities*aspects, written)
	}
}
