package search_test

import (
	"context"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/indexer"
)

// lateKeeper is the Follower of an index that never catches up.
type lateKeeper struct {
	search.Follower
	lacks   []int64
	allowed []time.Duration
}

func (k *lateKeeper) CatchUp(_ context.Context, atMost time.Duration) int64 {
	k.allowed = append(k.allowed, atMost)
	time.Sleep(min(atMost, time.Millisecond))
	lacks := k.lacks[0]
	k.lacks = k.lacks[1:]
	return lacks
}

// TestRequestWaitsOnce: the searches of one request together wait no longer than one search
// does. The answer reports the largest number of lacking changes.
func TestRequestWaitsOnce(t *testing.T) {
	for name, c := range map[string]struct {
		lacks []int64
		want  int64
		late  bool
	}{
		"fresh":   {lacks: []int64{0, 0, 0}},
		"late":    {lacks: []int64{0, 7, 3}, want: 7, late: true},
		"unknown": {lacks: []int64{4, -1, 5}, want: -1, late: true},
	} {
		h := catalogtest.NewSearchHarness(t)
		keeper := &lateKeeper{Follower: h.Follower, lacks: c.lacks}
		s := search.New(search.Options{
			Registry: h.Registry(), Reader: h.Reader, Schema: indexer.NewSchema(h.Registry()), Index: h.Index, Follower: keeper, Wait: 2 * time.Millisecond,
		})
		ctx, freshness := search.WithFreshness(context.Background())
		for range len(c.lacks) {
			if _, err := s.Search(ctx, search.Request{Types: []string{"dataset"}}); err != nil {
				t.Fatal(err)
			}
		}
		if changes, late := freshness.Behind(); changes != c.want || late != c.late {
			t.Errorf("%s: %d, %t", name, changes, late)
		}
		if keeper.allowed[0] != 2*time.Millisecond || keeper.allowed[1] > time.Millisecond || keeper.allowed[2] != 0 {
			t.Errorf("%s: the searches may wait %v", name, keeper.allowed)
		}
	}
}
