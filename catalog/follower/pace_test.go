package follower_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestRestBound: a slow follower rests only while the index lacks few changes. A fast follower,
// and one whose last pass was small, rests while the index lacks up to a fifth of the bound.
func TestRestBound(t *testing.T) {
	const most = 50_000
	for name, one := range map[string]struct {
		applied int64
		took    time.Duration
		want    int64
	}{
		"fast":          {8000, 100 * time.Millisecond, 10_000},
		"slow":          {8000, 4 * time.Second, 2000},
		"little to do":  {10, 4 * time.Second, 10_000},
		"nothing to do": {0, 0, 10_000},
	} {
		if got := follower.RestBound(most, one.applied, one.took); got != one.want {
			t.Errorf("%s: rests up to %d changes, want %d", name, got, one.want)
		}
	}
}

// slowLag is a store that does not answer how far a reader of the log is behind.
type slowLag struct {
	graphstore.Store
	asked, told atomic.Int64
	release     chan struct{}
}

func (s *slowLag) Lag(ctx context.Context, after string) (int64, error) {
	s.asked.Add(1)
	select {
	case <-s.release:
	case <-ctx.Done():
	}
	s.told.Add(1)
	return s.Store.Lag(ctx, after)
}

// TestWritesDoNotWaitForTheLag: a write is answered although the store does not tell how far
// the index is behind.
func TestWritesDoNotWaitForTheLag(t *testing.T) {
	store := &slowLag{release: make(chan struct{})}
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
		store.Store = s
		return store
	})
	defer close(store.release)
	testclock.Await(t, "a write asks for the lag", func() bool {
		_, err := c.Ingest(t.Context(), write.Proposal{
			EntityType: "tag", EntityURN: "urn:li:tag:x", ChangeType: write.Upsert, AspectName: "tagProperties",
			Aspect: &write.GenericAspect{Value: []byte(fmt.Sprintf(`{"name":"x%d"}`, time.Now().UnixNano())), ContentType: "application/json"},
		}, catalog.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return store.asked.Load() > 0
	})
	if n := store.told.Load(); n > 0 {
		t.Errorf("writes waited for %d answers about the lag", n)
	}
}
