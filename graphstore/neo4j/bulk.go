package neo4j

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// A bulk update is an update of more than bulkEntities entities. At most bulkTransactions bulk
// updates of a process write at once: bulk updates touch many nodes of each other, so more of
// them would mostly wait for each other, or end in a deadlock and run again.
const (
	bulkEntities     = 64
	bulkTransactions = 2
)

// bulkPlaces has a place for each bulk update that may write.
type bulkPlaces struct{ places *semaphore.Weighted }

func newBulkPlaces() bulkPlaces { return bulkPlaces{semaphore.NewWeighted(bulkTransactions)} }

// enter waits until an update may write. A bulk update waits for a free place. A bulk update
// that has lost a deadlock waits until no other bulk update writes: the winner may take long,
// and a new attempt beside it mostly ends in the next deadlock. A place of bulkPlaces must be
// taken before a place in the lane of writes, never after it. The caller must call leave when
// the update has written.
func (b bulkPlaces) enter(ctx context.Context, entities int, lost bool) (leave func(), err error) {
	if entities <= bulkEntities {
		return func() {}, nil
	}
	places := int64(1)
	if lost {
		places = bulkTransactions
	}
	if err := b.places.Acquire(ctx, places); err != nil {
		return nil, err
	}
	return func() { b.places.Release(places) }, nil
}
