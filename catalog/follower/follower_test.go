package follower_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestIndexIsFresh: a search finds entities that were written before the search, and no deleted
// entities.
func TestIndexIsFresh(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	for n := range 5 {
		s.Add(n)
		s.ExpectTotal("after the write", n+1)
	}
	urn := s.Add(1)
	s.Put("", "UPSERT", urn, "status", `{"removed":true}`)
	s.ExpectTotal("soft-deleted,", 4)
	s.Put("", "UPSERT", urn, "status", `{"removed":false}`)
	s.ExpectTotal("active again,", 5)
	s.Put("", "DELETE", urn, "datasetKey", `{}`)
	s.ExpectTotal("deleted,", 4)
	if lag, err := s.Follower.Lag(context.Background()); err != nil || lag != 0 {
		t.Errorf("lag %d, %v", lag, err)
	}
}

// TestIndexIsFreshForMany: many concurrent writers find their own writes.
func TestIndexIsFreshForMany(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for n := range 10 {
				name := fmt.Sprintf("w%dn%d", w, n)
				p := catalogtest.Proposal("UPSERT", catalogtest.Dataset("hive", name, "PROD"), "datasetProperties", `{"description":"x"}`)
				if _, err := s.Ingest(context.Background(), p, catalog.WriteOptions{}); err != nil {
					t.Error(err)
					return
				}
				found, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Input: "id:" + name, Count: 1})
				if err != nil || found.Total != 1 {
					t.Errorf("%s is not found: %v", name, err)
				}
			}
		})
	}
	group.Wait()
	s.ExpectTotal("at the end", 80)
}

// TestIndexOfTimeSeries: the newest value of a time series is found, and no older one.
func TestIndexOfTimeSeries(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	urn := s.Add(1)
	for _, rows := range []int{100, 200} {
		s.Put("", "UPSERT", urn, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":%d}`, rows, rows))
	}
	s.Put("", "UPSERT", urn, "datasetProfile", `{"timestampMillis":50,"rowCount":50}`)
	for value, want := range map[string]int{"200": 1, "100": 0, "50": 0} {
		f := &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "rowCount", Value: value}}}}}
		if found, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Filter: f}); err != nil || found.Total != want {
			t.Errorf("%s rows: %+v, %v", value, found, err)
		}
	}
}

// TestIndexAway: while the index is down, writes are accepted and searches are refused. When
// the index is up again, it lacks nothing.
func TestIndexAway(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	s.Add(1)
	s.Await()
	s.Index.Down.Store(true)
	for n := 2; n < 30; n++ {
		s.Add(n)
	}
	if _, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}}); catalog.CodeOf(err) != catalog.Unavailable {
		t.Errorf("a search without its index: %v", err)
	}
	waitFor(s, func(status follower.Status) bool { return status.Failure != "" })
	if lag, err := s.Follower.Lag(context.Background()); err != nil || lag == 0 {
		t.Errorf("lag %d, %v", lag, err)
	}
	s.Index.Down.Store(false)
	s.Await()
	s.ExpectTotal("back again,", 29)
	if status, _ := s.Follower.Status(); status.Failure != "" {
		t.Errorf("the failure is still told: %s", status.Failure)
	}
}

// TestWritesWithFailingIndex: writes do not wait for an index that fails.
func TestWritesWithFailingIndex(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	s.Index.Down.Store(true)
	for n := range 20 { // each write would otherwise wait ten seconds
		s.Add(n)
	}
	s.Index.Down.Store(false)
	s.Await()
	s.ExpectTotal("back again,", 20)
}

// TestFollowerRestarts: a follower continues from its last position, and applies the changes
// since then.
func TestFollowerRestarts(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	s.Add(1)
	s.Await()
	s.Stop()
	for n := 2; n <= 4; n++ {
		s.Add(n)
	}
	s.ExpectTotal("while nobody follows", 1)
	before, _ := s.Follower.Status()
	s.Follow()
	s.ExpectTotal("after the restart", 4)
	after, _ := s.Follower.Status()
	if after.Builds != before.Builds || after.Documents-before.Documents != 3 {
		t.Errorf("the restart built the index %d times and wrote %d documents", after.Builds-before.Builds, after.Documents-before.Documents)
	}
}

// TestForeignIndexIsRebuilt: an index of another store is not mistaken for the index of this
// store.
func TestForeignIndexIsRebuilt(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	s.Add(1)
	s.Stop()
	if err := s.Index.Write(context.Background(), indexer.Batch{
		Put:    []indexer.Document{{URN: "urn:li:dataset:x", Type: "dataset", Values: map[string][]string{"_entityType": {"dataset"}, "removed": {"false"}}}},
		Cursor: follower.NewPosition("another", "1.0", follower.Refusals{}).String(),
	}); err != nil {
		t.Fatal(err)
	}
	s.Follow()
	s.ExpectTotal("rebuilt,", 1)
}

// TestReindexUnderWrites: a rebuild misses no change that is written meanwhile. A second
// rebuild can be started only after the first one has ended.
func TestReindexUnderWrites(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	for part := range 2 {
		var proposals []write.Proposal
		for n := range 700 {
			proposals = append(proposals, catalogtest.Proposal("UPSERT", catalogtest.Dataset("hive", fmt.Sprintf("many%d_%d", part, n), "PROD"), "status", `{"removed":false}`))
		}
		if _, err := s.IngestBatch(context.Background(), proposals, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if part == 0 {
			s.Stop() // the other part is written while no follower runs
		}
	}
	s.Follow()
	var group sync.WaitGroup
	done := make(chan struct{})
	group.Go(func() {
		for n := 10_000; ; n++ {
			select {
			case <-done:
				return
			default:
				s.Add(n)
			}
		}
	})
	for range 3 {
		if err := s.Follower.Reindex(); err != nil {
			t.Fatal(err)
		}
		if err := s.Follower.Reindex(); catalog.CodeOf(err) != catalog.Conflict {
			t.Errorf("a second rebuild at once: %v", err)
		}
		testclock.Await(t, "the index is rebuilt", func() bool { return !s.Follower.Building() })
	}
	close(done)
	group.Wait()
	s.Await()
	page, err := s.ListURNs(context.Background(), "dataset", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.ExpectTotal("after three rebuilds", int(page.Total))
	if status, _ := s.Follower.Status(); status.BuildFailure != "" || status.Done == 0 {
		t.Errorf("%+v", status)
	}
}

// TestNoIndex: without an index, searches fail with an error of their own, and all else works.
func TestNoIndex(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", "UPSERT", catalogtest.Table, "status", `{"removed":false}`)
	ctx := context.Background()
	for name, call := range map[string]func() error{
		"search": func() error { _, err := h.Search.Search(ctx, search.Request{Count: 1}); return err },
		"autocomplete": func() error {
			_, err := h.Search.Autocomplete(ctx, search.AutocompleteRequest{Query: "x", Limit: 1})
			return err
		},
		"browse":  func() error { _, err := h.Search.Browse(ctx, search.BrowseRequest{EntityType: "dataset"}); return err },
		"reindex": h.Follower.Reindex,
		"await":   func() error { return h.Follower.Await(ctx) },
		"ping":    func() error { return h.Follower.Ping(ctx) },
	} {
		if err := call(); catalog.CodeOf(err) != catalog.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.Follower.Follow(ctx) // Follow returns at once without an index
}
