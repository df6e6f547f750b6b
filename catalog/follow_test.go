package catalog

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testclock"
)

func (s *searchHarness) total() int {
	s.t.Helper()
	found, err := s.Search(context.Background(), SearchRequest{Types: []string{"dataset"}})
	if err != nil {
		s.t.Fatal(err)
	}
	return found.Total
}

func (s *searchHarness) add(n int) string {
	s.t.Helper()
	urn := dataset("hive", fmt.Sprintf("db.t%d", n), "PROD")
	s.put("", "UPSERT", urn, "datasetProperties", fmt.Sprintf(`{"description":"number %d"}`, n))
	return urn
}

func (s *searchHarness) expectTotal(when string, want int) {
	s.t.Helper()
	if got := s.total(); got != want {
		s.t.Errorf("%s the index has %d datasets, want %d", when, got, want)
	}
}

// A write is in the index when it returns, a delete too.
func TestIndexIsFresh(t *testing.T) {
	s := newSearchHarness(t)
	for n := range 5 {
		s.add(n)
		s.expectTotal("after the write", n+1)
	}
	urn := s.add(1)
	s.put("", "UPSERT", urn, "status", `{"removed":true}`)
	s.expectTotal("soft-deleted,", 4)
	s.put("", "UPSERT", urn, "status", `{"removed":false}`)
	s.expectTotal("active again,", 5)
	s.put("", "DELETE", urn, "datasetKey", `{}`)
	s.expectTotal("deleted,", 4)
	if lag, err := s.IndexLag(context.Background()); err != nil || lag != 0 {
		t.Errorf("lag %d, %v", lag, err)
	}
}

// Many writers at once find their own writes.
func TestIndexIsFreshForMany(t *testing.T) {
	s := newSearchHarness(t)
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for n := range 10 {
				name := fmt.Sprintf("w%dn%d", w, n)
				p := proposal("UPSERT", dataset("hive", name, "PROD"), "datasetProperties", `{"description":"x"}`)
				if _, err := s.Ingest(context.Background(), p, WriteOptions{}); err != nil {
					t.Error(err)
					return
				}
				found, err := s.Search(context.Background(), SearchRequest{Types: []string{"dataset"}, Input: "id:" + name, Count: 1})
				if err != nil || found.Total != 1 {
					t.Errorf("%s is not found: %v", name, err)
				}
			}
		})
	}
	group.Wait()
	s.expectTotal("at the end", 80)
}

// The newest value of a time series is searched for, and only that.
func TestIndexOfTimeSeries(t *testing.T) {
	s := newSearchHarness(t)
	urn := s.add(1)
	for _, rows := range []int{100, 200} {
		s.put("", "UPSERT", urn, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":%d}`, rows, rows))
	}
	s.put("", "UPSERT", urn, "datasetProfile", `{"timestampMillis":50,"rowCount":50}`)
	for value, want := range map[string]int{"200": 1, "100": 0, "50": 0} {
		f := &Filter{Or: []Conjunction{{And: []Criterion{{Field: "rowCount", Value: value}}}}}
		if found, err := s.Search(context.Background(), SearchRequest{Types: []string{"dataset"}, Filter: f}); err != nil || found.Total != want {
			t.Errorf("%s rows: %+v, %v", value, found, err)
		}
	}
}

// While the index is down writes are taken, searches are refused, and when it
// is back nothing is missing.
func TestIndexAway(t *testing.T) {
	s := newSearchHarness(t)
	s.follower.fresh = false
	s.add(1)
	s.await()
	s.index.down.Store(true)
	for n := 2; n < 30; n++ {
		s.add(n)
	}
	if _, err := s.Search(context.Background(), SearchRequest{Types: []string{"dataset"}}); CodeOf(err) != Unavailable {
		t.Errorf("a search without its index: %v", err)
	}
	s.waitFor(func(status IndexStatus) bool { return status.Failure != "" })
	if lag, err := s.IndexLag(context.Background()); err != nil || lag == 0 {
		t.Errorf("lag %d, %v", lag, err)
	}
	s.index.down.Store(false)
	s.await()
	s.expectTotal("back again,", 29)
	if status, _ := s.IndexStatus(); status.Failure != "" {
		t.Errorf("the failure is still told: %s", status.Failure)
	}
}

// A write that should be fresh does not wait for an index that fails.
func TestFreshWriteWithFailingIndex(t *testing.T) {
	s := newSearchHarness(t)
	s.index.down.Store(true)
	for n := range 20 { // each would wait ten seconds
		s.add(n)
	}
	s.index.down.Store(false)
	s.await()
	s.expectTotal("back again,", 20)
}

// A follower that was away goes on where it was; the changes it finds are those
// since then.
func TestFollowerRestarts(t *testing.T) {
	s := newSearchHarness(t)
	s.add(1)
	s.stop()
	for n := 2; n <= 4; n++ {
		s.add(n)
	}
	s.expectTotal("while nobody follows", 1)
	before, _ := s.IndexStatus()
	s.follow()
	s.expectTotal("after the restart", 4)
	after, _ := s.IndexStatus()
	if after.Builds != before.Builds || after.Documents-before.Documents != 3 {
		t.Errorf("the restart built the index %d times and wrote %d documents", after.Builds-before.Builds, after.Documents-before.Documents)
	}
}

// An index of another store is not taken for this one's.
func TestForeignIndexIsRebuilt(t *testing.T) {
	s := newSearchHarness(t)
	s.add(1)
	s.stop()
	if err := s.index.Write(context.Background(), indexer.Batch{
		Put:    []indexer.Document{{URN: "urn:li:dataset:x", Type: "dataset", Values: map[string][]string{"_entityType": {"dataset"}, "removed": {"false"}}}},
		Cursor: (&position{index: "another", cursor: "1.0"}).String(),
	}); err != nil {
		t.Fatal(err)
	}
	s.follow()
	s.expectTotal("rebuilt,", 1)
}

// A rebuild misses nothing that is written meanwhile, and can be told twice
// only after it is over.
func TestReindexUnderWrites(t *testing.T) {
	s := newSearchHarness(t)
	for part := range 2 {
		var proposals []Proposal
		for n := range 700 {
			proposals = append(proposals, proposal("UPSERT", dataset("hive", fmt.Sprintf("many%d_%d", part, n), "PROD"), "status", `{"removed":false}`))
		}
		if _, err := s.IngestBatch(context.Background(), proposals, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if part == 0 {
			s.stop() // the rest is written without an index
		}
	}
	s.follow()
	var group sync.WaitGroup
	done := make(chan struct{})
	group.Go(func() {
		for n := 10_000; ; n++ {
			select {
			case <-done:
				return
			default:
				s.add(n)
			}
		}
	})
	for range 3 {
		if err := s.Reindex(); err != nil {
			t.Fatal(err)
		}
		if err := s.Reindex(); CodeOf(err) != Conflict {
			t.Errorf("a second rebuild at once: %v", err)
		}
		testclock.Await(t, "the index is rebuilt", func() bool { return !s.IndexBuilding() })
	}
	close(done)
	group.Wait()
	s.await()
	page, err := s.ListURNs(context.Background(), "dataset", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.expectTotal("after three rebuilds", int(page.Total))
	if status, _ := s.IndexStatus(); status.BuildFailure != "" || status.Done == 0 {
		t.Errorf("%+v", status)
	}
}

// Without an index searches say so and everything else works.
func TestNoIndex(t *testing.T) {
	h := newHarness(t)
	h.put("", "UPSERT", table, "status", `{"removed":false}`)
	ctx := context.Background()
	for name, call := range map[string]func() error{
		"search":       func() error { _, err := h.Search(ctx, SearchRequest{Count: 1}); return err },
		"autocomplete": func() error { _, err := h.Autocomplete(ctx, AutocompleteRequest{Query: "x", Limit: 1}); return err },
		"browse":       func() error { _, err := h.Browse(ctx, BrowseRequest{EntityType: "dataset"}); return err },
		"reindex":      h.Reindex,
		"await":        func() error { return h.AwaitIndex(ctx) },
		"ping":         func() error { return h.PingIndex(ctx) },
	} {
		if err := call(); CodeOf(err) != Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.Follow(ctx) // returns at once
}
