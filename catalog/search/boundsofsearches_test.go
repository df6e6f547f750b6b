package search

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
)

// staged is an index of life-cycle stages.
type staged struct {
	indexer.Index
	stages int
}

func (s staged) Search(_ context.Context, q *indexer.Query) (*indexer.Result, error) {
	found := &indexer.Result{Total: s.stages}
	for i := range min(s.stages, q.Size) {
		found.Hits = append(found.Hits, indexer.Hit{URN: fmt.Sprint("urn:li:lifecycleStageType:s", i)})
	}
	return found, nil
}

// TestLimitOfStages: as many life-cycle stages are looked at as the limit.
func TestLimitOfStages(t *testing.T) {
	for _, n := range []int{limits.MaxLifecycleStages, limits.MaxLifecycleStages + 1} {
		stages, err := (&Service{index: staged{stages: n}, follower: (*follower.Follower)(nil)}).stages(t.Context())
		if err != nil || len(stages) != limits.MaxLifecycleStages {
			t.Errorf("of %d stages, %d are looked at: %v", n, len(stages), err)
		}
	}
}
