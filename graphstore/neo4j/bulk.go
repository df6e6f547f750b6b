package neo4j

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// From bulkEntities on, an update is a bulk one, and bulkTransactions of a process
// write at once: they touch so many nodes of each other that more would mostly wait for
// each other, or end in a deadlock and run again.
const (
	bulkEntities     = 64
	bulkTransactions = 2
)

// bulkPlaces are the places of the bulk updates that write.
type bulkPlaces struct{ places *semaphore.Weighted }

func newBulkPlaces() bulkPlaces { return bulkPlaces{semaphore.NewWeighted(bulkTransactions)} }

// enter waits until an update of entities may write: a bulk one until a place is free,
// and one that has lost a deadlock until no other bulk update writes. The one that won
// may take long, and to try again beside it mostly ends in the next deadlock. A place is
// taken before one in the lane of writes, never after it. Call leave when it has written.
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
